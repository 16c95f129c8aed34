import { useSignal } from '@preact/signals';
import { linkHere } from './state.ts';

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['Drag, arrow keys', 'orbit'],
  ['Scroll, pinch, + −', 'zoom, up to one face'],
  ['Right drag, shift drag, two fingers, W A S D', 'move along the ground'],
  ['Click, tap, Enter', 'select a soldier'],
  ['Double click, double tap', 'go to a soldier'],
  ['Space', 'pause'],
  ['Esc', 'clear the selection'],
];

/** Explains the page, and how to move the camera. */
export function HelpSection() {
  const isCopied = useSignal(false);
  return (
    <>
      <p>
        Every soldier runs its own state machine, blends its own clips and has its own skinned mesh. Soldiers outside
        the view keep running, but are not posed. Small ones are posed every few frames, on a coarser mesh.
      </p>
      <dl class="keys">
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <div class="row">
        <button
          type="button"
          onClick={() => {
            void navigator.clipboard.writeText(linkHere()).then(() => {
              isCopied.value = true;
              setTimeout(() => (isCopied.value = false), 2000);
            });
          }}
        >
          {isCopied.value ? 'Copied' : 'Copy a link to this view'}
        </button>
      </div>
    </>
  );
}
