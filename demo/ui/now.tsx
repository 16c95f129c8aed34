import { countText } from '../numbers.ts';
import { useLoaded } from '../use-loaded.ts';
import { loadLowerTier } from './load-lower-tier.ts';
import { adapter, busy, figures, isDrawn, settings } from './state.ts';

/** The figures of this moment, below the page's title. */
export function Now() {
  const now = figures.value;
  const current = settings.value;
  const lower = useLoaded(adapter.value && adapter.value.tier !== 'core' ? loadLowerTier : undefined);
  if (!isDrawn.value || !current) return null;
  return (
    <>
      <dl class="now">
        <div>
          <dt>soldiers</dt>
          <dd data-figure="characters">{countText(now?.characters ?? current.count)}</dd>
        </div>
        {current.paused ? (
          <div>
            <dt class="paused">Paused</dt>
          </div>
        ) : (
          <>
            <div>
              <dt>frames per second</dt>
              <dd data-figure="frame-rate">{now ? rate(now.frameRate) : '–'}</dd>
            </div>
            <div>
              <dt>ms on the CPU</dt>
              <dd data-figure="host-time">{now ? now.hostTime.toFixed(1) : '–'}</dd>
            </div>
          </>
        )}
      </dl>
      {lower && <lower.LowerTier />}
      {busy.value && (
        <p class="busy" role="status">
          <i aria-hidden="true" />
          {busy.value.text} …
        </p>
      )}
    </>
  );
}

/** Software adapters draw less than one per second. */
function rate(perSecond: number): string {
  return perSecond >= 10 ? perSecond.toFixed(0) : perSecond.toFixed(1);
}
