import { expectBytes } from '../../character/arguments.ts';
import type { CharacterModel } from '../../character/model.ts';
import { error, ManipleError, quoted, reasonOf } from '../../errors.ts';
import { refuseForeign } from '../gltf/foreign.ts';
import type { GltfSource, ImportOptions, ImportProgress } from '../gltf/import-gltf.ts';
import { DEFAULT_IMPORT_LIMITS } from '../gltf/limits.ts';
import { Resources } from '../gltf/resources.ts';
import { IssueList, refuse, sentence } from '../model-builder/issue-list.ts';
import { isUsable } from '../model-builder/limits.ts';
import { checkRestMeshes, checkRestTransforms } from '../model-builder/rest-pose.ts';
import { requireWasm } from '../wasm.ts';
import { makeClips } from './clips.ts';
import { type FbxDocument, readDocument, readParents } from './document.ts';
import { Materials } from './materials.ts';
import { readMeshes } from './meshes.ts';
import { Budget } from './node.ts';
import { isAscii, parseAscii } from './parse-ascii.ts';
import { isBinary, parseBinary } from './parse-binary.ts';
import { reportIgnored } from './report-ignored.ts';
import { buildRig, type Rig } from './rig.ts';
import { readSpace, type Space } from './space.ts';
import { readTakes } from './takes.ts';

/** Options of {@link importGltf} that concern FBX files, and one of their own. */
export interface FbxOptions extends Pick<ImportOptions, 'onProgress' | 'limits'> {
  /** Metres of one unit of the file, where it names a wrong one: 0.01 for centimetres. Default: what the file says. */
  readonly unit?: number;
}

/**
 * Reads an FBX 7.x file, binary or ASCII, into a character: metres, seconds, right-handed, Y up. A take becomes a clip
 * that starts at 0. Its Euler curves become tracks of linear keys: exact at all keys of the curves, within 0.1 mm and
 * 4 × 10⁻⁴ rad between them. Files may have only clips, or only a skeleton.
 *
 * Files are untrusted, as for `importGltf`, with the same limits and the same promises. The model's `issues` list everything
 * that is left out or approximated.
 *
 * Cost: 0.1 to 1 s for files of 0.1 to 2 MB; at the default limits at most 5 s and 1 GB.
 *
 * @param source The file's bytes, then called `model` and without access to other files; or bytes, name and
 *   `resolve`.
 * @throws ManipleError with codes FILE_*, FBX_*, GLTF_*, CHARACTER_TOO_MANY_JOINTS, WASM_BLOCKED, USAGE (a unit) or CROWD_BAD_ARGUMENT,
 *   never anything else
 * @example const model = await importFbx({ name: 'knight', bytes: await readFile('knight.fbx') });
 */
export async function importFbx(source: Uint8Array | GltfSource, options: FbxOptions = {}): Promise<CharacterModel> {
  const named = source instanceof Uint8Array ? { name: 'model', bytes: source } : source;
  expectBytes('bytes', (named as GltfSource | undefined)?.bytes);
  const issues = new IssueList();
  try {
    return await read(named, options, issues);
  } catch (thrown) {
    if (thrown instanceof ManipleError) throw thrown;
    const hint = 'If other programs open it, please report it as a defect of Maniple.';
    const last = error('FBX_INVALID', '', sentence(`the file could not be read: ${reasonOf(thrown)}`), hint);
    throw new ManipleError([last, ...issues.list()]);
  }
}

async function read(source: GltfSource, options: FbxOptions, issues: IssueList): Promise<CharacterModel> {
  const limits = { ...DEFAULT_IMPORT_LIMITS, ...options.limits };
  const progress = (stage: ImportProgress['stage'], done: number): void => options.onProgress?.({ stage, done });
  progress('check', 0);
  const document = openDocument(source.bytes, new Budget(limits), issues);
  await requireWasm();

  progress('decode', 0.3);
  const parents = readParents(document);
  const space = withUnit(readSpace(document), options.unit, issues);
  const takes = readTakes(document);
  const rig = buildRig(document, parents, takes, space);
  const placeOf = (nodeIndex: number): string => document.objects.get('Model')?.[nodeIndex]?.place ?? '/Model';
  checkRestTransforms(rig, issues, placeOf);
  issues.throwIfErrors();
  const materials = new Materials(document, new Resources(source.resolve, limits, source.bytes.byteLength));
  const onMesh = (done: number, total: number): void => progress('meshes', 0.4 + (0.4 * done) / total);
  const bound = await readMeshes(document, rig, { materials, unit: space.unit, onMesh });
  issues.throwIfErrors();
  checkRestMeshes({ ...bound, lods: [] }, rig, issues, placeOf);
  issues.throwIfErrors();
  progress('clips', 0.8);
  const clips = makeClips(document, rig, bound, takes);
  const look = await materials.read();
  reportIgnored(document, rig);
  reportSize(rig, space, issues);
  checkContent(rig.joints.length, bound.meshes.length, clips.length, issues);
  progress('clips', 1);
  const { meshes, bindings, morphSets } = bound;
  const { joints } = rig;
  return { name: source.name, joints, bindings, meshes, morphSets, clips, ...look, issues: issues.list() };
}

function openDocument(bytes: Uint8Array, budget: Budget, issues: IssueList): FbxDocument {
  const { fileBytes } = budget.limits;
  if (bytes.byteLength > fileBytes) {
    const message = `the file has ${bytes.byteLength} bytes, the limit is ${fileBytes}`;
    refuse('FILE_TOO_LARGE', '', message, 'Scale textures down, split the model, or raise the limit.');
  }
  const parse = isBinary(bytes) ? parseBinary : isAscii(bytes) ? parseAscii : undefined;
  if (!parse) return refuseForeign(bytes);
  const parsed = parse(bytes, budget, issues);
  issues.throwIfErrors();
  return readDocument(parsed, budget, issues);
}

/** @throws ManipleError USAGE for a unit that is not a positive number */
function withUnit(space: Space, given: number | undefined, issues: IssueList): Space {
  if (given === undefined) return space;
  if (!(given > 0 && isUsable(given))) {
    const suggestion = 'Pass 0.01 for centimetres.';
    refuse('USAGE', 'unit', `the unit is ${quoted(given)}, must be a positive number of metres`, suggestion);
  }
  const message = `One unit is ${given} m, as given; the file says ${space.unit} m`;
  issues.info('FBX_UNIT_GIVEN', '/GlobalSettings', message);
  return { ...space, unit: given };
}

/** Spans of joints that characters have, in metres. A wrong unit is mostly off by 100. */
const LIKELY = { least: 0.03, most: 50 } as const;

/** Reports a size that is hardly meant. The file's unit is kept. */
function reportSize({ restFromJoint }: Rig, { unit }: Space, issues: IssueList): void {
  let span = 0;
  for (const row of [3, 7, 11]) {
    let [low, high] = [Infinity, -Infinity];
    for (let at = row; at < restFromJoint.length; at += 12) {
      low = Math.min(low, restFromJoint[at]!);
      high = Math.max(high, restFromJoint[at]!);
    }
    span = Math.max(span, high - low);
  }
  if (span === 0 || (span >= LIKELY.least && span <= LIKELY.most)) return;
  const message = `the joints span ${Number(span.toPrecision(3))} m, with a unit of ${100 * unit} cm`;
  const hint =
    'Where that is wrong, pass `fbx.unit` (in the command --fbx-unit), the metres of one unit, or export with the scale applied.';
  issues.info('FBX_SIZE_UNLIKELY', '/GlobalSettings', message, hint);
}

/** Refuses a file with nothing to show or to play. Without meshes it is still of use for its clips or its joints. */
function checkContent(joints: number, meshes: number, clips: number, issues: IssueList): void {
  if (meshes > 0) return;
  if (joints === 0) {
    issues.error('GLTF_NO_MESH', '/Objects', 'the file has neither a mesh that can be drawn nor a joint');
  } else {
    const hint = clips > 0 ? 'Its clips can be bound to another character.' : 'It has only a skeleton.';
    issues.info('GLTF_NO_MESH', '/Objects', 'the file has no mesh that can be drawn', hint);
  }
  issues.throwIfErrors();
}
