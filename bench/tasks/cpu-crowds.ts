import { createCrowd } from '../../src/crowd/create-crowd.ts';
import type { Crowd, CrowdView } from '../../src/index.ts';
import { type Camera, clipFromWorld } from '../../src/render/camera.ts';
import { type Mixers, mixersOf, performed, type Performer, SPACING, squareOf } from './performers.ts';

/** The same soldiers twice: on the CPU backend, and on mixers of three.js that play what their controllers show. */
export interface CpuCrowds extends Mixers {
  readonly crowd: Crowd;
  readonly views: readonly CrowdView[];
  /** The same crowd on a device. */
  readonly host: Crowd | undefined;
  /** Changes parameters of the crowds. */
  readonly drive: () => void;
  destroy(): void;
}

/** @param device Makes a second crowd there. */
export async function cpuCrowds(performer: Performer, count: number, device?: GPUDevice): Promise<CpuCrowds> {
  const { character } = performer;
  const options = {
    characters: [character],
    capacity: count,
    skin: 'vertex',
    maxClips: 8,
    updateRates: false,
  } as const;
  const crowd = await createCrowd(undefined, { ...options, backend: 'cpu' });
  const host = device && (await createCrowd(device, options));
  const all = host ? [crowd, host] : [crowd];
  const { side, place } = squareOf(count);
  const { ids } = all.map((each) => each.spawn(character, { count, place }))[0]!;
  const drive = await performed(all, ids);
  const middle = ((side - 1) * SPACING) / 2;
  const camera: Camera = { eye: [middle, 2 * side + 10, 4 * side + 10], target: [middle, 0, middle] };
  const views = [{ clipFromWorld: clipFromWorld(camera, 16 / 9), height: 1080 }];
  return {
    crowd,
    views,
    host,
    ...(await mixersOf(performer, crowd, ids)),
    drive,
    destroy: () => all.forEach((each) => each.destroy()),
  };
}
