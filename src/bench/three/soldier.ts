import {
  AnimationClip,
  Bone,
  BufferAttribute,
  BufferGeometry,
  Group,
  Matrix4,
  MeshStandardMaterial,
  QuaternionKeyframeTrack,
  Skeleton,
  SkinnedMesh,
  VectorKeyframeTrack,
} from 'three/webgpu';
import type { CharacterModel, MeshModel, TrackModel } from '../../character/model.ts';
import { addLods } from '../../import/index.ts';

/** The fastest form of a character in three.js: one skinned mesh, one material, one skeleton. */
export interface Soldier {
  readonly scene: Group;
  readonly mesh: SkinnedMesh;
  readonly animations: readonly AnimationClip[];
  readonly vertexCount: number;
  readonly triangleCount: number;
}

/** Parts that it carries; the others stay in the camp. */
const PARTS = /^(Body|Cape|Helmet|Crest|Shield|Gladius)$/;
/** Clips that look like themselves when they repeat. */
const CLIPS = ['idle', 'walk', 'run', 'block_idle', 'cheer', 'attack_1'];
/** Influences of a vertex that three.js knows. */
const INFLUENCES = 4;

/** Our legionary at `ratio` of its triangles, as one SkinnedMesh with vertex colours. @param clips Names of its clips. */
export async function soldierOf(
  model: CharacterModel,
  ratio: number,
  clips: readonly string[] = CLIPS,
): Promise<Soldier> {
  const parts = { ...model, meshes: model.meshes.filter(({ nodeName }) => PARTS.test(nodeName)) };
  const meshes = ratio < 1 ? (await addLods(parts, { ratios: [ratio] })).lods![0]!.meshes : parts.meshes;
  const bones = model.joints.map(({ name, translation, rotation, scale }) => {
    const bone = new Bone();
    bone.name = name;
    bone.position.set(...translation);
    bone.quaternion.set(...rotation);
    bone.scale.set(...scale);
    return bone;
  });
  const geometry = joined(meshes);
  const mesh = new SkinnedMesh(geometry, new MeshStandardMaterial({ vertexColors: true, roughness: 0.85 }));
  mesh.name = model.name;
  const scene = new Group();
  scene.name = model.name;
  scene.add(mesh);
  model.joints.forEach(({ parentIndex }, i) => (bones[parentIndex] ?? scene).add(bones[i]!));
  scene.updateMatrixWorld(true);
  const inverses = model.bindings.map(({ jointFromMesh: m }) => {
    return new Matrix4().fromArray([0, 1, 2, 3].flatMap((c) => [m[c]!, m[4 + c]!, m[8 + c]!, c === 3 ? 1 : 0]));
  });
  const skeleton = new Skeleton(
    model.bindings.map(({ jointIndex }) => bones[jointIndex]!),
    inverses,
  );
  mesh.bind(skeleton, new Matrix4());
  mesh.normalizeSkinWeights();
  const animations = clips.map((name) => {
    const clip = model.clips.find((known) => known.name === name)!;
    const tracks = clip.tracks.map((track) => trackOf(track, model.joints[track.targetIndex]!.name));
    return new AnimationClip(name, clip.duration, tracks);
  });
  const [vertexCount, triangleCount] = [geometry.attributes.position!.count, geometry.index!.count / 3];
  return { scene, mesh, animations, vertexCount, triangleCount };
}

/** All meshes as one: same skeleton, same vertex format. */
function joined(meshes: readonly MeshModel[]): BufferGeometry {
  const rows = meshes.reduce((sum, { vertexCount }) => sum + vertexCount, 0);
  const attribute = (itemSize: number) => new BufferAttribute(new Float32Array(rows * itemSize), itemSize);
  const [position, normal, color, skinWeight] = [attribute(3), attribute(3), attribute(3), attribute(INFLUENCES)];
  const skinIndex = new BufferAttribute(new Uint16Array(rows * INFLUENCES), INFLUENCES);
  const indices: number[] = [];
  let first = 0;
  for (const { vertexCount, positions, normals, colors, influences, indices: triangles } of meshes) {
    position.array.set(positions, 3 * first);
    normal.array.set(normals, 3 * first);
    for (let v = 0; v < vertexCount; v++) {
      color.array.set(colors ? colors.subarray(4 * v, 4 * v + 3) : [1, 1, 1], 3 * (first + v));
      const [begin, end] = [influences.offsets[v]!, influences.offsets[v + 1]!];
      for (let i = begin; i < Math.min(end, begin + INFLUENCES); i++) {
        skinIndex.setComponent(first + v, i - begin, influences.bindings[i]!);
        skinWeight.setComponent(first + v, i - begin, influences.weights[i]!);
      }
    }
    for (const index of triangles) indices.push(first + index);
    first += vertexCount;
  }
  const geometry = new BufferGeometry();
  for (const [name, values] of Object.entries({ position, normal, color, skinIndex, skinWeight })) {
    geometry.setAttribute(name, values);
  }
  return geometry.setIndex(indices);
}

const PROPERTIES = { translation: 'position', rotation: 'quaternion', scale: 'scale' } as const;

function trackOf({ path, interpolation, times, values }: TrackModel, joint: string) {
  if (path === 'weights' || interpolation !== 'LINEAR') throw new Error(`${joint}: ${interpolation} ${path}`);
  const Track = path === 'rotation' ? QuaternionKeyframeTrack : VectorKeyframeTrack;
  return new Track(`${joint}.${PROPERTIES[path]}`, [...times], [...values]);
}
