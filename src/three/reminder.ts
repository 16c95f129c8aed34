import { ManipleError, warning } from '../errors.ts';

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
    if (this.#isDone || ++this.#updates < LEAST_COUNT || count === 0 || isDrawn || this.#isEarly) return undefined;
    return this.#remind('Frames run, but the crowd is in no scene: nothing is drawn.', 'Call scene.add(crowd).');
  }

  /** Called before each picture of the crowd's scene. @returns What is wrong with it, if anything. */
  pictured(count: number): ManipleError | undefined {
    if (this.#isDone || this.#updates > 0 || ++this.#pictures < LEAST_COUNT || count === 0 || this.#isEarly)
      return undefined;
    return this.#remind(
      'The scene is drawn, but no frame of the crowd has run.',
      'Call crowd.update(dt) before render.',
    );
  }

  get #isEarly(): boolean {
    return this.#now() - this.#begin < PATIENCE;
  }

  #remind(message: string, suggestion: string): ManipleError {
    this.#isDone = true;
    return new ManipleError(warning('THREE_NOT_DRAWN', 'crowd', message, suggestion));
  }
}
