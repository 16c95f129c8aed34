import { fight, stageBattle } from '../battle/battle.ts';
import { movingClips, stageParade } from '../battle/parade.ts';
import { LEGIONARY, RAIDER, soldierController } from '../battle/soldier.ts';
import type { Character } from '../character/character.ts';
import type { CharacterModel } from '../character/model.ts';
import { packCharacter } from '../character/pack/index.ts';
import { createCrowd } from '../crowd/create-crowd.ts';
import type { Crowd } from '../crowd/crowd.ts';
import { addLods } from '../import/index.ts';
import { createReadableTarget } from '../render/target.ts';
import { createVisibilityRenderer } from '../render/visibility/visibility.ts';
import { type BenchContext, type BenchRun, type BenchScene, DT, pictureSize, VERTEX_LIMIT } from './context.ts';
import { measureCrowd } from './measure-crowd.ts';
import { pictureWork } from './stage-work.ts';
import { syntheticModel } from './synthetic-model.ts';

/** Clips of a parade's characters: as many look as different as all of them. */
const PARADE_CLIPS = 6;
/** Distinct performers of a parade. */
const VARIANTS = 64;
const GALLERY_TYPES = 32;
const SHADOW_TEXELS = 2048;
/** Shares of the finest mesh's triangles. */
const LOD_RATIOS = [1 / 2, 1 / 4, 1 / 8];
/** Seconds of a battle before it is measured. */
const WARM_UP = 4;

/** The scenes that measure every stage. */
export const SCENES = {
  gallery: {
    about: '32 types of 16 to 78 joints, each with a clip and a mesh of its own: all posed and skinned in every frame',
    counts: { hardware: [1000, 10_000, 100_000], software: [64, 256] },
    run: runGallery,
  },
  million: {
    about: 'soldiers of 41 joints with the battle’s controllers: all stepped, posed and skinned (48 vertices)',
    counts: { hardware: [1000, 10_000, 100_000, 1_000_000], software: [100, 1000] },
    run: runMillion,
  },
  parade: {
    about: 'soldiers in ranks, at full detail, each playing a clip: all posed and skinned in every frame',
    counts: { hardware: [1000, 10_000], software: [20, 100] },
    run: runParade,
  },
  battle: {
    about: 'a battle with controllers, levels of detail, update rates, a picture and shadows: whole frames',
    counts: { hardware: [1000, 10_000, 100_000], software: [50, 200] },
    run: runBattle,
  },
} as const satisfies Readonly<Record<string, BenchScene>>;

async function runGallery(run: BenchRun): Promise<void> {
  const characters = await run.once('32 types', galleryTypes);
  const { device, count } = run;
  const crowd = await createCrowd(device, {
    characters,
    capacity: count,
    maxClips: 1,
    updateRates: false,
    maxVertexBytes: VERTEX_LIMIT,
  });
  const side = Math.ceil(Math.sqrt(count));
  characters.forEach((character, type) => {
    const share = Math.floor((count + characters.length - 1 - type) / characters.length);
    if (share === 0) return;
    const group = crowd.spawn(character, {
      count: share,
      place: (i, at) => {
        const index = i * characters.length + type;
        at.position.set(index % side, 0, Math.floor(index / side));
      },
    });
    group.setClips((i) => [{ clip: 0, phase: (i * 0.618034) % 1 }]);
  });
  await measureAndDestroy(run, crowd);
}

function galleryTypes(): readonly Character[] {
  return Array.from({ length: GALLERY_TYPES }, (_, i) => {
    const shape = { joints: 16 + 2 * i, clips: 1, keys: 6, vertices: 240 + 60 * i, influences: 4 };
    return packCharacter(syntheticModel(shape));
  });
}

async function runMillion(run: BenchRun): Promise<void> {
  const { device, count } = run;
  const [legionary] = await run.models();
  const character = await run.once('soldier of 41 joints', () => soldierOf41(legionary));
  const crowd = await createCrowd(device, { characters: [character], capacity: count, maxVertexBytes: VERTEX_LIMIT });
  const side = Math.ceil(Math.sqrt(count));
  const army = crowd.spawn(character, {
    count,
    place: (i, at) => at.position.set(i % side, 0, Math.floor(i / side)),
  });
  // apart from each other, as soldiers are
  for (let second = 0; second < 8; second++) {
    crowd.trigger(
      army.ids.filter((_, i) => (i + second) % 16 === 0),
      'attack',
    );
    crowd.update({ dt: 0.37, views: [] });
    await crowd.workDone();
  }
  await measureAndDestroy(run, crowd);
}

/** A soldier with 41 joints, its controller and its clips, and a mesh of 48 vertices. */
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

/** The battle's two characters with some clips and without controllers or levels of detail. */
export function paradeCharacters({ models, once }: BenchContext): Promise<readonly Character[]> {
  return once('parade', async () =>
    (await models()).map((model) => {
      const clips = model.clips.filter(({ duration }) => duration > 0.05).slice(0, PARADE_CLIPS);
      return packCharacter({ ...model, clips });
    }),
  );
}

/** Packs the legionary and the raider with their controllers, at four levels of detail. Takes many seconds. */
export async function packBattle(models: readonly CharacterModel[]): Promise<Character[]> {
  const characters: Character[] = [];
  for (const [index, model] of models.entries()) {
    const controller = soldierController(index === 0 ? LEGIONARY : RAIDER);
    characters.push(packCharacter(await addLods(model, { ratios: LOD_RATIOS }), { controller }));
  }
  return characters;
}

async function runParade(run: BenchRun): Promise<void> {
  const { device, count } = run;
  const characters = await paradeCharacters(run);
  const crowd = await createCrowd(device, {
    characters,
    capacity: count,
    maxClips: 1,
    updateRates: false,
    maxVertexBytes: VERTEX_LIMIT,
  });
  stageParade(crowd, characters, { count, variants: VARIANTS, clips: characters.map(movingClips) });
  await measureAndDestroy(run, crowd);
}

/** Frames without views pose every character at its finest level. */
async function measureAndDestroy(run: BenchRun, crowd: Crowd): Promise<void> {
  try {
    await measureCrowd(run, { crowd, options: () => ({ dt: DT }) });
  } finally {
    crowd.destroy();
  }
}

async function runBattle(run: BenchRun): Promise<void> {
  const { device, count, kind } = run;
  const characters = await run.once('battle', async () => packBattle(await run.models()));
  const cascadeCount = kind === 'hardware' ? 3 : 0;
  const crowd = await createCrowd(device, { characters, capacity: count, maxVertexBytes: VERTEX_LIMIT });
  const battle = stageBattle(crowd, characters[0]!, characters[1]!, { count });
  await fight(crowd, battle, WARM_UP);
  const size = pictureSize(run);
  const renderer = await createVisibilityRenderer(device, crowd, { cascadeCount });
  const picture = createReadableTarget(device, size.width, size.height);
  const view = { ...size, camera: battle.camera, bounds: battle.bounds, target: picture.view };
  try {
    const source = {
      crowd,
      // without further orders: the director's work does not belong to a frame
      options: () => ({ dt: DT, views: renderer.crowdViews(view) }),
      draw: (encoder: GPUCommandEncoder) => renderer.render(encoder, view),
      timings: () => renderer.timings,
    };
    const pixels = { picture: size.width * size.height, shadows: cascadeCount * SHADOW_TEXELS ** 2 };
    const countPicture = async () => pictureWork(crowd, (await renderer.readStats())!.kept, pixels);
    await measureCrowd(run, source, { picture: countPicture });
  } finally {
    for (const owned of [renderer, picture, crowd]) owned.destroy();
  }
}
