import type { Issue } from '../errors.ts';
import type { EventModel } from '../controller/model.ts';
import type { HumanoidMap } from './humanoid.ts';
import type { VrmModel } from './vrm.ts';

/**
 * A character as an importer returns it: plain, unpacked, in glTF's units (metres, seconds, radians, right-handed, Y
 * up). Nothing is quantised or dropped yet. `pack/` turns it into the tables that kernels and twins read.
 */
export interface CharacterModel {
  readonly name: string;
  /** Parents before children. Contains every node that moves a vertex, and its ancestors. */
  readonly joints: readonly JointModel[];
  /** The palette: one entry per distinct (joint, inverse bind). Influences index this list. */
  readonly bindings: readonly BindingModel[];
  /** One entry per (node, primitive), by ascending node index, then primitive. */
  readonly meshes: readonly MeshModel[];
  /** Coarser meshes, finest first, at most 7. */
  readonly lods?: readonly LodModel[];
  /** Runs of morph weights, one per node with a mesh that has targets, in mesh order. */
  readonly morphSets: readonly MorphSetModel[];
  readonly clips: readonly ClipModel[];
  /** Names of clips in the source that were not read. */
  readonly unreadClips?: readonly string[] | undefined;
  readonly materials: readonly MaterialModel[];
  readonly images: readonly ImageModel[];
  /** The humanoid that the source names, as VRM does. Undefined: look for one by names and structure. */
  readonly humanoid?: HumanoidMap | undefined;
  /** Expressions, springs, gaze and licence of a VRM avatar. */
  readonly vrm?: VrmModel | undefined;
  /** Problems found and repaired during import. */
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

/** A palette entry: transforms a vertex from its mesh to a joint. */
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
  /** x, y, z and handedness per vertex. Undefined if the file has none and no normal map needs them. */
  readonly tangents: Float32Array | undefined;
  /** 2 per vertex. */
  readonly texcoords: Float32Array | undefined;
  /** Linear RGBA in [0, 1], 4 per vertex. */
  readonly colors: Float32Array | undefined;
  /**
   * Share of the wind that reaches a vertex, 0 to 1, one per vertex, for providers that read it. The same as a channel
   * named `_WIND` with one component.
   */
  readonly wind?: Float32Array | undefined;
  /** Additional channels of vertices, by name; at most 8. */
  readonly channels?: readonly MeshChannelModel[] | undefined;
  /** Triangle list, relative to this mesh; wound so that front faces are counter-clockwise in the rest pose. */
  readonly indices: Uint32Array;
  readonly influences: InfluencesModel;
  /** Index into `morphSets`, or -1. */
  readonly morphSetIndex: number;
  /** One per target of the morph set, in its order; empty without one. */
  readonly targets: readonly MorphTargetModel[];
  /** For each POSITION element of the source primitive, the vertex that replaces it here. */
  readonly vertexOfSource: Uint32Array;
}

/** Application-defined numbers for every vertex. */
export interface MeshChannelModel {
  /**
   * Name in the form of glTF's application attributes (`_WIND`), at most 64 characters; upper and lower case are the
   * same. `TEXCOORD_1`, of two components, is the second set of texture coordinates.
   */
  readonly name: string;
  /** Components, 1 to 4. */
  readonly width: number;
  /** `width` per vertex. */
  readonly values: Float32Array;
  /** Storage format: normalised formats clamp. Default: float32. */
  readonly format?: ChannelFormat | undefined;
}

/** Storage format of a named channel. */
export type ChannelFormat = 'float32' | 'float16' | 'unorm8' | 'snorm8' | 'unorm16' | 'snorm16';

/**
 * Coarser meshes that replace the model's at a distance: one for each of them, in the same order, of the same node,
 * primitive, material and morph set. A mesh that has vanished has no vertices. They have no index of source vertices:
 * `vertexOfSource` is empty.
 */
export interface LodModel {
  readonly meshes: readonly MeshModel[];
}

/**
 * Influences of bindings on vertices: vertex v is moved by entries offsets[v] … offsets[v + 1] − 1. Weights are
 * positive, descending and sum to 1. A vertex may have none (it passes through unchanged) and at most 255.
 */
export interface InfluencesModel {
  readonly offsets: Uint32Array;
  /** Indices into `bindings`. */
  readonly bindings: Uint16Array;
  readonly weights: Float32Array;
}

/** Changes that a morph target adds to each vertex at weight 1, before skinning; 3 numbers per vertex in every list. */
export interface MorphTargetModel {
  /** Metres. */
  readonly positions: Float32Array;
  /** Undefined if the target does not move normals. The same for tangents. */
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
  /** True if it repeats by default (`extras.loop` in glTF); true if the file does not specify it. */
  readonly loops?: boolean;
  /** Events that the application receives when a controller plays the clip. */
  readonly events?: readonly EventModel[];
  /** Motion of the character as a whole, if it was extracted from the tracks. */
  readonly root?: RootMotionModel;
  readonly tracks: readonly TrackModel[];
}

/**
 * Displacement of the character by a clip, relative to its transform at the clip's start: straight lines between keys.
 */
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
   * Keys in order. Each key has 3 or 4 components, or (weights) one per target of the set.
   * CUBICSPLINE keys hold in-tangent, value, out-tangent, tangents per second. Rotation values are unit quaternions.
   */
  readonly values: Float32Array;
}

/** Appearance of a primitive: glTF's metallic-roughness material. Factors are not clamped. */
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
  /** Share of ambient light that is received, in red. */
  readonly occlusionTexture: TextureModel | undefined;
  /** 0: no occlusion, 1: full occlusion. */
  readonly occlusionStrength: number;
  /** Linear RGB that is added to the lit colour; above 1 where the file gives it a strength. */
  readonly emissive: Vec3;
  /** Holds sRGB, a factor of `emissive`. */
  readonly emissiveTexture: TextureModel | undefined;
  /**
   * MASK discards below `alphaCutoff`. BLEND is blended without sorting, and reported. Renderers that support only
   * masks treat it as one with cutoff 0.5.
   */
  readonly alphaMode: 'OPAQUE' | 'MASK' | 'BLEND';
  readonly alphaCutoff: number;
  readonly doubleSided: boolean;
  readonly unlit: boolean;
}

/** Fields with a material's textures. */
export const MATERIAL_TEXTURES = [
  'baseColorTexture',
  'metallicRoughnessTexture',
  'normalTexture',
  'occlusionTexture',
  'emissiveTexture',
] as const satisfies readonly (keyof MaterialModel)[];

/** Returns true if some texture of a material uses the second set of texture coordinates. */
export function takesSecondTexcoords(material: MaterialModel): boolean {
  return MATERIAL_TEXTURES.some((name) => material[name]?.texcoordSet === 1);
}

/** An image, and its mapping to texture coordinates. */
export interface TextureModel {
  /** Index into `images`. */
  readonly imageIndex: number;
  /** uv' = offset + rotate(scale × uv); rotation in radians as KHR_texture_transform defines it. */
  readonly offset: readonly [number, number];
  readonly scale: readonly [number, number];
  readonly rotation: number;
  readonly wrapS: Wrap;
  readonly wrapT: Wrap;
  /** Set of texture coordinates of a mesh: 0, its `texcoords` (default), or 1, its channel `TEXCOORD_1`. */
  readonly texcoordSet?: 0 | 1 | undefined;
}

/** Content outside 0 to 1: the image again, its edge, or its mirror image. */
export type Wrap = 'REPEAT' | 'CLAMP' | 'MIRROR';

/** An encoded image; `decodeImage` of maniple/render decodes it to pixels. */
export interface ImageModel {
  readonly name: string;
  /** Actual type of the bytes, whatever the file claims. */
  readonly mimeType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/ktx2';
  /** The encoded file, unchanged from the source. */
  readonly bytes: Uint8Array;
}

/** x, y, z, or linear R, G, B. */
export type Vec3 = readonly [number, number, number];
/** x, y, z, w of a quaternion, or linear R, G, B and alpha. */
export type Vec4 = readonly [number, number, number, number];
