import type {
  CharacterModel,
  ImageModel,
  InfluencesModel,
  JointModel,
  MaterialModel,
  MeshChannelModel,
  MeshModel,
  TrackModel,
  Vec3,
} from '../../src/character/model.ts';
import { packCharacter, type PackOptions } from '../../src/character/pack/index.ts';
import type { VertexFormatChoice } from '../../src/character/vertex-formats.ts';
import { addSockets } from '../../src/character/sockets.ts';
import type { Character } from '../../src/character/character.ts';

/**
 * The smallest character that has everything a baked file can hold: all loader variants, morphs, packed and exact
 * clips, a jump, a pose, a socket, parts, materials, images, an issue, a coarser LOD. A chain of six joints along +Y, 0.25 m apart;
 * every mesh is a column of vertices beside it.
 */
export function moteModel(): CharacterModel {
  const joints = Array.from({ length: 6 }, (_, j): JointModel => {
    const translation: Vec3 = [0, j === 0 ? 0 : 0.25, 0];
    return {
      name: `bone ${j}`,
      parentIndex: j - 1,
      nodeIndex: 10 + j,
      translation,
      rotation: [0, 0, 0, 1],
      scale: [1, 1, 1],
    };
  });
  return {
    name: 'mote',
    joints,
    // at rest the chain is only shifted, so the inverse binds shift back
    bindings: joints.map((_, jointIndex) => ({
      jointIndex,
      jointFromMesh: Float32Array.of(1, 0, 0, 0, 0, 1, 0, -0.25 * jointIndex, 0, 0, 1, 0),
    })),
    meshes: [
      { ...column('body', 20, 4, two), materialIndex: 0, texcoords: Float32Array.of(0, 0, 1, 0, 0, 1, 1, 1) },
      { ...column('cloak', 21, 4, five), materialIndex: 1 },
      { ...column('face', 22, 3, two), morphSetIndex: 0, targets: targets(3) },
      { ...column('ears', 22, 3, five), primitiveIndex: 1, morphSetIndex: 0, targets: targets(3) },
    ],
    // shorter columns, and no ears
    lods: [
      {
        meshes: [
          { ...column('body', 20, 3, two), materialIndex: 0, texcoords: Float32Array.of(0, 0, 1, 0, 0, 1) },
          { ...column('cloak', 21, 3, five), materialIndex: 1 },
          { ...column('face', 22, 3, two), morphSetIndex: 0, targets: targets(3) },
          { ...column('ears', 22, 0, five), primitiveIndex: 1, morphSetIndex: 0, targets: targets(0) },
        ].map((mesh) => ({ ...mesh, vertexOfSource: new Uint32Array() })),
      },
    ],
    morphSets: [{ nodeIndex: 22, names: ['smile', 'blink'], weights: [0, 0.25] }],
    clips: [
      {
        name: 'Wave',
        duration: 1,
        loops: true,
        tracks: [
          turn(1, [0, 0.5, 1], [0, Math.PI / 2, 0]),
          {
            ...track(
              'weights',
              0,
              [0, 1],
              [
                [0, 1],
                [1, 0],
              ],
            ),
            interpolation: 'LINEAR',
          },
        ],
      },
      {
        name: 'Bounce',
        duration: 2,
        loops: true,
        tracks: [
          {
            path: 'translation',
            targetIndex: 0,
            interpolation: 'CUBICSPLINE',
            times: Float32Array.of(0, 1, 2),
            values: Float32Array.from(
              [
                [0, 2, 0],
                [0, 0, 0],
                [0, 2, 0],
                [0, 0, 0],
                [0, 1, 0],
                [0, 0, 0],
                [0, -2, 0],
                [0, 0, 0],
                [0, -2, 0],
              ].flat(),
            ),
          },
          {
            ...track(
              'scale',
              5,
              [0, 2],
              [
                [1, 1, 1],
                [1, 2, 1],
              ],
            ),
            interpolation: 'LINEAR',
          },
        ],
      },
      {
        name: 'Blink',
        duration: 1,
        loops: false,
        tracks: [
          {
            ...track(
              'translation',
              2,
              [0, 0.5, 0.75],
              [
                [0, 0.25, 0],
                [0, 0.5, 0],
                [0, 0.125, 0],
              ],
            ),
            interpolation: 'STEP',
          },
          { ...track('translation', 4, [0.25], [[0.01, 0.2, 0]]), interpolation: 'LINEAR' },
        ],
      },
      // too far for 21 bits to keep a tenth of a millimetre: stays exact
      {
        name: 'Far',
        duration: 1,
        loops: false,
        tracks: [
          {
            ...track(
              'translation',
              3,
              [0, 0.25, 1],
              [
                [0, 0.25, 0],
                [70000.1, 0.3, 0],
                [-3.3, 90000.7, 11.1],
              ],
            ),
            interpolation: 'LINEAR',
          },
          turn(4, [0, 1], [0.2, 1.2]),
          turn(5, [0, 1], [0.3, 0.3]),
        ],
      },
      { name: 'Pose', duration: 0, loops: false, tracks: [turn(2, [0], [0.5])] },
    ],
    materials: [material('skin', { texture: 0 }), material('cloth', { texture: undefined })],
    images: [PIXEL],
    issues: [
      {
        code: 'GLTF_WEIGHTS_REPAIRED',
        severity: 'warning',
        path: '/meshes/0',
        message: 'one vertex.',
        suggestion: 'None.',
      },
      {
        code: 'GLTF_VALIDATOR',
        severity: 'info',
        path: '',
        message: 'a "quoted" \u00fcml\u00e4ut \ud83d\udde1 and a lone \ud800.',
      },
    ],
  };
}

export function moteCharacter(): Character {
  const character = packCharacter(moteModel());
  // the last bone, which only a bounce stretches, stands still in the coarser mesh
  const lods = character.lods.map((lod) => ({ ...lod, posedJoints: [0, 1, 2, 3, 4] }));
  return addSockets({ ...character, lods }, ['bone 5']);
}

/** Keys of the recorded clip, its seconds, and the angle of a bone at a key. */
export const SHIVER = {
  keys: 41,
  seconds: 1,
  angle: (bone: number, key: number): number => (((7 * key + 3 * bone) % 11) - 5) / 50,
};

/** The same, with a clip that is recorded: keys at equal steps of time, which shiver. */
export function recordedMote(): Character {
  const model = moteModel();
  const keys = Array.from({ length: SHIVER.keys }, (_, k) => k);
  const times = keys.map((key) => (key * SHIVER.seconds) / (SHIVER.keys - 1));
  const tracks = [1, 2, 3, 4, 5].map((bone) =>
    turn(
      bone,
      times,
      keys.map((key) => SHIVER.angle(bone, key)),
    ),
  );
  const shiver = { name: 'Shiver', duration: SHIVER.seconds, loops: true, tracks };
  return packCharacter({ ...model, clips: [...model.clips, shiver] });
}

const PATCHES: Readonly<Record<string, VertexFormatChoice>> = {
  body: 'standard',
  cloak: 'packed',
  ears: 'packed',
  face: { position: 'snorm16', normal: 'octahedral8', tangent: 'snorm8', delta: 'float16' },
};

/** The mote, every mesh in another vertex format: channel tables of all loaders, wind, and a provider. */
export function patchedMote(): Character {
  return packedPatches(moteModel(), []);
}

/** The same with named channels: a second set of texture coordinates that a texture takes, and numbers of a game's own. */
export function namedMote(): Character {
  const model = moteModel();
  const [skin, ...materials] = model.materials as [MaterialModel, ...MaterialModel[]];
  const texture = skin.baseColorTexture!;
  const looked = { ...skin, emissiveTexture: { ...texture, texcoordSet: 1 as const } };
  const values = (width: number) => (vertexCount: number) =>
    Float32Array.from({ length: width * vertexCount }, (_, i) => i / 16);
  return packedPatches({ ...model, materials: [looked, ...materials] }, [
    { name: 'TEXCOORD_1', width: 2, of: values(2) },
    { name: '_HEAT', width: 3, format: 'unorm16', of: values(3) },
  ]);
}

function packedPatches(
  model: CharacterModel,
  channels: readonly (Omit<MeshChannelModel, 'values'> & { of: (vertexCount: number) => Float32Array })[],
): Character {
  const meshes = model.meshes.map((mesh) => ({
    ...mesh,
    // without names the standard layout has no place for wind
    wind:
      PATCHES[mesh.name] === 'standard' && channels.length === 0
        ? undefined
        : Float32Array.from({ length: mesh.vertexCount }, (_, v) => v / 4),
    colors: mesh.name === 'cloak' ? new Float32Array(4 * mesh.vertexCount).fill(0.5) : undefined,
    channels:
      mesh.name === 'ears' ? [] : channels.map(({ of, ...named }) => ({ ...named, values: of(mesh.vertexCount) })),
  }));
  const options: PackOptions = {
    vertexFormat: ({ name }) => PATCHES[name]!,
    providers: ({ name }) => (name === 'cloak' ? 1 : 0),
  };
  return addSockets(packCharacter({ ...model, meshes }, options), ['bone 5']);
}

function track(
  path: TrackModel['path'],
  targetIndex: number,
  times: number[],
  keys: number[][],
): Omit<TrackModel, 'interpolation'> {
  return { path, targetIndex, times: Float32Array.from(times), values: Float32Array.from(keys.flat()) };
}

/** Rotations about Z. */
function turn(targetIndex: number, times: number[], angles: number[]): TrackModel {
  const keys = angles.map((angle) => [0, 0, Math.sin(angle / 2), Math.cos(angle / 2)]);
  return { ...track('rotation', targetIndex, times, keys), interpolation: 'LINEAR' };
}

/** A strip of triangles up the chain. */
function column(
  name: string,
  nodeIndex: number,
  vertexCount: number,
  influences: (count: number) => InfluencesModel,
): MeshModel {
  const vertices = Array.from({ length: vertexCount }, (_, v) => v);
  return {
    name,
    nodeIndex,
    nodeName: `${name} node`,
    primitiveIndex: 0,
    materialIndex: -1,
    vertexCount,
    positions: Float32Array.from(vertices.flatMap((v) => [0.1 * (v % 2), 0.3 * v, 0.05])),
    normals: Float32Array.from(vertices.flatMap(() => [0, 0, 1])),
    tangents: Float32Array.from(vertices.flatMap((v) => [1, 0, 0, v % 2 ? -1 : 1])),
    texcoords: undefined,
    colors: undefined,
    indices: Uint32Array.from(vertices.slice(2).flatMap((v) => [v - 2, v - 1, v])),
    influences: influences(vertexCount),
    morphSetIndex: -1,
    targets: [],
    vertexOfSource: Uint32Array.from([...vertices, 0, 1]),
  };
}

function two(vertexCount: number): InfluencesModel {
  return influences(
    Array.from({ length: vertexCount }, (_, v) =>
      v === 0
        ? []
        : [
            [v, 0.75],
            [v - 1, 0.25],
          ],
    ),
  );
}

function five(vertexCount: number): InfluencesModel {
  return influences(
    Array.from({ length: vertexCount }, () => [
      [0, 0.4],
      [1, 0.3],
      [2, 0.15],
      [3, 0.1],
      [4, 0.05],
    ]),
  );
}

function influences(vertices: number[][][]): InfluencesModel {
  const offsets = Uint32Array.from({ length: vertices.length + 1 }, (_, v) => vertices.slice(0, v).flat().length);
  const all = vertices.flat() as [number, number][];
  return { offsets, bindings: Uint16Array.from(all, ([b]) => b), weights: Float32Array.from(all, ([, w]) => w) };
}

function targets(vertexCount: number): MeshModel['targets'] {
  const along = (axis: number) =>
    Float32Array.from({ length: 3 * vertexCount }, (_, i) => (i % 3 === axis ? 0.125 : 0));
  return [
    { positions: along(0), normals: along(1), tangents: undefined },
    { positions: along(2), normals: undefined, tangents: along(1) },
  ];
}

function material(name: string, { texture }: { texture: number | undefined }): MaterialModel {
  const looked: MaterialModel['baseColorTexture'] =
    texture === undefined
      ? undefined
      : { imageIndex: texture, offset: [0.5, 0.25], scale: [2, 3], rotation: 0.1, wrapS: 'CLAMP', wrapT: 'MIRROR' };
  return {
    name,
    baseColor: [1, 0.5, 0.25, 1],
    baseColorTexture: looked,
    metallic: 0.1,
    roughness: 0.9,
    metallicRoughnessTexture: looked,
    normalTexture: looked,
    normalScale: 0.75,
    occlusionTexture: looked,
    occlusionStrength: 0.5,
    emissive: [0, 0.1, 0.2],
    emissiveTexture: looked,
    alphaMode: texture === undefined ? 'MASK' : 'OPAQUE',
    alphaCutoff: 0.4,
    doubleSided: texture === undefined,
    unlit: false,
  };
}

/** A red pixel. */
const PIXEL: ImageModel = {
  name: 'pixel',
  mimeType: 'image/png',
  bytes: Uint8Array.from(
    atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='),
    (character) => character.charCodeAt(0),
  ),
};
