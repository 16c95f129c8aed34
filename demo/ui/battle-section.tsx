import { useSignal } from '@preact/signals';
import { countText } from '../numbers.ts';
import { mostIn } from '../protocol.ts';
import { Slider, Toggle } from './controls.tsx';
import { adapter, prefersStillness, shown, troops, wish } from './state.ts';

const STOPS = [100, 1000, 10_000, 100_000] as const;

const shortly = (count: number) => (count >= 1000 ? `${count / 1000}k` : String(count));

/** Steps of the slider for each factor of ten: counts of two digits, as people say them. */
const STEPS = 90;

function countAt(step: number): number {
  return 10 ** (1 + Math.floor(step / STEPS)) * (10 + (step % STEPS));
}

function stepAt(count: number): number {
  const power = Math.max(2, Math.floor(Math.log10(count) + 1e-9));
  return STEPS * (power - 2) + Math.max(0, Math.round(count / 10 ** (power - 1)) - 10);
}

/** The number of soldiers, and the speed of time. */
export function BattleSection() {
  const dragged = useSignal<number | undefined>(undefined);
  const current = shown.value;
  const count = dragged.value ?? current.count;
  const most = mostIn(adapter.value?.tier);
  return (
    <>
      <Slider
        label="Soldiers"
        value={stepAt(count)}
        shown={countText(count)}
        min={0}
        max={stepAt(most)}
        step={1}
        onInput={(step) => (dragged.value = countAt(step))}
        onChange={(step) => {
          dragged.value = undefined;
          wish({ count: countAt(step) });
        }}
      />
      <div class="row stops" role="group" aria-label="Soldiers">
        {STOPS.filter((stop) => stop <= most).map((stop) => (
          <button type="button" key={stop} aria-pressed={current.count === stop} onClick={() => wish({ count: stop })}>
            {shortly(stop)}
          </button>
        ))}
      </div>
      <div class="row">
        <button type="button" class="main" onClick={() => wish({ paused: !current.paused })}>
          <i class={current.paused ? 'icon-go' : 'icon-pause'} aria-hidden="true" />
          {current.paused ? 'Resume' : 'Pause'}
        </button>
        <button
          type="button"
          title="Starts again with the same two armies in other formations"
          onClick={() => wish({ seed: Math.floor(Math.random() * 10_000) })}
        >
          New battle
        </button>
      </div>
      <Slider
        label="Speed"
        value={current.speed}
        shown={`${current.speed.toFixed(2)} ×`}
        min={0}
        max={2}
        step={0.05}
        onInput={(speed) => wish({ speed })}
      />
      <dl class="troops">
        {troops.value.map(({ name, count, vertices, joints }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {countText(count)} · {joints} joints · {countText(vertices)} vertices
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** Controls of the camera. */
export function CameraControls() {
  const current = shown.value;
  return (
    <>
      <Slider
        label="Zoom"
        value={current.zoom}
        shown={
          current.zoom > 0.98 ? 'one face' : current.zoom < 0.02 ? 'whole field' : `${Math.round(100 * current.zoom)} %`
        }
        min={0}
        max={1}
        step={0.005}
        onInput={(zoom) => wish({ zoom })}
      />
      <Toggle
        label="Orbit camera"
        value={current.orbit}
        disabled={prefersStillness()}
        title={prefersStillness() ? 'Off because this system asks for reduced motion' : undefined}
        onChange={(orbit) => wish({ orbit })}
      />
    </>
  );
}
