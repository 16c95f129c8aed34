import { IssueCards } from '../files/issue-cards.tsx';
import type { Issue } from '../../src/index.ts';

/** Card over the still picture if there is no battle: the reason, and what to do. */
export function Missing({ issues }: { readonly issues: readonly Issue[] }) {
  const hasNoGpu = issues.some(({ code }) => code === 'DEVICE_UNAVAILABLE');
  return (
    <main class="stopped">
      <div class="stopped-card">
        <h2>{hasNoGpu ? 'No WebGPU here' : 'The battle has stopped'}</h2>
        {hasNoGpu && (
          <p>
            This page animates and draws a battle on the GPU, through WebGPU. The picture around this card shows what it
            looks like.
          </p>
        )}
        <IssueCards title={hasNoGpu ? 'What is missing' : 'What happened'} issues={issues} />
        {hasNoGpu ? (
          <>
            <p>These browsers have WebGPU:</p>
            <ul>
              <li>Chrome and Edge 113 or newer; on Android, Chrome 121 or newer</li>
              <li>Safari 26 or newer, on Mac, iPhone and iPad</li>
              <li>Firefox 141 or newer, on Windows first</li>
            </ul>
          </>
        ) : (
          <button type="button" class="main" onClick={() => location.reload()}>
            Reload the page
          </button>
        )}
      </div>
    </main>
  );
}
