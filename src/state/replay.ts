import { expectCrowd, internalsOf } from '../crowd/internals.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { InputLog, InputLogOptions } from './input-log.ts';
import type { ReplayOptions } from './replay-log.ts';

/**
 * Records everything that is done to a crowd from now on, until `stop()`.
 * @throws ManipleError CROWD_DESTROYED, CROWD_BAD_ARGUMENT
 */
export function recordInputs(crowd: Crowd, options?: InputLogOptions): InputLog {
  expectCrowd(crowd);
  const { host, record } = internalsOf(crowd);
  host.checkAlive();
  return record.log(options);
}

/**
 * Applies an input log to a crowd, frame by frame. The crowd must be in the state in which the log began: new, with the
 * same characters, `motions` and `modifiers`, or created from the snapshot of that moment. Ids, states, palettes and
 * vertices are those of the recorded run, bit by bit on the same device. Events are delivered as in any frame.
 *
 * The bytes are untrusted and checked. If they are refused midway, the crowd keeps the state that it has reached.
 *
 * @returns How many frames it had.
 * @throws ManipleError LOG_INVALID, LOG_VERSION, LOG_MISMATCH, CROWD_DESTROYED, CROWD_FULL, CROWD_LIMIT and
 *   DEVICE_LIMIT (attachments or ground exceed this device's limits), DEVICE_LOST
 */
export async function replay(crowd: Crowd, log: Uint8Array, options?: ReplayOptions): Promise<number> {
  expectCrowd(crowd);
  const { replayLog } = await import('./replay-log.ts');
  return replayLog(crowd, log, options);
}
