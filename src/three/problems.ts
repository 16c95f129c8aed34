import type { Object3D } from 'three/webgpu';
import { ManipleError, warning } from '../errors.ts';

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

/** Milliseconds, and number of frames or pictures, after which an invisible crowd is reported. */
const [PATIENCE, LEAST_COUNT] = [2000, 3];

/** Reports once why a crowd is not drawn. */
export class Reminder {
  readonly #now: () => number;
  readonly #begin: number;
  #updates = 0;
  #pictures = 0;
  #isDone = false;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#begin = now();
  }

  /** Called after each frame. @returns What is wrong with it, if anything. */
  updated(isDrawn: boolean, count: number): ManipleError | undefined {
    const message = 'Frames run, but the crowd is in no scene: nothing is drawn.';
    return this.#remind(++this.#updates, isDrawn || count === 0, message, 'Call scene.add(crowd).');
  }

  /** Called before each picture of the crowd's scene. @returns What is wrong with it, if anything. */
  pictured(count: number): ManipleError | undefined {
    const message = 'The scene is drawn, but no frame of the crowd has run.';
    const isRight = this.#updates > 0 || count === 0;
    return this.#remind(++this.#pictures, isRight, message, 'Call crowd.update(dt) before render.');
  }

  #remind(times: number, isRight: boolean, message: string, suggestion: string): ManipleError | undefined {
    const isEarly = times < LEAST_COUNT || this.#now() - this.#begin < PATIENCE;
    if (this.#isDone || isRight || isEarly) return undefined;
    this.#isDone = true;
    return new ManipleError(warning('THREE_NOT_DRAWN', 'crowd', message, suggestion));
  }
}
