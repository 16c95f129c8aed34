import type { CharacterModel, ClipModel, JointModel, MeshModel, TrackModel } from '../../src/character/model.ts';

/** Characters that are small enough to be computed by hand. */

const SQRT1_2 = Math.SQRT1_2;

/** Quaternions of turns about Z. */
export const NO_TURN = [0, 0, 0, 1] as const;
export const QUARTER_TURN = [0, 0, SQRT1_2, SQRT1_2] as const;
export const HALF_TURN = [0, 0, 1, 0] as const;

/** Joints, palette entries that bind each of them where it is, a triangle on the first one. */
export function smallModel(parts: Partial<CharacterModel> = {}): CharacterModel {
  const joints = parts.joints ?? [jointAt([0, 0, 0])];
  return {
    name: 'small',
    joints,
    bindings: joints.map((_, jointIndex) => bindingOf(jointIndex, [0, 0, 0])),
    meshes: [
      meshOf(
        [
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
        ],
        () => [[0, 1]],
      ),
    ],
    morphSets: [],
    clips: [],
    materials: [],
    images: [],
    issues: [],
    ...parts,
  };
}

/** A joint at a place in its parent's space. */
export function jointAt(
  translation: JointModel['translation'],
  { parentIndex = -1, rotation = NO_TURN, scale = [1, 1, 1] }: Partial<JointModel> = {},
): JointModel {
  return { name: '', parentIndex, nodeIndex: -1, translation, rotation, scale };
}

/** A palette entry of a mesh whose joint stood, unturned, at `origin`. */
export function bindingOf(
  jointIndex: number,
  [x, y, z]: JointModel['translation'],
): CharacterModel['bindings'][number] {
  return { jointIndex, jointFromMesh: Float32Array.of(1, 0, 0, -x, 0, 1, 0, -y, 0, 0, 1, -z) };
}

/** A clip of the given length; loops unless told otherwise. */
export function clipOf(duration: number, ...tracks: TrackModel[]): ClipModel {
  return { name: 'clip', duration, tracks };
}

/** Keys as [time, …components]; a CUBICSPLINE key is in-tangent, value and out-tangent in a row. */
export function trackOf(
  path: TrackModel['path'],
  targetIndex: number,
  interpolation: TrackModel['interpolation'],
  ...keys: readonly (readonly [time: number, ...values: number[]])[]
): TrackModel {
  return {
    path,
    targetIndex,
    interpolation,
    times: Float32Array.from(keys, ([time]) => time),
    values: Float32Array.from(keys.flatMap(([, ...values]) => values)),
  };
}

/** A track of one key: a value that does not change. */
export function heldAt(path: TrackModel['path'], targetIndex: number, value: readonly number[]): TrackModel {
  return trackOf(path, targetIndex, 'LINEAR', [0, ...value]);
}

/** Vertices at the given places with normals along Z; `influences` says which bindings move vertex v. */
export function meshOf(
  positions: readonly (readonly number[])[],
  influences: (v: number) => readonly (readonly [binding: number, weight: number])[],
  parts: Partial<MeshModel> = {},
): MeshModel {
  const runs = positions.map((_, v) => influences(v));
  const offsets = new Uint32Array(runs.length + 1);
  runs.forEach(({ length }, v) => (offsets[v + 1] = offsets[v]! + length));
  return {
    name: 'mesh',
    nodeIndex: 0,
    nodeName: 'node',
    primitiveIndex: 0,
    materialIndex: -1,
    vertexCount: positions.length,
    positions: Float32Array.from(positions.flat()),
    normals: Float32Array.from(positions.flatMap(() => [0, 0, 1])),
    tangents: undefined,
    texcoords: undefined,
    colors: undefined,
    indices: Uint32Array.of(0, 1, 2),
    influences: {
      offsets,
      bindings: Uint16Array.from(runs.flatMap((run) => run.map(([binding]) => binding))),
      weights: Float32Array.from(runs.flatMap((run) => run.map(([, weight]) => weight))),
    },
    morphSetIndex: -1,
    targets: [],
    vertexOfSource: Uint32Array.from(positions.keys()),
    ...parts,
  };
}
