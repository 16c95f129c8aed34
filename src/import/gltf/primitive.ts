import type { GLTF } from '@gltf-transform/core';
import { Attributes, readChannels } from './attributes.ts';
import type { ChannelNames } from '../model-builder/channel-names.ts';
import { MAX_INFLUENCES } from '../model-builder/limits.ts';
import { isSkinned } from './schema.ts';
import { isTriangleMode, triangleList } from '../model-builder/triangles.ts';
import type { JointSet, SourcePrimitive } from '../model-builder/geometry.ts';
import type { GltfFile } from './decode.ts';

/**
 * Reads a primitive. undefined when it has no triangles to draw (GLTF_PRIMITIVE_IGNORED) or cannot be read, which is
 * an error in the file's issues.
 *
 * @param sets The sets of texture coordinates that its textures use.
 * @param names Names of the whole file's channels.
 */
export function readPrimitive(
  file: GltfFile,
  primitive: GLTF.IMeshPrimitive,
  path: string,
  sets: readonly [first: number, second?: number],
  names: ChannelNames,
): SourcePrimitive | undefined {
  const { reader, issues } = file;
  const [firstSet, secondSet] = sets;
  const ignored = isTriangleMode(primitive.mode)
    ? primitive.attributes.POSITION === undefined && 'the primitive has no POSITION'
    : 'points and lines are not drawn';
  if (ignored) {
    issues.warn('GLTF_PRIMITIVE_IGNORED', path, ignored);
    return undefined;
  }
  const vertexCount = reader.definition(primitive.attributes.POSITION!).count;
  const attributes = new Attributes(file, primitive.attributes, { vertexCount, path: `${path}/attributes` });
  const positions = attributes.required('POSITION', ['VEC3']);
  const indices = readIndices(file, primitive, path);
  if (!positions || indices === 'invalid') return undefined;
  const triangles = triangleList({ mode: primitive.mode, indices, vertexCount }, path, issues);
  if (!triangles) return undefined;
  const normals = attributes.optional('NORMAL', ['VEC3']);
  return {
    path,
    vertexCount,
    positions: attributes.repaired('POSITION', positions, 0),
    normals,
    // glTF §3.7.2.1: without normals, tangents must be ignored
    tangents: normals && attributes.optional('TANGENT', ['VEC4']),
    texcoords: attributes.usable(`TEXCOORD_${firstSet}`, ['VEC2'], 0),
    colors: attributes.colors(),
    channels: readChannels(attributes, secondSet === undefined ? undefined : `TEXCOORD_${secondSet}`, names),
    jointSets: jointSets(attributes),
    targets: (primitive.targets ?? []).map((target, t) => {
      const deltas = new Attributes(file, target, { vertexCount, path: `${path}/targets/${t}` });
      return {
        positions: deltas.usable('POSITION', ['VEC3'], 0),
        normals: deltas.usable('NORMAL', ['VEC3'], 0),
        tangents: deltas.usable('TANGENT', ['VEC3'], 0),
      };
    }),
    triangles,
  };
}

function readIndices(
  { reader, issues }: GltfFile,
  { indices }: GLTF.IMeshPrimitive,
  path: string,
): ArrayLike<number> | undefined | 'invalid' {
  if (indices === undefined) return undefined;
  const { type, componentType } = reader.definition(indices);
  if (type === 'SCALAR' && [5121, 5123, 5125].includes(componentType)) return reader.elements(indices);
  issues.error('GLTF_INVALID', `${path}/indices`, `indices must be unsigned integers, are ${type} of ${componentType}`);
  return 'invalid';
}

function jointSets(attributes: Attributes): JointSet[] {
  const { indices, at, file } = attributes;
  const sets: JointSet[] = [];
  if (!isSkinned(indices)) return sets;
  for (let n = 0; n < Math.ceil(MAX_INFLUENCES / 4); n++) {
    const hasJoints = indices[`JOINTS_${n}`] !== undefined;
    const hasWeights = indices[`WEIGHTS_${n}`] !== undefined;
    if (!hasJoints && !hasWeights) break;
    if (!hasJoints || !hasWeights) {
      const message = `set ${n} has ${hasJoints ? 'joints without weights' : 'weights without joints'} and is ignored`;
      file.issues.warn('GLTF_ATTRIBUTE_IGNORED', at.path, message);
      break;
    }
    const joints = attributes.integers(`JOINTS_${n}`, ['VEC4']);
    const weights = attributes.required(`WEIGHTS_${n}`, ['VEC4']);
    if (joints && weights) sets.push({ joints, weights });
  }
  return sets;
}
