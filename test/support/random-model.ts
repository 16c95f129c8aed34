import type {
  BindingModel,
  CharacterModel,
  ClipModel,
  InfluencesModel,
  Interpolation,
  JointModel,
  MeshModel,
  TrackModel,
} from '../../src/character/model.ts';
import { composeJoints, restPose } from '../../src/character/evaluate.ts';
import { determinant3 } from '../../src/math/affine.ts';
import type { Random } from './random.ts';

export interface ModelShape {
  readonly joints: number;
  readonly depth: number;
  readonly influences: number;
  readonly morphs: number;
  readonly clips: number;
  readonly vertices: number;
  /** Scales other than 1, some of them uneven. */
  readonly scales: boolean;
  readonly meshes: number;
  readonly keys: number;
  readonly interpolations: readonly Interpolation[];
}

/** A rig with its mesh and clips, about 2 m across, all from one generator. */
export function randomModel(random: Random, shape: ModelShape): CharacterModel {
  const joints = randomJoints(random, shape);
  const bindings = inverseBinds({ joints });
  const morphSets =
    shape.morphs > 0
      ? [
          {
            nodeIndex: 0,
            names: Array.from({ length: shape.morphs }, (_, i) => `morph ${i}`),
            weights: Array.from({ length: shape.morphs }, () => random.range(0, 0.5)),
          },
        ]
      : [];
  return {
    name: `random ${random.seed}`,
    joints,
    bindings,
    meshes: Array.from({ length: shape.meshes }, (_, index) => randomMesh(random, shape, bindings.length, index)),
    morphSets,
    clips: Array.from({ length: shape.clips }, (_, index) => randomClip(random, shape, joints, index)),
    materials: [],
    images: [],
    issues: [],
  };
}

/** The first joints make a chain of the wanted depth, the others hang on at random. */
function randomJoints(random: Random, { joints: count, depth, scales }: ModelShape): JointModel[] {
  const reach = 2 / Math.min(count, depth);
  return Array.from({ length: count }, (_, index) => {
    const chained = index < depth;
    const scale = scales && random.chance(0.3) ? random.vector(0.3).map((s) => 1 + s) : [1, 1, 1];
    return {
      name: `joint ${index}`,
      parentIndex:
        index === 0 ? -1 : chained ? index - 1 : random.integer(0, Math.min(index - 1, depth - 2 < 0 ? 0 : depth - 2)),
      nodeIndex: index,
      translation: random.vector(reach),
      rotation: random.quaternion(1),
      scale: scale as [number, number, number],
    };
  });
}

function inverseBinds(model: Pick<CharacterModel, 'joints'>): BindingModel[] {
  const modelFromJoint = composeJoints(model, restPose(model as CharacterModel));
  return model.joints.map((_, jointIndex) => ({ jointIndex, jointFromMesh: inverse(modelFromJoint, jointIndex * 12) }));
}

function inverse(m: Float64Array, at: number): Float32Array {
  const v = (row: number, column: number) => m[at + 4 * row + column]!;
  const det = determinant3(m, at);
  const out = new Float32Array(12);
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) {
      const [a, b] = [(c + 1) % 3, (c + 2) % 3];
      const [d, e] = [(r + 1) % 3, (r + 2) % 3];
      out[4 * r + c] = (v(a, d) * v(b, e) - v(a, e) * v(b, d)) / det;
    }
    out[4 * r + 3] = -(out[4 * r]! * v(0, 3) + out[4 * r + 1]! * v(1, 3) + out[4 * r + 2]! * v(2, 3));
  }
  return out;
}

function randomMesh(random: Random, shape: ModelShape, bindingCount: number, index: number): MeshModel {
  const count = Math.max(3, Math.floor(shape.vertices / shape.meshes));
  const floats = (n: number, f: () => number) => Float32Array.from({ length: n }, f);
  const units = (width: number) => {
    const out = new Float32Array(count * width);
    for (let v = 0; v < count; v++) {
      const vector = random.vector(1);
      const length = Math.hypot(...vector) || 1;
      out.set(
        vector.map((c) => c / length),
        v * width,
      );
      if (width === 4) out[4 * v + 3] = random.chance(0.5) ? 1 : -1;
    }
    return out;
  };
  const morphed = shape.morphs > 0 && index === 0;
  return {
    name: `mesh ${index}`,
    nodeIndex: index,
    nodeName: `node ${index}`,
    primitiveIndex: 0,
    materialIndex: -1,
    vertexCount: count,
    positions: floats(count * 3, () => random.range(-1, 1)),
    normals: units(3),
    tangents: index % 2 === 0 ? units(4) : undefined,
    texcoords: undefined,
    colors: undefined,
    indices: Uint32Array.from({ length: 3 * Math.floor(count / 3) }, (_, i) => i),
    influences: randomInfluences(random, count, shape.influences, bindingCount),
    morphSetIndex: morphed ? 0 : -1,
    targets: morphed
      ? Array.from({ length: shape.morphs }, () => ({
          positions: floats(count * 3, () => random.range(-0.2, 0.2)),
          normals: random.chance(0.5) ? floats(count * 3, () => random.range(-0.5, 0.5)) : undefined,
          tangents: undefined,
        }))
      : [],
    vertexOfSource: Uint32Array.from({ length: count }, (_, v) => v),
  };
}

function randomInfluences(random: Random, vertexCount: number, most: number, bindingCount: number): InfluencesModel {
  const offsets = new Uint32Array(vertexCount + 1);
  const bindings: number[] = [];
  const weights: number[] = [];
  for (let v = 0; v < vertexCount; v++) {
    const wanted = random.chance(0.05) ? 0 : random.integer(1, most);
    const chosen = new Set<number>();
    for (let i = 0; i < wanted; i++) chosen.add(random.integer(0, bindingCount - 1));
    const raw = Array.from(chosen, () => random.range(0.05, 1)).sort((a, b) => b - a);
    const sum = raw.reduce((total, w) => total + w, 0);
    bindings.push(...chosen);
    weights.push(...raw.map((w) => w / sum));
    offsets[v + 1] = bindings.length;
  }
  return { offsets, bindings: Uint16Array.from(bindings), weights: Float32Array.from(weights) };
}

function randomClip(random: Random, shape: ModelShape, joints: readonly JointModel[], index: number): ClipModel {
  const duration = random.chance(0.05) ? 0 : random.range(0.3, 3);
  // most files have their keys on frames; small rigs also try keys at any time at all
  const frame = joints.length > 40 || random.chance(0.7) ? duration / random.integer(5, 30) : 0;
  const tracks: TrackModel[] = [];
  joints.forEach((joint, j) => {
    const wanted: TrackModel['path'][] = [];
    if (random.chance(0.8)) wanted.push('rotation');
    if (random.chance(0.25)) wanted.push('translation');
    if (shape.scales && random.chance(0.2)) wanted.push('scale');
    for (const path of wanted) tracks.push(randomTrack(random, shape, { duration, frame }, path, j, joint));
  });
  if (shape.morphs > 0 && random.chance(0.8))
    tracks.push(randomTrack(random, shape, { duration, frame }, 'weights', 0));
  return { name: `clip ${index}`, duration: Math.fround(duration), loops: random.chance(0.5), tracks };
}

function randomTrack(
  random: Random,
  shape: ModelShape,
  { duration, frame }: { duration: number; frame: number },
  path: TrackModel['path'],
  targetIndex: number,
  joint?: JointModel,
): TrackModel {
  const interpolation = random.pick(shape.interpolations);
  const count = duration === 0 ? 1 : random.integer(1, shape.keys);
  const snapped = (time: number) => (frame > 0 ? Math.round(time / frame) * frame : time);
  const inner = Array.from({ length: count }, () => Math.fround(snapped(random.range(0, duration))));
  const times = [...new Set(duration === 0 ? [0] : random.chance(0.7) ? [...inner, 0, Math.fround(duration)] : inner)];
  times.sort((a, b) => a - b);
  const width = path === 'rotation' ? 4 : path === 'weights' ? shape.morphs : 3;
  const value = (): number[] => {
    if (path === 'rotation') return random.quaternion(1.2);
    if (path === 'translation') return random.vector(0.1).map((d, c) => d + joint!.translation[c]!);
    if (path === 'scale') return random.vector(0.2).map((d, c) => d + joint!.scale[c]!);
    return Array.from({ length: width }, () => random.next());
  };
  const rate = () => Array.from({ length: width }, () => random.range(-0.5, 0.5));
  const keys = times.flatMap(() => (interpolation === 'CUBICSPLINE' ? [...rate(), ...value(), ...rate()] : value()));
  return { path, targetIndex, interpolation, times: Float32Array.from(times), values: Float32Array.from(keys) };
}
