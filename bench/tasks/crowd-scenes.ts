import type { Character } from '../../src/character/character.ts';
import { createCrowd } from '../../src/crowd/create-crowd.ts';
import type { Crowd } from '../../src/crowd/crowd.ts';
import type { CrowdOptions } from '../../src/crowd/options.ts';
import type { CrowdView } from '../../src/frame/tables/crowd-view.ts';
import { stageBattle, type Battle } from '../../src/battle/battle.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { DEFAULT_LIGHTING } from '../../src/render/lighting/scene.ts';
import { cascadesOf } from '../../src/render/lighting/cascades.ts';

export interface BattleScene {
  readonly crowd: Crowd;
  readonly battle: Battle;
  /** The camera's view, and two cascades of the sun's: the middle of the field, and all of it. */
  readonly views: readonly CrowdView[];
}

export const PICTURE = { width: 1920, height: 1080 } as const;
const SHADOW_TEXELS = 2048;
/** How much coarser what only its shadow shows may be. */
const SHADOW_DETAIL = 0.25;

/** Creates a battle of `count` soldiers with a new crowd. */
export async function battleScene(
  device: GPUDevice,
  characters: readonly Character[],
  count: number,
  options: Partial<CrowdOptions> = {},
): Promise<BattleScene> {
  const crowd = await createCrowd(device, { characters, capacity: count, ...options });
  const battle = stageBattle(crowd, characters[0]!, characters[1]!, { count });
  const { min, max } = battle.bounds;
  const near = { min: [min[0] / 4, 0, min[2] / 4], max: [max[0] / 4, 3, max[2] / 4] } as const;
  const suns = [near, battle.bounds].map((bounds): CrowdView => {
    const [map] = cascadesOf({
      camera: battle.camera,
      aspect: PICTURE.width / PICTURE.height,
      sunDirection: [0.55, 0.72, 0.42],
      bounds,
      count: 1,
      resolution: SHADOW_TEXELS,
    });
    return { clipFromWorld: map!.sunFromWorld, height: SHADOW_TEXELS, detail: 0.5 };
  });
  const camera = clipFromWorld(battle.camera, PICTURE.width / PICTURE.height);
  return { crowd, battle, views: [{ clipFromWorld: camera, height: PICTURE.height }, ...suns] };
}

/** The views of a picture with cascades, and what the renderer is told of them. */
export function pictureViews(
  { camera, bounds }: Pick<Battle, 'camera' | 'bounds'>,
  cascadeCount: number,
): { readonly crowd: readonly CrowdView[]; readonly drawn: { readonly picture: number; readonly shadow: number[] } } {
  const { width, height } = PICTURE;
  const cascades =
    cascadeCount === 0
      ? []
      : cascadesOf({
          camera,
          aspect: width / height,
          sunDirection: DEFAULT_LIGHTING.sunDirection,
          bounds,
          count: cascadeCount,
          resolution: SHADOW_TEXELS,
        });
  const suns = cascades.map(({ sunFromWorld }) => ({
    clipFromWorld: sunFromWorld,
    height: SHADOW_TEXELS,
    detail: SHADOW_DETAIL,
  }));
  return {
    crowd: [{ clipFromWorld: clipFromWorld(camera, width / height), height }, ...suns],
    drawn: { picture: 1, shadow: suns.map((_, i) => 2 << i) },
  };
}
