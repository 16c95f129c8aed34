import type { Object3D } from 'three/webgpu';
import type { ManipleError } from '../errors.ts';

/** A crowd's handler of drawing problems. */
interface ProblemListener {
  readonly take: (problem: ManipleError) => void;
  /** Messages that were already reported. three.js may ask several times, and several nodes may have the same problem. */
  readonly taken: Set<string>;
}

const listeners = new WeakMap<Object3D, ProblemListener>();

/** Sets a crowd's handler of drawing problems. It is called once per message. */
export function onProblems(crowd: Object3D, take: ProblemListener['take']): void {
  listeners.set(crowd, { take, taken: new Set() });
}

/** @param object A child of the crowd. */
export function reportProblem(object: Object3D | null, problem: ManipleError): void {
  const listener = object?.parent && listeners.get(object.parent);
  if (!listener || listener.taken.has(problem.message)) return;
  listener.taken.add(problem.message);
  listener.take(problem);
}
