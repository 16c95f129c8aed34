import type * as Validator from 'gltf-validator';
import type { Issue } from '../../../errors.ts';
import { isObject } from '../../../forms/rules.ts';
import { openContainer } from '../../../import/gltf/container.ts';
import { checkHierarchy } from '../../../import/gltf/hierarchy.ts';
import { DEFAULT_IMPORT_LIMITS as limits } from '../../../import/gltf/limits.ts';
import { type CheckedGltf, checkSchema, extensionOf, meshoptOf } from '../../../import/gltf/schema.ts';
import { IssueList } from '../../../import/model-builder/issue-list.ts';

/** Findings asked of the validator; a file with more has been said enough about. */
const MAX_FINDINGS = 1_000;
/** Findings of one code that are passed on. */
const MAX_PER_CODE = 3;

/**
 * Runs the Khronos validator on the JSON of a file that has been imported. Returns its errors as warnings.
 *
 * It sees neither binary data nor clips. The importer checks every index, weight, key and coordinate anyway, even
 * compressed ones, which the validator cannot see. Nine tenths of the JSON of characters for games are clips. Without
 * both the validator takes 20 ms for a file instead of 300. Some of its checks are quadratic or recursive, and a
 * hostile file can exploit that. Where they would cost too much, it is left out with a note.
 */
export async function validatorIssues(bytes: Uint8Array): Promise<Issue[]> {
  const known = new IssueList();
  const { json: parsed } = await openContainer(bytes, limits, known);
  const json = checkSchema(parsed, known);
  const parents = checkHierarchy({ json, limits, issues: known });
  const issues = new IssueList();
  const text = JSON.stringify(withoutBulk(json));
  const reason = tooCostly(json, text.length, parents);
  if (reason) {
    issues.info('GLTF_VALIDATOR', '', `The Khronos validator was not run: ${reason}`);
    return issues.list();
  }
  const messages = await findings(text).catch((thrown: unknown) => {
    issues.info('GLTF_VALIDATOR', '', `The Khronos validator gave up: ${String(thrown).slice(0, 200)}`);
    return [];
  });
  const counts = new Map<string, number>();
  for (const { severity, code, message, pointer = '' } of messages) {
    if (severity !== 0) continue;
    const count = (counts.get(code) ?? 0) + 1;
    counts.set(code, count);
    if (count <= MAX_PER_CODE) issues.warn('GLTF_VALIDATOR', pointer, `${message} (${code})`);
  }
  for (const [code, count] of counts) {
    if (count > MAX_PER_CODE) issues.info('GLTF_VALIDATOR', '', `${count - MAX_PER_CODE} more of ${code}`);
  }
  return issues.list();
}

async function findings(text: string): Promise<readonly Validator.ValidatorMessage[]> {
  const { validateString } = await loadValidator();
  const options = { maxIssues: MAX_FINDINGS, writeTimestamp: false, ignoredIssues: IGNORED_CODES };
  return (await validateString(text, options)).issues.messages;
}

/** Loads the package. It is a module in bundles, and CommonJS in Node, where its named exports are on `default`. */
async function loadValidator(): Promise<typeof Validator> {
  const module: typeof Validator & { default?: typeof Validator } = await import('gltf-validator');
  return module.default ?? module;
}

/**
 * The JSON without clips and without embedded data, which the validator would decode at length. Accessors and views
 * after the last one in other use are left out, too, because exporters write those of clips last. Indices stay as
 * they are, so that pointers stay true.
 */
function withoutBulk(json: CheckedGltf): object {
  const { animations, accessors = [], bufferViews = [], buffers = [], images = [], ...rest } = json;
  const accessorCount = animations ? 1 + lastOf(accessorsInUse(json)) : accessors.length;
  const kept = accessors.slice(0, accessorCount);
  const viewCount = animations ? 1 + lastOf(viewsInUse(json, kept)) : bufferViews.length;
  const listed = { accessors: kept, bufferViews: bufferViews.slice(0, viewCount), buffers, images };
  const nonEmpty = Object.entries(listed).filter(([, entries]) => entries.length > 0);
  return { ...rest, ...Object.fromEntries(nonEmpty.map(([name, entries]) => [name, entries.map(withoutData)])) };
}

function* accessorsInUse({ meshes = [], skins = [] }: CheckedGltf): Generator<number | undefined> {
  for (const skin of skins) yield skin.inverseBindMatrices;
  for (const { primitives } of meshes) {
    for (const { attributes, indices, targets = [] } of primitives) {
      yield indices;
      for (const group of [attributes, ...targets]) yield* Object.values(group);
    }
  }
}

function* viewsInUse(
  { meshes = [], images = [], bufferViews = [] }: CheckedGltf,
  accessors: NonNullable<CheckedGltf['accessors']>,
): Generator {
  for (const { bufferView, sparse } of accessors) {
    yield bufferView;
    yield sparse?.indices.bufferView;
    yield sparse?.values.bufferView;
  }
  for (const image of images) yield isObject(image) ? image.bufferView : undefined;
  for (const { primitives } of meshes) {
    for (const primitive of primitives) yield extensionOf(primitive, 'KHR_draco_mesh_compression')?.bufferView;
  }
  yield bufferViews.findLastIndex(meshoptOf);
}

function lastOf(indices: Iterable<unknown>): number {
  let last = -1;
  for (const index of indices) if (typeof index === 'number' && index > last) last = index;
  return last;
}

function withoutData<T>(entry: T): T {
  return isObject(entry) && typeof entry.uri === 'string' ? { ...entry, uri: 'data' } : entry;
}

/**
 * Why the validator must not see this file, from its measured costs. It takes 0.15 µs and up to 130 bytes of memory per
 * character. It walks to the root from every node (0.3 µs a step), recurses per level of nodes, and compares joints
 * across scenes.
 */
function tooCostly(json: CheckedGltf, textLength: number, parents: Int32Array): string | undefined {
  if (textLength > 2 ** 21) return `without clips the JSON has ${textLength} characters`;
  if (stepsToRoots(parents) > 2e6) return 'its nodes are nested too deep';
  const skinned = json.nodes?.filter((node) => node.skin !== undefined).length ?? 0;
  const joints = json.skins?.reduce((most, skin) => Math.max(most, skin.joints.length), 0) ?? 0;
  const comparisons = (skinned + (json.skins?.length ?? 0)) * joints * (json.scenes?.length ?? 1);
  return comparisons > 1e6 ? 'its skins are too many or too large' : undefined;
}

/** The depths of all nodes, summed; parents have been checked to form a forest. */
function stepsToRoots(parents: Int32Array): number {
  const depths = new Int32Array(parents.length).fill(-1);
  const trail: number[] = [];
  let total = 0;
  for (let start = 0; start < parents.length; start++) {
    for (let node = start; node >= 0 && depths[node]! < 0; node = parents[node]!) trail.push(node);
    while (trail.length > 0) {
      const node = trail.pop()!;
      depths[node] = parents[node]! < 0 ? 0 : depths[parents[node]!]! + 1;
      total += depths[node];
    }
  }
  return total;
}

/** Codes of the Khronos validator that are not asked for. Every other one that it calls an error is a warning. */
export const IGNORED_CODES: readonly string[] = [
  // the importer finds, repairs and reports these with the count and the place
  'ANIMATION_CHANNEL_TARGET_NODE_MATRIX',
  'ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS',
  'ANIMATION_DUPLICATE_TARGETS',
  'ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT',
  'ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS',
  'ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT',
  'ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT',
  'MESH_INVALID_WEIGHTS_COUNT',
  'MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT',
  'MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH',
  'NODE_MATRIX_NON_TRS',
  'NODE_SKIN_WITH_NON_SKINNED_MESH',
  'NODE_WEIGHTS_INVALID',

  // exporters write these every day, and nothing that Maniple reads depends on them
  'ACCESSOR_OFFSET_ALIGNMENT',
  'ACCESSOR_TOTAL_OFFSET_ALIGNMENT',
  'ACCESSOR_MATRIX_ALIGNMENT',
  'ACCESSOR_USAGE_OVERRIDE',
  'ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE',
  'ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS',
  'BUFFER_DATA_URI_MIME_TYPE_INVALID',
  'BUFFER_VIEW_INVALID_BYTE_STRIDE',
  'BUFFER_VIEW_TARGET_OVERRIDE',
  'EMPTY_ENTITY',
  'IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE',
  'INVALID_URI',
  'IO_ERROR',
  'MESH_PRIMITIVE_ACCESSOR_UNALIGNED',
  'MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE',
  'MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE',
  'MESH_PRIMITIVE_NO_TANGENT_SPACE',
  'MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS',
  'NODE_SKIN_NO_SCENE',
  'NON_REQUIRED_EXTENSION',
  'SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE',
  'SKIN_NO_COMMON_ROOT',
  'SKIN_SKELETON_INVALID',
  'UNUSED_EXTENSION_REQUIRED',

  // hints and warnings, listed so that they do not use up the number of findings that is asked for
  'BUFFER_VIEW_TARGET_MISSING',
  'EXTRA_PROPERTY',
  'INCOMPLETE_EXTENSION_SUPPORT',
  'INVALID_EXTENSION_NAME_FORMAT',
  'MATERIAL_ALPHA_CUTOFF_INVALID_MODE',
  'MESH_PRIMITIVE_GENERATED_TANGENT_SPACE',
  'MULTIPLE_EXTENSIONS',
  'NODE_EMPTY',
  'NODE_MATRIX_DEFAULT',
  'NODE_SKINNED_MESH_LOCAL_TRANSFORMS',
  'NODE_SKINNED_MESH_NON_ROOT',
  'NON_OBJECT_EXTRAS',
  'UNEXPECTED_PROPERTY',
  'UNSUPPORTED_EXTENSION',
  'UNUSED_MESH_TANGENT',
  'UNUSED_MESH_WEIGHTS',
  'UNUSED_OBJECT',
];
