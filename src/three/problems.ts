import type { Object3D } from 'three/webgpu';
import type { ManipleError } from '../errors.ts';

/** What a crowd in a scene does with problems of its pictures. */
interface ProblemListener {
  readonly take: (problem: ManipleError) => void;
  /** Messages that it has taken: three.js asks several times, and so may several nodes. */
  readonly taken: Set<string>;
}

const listeners = new WeakMap<Object3D, ProblemListener>();

/** Has a crowd take problems of what it draws, each once. */
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
