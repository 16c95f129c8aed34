import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Character } from '../../../asset/character.ts';
import { createCrowd, type Crowd } from '../../../crowd/crowd.ts';
import { loadTwins } from '../../../frame/twins.ts';
import { type Battle, fight, stageBattle } from '../../../render/battle.ts';
import { LEGIONARY, RAIDER, soldierController } from '../../../render/soldier.ts';
import { sceneryOf } from '../../../render/battle-scenery.ts';
import { stageParade } from '../../../render/staging.ts';
import type { StaticPiece } from '../../../render/statics/lay-out.ts';
import { openFile, packOpened, withLods } from '../../load.ts';
import type { Progress } from '../../output.ts';
import type { RenderOptions } from './options.ts';
import { loadScenery } from './scenery.ts';

/** The characters of the default battle, beside the sources as beside the built package. */
const OWN_CHARACTERS = ['legionary', 'raider'].map((name) =>
  fileURLToPath(new URL(`../../../../characters/${name}.glb`, import.meta.url)),
);

/** Seconds that a battle goes on before its first picture is taken. */
const WARM_UP = 6;

/** What is to be seen: characters of files in ranks, or the battle where none is named. */
export interface Cast {
  readonly isBattle: boolean;
  readonly count: number;
  readonly sources: readonly string[];
}

export function castOf(files: readonly string[], { count }: Pick<RenderOptions, 'count'>): Cast {
  const isBattle = files.length === 0;
  return { isBattle, count: count ?? (isBattle ? 1000 : 100), sources: isBattle ? OWN_CHARACTERS : files };
}

/** Reads and packs each file's character. @throws ManipleError as `openFile`, `withLods` and `packOpened` */
export async function loadCast(
  { isBattle, sources }: Cast,
  { lods, errorBudget }: Pick<RenderOptions, 'lods' | 'errorBudget'>,
  progress: Progress,
): Promise<readonly Character[]> {
  const characters: Character[] = [];
  for (const [index, file] of sources.entries()) {
    const name = path.basename(file);
    progress.update(`loading ${name}`);
    const opened = await openFile(file);
    if (lods) progress.update(`${name}: making coarser meshes`);
    characters.push(
      packOpened(await withLods(opened, lods), {
        errorBudget,
        ...(isBattle ? { controller: soldierController([LEGIONARY, RAIDER][index]!) } : {}),
        onProgress: (done, total) => progress.update(`${name}: packing clip ${done + 1} of ${total}`),
      }),
    );
  }
  return characters;
}

/** Ready to be looked at. */
export interface StagedCast {
  readonly crowd: Crowd;
  readonly stage: Battle;
  /** Props around it. */
  readonly scenery: readonly StaticPiece[];
}

/**
 * A crowd of the cast, placed; a battle has gone on for some seconds.
 * @param device Undefined: the crowd runs on the CPU, and so does what draws it.
 * @throws ManipleError as `createCrowd`
 */
export async function stageCast(
  device: GPUDevice | undefined,
  { isBattle, count }: Cast,
  characters: readonly Character[],
  { backend, seed, camera }: Pick<RenderOptions, 'backend' | 'seed' | 'camera'>,
  progress: Progress,
): Promise<StagedCast> {
  if (backend === 'cpu') await loadTwins();
  // what controllers need at once is known; parades play clips themselves
  const crowd = createCrowd(device, { characters, capacity: count, backend, ...(isBattle ? {} : { motions: 2 }) });
  const stage: Battle = isBattle
    ? stageBattle(crowd, characters[0]!, characters[1]!, { count, seed })
    : stageParade(crowd, characters, { count, seed });
  progress.update(`fighting for ${WARM_UP} seconds`);
  await fight(crowd, stage, WARM_UP);
  if (!isBattle) return { crowd, stage, scenery: [] };
  progress.update('setting the scenery');
  const scenery = sceneryOf({ count, seed, eye: (camera ?? stage.camera).eye });
  return { crowd, stage: { ...stage, bounds: scenery.bounds }, scenery: await loadScenery(scenery) };
}
