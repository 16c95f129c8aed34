import { ManipleError } from '../../src/errors.ts';

/** The error of ours that a function throws. @throws any other, or that nothing was thrown */
export function thrownBy(run: () => unknown): ManipleError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof ManipleError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}
