import './lower-tier.css';
import { countText } from '../numbers.ts';
import { COUNTS } from '../protocol.ts';
import { adapter, shown } from './state.ts';

/** Which tier runs below WebGPU's core level, why, and how to get a higher one. Only pages of such tiers download it. */
export function LowerTier() {
  const { tier, lack, isAsked } = adapter.value!;
  const count = countText(shown.value.count);
  if (tier === 'compatibility') {
    const reason = isAsked ? 'This link asks for' : 'This device has only';
    return (
      <p class="lower-tier" data-figure="lower-tier">
        <strong>{reason} WebGPU’s compatibility level.</strong> {count} soldiers run on the GPU, and the forward
        renderer draws them. The other renderers need the core level.
      </p>
    );
  }
  const hasChoice = isAsked && Boolean(navigator.gpu);
  return (
    <div class="lower-tier" data-figure="lower-tier">
      <p>
        <strong>{hasChoice ? 'This link asks for WebGL 2.' : (lack ?? missingText())}</strong> {count} soldiers run on{' '}
        {hasChoice ? 'it' : 'WebGL 2'}: the CPU steps and poses them, and three.js draws them. Other renderers, debug
        views and the comparison of GPU and CPU need WebGPU.
      </p>
      {!hasChoice && (
        <details>
          <summary>How to get WebGPU</summary>
          <p>With it the same page holds up to {countText(COUNTS.most)} soldiers.</p>
          <Browsers />
          <p>In one of them, switch on hardware acceleration in its settings, and update the graphics driver.</p>
        </details>
      )}
    </div>
  );
}

/** Why a page has no WebGPU that it could ask for an adapter. */
function missingText(): string {
  return isSecureContext ? 'This browser has no WebGPU.' : 'Browsers give WebGPU only to pages on https.';
}

/** Browsers that have WebGPU. */
export function Browsers() {
  return (
    <>
      <p>These browsers have WebGPU:</p>
      <ul>
        <li>Chrome and Edge 113 or newer; on Android, Chrome 121 or newer</li>
        <li>Safari 26 or newer, on Mac, iPhone and iPad</li>
        <li>Firefox 141 or newer, on Windows first</li>
      </ul>
    </>
  );
}
