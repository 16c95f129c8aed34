import type { Character } from '../../src/character/character.ts';
import type { CharacterModel } from '../../src/character/model.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { createCrowd } from '../../src/crowd/create-crowd.ts';
import type { Crowd } from '../../src/crowd/crowd.ts';
import type { CrowdOptions } from '../../src/crowd/options.ts';
import type { CrowdView } from '../../src/frame/tables/crowd-view.ts';
import { addLods } from '../../src/import/index.ts';
import { stageBattle, type Battle } from '../../src/battle/battle.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { DEFAULT_LIGHTING } from '../../src/render/lighting/scene.ts';
import { cascadesOf } from '../../src/render/lighting/cascades.ts';
import { LEGIONARY, RAIDER, soldierController } from '../../src/battle/soldier.ts';
import { syntheticModel } from '../../src/bench/synthetic-model.ts';

/** Shares of the finest mesh's triangles. */
const LOD_RATIOS = [1 / 2, 1 / 4, 1 / 8];

/** The battle's two characters with their controllers, at four levels of detail: made here, which takes half a minute. */
export async function battleCharacters(models: readonly CharacterModel[]): Promise<Character[]> {
  const characters: Character[] = [];
  for (const [index, model] of models.entries()) {
    const controller = soldierController(index === 0 ? LEGIONARY : RAIDER);
    characters.push(packCharacter(await addLods(model, { ratios: LOD_RATIOS }), { controller }));
  }
  return characters;
}

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

/**
 * A soldier with 41 joints, its controller and its clips, and a mesh of 48 vertices: for what is measured up to poses,
 * the mesh is of no matter.
 */
export function soldierOf41(legionary: CharacterModel): Character {
  const joints = [...legionary.joints];
  const bindings = [...legionary.bindings];
  while (joints.length < 41) {
    joints.push({ ...joints.at(-1)!, name: `tip ${joints.length}`, parentIndex: joints.length - 1, nodeIndex: -1 });
  }
  while (bindings.length < 41) bindings.push({ ...bindings.at(-1)!, jointIndex: bindings.length });
  const { meshes } = syntheticModel({ joints: bindings.length, clips: 0, keys: 2, vertices: 48, influences: 1 });
  const model = { ...legionary, joints, bindings, meshes, morphSets: [], materials: [], images: [] };
  return packCharacter(model, { controller: soldierController(LEGIONARY) });
}
