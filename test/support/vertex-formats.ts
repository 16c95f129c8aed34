import type { CharacterModel, InfluencesModel, MeshChannelModel, MeshModel } from '../../src/character/model.ts';
import { NAMED_FORMATS, type VertexFormatChoice } from '../../src/character/vertex-formats.ts';
import { bindingOf, jointAt } from './small-model.ts';
import type { Random } from './random.ts';

/** Formats that together give every channel every format that it may have. */
export const FORMATS: Readonly<Record<string, VertexFormatChoice>> = {
  standard: 'standard',
  packed: 'packed',
  compact: 'compact',
  float32: {
    position: 'float32',
    normal: 'float32',
    tangent: 'float32',
    texcoord: 'float32',
    color: 'float32',
    wind: 'float32',
    delta: 'float32',
  },
  float16: {
    position: 'float16',
    normal: 'float16',
    tangent: 'float16',
    texcoord: 'float16',
    color: 'float16',
    wind: 'float16',
    delta: 'float16',
  },
  'eight bits': { position: 'unorm8', normal: 'biased8', tangent: 'biased8', texcoord: 'unorm8', delta: 'float32' },
  'eight signed bits': { position: 'snorm8', normal: 'snorm8', tangent: 'snorm8', texcoord: 'snorm8' },
  'sixteen bits': { position: 'unorm16', texcoord: 'unorm16', color: 'unorm16', wind: 'unorm16', delta: 'float32' },
  'sixteen signed bits': { position: 'snorm16', normal: 'snorm16', tangent: 'snorm16', texcoord: 'snorm16' },
  'eight octahedral bits': { position: 'float16', normal: 'octahedral8', tangent: 'octahedral8' },
};

/** Influences of each vertex, and morph targets of a mesh. */
export const INFLUENCES = [0, 1, 4, 8, 255];
export const MORPHS = [0, 1, 8];

/** Channels that a character's meshes lack. */
export const MISSING: Readonly<Record<string, readonly (keyof MeshModel)[]>> = {
  nothing: [],
  tangents: ['tangents'],
  'texture coordinates, colours, wind': ['texcoords', 'colors', 'wind'],
  'all that may': ['tangents', 'texcoords', 'colors', 'wind', 'channels'],
};

const JOINTS = 256;
const VERTICES = 7;

/** What a mesh of {@link matrixModel} is: its name. */
export interface LoaderCase {
  readonly format: string;
  readonly influences: number;
  readonly morphs: number;
}

/** One character with a mesh for every format, count of influences and count of morph targets. */
export function matrixModel(random: Random, formats: readonly string[], missing: string): CharacterModel {
  const cases = formats.flatMap((format) =>
    INFLUENCES.flatMap((influences) => MORPHS.map((morphs): LoaderCase => ({ format, influences, morphs }))),
  );
  const lacks = MISSING[missing]!;
  return {
    name: `without ${missing}`,
    joints: Array.from({ length: JOINTS }, () => jointAt([0, 0, 0])),
    bindings: Array.from({ length: JOINTS }, (_, joint) => bindingOf(joint, [0, 0, 0])),
    meshes: cases.map((each) => {
      const mesh = randomMesh(random, each);
      return { ...mesh, ...Object.fromEntries(lacks.map((channel) => [channel, undefined])) };
    }),
    morphSets: [1, 8].map((count) => ({
      nodeIndex: 0,
      names: Array.from({ length: count }, (_, t) => `${count} ${t}`),
      weights: Array<number>(count).fill(0.5),
    })),
    clips: [],
    materials: [],
    images: [],
    issues: [],
  };
}

/** The format that a mesh of the matrix asks for. */
export function formatOf({ name }: MeshModel): VertexFormatChoice {
  return FORMATS[name.split(',')[0]!]!;
}

function randomMesh(random: Random, { format, influences, morphs }: LoaderCase): MeshModel {
  const fill = (width: number, low: number, high: number) =>
    Float32Array.from({ length: width * VERTICES }, () => random.range(low, high));
  const units = (width: number) => {
    const out = fill(width, -1, 1);
    for (let at = 0; at < out.length; at += width) {
      const length = Math.hypot(out[at]!, out[at + 1]!, out[at + 2]!);
      for (let c = 0; c < 3; c++) out[at + c]! /= length;
      if (width === 4) out[at + 3] = random.pick([1, -1]);
    }
    return out;
  };
  return {
    name: `${format}, ${influences} influences, ${morphs} targets`,
    nodeIndex: 0,
    nodeName: 'node',
    primitiveIndex: 0,
    materialIndex: -1,
    vertexCount: VERTICES,
    positions: fill(3, -1, 1),
    normals: units(3),
    tangents: units(4),
    texcoords: fill(2, 0, 1),
    colors: fill(4, 0, 1),
    wind: fill(1, 0, 1),
    channels: namedChannels(fill, influences + morphs),
    indices: Uint32Array.of(0, 1, 2),
    influences: randomInfluences(random, influences),
    morphSetIndex: morphs === 0 ? -1 : morphs === 1 ? 0 : 1,
    targets: Array.from({ length: morphs }, (_, t) => ({
      positions: fill(3, -0.1, 0.1),
      // some targets move positions alone
      normals: t % 3 === 1 ? undefined : fill(3, -0.3, 0.3),
      tangents: t % 3 === 0 ? fill(3, -0.3, 0.3) : undefined,
    })),
    vertexOfSource: Uint32Array.from({ length: VERTICES }, (_, v) => v),
  };
}

/** Two channels: of every format and number of components in turn. */
function namedChannels(
  fill: (width: number, low: number, high: number) => Float32Array,
  n: number,
): MeshChannelModel[] {
  const [format, width] = [NAMED_FORMATS[n % NAMED_FORMATS.length]!, 1 + (n % 4)];
  return [
    { name: 'TEXCOORD_1', width: 2, values: fill(2, 0, 1) },
    { name: '_HEAT', width, format, values: fill(width, 0.1, 1) },
  ];
}

function randomInfluences(random: Random, count: number): InfluencesModel {
  const weights: number[] = [];
  const bindings: number[] = [];
  for (let v = 0; v < VERTICES; v++) {
    const raw = Array.from({ length: count }, () => random.range(0.1, 1)).sort((a, b) => b - a);
    const sum = raw.reduce((total, weight) => total + weight, 0);
    weights.push(...raw.map((weight) => weight / sum));
    const first = random.integer(0, JOINTS - 1);
    bindings.push(...raw.map((_, i) => (first + 7 * i) % JOINTS));
  }
  return {
    offsets: Uint32Array.from({ length: VERTICES + 1 }, (_, v) => v * count),
    bindings: Uint16Array.from(bindings),
    weights: Float32Array.from(weights),
  };
}
