import { expectCrowd } from '../arguments.ts';
import type { Crowd } from '../crowd.ts';
import type { InputLog, InputLogOptions } from './input-log.ts';
import type { ReplayOptions } from './replay-log.ts';

/** Records all that is done to a crowd from now on; the log ends with `stop()`. @throws ManipleError CROWD_DESTROYED, CROWD_BAD_ARGUMENT */
export function recordInputs(crowd: Crowd, options?: InputLogOptions): InputLog {
  expectCrowd(crowd);
  return crowd.recordInputs(options);
}

/**
 * Does to a crowd what a log tells of, frame by frame. The crowd has to stand where the log begins: new, with the same
 * characters, `motions` and `modifiers`, or created from the snapshot of that moment. Ids, states, palettes and vertices
 * are those of the run that was recorded, bit by bit on the same device. Events are told as in any frame.
 *
 * The bytes are checked as those of strangers. Where they are refused midway the crowd is left as it is then.
 *
 * @returns How many frames it had.
 * @throws ManipleError LOG_INVALID, LOG_VERSION, LOG_MISMATCH, CROWD_DESTROYED, CROWD_FULL, CROWD_LIMIT and DEVICE_LIMIT (this
 *  device has no room for what is attached, or for ground), DEVICE_LOST
 */
export async function replay(crowd: Crowd, log: Uint8Array, options?: ReplayOptions): Promise<number> {
  expectCrowd(crowd);
  const { replayLog } = await import('./replay-log.ts');
  return replayLog(crowd, log, options);
}
