import { error, ManipleError, type Issue } from '../../errors.ts';
import { morphOffsets } from '../evaluate.ts';
import { LOD_LIMIT } from '../character.ts';
import type { CharacterModel, MeshModel } from '../model.ts';
import { JOINT_LIMIT, MORPH_LIMIT } from '../rig-layout.ts';

/**
 * What packing needs of a model before it looks at anything else in it. Importers leave no other models; those made by
 * hand may be.
 * @throws ManipleError CHARACTER_NO_JOINTS, CHARACTER_TOO_MANY_JOINTS, CHARACTER_MORPHS_UNMATCHED,
 *  CHARACTER_TOO_MANY_MORPHS, CHARACTER_TOO_LARGE, CHARACTER_LODS_UNMATCHED
 */
export function checkModel(model: CharacterModel): void {
  const lods = model.lods ?? [];
  const issues = [
    ...jointIssues(model),
    ...morphIssues(model),
    ...influenceIssues(model),
    ...lods.flatMap((lod, index) => influenceIssues({ name: `${model.name}/lods/${index}`, meshes: lod.meshes })),
    ...lodIssues(model),
  ];
  if (issues.length > 0) throw new ManipleError(issues);
}

function jointIssues({ name, joints }: CharacterModel): Issue[] {
  if (joints.length === 0) {
    return [
      error(
        'CHARACTER_NO_JOINTS',
        name,
        'the model has no joints; a character needs at least one.',
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

/** A vertex header counts its influences in 8 bits and finds them by 24. */
const INFLUENCE_LIMIT = 255;
const PAIR_LIMIT = 2 ** 24;

function influenceIssues({ name, meshes }: Pick<CharacterModel, 'name' | 'meshes'>): Issue[] {
  const issues = meshes.flatMap(({ influences: { offsets } }, index) => {
    const most = offsets.reduce((max, offset, v) => Math.max(max, offset - (offsets[v - 1] ?? 0)), 0);
    if (most <= INFLUENCE_LIMIT) return [];
    const message = `a vertex has ${most} influences; the limit is ${INFLUENCE_LIMIT}.`;
    return error('CHARACTER_TOO_LARGE', `${name}/meshes/${index}`, message, 'Keep the heaviest of them.');
  });
  const pairCount = meshes.reduce((sum, { influences }) => sum + influences.bindings.length, 0);
  if (pairCount > PAIR_LIMIT) {
    const message = `${pairCount} influences; the limit is ${PAIR_LIMIT}.`;
    issues.push(error('CHARACTER_TOO_LARGE', name, message, 'Split the character.'));
  }
  return issues;
}

/** LODs have a mesh for each of the model's, which looks and moves like it. */
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
