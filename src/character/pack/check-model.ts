import { error, type Issue, type IssueCode, ManipleError, quoted } from '../../errors.ts';
import { morphOffsets } from '../evaluate.ts';
import { LOD_LIMIT } from '../character.ts';
import { expectModel } from '../arguments.ts';
import type { CharacterModel, MeshChannelModel, MeshModel } from '../model.ts';
import { CHANNEL_NAME_LENGTH, channelKey, CHANNEL_KEY_TEXCOORD_1 } from '../../vertex/vertex-format.ts';
import { CHANNEL_NAME_LIMIT, NAMED_CHANNEL_LIMIT } from '../format/geometry-layout.ts';
import { JOINT_LIMIT, MORPH_LIMIT } from '../format/rig-layout.ts';
import { NAMED_FORMATS } from '../vertex-formats.ts';

type Report = (code: IssueCode, path: string, message: string, suggestion?: string) => void;

/**
 * Checks the requirements of packing. Models from importers always meet them; models made by hand may not.
 * @throws ManipleError CROWD_BAD_ARGUMENT, CHARACTER_NO_JOINTS, CHARACTER_TOO_MANY_JOINTS, CHARACTER_MORPHS_UNMATCHED,
 *  CHARACTER_TOO_MANY_MORPHS, CHARACTER_TOO_LARGE, CHARACTER_LODS_UNMATCHED, CHARACTER_CHANNELS
 */
export function checkModel(model: CharacterModel): void {
  expectModel(model);
  const { name, meshes, lods = [] } = model;
  const issues: Issue[] = [];
  const report: Report = (...problem) => void issues.push(error(...problem));
  checkJoints(model, report);
  checkMorphs(model, report);
  checkInfluences(name, meshes, report);
  lods.forEach((lod, index) => checkInfluences(`${name}/lods/${index}`, lod.meshes, report));
  checkLods(model, report);
  checkChannels(model, report);
  if (issues.length > 0) throw new ManipleError(issues);
}

function checkJoints({ name, joints: { length } }: CharacterModel, report: Report): void {
  if (length === 0) {
    const message = 'The model has no joints. A character needs at least one.';
    report('CHARACTER_NO_JOINTS', name, message, 'Give it one at the origin, and bind all vertices to it.');
  } else if (length > JOINT_LIMIT) {
    const message = `${length} joints; the limit is ${JOINT_LIMIT}.`;
    report('CHARACTER_TOO_MANY_JOINTS', name, message, 'Remove joints that move no vertex, or split the character.');
  }
}

function checkMorphs(model: CharacterModel, report: Report): void {
  model.morphSets.forEach(({ names, weights }, index) => {
    if (names.length === weights.length) return;
    const path = `${model.name}/morphSets/${index}`;
    const message = `${names.length} names for ${weights.length} weights.`;
    report('CHARACTER_MORPHS_UNMATCHED', path, message, 'Give every morph target a name and a rest weight.');
  });
  const count = morphOffsets(model).at(-1)!;
  if (count <= MORPH_LIMIT) return;
  const message = `${count} morph weights; the limit is ${MORPH_LIMIT}.`;
  report('CHARACTER_TOO_MANY_MORPHS', model.name, message, 'Remove morph targets that no clip uses.');
}

/** A vertex header counts its influences in 8 bits, and indexes them in 24. */
const INFLUENCE_LIMIT = 255;
const PAIR_LIMIT = 2 ** 24;

function checkInfluences(path: string, meshes: readonly MeshModel[], report: Report): void {
  meshes.forEach(({ influences: { offsets } }, index) => {
    const most = offsets.reduce((max, offset, v) => Math.max(max, offset - (offsets[v - 1] ?? 0)), 0);
    if (most <= INFLUENCE_LIMIT) return;
    const message = `A vertex has ${most} influences; the limit is ${INFLUENCE_LIMIT}.`;
    report('CHARACTER_TOO_LARGE', `${path}/meshes/${index}`, message, 'Keep the heaviest of them.');
  });
  const pairCount = meshes.reduce((sum, { influences }) => sum + influences.bindings.length, 0);
  if (pairCount <= PAIR_LIMIT) return;
  report('CHARACTER_TOO_LARGE', path, `${pairCount} influences; the limit is ${PAIR_LIMIT}.`, 'Split the character.');
}

/** Checks that each LOD has a mesh for each of the model's, with the same properties. */
function checkLods({ name, meshes, lods = [] }: CharacterModel, report: Report): void {
  const unmatched = (path: string, message: string): void => {
    const suggestion =
      'Give every LOD a mesh for each of the model, in the same order; an empty one where it has vanished.';
    report('CHARACTER_LODS_UNMATCHED', `${name}/lods/${path}`, message, suggestion);
  };
  lods.forEach((lod, index) => {
    if (lod.meshes.length !== meshes.length) {
      unmatched(`${index}`, `${lod.meshes.length} meshes for ${meshes.length} of the model.`);
    } else if (![meshes, lod.meshes].every((list) => list.some(({ indices }) => indices.length > 0))) {
      unmatched(`${index}`, 'it, or the model, has no triangles.');
    } else {
      lod.meshes.forEach((mesh, m) => {
        if (standsFor(mesh, meshes[m]!)) return;
        unmatched(`${index}/meshes/${m}`, 'its node, primitive, material or morph set is not that of the mesh.');
      });
    }
  });
  if (lods.length <= LOD_LIMIT) return;
  report('CHARACTER_TOO_LARGE', name, `${lods.length} LODs; the limit is ${LOD_LIMIT}.`, 'Leave some out.');
}

function standsFor(mesh: MeshModel, finest: MeshModel): boolean {
  const morphsAlike = mesh.morphSetIndex === finest.morphSetIndex && mesh.targets.length === finest.targets.length;
  return (
    (['nodeIndex', 'primitiveIndex', 'materialIndex'] as const).every((key) => mesh[key] === finest[key]) &&
    (morphsAlike || mesh.targets.length === 0)
  );
}

/** Checks named channels: their 32-bit keys are distinct, and their numbers match `width`. */
function checkChannels({ name: model, meshes, lods = [] }: CharacterModel, report: Report): void {
  const names = new Map<number, string>();
  const bad = (path: string, message: string) => report('CHARACTER_CHANNELS', `${model}/${path}`, message);
  [{ meshes }, ...lods].forEach((lod, level) => {
    lod.meshes.forEach(({ channels = [], vertexCount }, m) => {
      const place = `${level > 0 ? `lods/${level - 1}/` : ''}meshes/${m}/channels`;
      const keys = new Set<number>();
      for (const channel of channels) {
        const { name } = channel;
        const key = channelKey(name);
        const same = names.get(key) ?? name;
        names.set(key, same);
        const problem = keys.has(key)
          ? 'is there twice; upper and lower case are the same.'
          : problemOf(channel, same, vertexCount);
        keys.add(key);
        if (problem) bad(`${place}/${name.slice(0, CHANNEL_NAME_LENGTH)}`, problem);
      }
      if (channels.length > NAMED_CHANNEL_LIMIT) {
        bad(place, `${channels.length} channels; the limit is ${NAMED_CHANNEL_LIMIT}.`);
      }
    });
  });
  if (names.size > CHANNEL_NAME_LIMIT) bad('channels', `${names.size} names; the limit is ${CHANNEL_NAME_LIMIT}.`);
}

/** @param same The first name with the channel's key. */
function problemOf(
  { name, width, values, format = 'float32' }: MeshChannelModel,
  same: string,
  vertexCount: number,
): string | undefined {
  if (same.toUpperCase() !== name.toUpperCase()) {
    return `cannot be distinguished from ${quoted(same)}, which has the same hash; rename one.`;
  }
  if (name.length === 0 || name.length > CHANNEL_NAME_LENGTH) {
    return `its name has ${name.length} characters; use 1 to ${CHANNEL_NAME_LENGTH}.`;
  }
  const widths = channelKey(name) === CHANNEL_KEY_TEXCOORD_1 ? [2] : [1, 2, 3, 4];
  if (!widths.includes(width)) return `its width is ${width}; use ${widths.join(', ')}.`;
  if (!NAMED_FORMATS.includes(format)) return `its format is ${quoted(format)}; use ${NAMED_FORMATS.join(', ')}.`;
  if (values.length === width * vertexCount) return undefined;
  return `has ${values.length} numbers; ${vertexCount} vertices need ${width * vertexCount}.`;
}
