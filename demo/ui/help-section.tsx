import { useSignal } from '@preact/signals';
import { linkHere } from './state.ts';

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['drag, arrow keys', 'go round'],
  ['wheel, pinch, + −', 'come closer, up to one face'],
  ['right or shift drag, two fingers, W A S D', 'move along the ground'],
  ['click, tap, Enter', 'select a soldier'],
  ['double click, double tap', 'go to it'],
  ['space', 'pause'],
  ['Esc', 'let go'],
];

/** What this is, and how to get about. */
export function HelpSection() {
  const isCopied = useSignal(false);
  return (
    <>
      <p>
        Every soldier runs its own state machine, blends its own clips and is skinned by itself, on the GPU: nobody is a
        copy of another. Who is out of sight is not posed; who is small is posed every few frames, on a coarser mesh.
        Maniple is the TypeScript and WebGPU library that does it.
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
