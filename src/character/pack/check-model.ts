import { error, ManipleError, type Issue, quoted } from '../../errors.ts';
import { morphOffsets } from '../evaluate.ts';
import { LOD_LIMIT } from '../character.ts';
import { type CharacterModel, expectModel, type MeshModel } from '../model.ts';
import { CHANNEL_NAME_LENGTH, channelKey, CHANNEL_KEY_TEXCOORD_1 } from '../../vertex/vertex-format.ts';
import { CHANNEL_NAME_LIMIT, NAMED_CHANNEL_LIMIT } from '../format/geometry-layout.ts';
import { JOINT_LIMIT, MORPH_LIMIT } from '../format/rig-layout.ts';
import { NAMED_FORMATS } from '../vertex-formats.ts';

/**
 * Checks the requirements of packing. Models from importers always meet them; models made by hand may not.
 * @throws ManipleError CROWD_BAD_ARGUMENT, CHARACTER_NO_JOINTS, CHARACTER_TOO_MANY_JOINTS, CHARACTER_MORPHS_UNMATCHED,
 *  CHARACTER_TOO_MANY_MORPHS, CHARACTER_TOO_LARGE, CHARACTER_LODS_UNMATCHED, CHARACTER_CHANNELS
 */
export function checkModel(model: CharacterModel): void {
  expectModel(model);
  const lods = model.lods ?? [];
  const issues = [
    ...jointIssues(model),
    ...morphIssues(model),
    ...influenceIssues(model),
    ...lods.flatMap((lod, index) => influenceIssues({ name: `${model.name}/lods/${index}`, meshes: lod.meshes })),
    ...lodIssues(model),
    ...channelIssues(model),
  ];
  if (issues.length > 0) throw new ManipleError(issues);
}

function jointIssues({ name, joints }: CharacterModel): Issue[] {
  if (joints.length === 0) {
    return [
      error(
        'CHARACTER_NO_JOINTS',
        name,
        'The model has no joints. A character needs at least one.',
        'Give it one at the origin, and bind all vertices to it.',
      ),
    ];
  }
  if (joints.length <= JOINT_LIMIT) return [];
  return [
    error(
      'CHARACTER_TOO_MANY_JOINTS',
      name,
      `${joints.length} joints; the limit is ${JOINT_LIMIT}.`,
      'Remove joints that move no vertex, or split the character.',
    ),
  ];
}

function morphIssues(model: CharacterModel): Issue[] {
  const issues = model.morphSets.flatMap(({ names, weights }, index) =>
    names.length === weights.length
      ? []
      : error(
          'CHARACTER_MORPHS_UNMATCHED',
          `${model.name}/morphSets/${index}`,
          `${names.length} names for ${weights.length} weights.`,
          'Give every morph target a name and a rest weight.',
        ),
  );
  const morphCount = morphOffsets(model).at(-1)!;
  if (morphCount > MORPH_LIMIT) {
    issues.push(
      error(
        'CHARACTER_TOO_MANY_MORPHS',
        model.name,
        `${morphCount} morph weights; the limit is ${MORPH_LIMIT}.`,
        'Remove morph targets that no clip uses.',
      ),
    );
  }
  return issues;
}

/** A vertex header counts its influences in 8 bits, and indexes them in 24. */
const INFLUENCE_LIMIT = 255;
const PAIR_LIMIT = 2 ** 24;

function influenceIssues({ name, meshes }: Pick<CharacterModel, 'name' | 'meshes'>): Issue[] {
  const issues = meshes.flatMap(({ influences: { offsets } }, index) => {
    const most = offsets.reduce((max, offset, v) => Math.max(max, offset - (offsets[v - 1] ?? 0)), 0);
    if (most <= INFLUENCE_LIMIT) return [];
    const message = `A vertex has ${most} influences; the limit is ${INFLUENCE_LIMIT}.`;
    return error('CHARACTER_TOO_LARGE', `${name}/meshes/${index}`, message, 'Keep the heaviest of them.');
  });
  const pairCount = meshes.reduce((sum, { influences }) => sum + influences.bindings.length, 0);
  if (pairCount > PAIR_LIMIT) {
    const message = `${pairCount} influences; the limit is ${PAIR_LIMIT}.`;
    issues.push(error('CHARACTER_TOO_LARGE', name, message, 'Split the character.'));
  }
  return issues;
}

/** Checks that each LOD has a mesh for each of the model's, with the same properties. */
function lodIssues({ name, meshes, lods = [] }: CharacterModel): Issue[] {
  const unmatched = (path: string, message: string): Issue =>
    error(
      'CHARACTER_LODS_UNMATCHED',
      `${name}/lods/${path}`,
      message,
      'Give every LOD a mesh for each of the model, in the same order; an empty one where it has vanished.',
    );
  const issues = lods.flatMap((lod, index) => {
    if (lod.meshes.length !== meshes.length) {
      return unmatched(`${index}`, `${lod.meshes.length} meshes for ${meshes.length} of the model.`);
    }
    if (![meshes, lod.meshes].every((list) => list.some(({ indices }) => indices.length > 0))) {
      return unmatched(`${index}`, 'it, or the model, has no triangles.');
    }
    return lod.meshes.flatMap((mesh, m) =>
      standsFor(mesh, meshes[m]!)
        ? []
        : unmatched(`${index}/meshes/${m}`, 'its node, primitive, material or morph set is not that of the mesh.'),
    );
  });
  if (lods.length > LOD_LIMIT) {
    issues.push(
      error('CHARACTER_TOO_LARGE', name, `${lods.length} LODs; the limit is ${LOD_LIMIT}.`, 'Leave some out.'),
    );
  }
  return issues;
}

function standsFor(mesh: MeshModel, finest: MeshModel): boolean {
  const morphsAlike = mesh.morphSetIndex === finest.morphSetIndex && mesh.targets.length === finest.targets.length;
  return (
    mesh.nodeIndex === finest.nodeIndex &&
    mesh.primitiveIndex === finest.primitiveIndex &&
    mesh.materialIndex === finest.materialIndex &&
    (morphsAlike || mesh.targets.length === 0)
  );
}

/** Checks named channels: their 32-bit keys are distinct, and their numbers match `width`. */
function channelIssues({ name: model, meshes, lods = [] }: CharacterModel): Issue[] {
  const names = new Map<number, string>();
  const bad = (path: string, message: string) => error('CHARACTER_CHANNELS', `${model}/${path}`, message);
  const issues = [{ meshes }, ...lods].flatMap(({ meshes: list }, level) =>
    list.flatMap(({ channels = [], vertexCount }, m) => {
      const place = `${level > 0 ? `lods/${level - 1}/` : ''}meshes/${m}/channels`;
      const keys = new Set<number>();
      const found = channels.flatMap(({ name, width, values, format = 'float32' }): Issue[] => {
        const key = channelKey(name);
        const path = `${place}/${name.slice(0, CHANNEL_NAME_LENGTH)}`;
        const same = names.get(key) ?? name;
        names.set(key, same);
        const isTwice = keys.has(key);
        keys.add(key);
        if (isTwice) return [bad(path, 'is there twice; upper and lower case are the same.')];
        if (same.toUpperCase() !== name.toUpperCase()) {
          return [bad(path, `cannot be distinguished from ${quoted(same)}, which has the same hash; rename one.`)];
        }
        if (name.length === 0 || name.length > CHANNEL_NAME_LENGTH) {
          return [bad(path, `its name has ${name.length} characters; use 1 to ${CHANNEL_NAME_LENGTH}.`)];
        }
        const widths = key === CHANNEL_KEY_TEXCOORD_1 ? [2] : [1, 2, 3, 4];
        if (!widths.includes(width)) return [bad(path, `its width is ${width}; use ${widths.join(', ')}.`)];
        if (!NAMED_FORMATS.includes(format)) {
          return [bad(path, `its format is ${quoted(format)}; use ${NAMED_FORMATS.join(', ')}.`)];
        }
        if (values.length === width * vertexCount) return [];
        return [bad(path, `has ${values.length} numbers; ${vertexCount} vertices need ${width * vertexCount}.`)];
      });
      if (channels.length > NAMED_CHANNEL_LIMIT) {
        found.push(bad(place, `${channels.length} channels; the limit is ${NAMED_CHANNEL_LIMIT}.`));
      }
      return found;
    }),
  );
  if (names.size > CHANNEL_NAME_LIMIT) {
    issues.push(bad('channels', `${names.size} names; the limit is ${CHANNEL_NAME_LIMIT}.`));
  }
  return issues;
}
