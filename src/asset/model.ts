import { fail, type Issue, quoted } from '../errors.ts';
import type { EventModel } from './controller/model.ts';

/**
 * A character as an importer leaves it: plain, unpacked, in glTF's units (metres, seconds, radians, right-handed,
 * Y up). Nothing is quantised or dropped yet. `pack/` turns it into the tables that kernels and twins read.
 */
export interface CharacterModel {
  readonly name: string;
  /** Parents before children; every node that moves a vertex, and its ancestors. */
  readonly joints: readonly JointModel[];
  /** The palette: one entry per distinct (joint, inverse bind). Influences index this list. */
  readonly bindings: readonly BindingModel[];
  /** One entry per (node, primitive), by ascending node index, then primitive. */
  readonly meshes: readonly MeshModel[];
  /** Coarser meshes, finest first, at most 7. */
  readonly lods?: readonly LodModel[];
  /** Runs of morph weights, one per node whose mesh has targets, in mesh order. */
  readonly morphSets: readonly MorphSetModel[];
  readonly clips: readonly ClipModel[];
  /** Names of clips that the source has, which were not read. */
  readonly unreadClips?: readonly string[] | undefined;
  readonly materials: readonly MaterialModel[];
  readonly images: readonly ImageModel[];
  /** Things found and repaired on the way in. */
  readonly issues: readonly Issue[];
}

/** A joint, and its rest transform relative to its parent. */
export interface JointModel {
  readonly name: string;
  /** Index into `joints`, or -1 for a root; always smaller than the joint's own index. */
  readonly parentIndex: number;
  /** The node's index in the source file; -1 for a joint that the importer added. */
  readonly nodeIndex: number;
  /** Metres. */
  readonly translation: Vec3;
  /** Unit quaternion x, y, z, w. */
  readonly rotation: Vec4;
  readonly scale: Vec3;
}

/** A palette entry: what carries a vertex from its mesh to a joint. */
export interface BindingModel {
  readonly jointIndex: number;
  /** Inverse bind matrix, 3 × 4, row-major: `modelFromMesh = modelFromJoint × jointFromMesh`. */
  readonly jointFromMesh: Float32Array;
}

/** A primitive of a mesh, as one node of the scene shows it. */
export interface MeshModel {
  readonly name: string;
  /** Index of the node, and of the primitive in its mesh, in the source file. */
  readonly nodeIndex: number;
  readonly nodeName: string;
  readonly primitiveIndex: number;
  /** Index into `materials`, or -1 for glTF's default material. */
  readonly materialIndex: number;
  readonly vertexCount: number;
  /** 3 per vertex, metres in mesh space: before morphs and skinning. */
  readonly positions: Float32Array;
  /** Unit normals, 3 per vertex; generated when the file has none. */
  readonly normals: Float32Array;
  /** x, y, z and handedness per vertex; undefined when the file has none and no normal map asks for them. */
  readonly tangents: Float32Array | undefined;
  /** 2 per vertex. */
  readonly texcoords: Float32Array | undefined;
  /** Linear RGBA in [0, 1], 4 per vertex. */
  readonly colors: Float32Array | undefined;
  /**
   * How much of the wind reaches a vertex, 0 to 1, one per vertex; for providers that ask the loader for it. The same as a
   * channel named `_WIND` of one component.
   */
  readonly wind?: Float32Array | undefined;
  /** What else vertices have, by name; at most 8. */
  readonly channels?: readonly MeshChannelModel[] | undefined;
  /** Triangle list, relative to this mesh; wound so that front faces are counter-clockwise in the rest pose. */
  readonly indices: Uint32Array;
  readonly influences: InfluencesModel;
  /** Index into `morphSets`, or -1. */
  readonly morphSetIndex: number;
  /** One per target of the morph set, in its order; empty without one. */
  readonly targets: readonly MorphTargetModel[];
  /** For each POSITION element of the source primitive, the vertex that stands for it here. */
  readonly vertexOfSource: Uint32Array;
}

/** Numbers of an application's own, for every vertex. */
export interface MeshChannelModel {
  /**
   * As glTF names attributes of applications (`_WIND`), at most 64 characters; upper and lower case are the same.
   * `TEXCOORD_1`, of two components, is the second set of texture coordinates.
   */
  readonly name: string;
  /** Components, 1 to 4. */
  readonly width: number;
  /** `width` per vertex. */
  readonly values: Float32Array;
  /** How they are stored: normalised formats clamp. Default: float32. */
  readonly format?: ChannelFormat | undefined;
}

/** How numbers of a named channel are stored. */
export type ChannelFormat = 'float32' | 'float16' | 'unorm8' | 'snorm8' | 'unorm16' | 'snorm16';

/**
 * Meshes that stand for the model's when it is seen from afar: one for each of them, in the same order, of the same node,
 * primitive, material and morph set. One that has vanished has no vertices. Vertices of the source are not found in them:
 * `vertexOfSource` is empty.
 */
export interface LodModel {
  readonly meshes: readonly MeshModel[];
}

/**
 * Which bindings move which vertex, and by how much: vertex v is moved by entries offsets[v] … offsets[v + 1] − 1.
 * Weights are positive, descending and sum to 1; a vertex may have none (it passes through unchanged) and at most 255.
 */
export interface InfluencesModel {
  readonly offsets: Uint32Array;
  /** Indices into `bindings`. */
  readonly bindings: Uint16Array;
  readonly weights: Float32Array;
}

/** What a morph target adds to each vertex at weight 1, before skinning; 3 numbers per vertex in every list. */
export interface MorphTargetModel {
  /** Metres. */
  readonly positions: Float32Array;
  /** Undefined where the target does not move normals; so for tangents. */
  readonly normals: Float32Array | undefined;
  /** x, y, z only: handedness never morphs. */
  readonly tangents: Float32Array | undefined;
}

/** The morph weights of one node, shared by the primitives of its mesh. */
export interface MorphSetModel {
  /** In the source file. */
  readonly nodeIndex: number;
  /** One per target. */
  readonly names: readonly string[];
  /** Rest weights: the node's, else the mesh's, else 0. */
  readonly weights: readonly number[];
}

/**
 * Between two keys: the earlier one's value, a straight line (rotations: slerp the short way), or a Hermite cubic with the
 * keys' own tangents. As glTF 2.0, appendix C.
 */
export type Interpolation = 'STEP' | 'LINEAR' | 'CUBICSPLINE';

/** A clip runs from 0 to `duration`; outside a track's own keys its end values hold. */
export interface ClipModel {
  readonly name: string;
  /** Seconds; 0 for a pose. */
  readonly duration: number;
  /** Whether it repeats by default (`extras.loop` in glTF); true when the file does not say. */
  readonly loops?: boolean;
  /** Moments to tell the game of, when a controller plays the clip. */
  readonly events?: readonly EventModel[];
  /** How the character as a whole moves while it plays, where that was taken out of the tracks. */
  readonly root?: RootMotionModel;
  readonly tracks: readonly TrackModel[];
}

/** Where a clip has moved the character to, seen from where it stood at the clip's begin: straight lines between keys. */
export interface RootMotionModel {
  /** Strictly increasing seconds, from 0 to the clip's duration. */
  readonly times: Float32Array;
  /** Three per key, metres; the first is 0. */
  readonly positions: Float32Array;
  /** Unit quaternions x, y, z, w; the first is the identity. */
  readonly rotations: Float32Array;
}

/** One animated property of one target, as keys over time. */
export interface TrackModel {
  readonly path: 'translation' | 'rotation' | 'scale' | 'weights';
  /** Index into `joints`; for `weights`, index into `morphSets`. */
  readonly targetIndex: number;
  readonly interpolation: Interpolation;
  /** Strictly increasing seconds, the first ≥ 0. */
  readonly times: Float32Array;
  /**
   * Keys in order; each key has 3, 4 or (weights) as many components as the set has targets.
   * CUBICSPLINE keys hold in-tangent, value, out-tangent, tangents per second. Rotation values are unit quaternions.
   */
  readonly values: Float32Array;
}

/** How a primitive looks: glTF's metallic-roughness material. Factors are not clamped. */
export interface MaterialModel {
  readonly name: string;
  /** Linear RGBA, 0 to 1: a factor of texture and vertex colour. */
  readonly baseColor: Vec4;
  /** Holds sRGB, and alpha. */
  readonly baseColorTexture: TextureModel | undefined;
  /** 0 (dielectric) to 1 (metal): a factor of the texture's. */
  readonly metallic: number;
  /** 0 (mirror) to 1 (matt): a factor of the texture's. */
  readonly roughness: number;
  /** Roughness in green, metalness in blue. */
  readonly metallicRoughnessTexture: TextureModel | undefined;
  /** Tangent-space normals, (x, y, z) from −1 … 1; not used where a mesh has no tangents. */
  readonly normalTexture: TextureModel | undefined;
  /** Factor of x and y of the normals. */
  readonly normalScale: number;
  /** How much of the light from all around comes in, in red. */
  readonly occlusionTexture: TextureModel | undefined;
  /** 0: the occlusion counts for nothing, 1: in full. */
  readonly occlusionStrength: number;
  /** Linear RGB that is added to the lit colour; above 1 where the file gives it a strength. */
  readonly emissive: Vec3;
  /** Holds sRGB, a factor of `emissive`. */
  readonly emissiveTexture: TextureModel | undefined;
  /** MASK discards below `alphaCutoff`; BLEND is blended without order, and reported; where only a mask can be, it is one with cutoff 0.5. */
  readonly alphaMode: 'OPAQUE' | 'MASK' | 'BLEND';
  readonly alphaCutoff: number;
  readonly doubleSided: boolean;
  readonly unlit: boolean;
}

/** The textures of a material, by what they are for. */
export const MATERIAL_TEXTURES = [
  'baseColorTexture',
  'metallicRoughnessTexture',
  'normalTexture',
  'occlusionTexture',
  'emissiveTexture',
] as const satisfies readonly (keyof MaterialModel)[];

/** Whether a texture of a material is looked up by the second set of texture coordinates. */
export function takesSecondTexcoords(material: MaterialModel): boolean {
  return MATERIAL_TEXTURES.some((name) => material[name]?.texcoordSet === 1);
}

/** An image, and how texture coordinates look it up. */
export interface TextureModel {
  /** Index into `images`. */
  readonly imageIndex: number;
  /** uv' = offset + rotate(scale × uv); rotation in radians as KHR_texture_transform defines it. */
  readonly offset: readonly [number, number];
  readonly scale: readonly [number, number];
  readonly rotation: number;
  readonly wrapS: Wrap;
  readonly wrapT: Wrap;
  /** Which texture coordinates of a mesh: 0, its `texcoords` (default), or 1, its channel `TEXCOORD_1`. */
  readonly texcoordSet?: 0 | 1 | undefined;
}

/** What lies outside 0 to 1: the image again, its edge, or its mirror image. */
export type Wrap = 'REPEAT' | 'CLAMP' | 'MIRROR';

/** An encoded image; `decodeImage` of maniple/render makes pixels of it. */
export interface ImageModel {
  readonly name: string;
  /** What its bytes are, whatever the file says of them. */
  readonly mimeType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/ktx2';
  /** The encoded file, as it stands in the source. */
  readonly bytes: Uint8Array;
}

/** x, y, z, or linear R, G, B. */
export type Vec3 = readonly [number, number, number];
/** x, y, z, w of a quaternion, or linear R, G, B and alpha. */
export type Vec4 = readonly [number, number, number, number];

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectModel(model: CharacterModel): void {
  const { joints, meshes, clips, morphSets } = ((model as unknown) ?? {}) as Partial<CharacterModel>;
  if ([joints, meshes, clips, morphSets].every(Array.isArray)) return;
  const suggestion = 'Use what loadModel or importGltf return; characterFromGltf takes what GLTFLoader has loaded.';
  fail('CROWD_BAD_ARGUMENT', 'model', `Got ${quoted(model)}; expected a model.`, suggestion);
}
