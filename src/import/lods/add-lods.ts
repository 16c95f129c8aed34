import { MeshoptEncoder } from 'meshoptimizer/encoder';
import { MeshoptSimplifier } from 'meshoptimizer/simplifier';
import { LOD_LIMIT } from '../../character/character.ts';
import { LodMeter } from '../../character/lods/index.ts';
import { expectModel } from '../../character/arguments.ts';
import type { CharacterModel, LodModel, MeshModel } from '../../character/model.ts';
import { fail, type Issue, quoted, warning } from '../../errors.ts';
import { requireWasm } from '../wasm.ts';
import { makeLevel } from './make-level.ts';
import { Simplifier } from './simplifier.ts';

// they fail as they load where WebAssembly is forbidden, which `requireWasm` reports
for (const { ready } of [MeshoptEncoder, MeshoptSimplifier]) ready.catch(() => undefined);

/** How many coarser meshes to make, and how coarse. */
export interface LodOptions {
  /**
   * Triangles of each LOD as shares of the finest's, falling, each above 0 and below 1. Default: a half, a quarter, an
   * eighth, a sixteenth; with `errors`, as few as they allow.
   */
  readonly ratios?: readonly number[];
  /**
   * The most that each LOD may differ from the finest in any pose, rising: metres on a character of 1.8 m, in
   * proportion to the model's size. Default: no limit. With `ratios`, both lists have the same length, and the limit
   * that is reached first ends a LOD.
   */
  readonly errors?: readonly number[];
}

const DEFAULT_RATIOS = [1 / 2, 1 / 4, 1 / 8, 1 / 16];
/** The size that `errors` are given for, in metres. */
const COMMON_SIZE = 1.8;
/** A LOD that has more of the triangles of the one before it is not worth its memory. */
const LEAST_GAIN = 0.9;

/**
 * Makes coarser meshes of a model, which `packCharacter` packs together with the finest one. Edges collapse onto
 * existing vertices: each vertex of a LOD is one of the model's, with its influences and morph deltas, so bounds of
 * the model hold. Textures keep their seams. LODs that the model has already are replaced. `packCharacter` then finds
 * the joints that each LOD does not need.
 *
 * Cost: some seconds; in proportion to triangles, and to the LODs (`docs/adr/0014-mesh-lods.md`).
 *
 * @returns The model with `lods`. Triangles fall and errors rise from one to the next. A LOD is left out if the mesh
 *   gets no coarser or exceeds an error (issue CHARACTER_LOD_DROPPED).
 * @throws ManipleError USAGE if ratios or errors are not as described, WASM_BLOCKED where WebAssembly may not run
 * @example const knight = packCharacter(await addLods(await loadModel('knight.glb')));
 */
export async function addLods(model: CharacterModel, options: LodOptions = {}): Promise<CharacterModel> {
  expectModel(model);
  const wishes = wishesOf(options);
  await requireWasm();
  await Promise.all([MeshoptSimplifier.ready, MeshoptEncoder.ready]);
  const issues: Issue[] = [];
  const lods = trianglesOf(model.meshes) > 0 ? makeLods(model, wishes, issues) : [];
  return { ...model, lods, issues: [...model.issues, ...issues] };
}

/** A requested LOD: its share of the triangles, and its largest error on a character of common size. */
interface Wish {
  readonly ratio: number;
  readonly error: number;
}

function wishesOf(options: LodOptions): Wish[] {
  if (typeof options !== 'object' || options === null)
    fail('USAGE', 'lods', `Got ${quoted(options)}; expected options.`, 'See LodOptions.');
  const { ratios, errors } = options;
  for (const [name, list] of Object.entries({ ratios, errors })) {
    const message = `Got ${quoted(list)} for ${name}; expected a list of numbers.`;
    if (list !== undefined && !Array.isArray(list)) fail('USAGE', name, message, 'See LodOptions.');
  }
  const shares = ratios ?? errors?.map(() => 0) ?? DEFAULT_RATIOS;
  const limits = errors ?? shares.map(() => Infinity);
  const refuse = (path: string, message: string): never => fail('USAGE', path, message, 'See LodOptions.');
  if (shares.length !== limits.length) refuse('lods', `${shares.length} ratios and ${limits.length} errors.`);
  if (shares.length > LOD_LIMIT) refuse('lods', `${shares.length} LODs; the limit is ${LOD_LIMIT}.`);
  if (ratios?.some((share, i) => !(share > 0 && share < (ratios[i - 1] ?? 1)))) {
    refuse('ratios', `${ratios.join(', ')} do not fall between 1 and 0.`);
  }
  if (errors?.some((limit, i) => !(limit > (errors[i - 1] ?? 0) && limit < Infinity))) {
    refuse('errors', `${errors.join(', ')} do not rise from 0 on.`);
  }
  return shares.map((ratio, i) => ({ ratio, error: limits[i]! }));
}

interface Made {
  readonly index: number;
  readonly meshes: readonly MeshModel[];
  readonly triangles: number;
  readonly error: number;
}

function makeLods(model: CharacterModel, wishes: readonly Wish[], issues: Issue[]): LodModel[] {
  const meter = new LodMeter(model, model.clips);
  const { size } = meter.metrics;
  const simplifier = new Simplifier(model, size, meter.keyPoses);
  const finest: Made = { index: -1, meshes: model.meshes, triangles: trianglesOf(model.meshes), error: 0 };
  const levels: Made[] = [finest];
  const leaveOut = (index: number, why: string): void => {
    const path = `${model.name}/lods/${index}`;
    const suggestion = 'Weld vertices that need not be apart, or ask for less.';
    const message = `the LOD is left out: ${why}.`;
    issues.push({ ...warning('CHARACTER_LOD_DROPPED', path, message, suggestion), severity: 'info' });
  };
  wishes.forEach((wish, index) => {
    const most = (wish.error * size) / COMMON_SIZE;
    const made = makeLevel(simplifier, meter, { triangles: Math.floor(wish.ratio * finest.triangles), error: most });
    if (!made) return leaveOut(index, 'nothing keeps within its error');
    const level = { index, ...made, triangles: trianglesOf(made.meshes) };
    const before = levels.at(-1)!.triangles;
    if (level.triangles > LEAST_GAIN * before) {
      return leaveOut(index, `it would have ${level.triangles} triangles after ${before}`);
    }
    // a finer level with no smaller an error is of no use
    while (levels.length > 1 && levels.at(-1)!.error >= level.error) {
      leaveOut(levels.pop()!.index, `the next one has fewer triangles and no larger an error`);
    }
    levels.push(level);
  });
  return levels.slice(1).map(({ meshes }) => ({ meshes }));
}

function trianglesOf(meshes: readonly MeshModel[]): number {
  return meshes.reduce((sum, { indices }) => sum + indices.length / 3, 0);
}
