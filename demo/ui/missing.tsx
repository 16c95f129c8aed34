import { IssueCards } from '../files/issue-cards.tsx';
import type { Issue } from '../../src/index.ts';
import picture from '../../docs/images/battle.jpg';

/** In the place of the battlefield where there is none, and why. */
export function Missing({ issues }: { readonly issues: readonly Issue[] }) {
  const hasNoGpu = issues.some(({ code }) => code === 'DEVICE_UNAVAILABLE');
  return (
    <main class="missing" style={{ backgroundImage: `url(${picture})` }}>
      <div class="missing-card">
        <h1>Maniple</h1>
        <p>
          {hasNoGpu
            ? 'This page computes and draws a battle on your GPU, through WebGPU, and there is none here. Behind this text you see a still picture of what it would show.'
            : 'The battle has ended: something that it needs has gone.'}
        </p>
        <IssueCards title={hasNoGpu ? 'What is missing' : 'What happened'} issues={issues} />
        {hasNoGpu ? (
          <ul>
            <li>Chrome or Edge 113 or newer; Chrome 121 or newer on Android</li>
            <li>Safari 26 or newer, on Mac, iPhone and iPad</li>
            <li>Firefox 141 or newer, on Windows first</li>
          </ul>
        ) : (
          <button type="button" onClick={() => location.reload()}>
            Begin again
          </button>
        )}
      </div>
    </main>
  );
}
