import type { JSX } from 'preact';
import type { CharacterState } from './character-state.ts';
import type { Mode } from './paint.ts';

const MODES: readonly { readonly mode: Mode; readonly title: string }[] = [
  { mode: 'looks', title: 'Looks' },
  { mode: 'error', title: 'Error' },
  { mode: 'influences', title: 'Influences' },
  { mode: 'weight', title: 'Weight' },
];

/** What the mesh shows, and whether the skeleton lies over it. */
export function ModeChoice({ state }: { readonly state: CharacterState }): JSX.Element {
  return (
    <div class="modes">
      <fieldset class="segments">
        <legend class="hidden">What the mesh shows</legend>
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
