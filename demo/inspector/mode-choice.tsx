import type { JSX } from 'preact';
import type { CharacterState } from './character-state.ts';
import type { Mode } from './paint.ts';

const MODES: readonly { readonly mode: Mode; readonly title: string }[] = [
  { mode: 'material', title: 'Material' },
  { mode: 'error', title: 'Error' },
  { mode: 'influences', title: 'Influences' },
  { mode: 'weight', title: 'Weight' },
];

/** Colours of the mesh, and whether the skeleton is drawn over it. */
export function ModeChoice({ state }: { readonly state: CharacterState }): JSX.Element {
  return (
    <div class="modes">
      <fieldset class="segments">
        <legend class="hidden">Colours of the mesh</legend>
        {MODES.map(({ mode, title }) => (
          <label key={mode}>
            <input
              type="radio"
              name="mode"
              value={mode}
              checked={state.mode.value === mode}
              onChange={() => (state.mode.value = mode)}
            />
            <span>{title}</span>
          </label>
        ))}
      </fieldset>
      <label class="check">
        <input
          type="checkbox"
          checked={state.hasSkeleton.value}
          onChange={(event) => (state.hasSkeleton.value = event.currentTarget.checked)}
        />
        <span>Joints</span>
      </label>
    </div>
  );
}
