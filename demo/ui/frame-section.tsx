import { FRAME, budgetOf, roundly } from './budget.ts';
import { FrameChart } from './frame-chart.tsx';
import { Hint } from './controls.tsx';
import { stageColor } from './stage-colors.ts';
import { adapter, figures, settings, timeline } from './state.ts';

const milliseconds = (time: number) => (time < 10 ? time.toFixed(2) : time.toFixed(1));

/** Where the time of a frame goes, and how many soldiers there is time for. */
export function FrameSection() {
  const now = figures.value;
  const times = timeline.typical;
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  if (adapter.value && !adapter.value.hasTimes) {
    return (
      <p class="note">
        This device has no timestamp queries, so GPU times cannot be measured here. Frames per second, and the time that
        the page itself takes, are above.
      </p>
    );
  }
  const onTwins = settings.value?.backend === 'cpu';
  return (
    <>
      <Budget />
      <FrameChart />
      <table class="stages">
        <caption>
          {onTwins ? 'Milliseconds by stage: on the CPU, then the renderer’s' : 'GPU milliseconds by stage'}
        </caption>
        <tbody>
          {[...times].map(([name, time]) => (
            <tr key={name}>
              <th scope="row">
                <i style={{ background: stageColor(name) }} />
                {name}
              </th>
              <td>
                <meter
                  min={0}
                  max={Math.max(total, 1e-3)}
                  value={time}
                  aria-hidden="true"
                  style={{ '--color': stageColor(name) }}
                />
              </td>
              <td class="number">{milliseconds(time)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">all of it</th>
            <td />
            <td class="number" data-figure="gpu-time">
              {milliseconds(total)}
            </td>
          </tr>
        </tfoot>
      </table>
      {now && <Memory />}
    </>
  );
}

function Budget() {
  const now = figures.value;
  const budget = now && budgetOf(timeline.typical, now.characters);
  if (!budget) return <p class="quiet">Measuring …</p>;
  const share = budget.total / FRAME;
  return (
    <div class="budget">
      <p>
        <strong data-figure="budget">{roundly(budget.characters)}</strong> such soldiers fit into a frame at 60 a second
        <Hint label="How this is estimated">
          Stages that grow with the crowd take {budget.each.toFixed(2)} µs for each of{' '}
          {now.characters.toLocaleString('en')} soldiers now; {milliseconds(budget.fixed)} ms go to pixels, however many
          there are. So many fit into what is left of {FRAME.toFixed(1)} ms, seen from where the camera is, at these
          levels of detail. An estimate: small crowds do not fill a GPU, and promise less than it can do; browsers round
          times to 0.1 ms.
        </Hint>
      </p>
      <div
        class={`budget-bar${share > 1 ? ' over' : ''}`}
        role="img"
        aria-label={`${milliseconds(budget.total)} of ${FRAME.toFixed(1)} milliseconds`}
      >
        <i style={{ width: `${Math.min(100, 100 * share)}%` }} />
        <span>
          {milliseconds(budget.total)} of {FRAME.toFixed(1)} ms
        </span>
      </div>
    </div>
  );
}

function Memory() {
  const { bytes, visible, posed, undrawn, triangles, width, height } = figures.value!;
  const mebibytes = (size: number) => `${Math.round(size / 2 ** 20).toLocaleString('en')} MiB`;
  return (
    <dl class="figures">
      <Figure
        name="Seen, posed in this frame"
        value={`${visible.toLocaleString('en')}, ${posed.toLocaleString('en')}`}
      />
      {triangles !== undefined && <Figure name="Triangles in the picture" value={triangles.toLocaleString('en')} />}
      <Figure name="Picture" value={`${width} × ${height}`} />
      <Figure name="GPU memory: crowd" value={mebibytes(bytes.crowd)} />
      <Figure name="renderer, scenery" value={`${mebibytes(bytes.renderer)}, ${mebibytes(bytes.scenery)}`} />
      {undrawn > 0 && <Figure name="Not drawn for want of memory" value={undrawn.toLocaleString('en')} />}
    </dl>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="number">{value}</dd>
    </div>
  );
}
