import { issuesOf } from '../../src/errors.ts';
import type { CharacterState } from './character-state.ts';

/** Loads the code that draws, then draws on the canvas. Returns a function that stops it. */
export function stageOn(canvas: HTMLCanvasElement, state: CharacterState): () => void {
  let isOver = false;
  let end: (() => void) | undefined;
  import('./stage.ts')
    .then(({ openStage }) => openStage(canvas, state))
    .then((close) => (isOver ? close() : (end = close)))
    .catch((thrown: unknown) => (state.issues.value = issuesOf(thrown)));
  return () => {
    isOver = true;
    end?.();
  };
}
