import type { CharacterModel, ClipModel, JointModel, TrackModel } from '../character/model.ts';
import { SeededRandom } from '../math/seeded-random.ts';

/** A synthetic humanoid-like character of any size, for measurements. */
export interface SceneShape {
  readonly joints: number;
  readonly clips: number;
  /** Keys per track; every joint's rotation and translation is a cubic through them. */
  readonly keys: number;
  readonly vertices: number;
  readonly influences: number;
}

/** Joints as deep as a humanoid's (about 10), clips of cubic keys at uneven times, a mesh in which neighbours share joints. */
export function syntheticModel({ joints: jointCount, clips, keys, vertices, influences }: SceneShape): CharacterModel {
  const random = new SeededRandom(11);
  const joints = Array.from({ length: jointCount }, (_, j): JointModel => {
    const parentIndex = j === 0 ? -1 : j < 6 ? j - 1 : j % 9 === 0 ? 1 + (j % 4) : j - 1;
    return {
      name: `joint ${j}`,
      parentIndex,
      nodeIndex: j,
      translation: [0.02, 0.1, 0.01],
      rotation: [0, 0, 0, 1],
      scale: [1, 1, 1],
    };
  });
  const offsets = new Uint32Array(vertices + 1);
  const bindings = new Uint16Array(vertices * influences);
  const weights = new Float32Array(vertices * influences).fill(1 / influences);
  for (let v = 0; v < vertices; v++) {
    offsets[v + 1] = (v + 1) * influences;
    const first = Math.floor((v / vertices) * (jointCount - influences));
    for (let i = 0; i < influences; i++) bindings[v * influences + i] = first + i;
  }
  const positions = Float32Array.from({ length: 3 * vertices }, () => random.range(-0.3, 0.3));
  const normals = Float32Array.from({ length: 3 * vertices }, (_, i) => (i % 3 === 1 ? 1 : 0));
  const tangents = Float32Array.from({ length: 4 * vertices }, (_, i) => (i % 4 === 0 || i % 4 === 3 ? 1 : 0));
  return {
    name: 'synthetic',
    joints,
    bindings: joints.map((_, jointIndex) => ({
      jointIndex,
      jointFromMesh: Float32Array.of(1, 0, 0, random.range(-0.2, 0.2), 0, 1, 0, random.range(-0.2, 0.2), 0, 0, 1, 0),
    })),
    meshes: [
      {
        name: 'mesh',
        nodeIndex: 0,
        nodeName: 'mesh',
        primitiveIndex: 0,
        materialIndex: -1,
        vertexCount: vertices,
        positions,
        normals,
        tangents,
        texcoords: undefined,
        colors: undefined,
        indices: Uint32Array.from({ length: 3 * Math.floor(vertices / 3) }, (_, i) => i),
        influences: { offsets, bindings, weights },
        morphSetIndex: -1,
        targets: [],
        vertexOfSource: Uint32Array.from({ length: vertices }, (_, v) => v),
      },
    ],
    morphSets: [],
    clips: Array.from({ length: clips }, (_, index) => cubicClip(random, joints, keys, index)),
    materials: [],
    images: [],
    issues: [],
  };
}

/** Smooth motion: every channel a cubic through a sine's values with a sine's slopes. */
function cubicClip(random: SeededRandom, joints: readonly JointModel[], keys: number, index: number): ClipModel {
  const times = new Float32Array(keys);
  for (let k = 1; k < keys; k++) times[k] = times[k - 1]! + 0.03 + 0.04 * random.next();
  const duration = times[keys - 1]!;
  const tracks = joints.flatMap((joint, j): TrackModel[] => {
    const phase = 6.28 * random.next();
    const swing = 0.1 * (1 + (j % 5));
    const turn = 6.28 / duration;
    const rotation = new Float32Array(12 * keys);
    const translation = new Float32Array(9 * keys);
    times.forEach((t, k) => {
      const [angle, rate] = [swing * Math.sin(turn * t + phase), swing * turn * Math.cos(turn * t + phase)];
      const value = [Math.sin(angle / 2), 0, 0, Math.cos(angle / 2)];
      const slope = [(Math.cos(angle / 2) * rate) / 2, 0, 0, (-Math.sin(angle / 2) * rate) / 2];
      rotation.set([...slope, ...value, ...slope], 12 * k);
      const lift = [0, 0.01 * Math.sin(turn * t), 0];
      const speed = [0, 0.01 * turn * Math.cos(turn * t), 0];
      translation.set([...speed, ...joint.translation.map((p, c) => p + lift[c]!), ...speed], 9 * k);
    });
    const common = { targetIndex: j, interpolation: 'CUBICSPLINE', times } as const;
    return [
      { ...common, path: 'rotation', values: rotation },
      { ...common, path: 'translation', values: translation },
    ];
  });
  return { name: `clip ${index}`, duration, loops: true, tracks };
}
