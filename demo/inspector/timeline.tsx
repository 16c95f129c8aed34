import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { type CharacterState, STEP } from './character-state.ts';
import { seconds } from './format.ts';
import './timeline.css';

const SPEEDS = [0.1, 0.25, 0.5, 1, 2];

/** Controls for the clip and its time: play, step, scrub, at any speed. Space, comma and full stop work everywhere on the page. */
export function Timeline({ state }: { readonly state: CharacterState }): JSX.Element {
  useEffect(() => listenToKeys(state), [state]);
  const { clips } = state.character;
  const duration = state.duration.value;
  const isStill = duration <= 0;
  const time = state.time.value;
  return (
    <section class="timeline" aria-label="Time">
      <select
        class="clip"
        aria-label="Clip"
        value={state.clip.value ?? 'rest'}
        onChange={({ currentTarget: { value } }) => state.choose(value === 'rest' ? undefined : Number(value))}
      >
        {clips.map(({ name }, index) => (
          <option key={index} value={index}>
            {name || `(clip ${index})`}
          </option>
        ))}
        <option value="rest">Rest pose</option>
      </select>
      <div class="transport">
        <Key
          label="Previous frame"
          keys=","
          isOff={isStill}
          path="M11 3L5 8l6 5z M4 3v10"
          onClick={() => state.scrub(time - STEP)}
        />
        <Key
          label={state.isPlaying.value ? 'Pause' : 'Play'}
          keys="Space"
          isOff={isStill}
          path={state.isPlaying.value ? 'M5 3v10 M11 3v10' : 'M4 3l9 5-9 5z'}
          onClick={() => (state.isPlaying.value = !state.isPlaying.value)}
        />
        <Key
          label="Next frame"
          keys="."
          isOff={isStill}
          path="M5 3l6 5-6 5z M12 3v10"
          onClick={() => state.scrub(time + STEP)}
        />
      </div>
      <input
        class="scrubber"
        type="range"
        min={0}
        max={duration || 1}
        step="any"
        value={time}
        disabled={isStill}
        aria-label="Time in the clip"
        aria-valuetext={`${seconds(time)} of ${seconds(duration)}`}
        onInput={(event) => state.scrub(event.currentTarget.valueAsNumber)}
        onKeyDown={(event) => {
          // a step of the range itself would be none: it moves by frames
          const by = { ArrowLeft: -STEP, ArrowDown: -STEP, ArrowRight: STEP, ArrowUp: STEP }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          state.scrub(time + by);
        }}
      />
      <output class="time">
        {time.toFixed(2)} <span class="muted">/ {seconds(duration)}</span>
      </output>
      <select
        class="speed"
        aria-label="Speed"
        value={state.speed.value}
        onChange={(event) => (state.speed.value = Number(event.currentTarget.value))}
      >
        {SPEEDS.map((speed) => (
          <option key={speed} value={speed}>
            {speed} ×
          </option>
        ))}
      </select>
    </section>
  );
}

interface KeyProps {
  readonly label: string;
  readonly keys: string;
  readonly isOff: boolean;
  /** SVG path of the icon, on a field of 16 × 16. */
  readonly path: string;
  readonly onClick: () => void;
}

function Key({ label, keys, isOff, path, onClick }: KeyProps): JSX.Element {
  return (
    <button
      type="button"
      aria-label={label}
      title={`${label} (${keys})`}
      aria-keyshortcuts={keys}
      disabled={isOff}
      onClick={onClick}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={path} />
      </svg>
    </button>
  );
}

/** Handles keys on the whole page, except in elements that use them. */
function listenToKeys(state: CharacterState): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    if (
      target instanceof HTMLElement &&
      target.closest('input:not([type=range]), select, textarea, button, summary, a')
    )
      return;
    const deeds: Readonly<Record<string, () => void>> = {
      ' ': () => (state.isPlaying.value = !state.isPlaying.value),
      ',': () => state.scrub(state.time.value - STEP),
      '.': () => state.scrub(state.time.value + STEP),
    };
    const deed = deeds[event.key];
    if (!deed) return;
    event.preventDefault();
    deed();
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}
