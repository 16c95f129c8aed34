import { IssueCards } from '../files/issue-cards.tsx';
import type { Issue } from '../../src/index.ts';
import { useLoaded } from '../use-loaded.ts';
import { loadLowerTier } from './load-lower-tier.ts';

/** Card over the still picture if there is no battle: the reason, and what to do. */
export function Missing({ issues }: { readonly issues: readonly Issue[] }) {
  const hasNoGpu = issues.some(({ code }) => code === 'DEVICE_UNAVAILABLE');
  const lower = useLoaded(hasNoGpu ? loadLowerTier : undefined);
  return (
    <main class="stopped">
      <div class="stopped-card">
        <h2>{hasNoGpu ? 'No GPU here' : 'The battle has stopped'}</h2>
        {hasNoGpu && <p>This page draws a battle with WebGPU, or with WebGL 2.</p>}
        <IssueCards title={hasNoGpu ? 'What is missing' : 'What happened'} issues={issues} />
        {hasNoGpu ? (
          <>{lower && <lower.Browsers />}</>
        ) : (
          <button type="button" class="main" onClick={() => location.reload()}>
            Reload the page
          </button>
        )}
      </div>
    </main>
  );
}
