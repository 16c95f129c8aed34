import type { Figures } from '../protocol.ts';
import { countText } from '../numbers.ts';
import { useLoaded } from '../use-loaded.ts';
import { type Budget as Estimate, budgetOf, FRAME, roundly } from './budget.ts';
import { Hint } from './controls.tsx';
import { stageColor } from './stage-colors.ts';
import { adapter, figures, settings, timeline } from './state.ts';

/** Loads the chart. Its library fails to load if `Intl` rejects the browser's language (`en-US@posix`). */
async function loadChart() {
  try {
    Intl.NumberFormat.supportedLocalesOf(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  }
  return import('./frame-chart.tsx');
}

const milliseconds = (time: number) => (time < 10 ? time.toFixed(2) : time.toFixed(1));

/** Times of a frame by stage, and how many soldiers would fit into one. */
export function FrameSection() {
  return (
    <>
      {adapter.value && !adapter.value.hasTimes ? (
        <p class="note">
          This device has no timestamp queries, so GPU times cannot be measured. Frames per second and CPU times are at
          the top of the page.
        </p>
      ) : (
        <Times />
      )}
      {figures.value && <Counts now={figures.value} />}
    </>
  );
}

function Times() {
  // new with every report
  void figures.value;
  const times = timeline.typical;
  const chart = useLoaded(times.size > 0 ? loadChart : undefined);
  if (times.size === 0) return <p class="quiet">Measuring …</p>;
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  const onTwins = settings.value?.backend === 'cpu';
  return (
    <>
      {settings.value?.paused && <p class="note">Paused: these are the times of the last frames.</p>}
      {adapter.value?.tier !== 'webgl2' && <Budget />}
      {chart ? <chart.FrameChart /> : <div class="chart" />}
      <table class="stages">
        <caption>{onTwins ? 'Milliseconds by stage: the crowd’s are on the CPU' : 'GPU milliseconds by stage'}</caption>
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
            <th scope="row">Total</th>
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
        {budget.characters < 1 ? 'No soldier fits into a frame at 60 per second here' : <Fitting budget={budget} />}
        <Hint label="How this is estimated">
          An estimate. The stages that grow with the crowd now take {budget.each.toFixed(2)} µs for each of{' '}
          {countText(now.characters)} soldiers. Pixels take {milliseconds(budget.fixed)} ms, whatever the crowd. The
          rest of {FRAME.toFixed(1)} ms holds this many soldiers, seen from this camera at these levels of detail. Small
          crowds do not fill a GPU, so they make the estimate too low. Browsers round times to 0.1 ms.
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
      <strong data-figure="budget">{roundly(budget.characters)}</strong> such soldiers fit into a frame at 60 per second
    </>
  );
}

function Counts({ now }: { readonly now: Figures }) {
  const { bytes, visible, posed, undrawn, triangles, width, height, frames } = now;
  const mebibytes = (size: number) => `${countText(size / 2 ** 20)} MiB`;
  return (
    <dl class="figures">
      <Figure name="Visible" id="visible" value={countText(visible)} />
      <Figure name="Posed in this frame" id="posed" value={countText(posed)} />
      {undrawn > 0 && <Figure name="Dropped: vertex memory is full" id="undrawn" value={countText(undrawn)} />}
      {triangles !== undefined && (
        <Figure name="Triangles in the picture" id="triangles" value={countText(triangles)} />
      )}
      <Figure name="Picture size" id="picture" value={`${width} × ${height}`} />
      <Figure name="Frames drawn" id="frames" value={countText(frames)} />
      <Figure name="Memory: crowd" id="crowd-memory" value={mebibytes(bytes.crowd)} />
      {bytes.renderer > 0 && <Figure name="Memory: triangles" id="renderer-memory" value={mebibytes(bytes.renderer)} />}
      {bytes.scenery > 0 && <Figure name="Memory: scenery" id="scenery-memory" value={mebibytes(bytes.scenery)} />}
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
