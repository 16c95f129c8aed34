import type { CharacterModel, JointModel, MeshModel, TrackModel, Vec4 } from '../../character/model.ts';
import { multiplyQuaternion } from '../../math/quaternion.ts';

/** The parts of a model that a turn changes. */
type Turned = Pick<CharacterModel, 'joints' | 'clips' | 'meshes' | 'lods'>;

/**
 * Turns a whole character about the origin: its roots at rest and in every clip, and vertices that no joint moves.
 *
 * @param turn Unit quaternion.
 */
export function turnModel<M extends Turned>(model: M, turn: Vec4): M {
  const joints = model.joints.map((joint): JointModel => {
    if (joint.parentIndex >= 0) return joint;
    const translation = Array.from(joint.translation);
    const rotation = Array.from(joint.rotation);
    turnVectors(translation, turn);
    multiplyQuaternion(turn, rotation, rotation);
    return {
      ...joint,
      translation: translation as unknown as JointModel['translation'],
      rotation: rotation as unknown as Vec4,
    };
  });
  const clips = model.clips.map((clip) => ({
    ...clip,
    tracks: clip.tracks.map((track) => {
      const isRoot = track.path !== 'weights' && model.joints[track.targetIndex]!.parentIndex < 0;
      return isRoot ? turnTrack(track, turn) : track;
    }),
  }));
  const meshes = model.meshes.map((mesh) => turnUnbound(mesh, turn));
  const lods = model.lods?.map((lod) => ({ ...lod, meshes: lod.meshes.map((mesh) => turnUnbound(mesh, turn)) }));
  return { ...model, joints, clips, meshes, ...(lods ? { lods } : {}) };
}

/** Turns every key, tangents too: a turn is linear. */
function turnTrack(track: TrackModel, turn: Vec4): TrackModel {
  if (track.path === 'scale') return track;
  const values = Float64Array.from(track.values);
  if (track.path === 'translation') turnVectors(values, turn);
  else {
    for (let i = 0; i < values.length; i += 4) {
      const key = values.subarray(i, i + 4);
      multiplyQuaternion(turn, key, key);
    }
  }
  return { ...track, values: new Float32Array(values) };
}

/** Turns vertices without influences, which stay where they are in the file. */
function turnUnbound(mesh: MeshModel, turn: Vec4): MeshModel {
  const { offsets } = mesh.influences;
  const unbound = Array.from({ length: mesh.vertexCount }, (_, v) => v).filter((v) => offsets[v] === offsets[v + 1]);
  if (unbound.length === 0) return mesh;
  const turned = <T extends Float32Array | undefined>(values: T, width = 3): T => {
    const copy = values?.slice();
    for (const v of copy ? unbound : []) turnVectors(copy!.subarray(width * v, width * v + 3), turn);
    return copy as T;
  };
  return {
    ...mesh,
    positions: turned(mesh.positions),
    normals: turned(mesh.normals),
    tangents: turned(mesh.tangents, 4),
    targets: mesh.targets.map(({ positions, normals, tangents }) => {
      return { positions: turned(positions), normals: turned(normals), tangents: turned(tangents) };
    }),
  };
}

/** Turns vectors of three numbers, in place. */
function turnVectors(values: number[] | Float32Array | Float64Array, [x, y, z, w]: Vec4): void {
  for (let i = 0; i + 2 < values.length; i += 3) {
    const [a, b, c] = [values[i]!, values[i + 1]!, values[i + 2]!];
    const [tx, ty, tz] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
    values[i] = a + w * tx + y * tz - z * ty;
    values[i + 1] = b + w * ty + z * tx - x * tz;
    values[i + 2] = c + w * tz + x * ty - y * tx;
  }
}
