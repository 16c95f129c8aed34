import type { JSX } from 'preact';
import { shortReference } from '../../src/diagram/index.ts';
import type { LayerState } from '../../src/index.ts';
import type { RunningController } from './controller-state.ts';

/** State and clips of each layer now, and the last events. */
export function LiveLayers({ state }: { readonly state: RunningController }): JSX.Element {
  return (
    <section class="live" aria-label="Current states">
      <h2>Now</h2>
      {(state.live.value?.layers ?? []).map((layer, index) => (
        <Layer key={index} layer={layer} />
      ))}
      {!state.live.value && <p class="empty">Not running yet.</p>}
      {state.events.value.length > 0 && (
        <p class="events">
          Last events: {state.events.value.map(({ name, clip }) => `${name} (${shortReference(clip)})`).join(', ')}
        </p>
      )}
    </section>
  );
}

function Layer({ layer }: { readonly layer: LayerState }): JSX.Element {
  const { name, state, next, phase, progress, motions } = layer;
  return (
    <div class="layer">
      <h3>{name}</h3>
      <p>
        <b>{state ?? 'not started'}</b> <span class="muted">at {Math.round(phase * 100)} %</span>
        {next !== null && (
          <>
            {' '}
            → <b>{next}</b> <progress max={1} value={progress} aria-label={`Transition to ${next}`} />
          </>
        )}
      </p>
      <ul>
        {motions.map((motion, index) => (
          <li key={index}>
            <meter min={0} max={1} value={motion.weight} aria-label={`Weight of ${shortReference(motion.clip)}`} />
            {shortReference(motion.clip)} <span class="muted">{Math.round(motion.weight * 100)} %</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
