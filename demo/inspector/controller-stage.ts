import { type Issue, issuesOf } from '../../src/errors.ts';
import type { RunningController } from './controller-state.ts';
import { materialsOf } from './materials.ts';
import { openGpu } from './open-device.ts';
import { readPackedMesh } from './packed-mesh.ts';
import { actorOf, Simulation } from './simulation.ts';
import { Viewport } from './viewport.ts';

/** Longest step, seconds. */
const LONGEST = 0.1;
const EVENTS = 6;

/** Runs the controller on the state's actor until it is stopped. Draws the actor on the canvas if it is a character. */
export async function openControllerStage(canvas: HTMLCanvasElement, state: RunningController): Promise<() => void> {
  const subject = state.actor.peek();
  const { character, issues } = actorOf(state.item, subject);
  const gpu = await openGpu();
  const simulation = await Simulation.open(character, subject && gpu.poses ? gpu.device : undefined);
  const found: Issue[] = [];
  const looks = subject && (await materialsOf(character, found));
  const viewport =
    looks && (await Viewport.open(canvas, gpu.device, character, readPackedMesh(character), looks.materials));
  viewport?.paint(undefined);
  viewport?.showSkeleton(false);
  state.issues.value = [...issues, ...found];
  for (const [name, value] of state.values.peek()) simulation.set(name, value);
  state.simulation = simulation;
  state.isChanged = true;

  let isBusy = false;
  let isOpen = true;
  let before = performance.now();
  let frame = 0;
  const step = async (dt: number): Promise<void> => {
    const told = await simulation.step(dt);
    if (!isOpen) return;
    state.live.value = told.state;
    if (told.events.length > 0)
      state.events.value = [...told.events.toReversed(), ...state.events.peek()].slice(0, EVENTS);
    viewport?.pose(told.pose, undefined);
    canvas.dataset.shown = told.state.layers.map((layer) => layer.state).join();
  };
  const tick = (now: number): void => {
    frame = requestAnimationFrame(tick);
    viewport?.draw();
    if (isBusy) return;
    // the first frame may have begun before this request
    const passed = Math.max(0, Math.min(LONGEST, (now - before) / 1000));
    before = now;
    const isPlaying = state.isPlaying.peek();
    if (!isPlaying && !state.isChanged) return;
    state.isChanged = false;
    isBusy = true;
    // while paused, a step of 0 s shows changed parameters
    step(isPlaying ? passed : 0)
      .catch((thrown: unknown) => {
        state.issues.value = [...issuesOf(thrown), ...state.issues.peek()];
        cancelAnimationFrame(frame);
      })
      .finally(() => (isBusy = false));
  };
  frame = requestAnimationFrame(tick);
  return () => {
    isOpen = false;
    cancelAnimationFrame(frame);
    state.simulation = undefined;
    viewport?.dispose();
    looks?.dispose();
    simulation.destroy();
  };
}
