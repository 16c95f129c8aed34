import { createCrowd, type Crowd } from '../crowd.ts';
import { restoreSnapshot } from './restore.ts';
import { provideRestorer } from './restorer.ts';
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

/** What `rebuildCrowd` does. */
export async function rebuildLost(lost: Crowd, device: GPUDevice | undefined): Promise<RebuiltCrowd> {
  provideRestorer(restoreSnapshot);
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
