import path from 'node:path';
import { type Battle, fight, stageBattle } from '../../../battle/battle.ts';
import { movingClips, stagePerformers } from '../../../battle/parade.ts';
import { type BattleScenery, PROPS, sceneryOf } from '../../../battle/scenery.ts';
import { LEGIONARY, RAIDER, soldierController } from '../../../battle/soldier.ts';
import type { Character } from '../../../character/character.ts';
import { packScenery } from '../../../character/pack-scenery.ts';
import { createCrowd } from '../../../crowd/create-crowd.ts';
import type { Crowd } from '../../../crowd/crowd.ts';
import { fail, type Issue, warning } from '../../../errors.ts';
import type { StaticPiece } from '../../../render/scenery/lay-out.ts';
import { openFileMap } from '../../load-clips.ts';
import { openController } from '../../load-controller.ts';
import { clipNames, findClip, openFile, packOpened, withLods } from '../../load.ts';
import type { Progress } from '../../output.ts';
import { inFile, packageFile } from '../../read.ts';
import { controlledCharacter } from '../../simulated-character.ts';
import { planMeasured, startControllers } from './measure.ts';
import { orbitsOf, type RenderOptions, sizeOf } from './options.ts';

/** The characters of the default battle. */
const OWN_CHARACTERS = ['legionary', 'raider'].map((name) => packageFile(`characters/${name}.glb`));

/** Seconds that a battle goes on before its first picture is taken. */
const WARM_UP = 6;

/** The cast to draw: characters of files in ranks, or the battle if no file is named. */
export interface Cast {
  readonly isBattle: boolean;
  readonly count: number;
  readonly sources: readonly string[];
}

/** @throws ManipleError USAGE for options that only characters of files have, or that do not go together */
export function castOf(
  files: readonly string[],
  { count, clip, controller, clips, unityProject }: Partial<RenderOptions>,
): Cast {
  const isBattle = files.length === 0;
  if (isBattle && (clip || controller !== undefined)) {
    const option = clip ? '--clip' : '--controller';
    const message = `${option} is for characters of files. The battle has its own clips and controllers.`;
    fail('USAGE', option, message, 'Name a .glb, .gltf, .vrm, .fbx, .bvh or .maniple file.');
  }
  if (clip && controller !== undefined) {
    const message = '--clip and --controller exclude each other: a controller decides which clips play.';
    fail('USAGE', '--clip', message, 'Leave one of them out.');
  }
  if ((clips ?? unityProject) !== undefined && controller === undefined) {
    const option = clips === undefined ? '--unity-project' : '--clips';
    const message = `${option} finds the clips of a controller, and no controller is set.`;
    fail('USAGE', option, message, 'Name one with --controller.');
  }
  return { isBattle, count: count ?? (isBattle ? 1000 : 100), sources: isBattle ? OWN_CHARACTERS : files };
}

/** A character of the cast. */
export interface Actor {
  readonly character: Character;
  /** Indices of the clips that may play. Empty with a controller, and without clips. */
  readonly clips: readonly number[];
  /** Issues from loading, with the file in every path. */
  readonly issues: readonly Issue[];
}

/** Reads and packs each file's character. @throws ManipleError as `openFile`, `withLods`, `packOpened`, `findClip`, `openController` */
export async function loadCast(
  { isBattle, sources }: Cast,
  { lods, errorBudget, bvhUnit, fbxUnit, clip, controller, clips, unityProject }: Partial<RenderOptions>,
  progress: Progress,
): Promise<readonly Actor[]> {
  const opened =
    controller === undefined ? undefined : await openController(controller, await openFileMap({ clips, unityProject }));
  const actors: Actor[] = [];
  for (const [index, file] of sources.entries()) {
    const name = path.basename(file);
    progress.update(`loading ${name}`);
    const source = await openFile(file, { bvhUnit, fbxUnit });
    if (lods) progress.update(`${name}: making coarser meshes`);
    const model = await withLods(source, lods);
    const packing = { errorBudget, onProgress: progress.packing(name) };
    if (isBattle) {
      const soldier = soldierController([LEGIONARY, RAIDER][index]!);
      actors.push(actorOf(file, await packOpened(model, { ...packing, controller: soldier }), []));
    } else if (opened) {
      const issues = [...(index === 0 ? opened.issues : [])];
      const found: Issue[] = [];
      const character = await controlledCharacter(opened, model, packing, found);
      actors.push(actorOf(file, character, [], [...issues, ...found.map((issue) => inFile(file, issue))]));
    } else if (clip) {
      const wanted = [
        ...new Set(clip.map((one) => findClip(clipNames(model), one, sources.length > 1 ? `${file}#` : ''))),
      ];
      const character = await packOpened(model, { ...packing, clips: wanted });
      actors.push(actorOf(file, character, model.kind === 'baked' ? wanted : wanted.map((_, i) => i)));
    } else {
      const character = await packOpened(model, packing);
      actors.push(actorOf(file, character, movingClips(character), restNotice(file, character)));
    }
  }
  return actors;
}

function actorOf(file: string, character: Character, clips: readonly number[], issues: readonly Issue[] = []): Actor {
  return { character, clips, issues: [...issues, ...character.issues.map((issue) => inFile(file, issue))] };
}

function restNotice(file: string, { clips, controller }: Character): Issue[] {
  if (clips.length > 0 || controller) return [];
  const suggestion = 'Name a file with animations, or a controller and its clips with --controller and --clips.';
  const message = 'The file has no clips, so its characters have their rest pose.';
  return [{ ...warning('CLIP_NONE', file, message, suggestion), severity: 'info' }];
}

/** Ready to be looked at. */
export interface StagedCast {
  readonly crowd: Crowd;
  readonly stage: Battle;
  /** Props around it. */
  readonly scenery: readonly StaticPiece[];
  /** By actor: names of the clips that play on its characters; what controllers play is theirs to say. */
  readonly playing: readonly (readonly string[])[];
}

/**
 * A crowd of the cast, placed; a battle has gone on for some seconds.
 * @param device Undefined: the crowd runs on the CPU, and so does what draws it.
 * @throws ManipleError as `createCrowd`
 */
export async function stageCast(
  device: GPUDevice | undefined,
  { isBattle, count }: Cast,
  actors: readonly Actor[],
  options: RenderOptions,
  progress: Progress,
): Promise<StagedCast> {
  const { backend, seed, camera } = options;
  const characters = actors.map(({ character }) => character);
  // what controllers need at once is known; parades play clips themselves
  const isControlled = characters.some(({ controller }) => controller);
  const crowd = await createCrowd(device, {
    characters,
    capacity: count,
    backend,
    ...(isControlled ? {} : { maxClips: 1 }),
  });
  if (!isBattle) {
    return { crowd, ...(await stageActors(crowd, actors, count, options, progress)), scenery: [] };
  }
  const stage = stageBattle(crowd, characters[0]!, characters[1]!, { count, seed });
  progress.update(`fighting for ${WARM_UP} seconds`);
  await fight(crowd, stage, WARM_UP);
  progress.update('setting the scenery');
  const scenery = sceneryOf({ count, seed, eye: (camera ?? stage.camera).eye });
  const statics = await loadScenery(scenery);
  return { crowd, stage: { ...stage, bounds: scenery.bounds }, scenery: statics, playing: actors.map(() => []) };
}

/** Ranks of them, and a camera that shows all in every frame. */
async function stageActors(
  crowd: Crowd,
  actors: readonly Actor[],
  count: number,
  options: RenderOptions,
  progress: Progress,
): Promise<Pick<StagedCast, 'stage' | 'playing'>> {
  const { seed } = options;
  const size = sizeOf(options);
  const characters = actors.map(({ character }) => character);
  const clips = actors.map((actor) => actor.clips);
  const plan = { count, seed, clips, aspect: size.width / size.height, orbits: orbitsOf(options) };
  const { parade, bodies } = await planMeasured(characters, plan, options, (frame) =>
    progress.update(`measuring poses of frame ${frame + 1} of ${options.frames}`),
  );
  const stage = stagePerformers(crowd, characters, parade, bodies);
  const troupes = stage.groups.map((group, type) => ({
    group,
    performers: parade.performers.filter(({ character }) => character === type),
  }));
  await startControllers(crowd, troupes);
  const playing = troupes.map(({ group: { character }, performers }) => {
    const indices = performers.flatMap(({ clip }) => clip ?? []);
    return [...new Set(indices.map((clip) => character.clips[clip]!.name))];
  });
  return { stage, playing };
}

/** Loads the props around a battle. @throws ManipleError FILE_… where the package is not whole */
export async function loadScenery({ places }: BattleScenery): Promise<readonly StaticPiece[]> {
  const pieces = PROPS.filter((prop) => places[prop].length > 0).map(async (prop) => {
    const opened = await openFile(packageFile(`props/${prop}.glb`));
    const character = opened.kind === 'baked' ? opened.character : packScenery(opened.model);
    return { character, places: places[prop] };
  });
  return Promise.all(pieces);
}
