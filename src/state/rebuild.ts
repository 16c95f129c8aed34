import type { ProviderResources } from '../stages/provider-resources.ts';
import { hasUpdates } from '../stages/providers.ts';
import { expectObject } from '../crowd/arguments.ts';
import type { Crowd } from '../crowd/crowd.ts';
import { expectCrowd, internalsOf } from '../crowd/internals.ts';
import { AutoSnapshot, keptOf, setKept } from './auto-snapshot.ts';
import { replayInputs } from './replay.ts';
import { restoreCrowd } from './restore.ts';
import { writeWithoutKernels } from './write-snapshot.ts';

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

/**
 * Rebuilds a crowd on another device after its own was lost. Ids, clock, characters, parameters, clips and the joints
 * that the application sets stay the same. With `keepSnapshots` states do, too, and the vertices are as if nothing had
 * happened; the rebuilt crowd is kept with the same options. Listeners move to the new crowd and receive each event once.
 * Groups, attachments and renderers belong to one crowd: create them again with `crowd.group(ids)`,
 * `crowd.attachmentsOf(id)` and `createForwardRenderer`. The lost crowd is destroyed.
 *
 * Takes as long as creating a crowd, and the frames since the last snapshot. Only the last nine make poses, unless
 * something is attached or a vertex provider updates its rows.
 *
 * @param device Undefined for a crowd on the CPU that has none.
 * @throws ManipleError CROWD_DESTROYED, PROVIDER_RESOURCE (resources that are not given), DEVICE_LIMIT, DEVICE_LOST
 *   (the new one, too)
 */
export async function rebuildCrowd(
  lost: Crowd,
  device: GPUDevice | undefined,
  options: RebuildOptions = {},
): Promise<RebuiltCrowd> {
  expectCrowd(lost);
  expectObject('options', options);
  const { host, options: optionsOf } = internalsOf(lost);
  host.checkAlive();
  const created = optionsOf();
  const auto = keptOf(lost);
  const last = auto?.last;
  // bound resources belong to the lost device
  const { providerResources: _, ...same } = created;
  const { providerResources } = options;
  const { snapshot, characters, capacity } = last?.kept ?? { ...created, snapshot: writeWithoutKernels(host) };
  const again = { ...same, ...(providerResources && { providerResources }), characters, capacity };
  const crowd = await restoreCrowd(device, again, snapshot);
  const rebuilt = internalsOf(crowd).host;
  if (auto) {
    const next = new AutoSnapshot(rebuilt, auto.options);
    next.begin(snapshot);
    setKept(crowd, next);
  }
  rebuilt.events.takeOver(host.events);
  // updates of providers run in frames that are shown; attachments keep the pose in which their characters were last shown
  const shows = hasUpdates(created.providers ?? []) || lost.attachmentCount > 0 ? 'all' : 'last';
  try {
    const cast = { characters: last?.everyone ?? [], maxCapacity: lost.capacity, shows } as const;
    const frames = last ? await replayInputs(crowd, last.log, cast) : 0;
    lost.destroy();
    return { crowd, from: last ? 'snapshot' : 'start', frames };
  } catch (thrown) {
    host.events.takeOver(rebuilt.events); // for the next attempt
    crowd.destroy();
    throw thrown;
  }
}
