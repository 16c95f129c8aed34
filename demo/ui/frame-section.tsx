import type { Figures } from '../protocol.ts';
import { type Budget as Estimate, budgetOf, FRAME, roundly } from './budget.ts';
import { FrameChart } from './frame-chart.tsx';
import { Hint } from './controls.tsx';
import { stageColor } from './stage-colors.ts';
import { adapter, figures, settings, timeline } from './state.ts';

const milliseconds = (time: number) => (time < 10 ? time.toFixed(2) : time.toFixed(1));

/** Where the time of a frame goes, and how many soldiers there is time for. */
export function FrameSection() {
  return (
    <>
      {adapter.value && !adapter.value.hasTimes ? (
        <p class="note">
          This device has no timestamp queries, so GPU times cannot be measured here. Frames per second, and the time
          that the page itself takes, stand above.
        </p>
      ) : (
        <Times />
      )}
      {figures.value && <Counts now={figures.value} />}
    </>
  );
}

function Times() {
  // told with every report
  void figures.value;
  const times = timeline.typical;
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  const onTwins = settings.value?.backend === 'cpu';
  return (
    <>
      <Budget />
      <FrameChart />
      <table class="stages">
        <caption>
          {onTwins ? 'Milliseconds by stage: on the CPU, then the renderer’s on the GPU' : 'GPU milliseconds by stage'}
        </caption>
        <tbody>
          {[...times].map(([name, time]) => (
            <tr key={name}>
              <th scope="row">
                <i style={{ background: stageColor(name) }} />
                {name}
              </th>
              <td>
                <i style={{ width: `${(100 * time) / Math.max(total, 1e-3)}%`, background: stageColor(name) }} />
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
        {budget.characters < 1 ? (
          'Not one such soldier fits into a frame at 60 a second here'
        ) : (
          <Fitting budget={budget} />
        )}
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

function Fitting({ budget }: { readonly budget: Estimate }) {
  return (
    <>
      <strong data-figure="budget">{roundly(budget.characters)}</strong> such soldiers fit into a frame at 60 a second
    </>
  );
}

function Counts({ now }: { readonly now: Figures }) {
  const { bytes, visible, posed, undrawn, triangles, width, height, frames } = now;
  const mebibytes = (size: number) => `${Math.round(size / 2 ** 20).toLocaleString('en')} MiB`;
  const counted = (count: number) => count.toLocaleString('en');
  return (
    <dl class="figures">
      <Figure name="In sight" id="visible" value={counted(visible)} />
      <Figure name="Posed in this frame" id="posed" value={counted(posed)} />
      {undrawn > 0 && <Figure name="Not drawn for want of memory" id="undrawn" value={counted(undrawn)} />}
      {triangles !== undefined && <Figure name="Triangles in the picture" id="triangles" value={counted(triangles)} />}
      <Figure name="Picture" id="picture" value={`${width} × ${height}`} />
      <Figure name="Frames so far" id="frames" value={counted(frames)} />
      <Figure name="GPU memory: crowd" id="crowd-memory" value={mebibytes(bytes.crowd)} />
      {bytes.renderer > 0 && <Figure name="its triangles" id="renderer-memory" value={mebibytes(bytes.renderer)} />}
      <Figure name="scenery" id="scenery-memory" value={mebibytes(bytes.scenery)} />
    </dl>
  );
}

function Figure({ name, id, value }: { readonly name: string; readonly id: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="number" data-figure={id}>
        {value}
      </dd>
    </div>
  );
}
