import { ManipleError, warning } from '../errors.ts';

/** Frames, or pictures, after which it is no accident any more that nothing is seen. */
const PATIENCE = 120;

/** Finds out, once, why nothing is seen of a crowd. */
export class Reminder {
  #updates = 0;
  #pictures = 0;
  #isDone = false;

  /** @returns What is wrong after this frame, if anything. */
  updated(isDrawn: boolean, count: number): ManipleError | undefined {
    if (this.#isDone || ++this.#updates < PATIENCE || count === 0 || isDrawn) return undefined;
    return this.#remind('Frames run, but the crowd is in no scene: nothing is drawn.', 'Call scene.add(crowd).');
  }

  /** A picture of the crowd's scene begins. @returns What is wrong with it, if anything. */
  pictured(count: number): ManipleError | undefined {
    if (this.#isDone || this.#updates > 0 || ++this.#pictures < PATIENCE || count === 0) return undefined;
    return this.#remind(
      'The scene is drawn, but no frame of the crowd has run.',
      'Call crowd.update(dt) before render.',
    );
  }

  #remind(message: string, suggestion: string): ManipleError {
    this.#isDone = true;
    return new ManipleError(warning('THREE_NOT_DRAWN', 'crowd', message, suggestion));
  }
}
