import type { ProviderResources } from '../stages/provider-resources.ts';
import { hasUpdates } from '../stages/update-characters/stage.ts';
import { createCrowd } from '../crowd/create-crowd.ts';
import type { Crowd } from '../crowd/crowd.ts';
import { replay } from './replay.ts';
import { writeWithoutKernels } from './write-snapshot.ts';
import { internalsOf } from '../crowd/internals.ts';

/** Options for rebuilding a crowd on its new device. */
export interface RebuildOptions {
  /** Resources of providers on the new device. Those of the lost device are gone. */
  readonly providerResources?: ProviderResources;
}

/** The crowd that replaces a lost one. */
export interface RebuiltCrowd {
  readonly crowd: Crowd;
  /**
   * 'snapshot': everything is as without the loss, from the last snapshot and the changes since. 'start': there was no
   * snapshot. Controllers start again. Root motion since the application last placed a character is lost.
   */
  readonly from: 'snapshot' | 'start';
  /** Frames that were run again. */
  readonly frames: number;
}

/** Implementation of `rebuildCrowd`, loaded when needed. */
export async function rebuildLost(
  lost: Crowd,
  device: GPUDevice | undefined,
  { providerResources }: RebuildOptions,
): Promise<RebuiltCrowd> {
  // bound resources belong to the lost device
  const { options: created, last, everyone } = internalsOf(lost).record.remains;
  const { providerResources: _, ...options } = created;
  const begin = last?.state ?? {
    ...internalsOf(lost).record.options,
    snapshot: writeWithoutKernels(internalsOf(lost).host),
  };
  const { characters, capacity, snapshot } = begin;
  const crowd = await createCrowd(device, {
    ...options,
    ...(providerResources && { providerResources }),
    characters,
    capacity,
    from: snapshot,
  });
  internalsOf(crowd).host.events.takeOver(internalsOf(lost).host.events);
  // updates of providers run in frames that are shown; attachments keep the pose in which their characters were last shown
  const shows = hasUpdates(options.providers ?? []) || lost.attachmentCount > 0 ? 'all' : 'last';
  try {
    const again = { characters: everyone, maxCapacity: lost.capacity, shows } as const;
    const frames = last ? await replay(crowd, last.log, again) : 0;
    lost.destroy();
    return { crowd, from: last ? 'snapshot' : 'start', frames };
  } catch (thrown) {
    internalsOf(lost).host.events.takeOver(internalsOf(crowd).host.events); // for the next attempt
    crowd.destroy();
    throw thrown;
  }
}
