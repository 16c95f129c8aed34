import type { Character } from '../../src/character/character.ts';
import type { CharacterModel, ImageModel, MaterialModel, MeshModel, TextureModel } from '../../src/character/model.ts';
import { packCharacter, type PackOptions } from '../../src/character/pack/index.ts';
import type { VertexFormatChoice } from '../../src/character/vertex-formats.ts';
import { addSockets } from '../../src/character/sockets.ts';
import { randomModel, type ModelShape } from '../support/random-model.ts';
import { Random } from '../support/random.ts';
import { withRecordedClips } from '../support/recorded-clips.ts';

const PLAIN: ModelShape = {
  joints: 12,
  depth: 6,
  influences: 4,
  morphs: 0,
  clips: 2,
  vertices: 300,
  scales: false,
  meshes: 2,
  keys: 4,
  interpolations: ['LINEAR'],
};

type Options = PackOptions & {
  readonly sockets?: Parameters<typeof addSockets>[1];
  /** Tracks that each clip keeps; default all. Packing large skeletons takes long. */
  readonly tracks?: number;
  /** Keys of recorded clips. */
  readonly recorded?: number;
};

const SHAPES: readonly (readonly [what: string, shape: Partial<ModelShape>, options?: Options])[] = [
  ['plain', {}],
  ['one joint, no clip', { joints: 1, depth: 1, clips: 0, influences: 1, meshes: 1, vertices: 3 }],
  ['steps', { interpolations: ['STEP'] }],
  ['cubics', { interpolations: ['CUBICSPLINE'] }],
  ['everything mixed', { interpolations: ['STEP', 'LINEAR', 'CUBICSPLINE'], scales: true, morphs: 4, influences: 7 }],
  ['exact', { interpolations: ['STEP', 'LINEAR', 'CUBICSPLINE'], scales: true, morphs: 2 }, { errorBudget: 0 }],
  ['exact, no scales', { joints: 30 }, { errorBudget: 0, sockets: 'all' }],
  ['morphs, few influences', { morphs: 5, influences: 3, meshes: 3 }],
  ['morphs, many influences', { morphs: 9, influences: 12, meshes: 3 }],
  ['a batch and a vertex', { vertices: 257, meshes: 1 }],
  ['two variants', { influences: 5, meshes: 4, vertices: 700 }],
  ['sockets by name', { joints: 40, depth: 9 }, { sockets: ['joint 3', 'joint 39', 'joint 0'] }],
  ['all sockets', { joints: 40, depth: 40 }, { sockets: 'all' }],
  ['256 joints', { joints: 256, depth: 256, clips: 1, keys: 2 }, { errorBudget: 0, tracks: 40 }],
  ['257 joints', { joints: 257, depth: 3, clips: 1, keys: 2 }, { errorBudget: 0, tracks: 40 }],
  [
    'too many lanes by a morph',
    { joints: 255, depth: 20, morphs: 4, clips: 1, keys: 2 },
    { errorBudget: 0, tracks: 40 },
  ],
  ['600 joints, packed', { joints: 600, depth: 12, clips: 1, keys: 2, influences: 6, morphs: 1 }, { tracks: 12 }],
  ['recorded clips', { scales: true, morphs: 2 }, { recorded: 40 }],
  ['many clips', { joints: 4, clips: 20, vertices: 12 }],
  ['chosen clips', { clips: 5 }, { clips: [4, 1] }],
  ['packed vertices', { morphs: 3, meshes: 3 }, { vertexFormat: 'packed' }],
  ['compact vertices, many influences', { morphs: 3, meshes: 3, influences: 9 }, { vertexFormat: 'compact' }],
  ['three layouts', { meshes: 6, vertices: 900, morphs: 2 }, { vertexFormat: threeLayouts }],
  ['loose budget', { scales: true, interpolations: ['LINEAR', 'CUBICSPLINE'] }, { errorBudget: 0.2 }],
];

/** By the number in the mesh's name. */
function threeLayouts({ name }: MeshModel): VertexFormatChoice {
  return (['standard', 'packed', 'compact'] as const)[Number(name.at(-1)) % 3]!;
}

export interface RandomCase {
  readonly what: string;
  readonly seed: number;
  readonly make: () => Character;
}

/** One random character of every kind that packing knows. */
export function randomCases(seed: number): RandomCase[] {
  return SHAPES.map(([what, shape, options], index) => ({
    what,
    seed: seed + index,
    make: () => randomCharacter(seed + index, { ...PLAIN, ...shape }, options),
  }));
}

/** A character of about `bytes` bytes of vertices. */
export function largeCharacter(seed: number, vertices: number): Character {
  return randomCharacter(seed, { ...PLAIN, vertices, influences: 6, morphs: 2, scales: true });
}

function randomCharacter(
  seed: number,
  shape: ModelShape,
  { sockets = [], tracks, recorded, ...options }: Options = {},
): Character {
  const random = new Random(seed);
  const keyed = dressed(random, randomModel(random, shape), tracks);
  const model = recorded ? withRecordedClips(random, keyed, recorded) : keyed;
  return addSockets(packCharacter(model, options), sockets);
}

/** Materials, images, colours and texture coordinates, which random models lack. */
function dressed(random: Random, model: CharacterModel, tracks?: number): CharacterModel {
  const images = Array.from({ length: random.integer(0, 3) }, (_, i) => randomImage(random, i));
  const materials = Array.from({ length: random.integer(1, 4) }, (_, i) => randomMaterial(random, i, images.length));
  return {
    ...model,
    images,
    materials,
    clips: model.clips.map((clip) => ({ ...clip, tracks: clip.tracks.slice(0, tracks) })),
    meshes: model.meshes.map((mesh) => ({
      ...mesh,
      materialIndex: random.integer(-1, materials.length - 1),
      texcoords: random.chance(0.5) ? floats(2 * mesh.vertexCount, () => random.range(-3, 3)) : undefined,
      colors: random.chance(0.3) ? floats(4 * mesh.vertexCount, () => random.next()) : undefined,
      vertexOfSource: Uint32Array.from({ length: random.integer(0, 2 * mesh.vertexCount) }, () =>
        random.integer(0, mesh.vertexCount - 1),
      ),
    })),
  };
}

function floats(length: number, value: () => number): Float32Array {
  return Float32Array.from({ length }, value);
}

function randomImage(random: Random, index: number): ImageModel {
  return {
    name: `image ${index}`,
    mimeType: random.pick(['image/png', 'image/jpeg', 'image/webp', 'image/ktx2'] as const),
    // 0 to 40 bytes: sections end anywhere, and may be empty
    bytes: Uint8Array.from({ length: random.integer(0, 40) }, () => random.integer(0, 255)),
  };
}

function randomMaterial(random: Random, index: number, imageCount: number): MaterialModel {
  return {
    name: random.pick(['', 'skin', '皮', `material ${index}`]),
    baseColor: [random.next(), random.next(), random.next(), 1],
    baseColorTexture: randomTexture(random, imageCount),
    metallic: random.next(),
    roughness: random.next(),
    metallicRoughnessTexture: randomTexture(random, imageCount),
    normalTexture: randomTexture(random, imageCount),
    normalScale: random.range(-2, 2),
    occlusionTexture: randomTexture(random, imageCount),
    occlusionStrength: random.next(),
    emissive: random.vector(1),
    emissiveTexture: randomTexture(random, imageCount),
    alphaMode: random.pick(['OPAQUE', 'MASK', 'BLEND'] as const),
    alphaCutoff: random.next(),
    doubleSided: random.chance(0.5),
    unlit: random.chance(0.5),
  };
}

function randomTexture(random: Random, imageCount: number): TextureModel | undefined {
  if (imageCount === 0 || random.chance(0.3)) return undefined;
  return {
    imageIndex: random.integer(0, imageCount - 1),
    offset: [random.next(), random.next()],
    scale: [random.range(-2, 2), random.range(-2, 2)],
    rotation: random.range(-3, 3),
    wrapS: random.pick(['REPEAT', 'CLAMP', 'MIRROR'] as const),
    wrapT: random.pick(['REPEAT', 'CLAMP', 'MIRROR'] as const),
  };
}
