import { effect } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { packCharacterAsync } from '../../src/character/index.ts';
import { issuesOf } from '../../src/errors.ts';
import { addStickFigure } from '../../src/import/stick-figure.ts';
import { CharacterState, type Origin } from './character-state.ts';
import { stageOn } from './stage-on.ts';

/** The source of a retargeted clip at the same moment, next to the character. */
export function SourcePicture({
  state,
  origin,
}: {
  readonly state: CharacterState;
  readonly origin: Origin;
}): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    const leaving = new AbortController();
    showSource(canvas.current!, state, origin, leaving.signal).catch((thrown: unknown) => {
      if (!leaving.signal.aborted) setFailure(issuesOf(thrown)[0]!.message);
    });
    return () => leaving.abort();
  }, [state, origin]);
  const { name } = origin.model;
  return (
    <section class="picture source" aria-label="The source of the clip">
      <canvas ref={canvas} tabIndex={0} role="img" aria-label={`${name}, the source of the clip`} />
      <p class="source-name">
        From <b>{name}</b>
        {failure !== undefined && `: ${failure}`}
      </p>
    </section>
  );
}

/** Draws the source at the time of the state, until the signal. @throws ManipleError CHARACTER_… */
async function showSource(
  canvas: HTMLCanvasElement,
  state: CharacterState,
  { model, clip }: Origin,
  signal: AbortSignal,
): Promise<void> {
  const figure = addStickFigure({ ...model, clips: [model.clips[clip]!] });
  const character = await packCharacterAsync(figure, { worker: false, signal });
  const source = new CharacterState({ kind: 'character', name: model.name, character, model: figure, issues: [] });
  source.isPlaying.value = false;
  const stopFollowing = effect(() => {
    source.time.value = state.time.value;
  });
  const stopDrawing = stageOn(canvas, source);
  signal.addEventListener('abort', () => {
    stopFollowing();
    stopDrawing();
  });
}
