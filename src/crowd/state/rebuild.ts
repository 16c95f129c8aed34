import { createCrowd, type Crowd } from '../crowd.ts';
import { replay } from './replay.ts';
import { writeWithoutKernels } from './write-snapshot.ts';

/** A crowd that takes the place of a lost one. */
export interface RebuiltCrowd {
  readonly crowd: Crowd;
  /**
   * 'snapshot': everything is as it would have been, from the last snapshot and what was done since. 'start': there was none,
   * so controllers begin anew, and root motion since the host last placed somebody is forgotten.
   */
  readonly from: 'snapshot' | 'start';
  /** Frames that were run again. */
  readonly frames: number;
}

/**
 * Makes a crowd anew on another device after its own was lost: the same ids, clock, characters, parameters, clips and
 * joints that the host sets; with `snapshots` (an option of `createCrowd`) the same states too, and the same vertices as if
 * nothing had happened. Listeners go over to the new crowd and hear of each event once. Groups, attachments and
 * renderers are of one crowd: make them anew with `crowd.group(ids)`, `crowd.attachmentsOf(id)` and `createForwardRenderer`. The lost crowd is destroyed.
 *
 * Takes as long as creating a crowd, and the frames since the last snapshot, of which only the last nine make poses.
 *
 * @param device Undefined for a crowd on the CPU that has none.
 * @throws ManipleError CROWD_DESTROYED, DEVICE_LIMIT, DEVICE_LOST (the new one, too)
 */
export async function rebuildCrowd(lost: Crowd, device: GPUDevice | undefined): Promise<RebuiltCrowd> {
  const { options, last, everyone } = lost.remains();
  const begin = last?.state ?? { ...lost.shapeOptions, snapshot: writeWithoutKernels(lost.host) };
  const { characters, capacity, snapshot } = begin;
  const crowd = createCrowd(device, { ...options, characters, capacity, from: snapshot });
  crowd.host.events.takeOver(lost.host.events);
  try {
    const again = { characters: everyone, maxCapacity: lost.capacity, shows: 'last' } as const;
    const frames = last ? await replay(crowd, last.log, again) : 0;
    lost.destroy();
    return { crowd, from: last ? 'snapshot' : 'start', frames };
  } catch (thrown) {
    lost.host.events.takeOver(crowd.host.events); // for the next attempt
    crowd.destroy();
    throw thrown;
  }
}
