import { heat, type Rgb } from './colours.ts';
import { type Issue, issuesOf } from '../../src/errors.ts';
import type { CharacterState } from './character-state.ts';
import { compressionError } from './compression-error.ts';
import { materialsOf } from './materials.ts';
import { openGpu } from './open-device.ts';
import { readPackedMesh } from './packed-mesh.ts';
import { type Moment, type PackedPose, Poser } from './packed-pose.ts';
import { paintErrors, paintInfluences, paintWeight } from './paint.ts';
import { Viewport } from './viewport.ts';

/** Longest step of a clip's time, seconds, so that it does not jump after the tab was hidden. */
const LONGEST = 0.1;
/** Pixels that a pointer may move between down and up of a click. */
const STILL = 5;

/**
 * Shows the state on a canvas until it is stopped. Poses, measures, paints and draws only when necessary.
 * The canvas's `data-shown` describes the last picture.
 */
export async function openStage(canvas: HTMLCanvasElement, state: CharacterState): Promise<() => void> {
  const { character, subject } = state;
  const { model } = subject;
  const gpu = await openGpu();
  const mesh = readPackedMesh(character);
  const found: Issue[] = [];
  const looks = await materialsOf(character, found);
  const viewport = await Viewport.open(canvas, gpu.device, character, mesh, looks.materials);
  const poser = await Poser.open(character, gpu.poses ? gpu.device : undefined);
  state.issues.value = found;

  const colours = new Float32Array(3 * mesh.vertexCount);
  let pose: PackedPose | undefined;
  let posed = '';
  let shown = '';
  let isBusy = false;
  let isOpen = true;

  /** Paints the measure of the mode. Returns the joints' colours, if they have any. */
  function paint(moment: Moment, current: PackedPose): readonly Rgb[] | undefined {
    const mode = state.mode.peek();
    const joint = state.joint.peek();
    state.error.value = undefined;
    state.moved.value = undefined;
    if (mode === 'error' && model) {
      const error = compressionError(character, model, moment, current);
      state.fitScale(error.largestVertex);
      const scale = state.errorScale.peek();
      paintErrors(error.vertices, scale, colours);
      viewport.paint(colours);
      state.error.value = { vertex: error.largestVertex, joint: error.largestJoint };
      return Array.from(error.joints, (each) => heat(each / scale));
    }
    if (mode === 'influences') paintInfluences(mesh, colours);
    if (mode === 'weight') state.moved.value = paintWeight(mesh, joint ?? -1, colours);
    viewport.paint(mode === 'influences' || mode === 'weight' ? colours : undefined);
    return undefined;
  }

  async function show(moment: Moment, wanted: string): Promise<void> {
    const key = `${moment.clip ?? 'rest'} ${moment.time.toFixed(4)}`;
    if (key !== posed || !pose) pose = await poser.pose(moment);
    if (!isOpen) return;
    posed = key;
    viewport.pose(pose, state.joint.peek(), paint(moment, pose));
    shown = wanted;
  }

  let before = performance.now();
  let frame = 0;
  const tick = (now: number): void => {
    frame = requestAnimationFrame(tick);
    // the first frame may have begun before this request
    state.advance(Math.max(0, Math.min(LONGEST, (now - before) / 1000)));
    before = now;
    const [clip, time, mode, joint] = [state.clip.peek(), state.time.peek(), state.mode.peek(), state.joint.peek()];
    const wanted = `${mode} ${clip ?? 'rest'} ${time.toFixed(4)} ${joint ?? 'none'}`;
    if (wanted !== shown && !isBusy) {
      isBusy = true;
      show({ clip, time }, wanted)
        .catch((thrown: unknown) => {
          state.issues.value = [...state.issues.peek(), ...issuesOf(thrown)];
          cancelAnimationFrame(frame);
        })
        .finally(() => (isBusy = false));
    }
    viewport.showSkeleton(state.hasSkeleton.peek());
    if (pose && viewport.draw()) canvas.dataset.shown = shown;
  };
  frame = requestAnimationFrame(tick);

  const stopPicking = pickJoints(canvas, (x, y) => {
    const canChoose = state.hasSkeleton.peek() || state.mode.peek() === 'weight';
    const joint = canChoose && pose ? viewport.jointAt(x, y, pose.joints) : undefined;
    if (joint !== undefined) state.joint.value = joint;
  });
  return () => {
    isOpen = false;
    cancelAnimationFrame(frame);
    stopPicking();
    viewport.dispose();
    looks.dispose();
    poser.destroy();
  };
}

/** Calls `onPick` for clicks that are not drags, with a position on the canvas. */
function pickJoints(canvas: HTMLCanvasElement, onPick: (x: number, y: number) => void): () => void {
  let [x, y] = [0, 0];
  const down = (event: PointerEvent): void => {
    [x, y] = [event.clientX, event.clientY];
  };
  const up = (event: PointerEvent): void => {
    if (event.button !== 0 || Math.hypot(event.clientX - x, event.clientY - y) > STILL) return;
    const { left, top } = canvas.getBoundingClientRect();
    onPick(event.clientX - left, event.clientY - top);
  };
  canvas.addEventListener('pointerdown', down);
  canvas.addEventListener('pointerup', up);
  return () => {
    canvas.removeEventListener('pointerdown', down);
    canvas.removeEventListener('pointerup', up);
  };
}
