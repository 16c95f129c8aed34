import { movingClips, stageParade } from '../../battle/parade.ts';
import { createCrowd } from '../../crowd/create-crowd.ts';
import { clipFromWorld } from '../../render/camera.ts';
import { createForwardRenderer } from '../../render/forward/forward.ts';
import { createReadableTarget } from '../../render/target.ts';
import { type BenchRun, DT, pictureSize, VERTEX_LIMIT } from '../context.ts';
import { measureCrowd } from '../measure-crowd.ts';
import { MANIPLE } from '../report.ts';
import { paradeCharacters } from '../scenes.ts';

/** Passes that draw every character: the picture, and 0, 2 or 4 shadow maps. */
const PASSES = [1, 3, 5] as const;
const SHADOW_MAPS = 4;
const VARIANTS = 64;
const SUBJECTS = { compute: MANIPLE, vertex: 'vertex skinning' } as const;

/** Whole frames of a parade where compute skins once, and where every draw skins again, for 1, 3 and 5 passes. */
export async function runPasses(run: BenchRun): Promise<void> {
  const { device, count, kind } = run;
  const characters = await paradeCharacters(run);
  const size = pictureSize(run);
  for (const skin of ['compute', 'vertex'] as const) {
    const options = {
      characters,
      capacity: count,
      maxClips: 1,
      updateRates: false,
      maxVertexBytes: VERTEX_LIMIT,
    } as const;
    const crowd = await createCrowd(device, { ...options, skin });
    const { camera, bounds } = stageParade(crowd, characters, {
      count,
      variants: VARIANTS,
      clips: characters.map(movingClips),
    });
    const shadowResolution = kind === 'hardware' ? 2048 : 256;
    const renderer = await createForwardRenderer(device, crowd, {
      cascadeCount: SHADOW_MAPS,
      shadowResolution,
      sampleCount: 1,
    });
    const picture = createReadableTarget(device, size.width, size.height);
    try {
      for (const passes of PASSES) {
        // one view sees all, and masks say which maps draw it
        const shadow = Array.from({ length: SHADOW_MAPS }, (_, map) => (map < passes - 1 ? 1 : 0));
        const view = { ...size, camera, bounds, target: picture.view, views: { picture: 1, shadow } };
        const views = [{ clipFromWorld: clipFromWorld(camera, size.width / size.height), height: size.height }];
        const source = {
          crowd,
          options: () => ({ dt: DT, views }),
          draw: (encoder: GPUCommandEncoder) => renderer.render(encoder, view),
        };
        await measureCrowd(run, source, {
          subject: SUBJECTS[skin],
          frame: `frame, ${passes === 1 ? '1 pass' : `${passes} passes`}`,
          hasStages: false,
        });
      }
    } finally {
      for (const owned of [renderer, picture, crowd]) owned.destroy();
    }
  }
}
