import { fail, type Issue, quoted } from '../errors.ts';
import type { CompiledController } from '../controller/compile.ts';
import type { ClipArrivals } from './clip-arrivals.ts';
import type { ImageModel, MaterialModel } from './model.ts';
import type { ClipStats } from './pack/pack-clip.ts';

/**
 * A character ready for a crowd: the tables that kernels and twins read, and the facts that the CPU side needs. Made by
 * `packCharacter` or read from a baked file. Only `arrivals` change it afterwards. Several crowds may use it.
 */
export interface Character extends CharacterMesh {
  readonly name: string;
  /** Diagonal of the rest pose's bounds, in metres. */
  readonly size: number;
  /** Corners x, y, z of the rest pose's vertices, metres in model space. */
  readonly bounds: Box;
  /**
   * Contains the character whatever its clips blend to. Undefined in files baked before this field existed, and where
   * the reach is too large to compute with.
   */
  readonly reach?: ReachSphere | undefined;
  /** The rig blob: skeleton and clips, see `rig-layout.ts`. */
  readonly rig: Uint32Array<ArrayBuffer>;
  /**
   * Coarser meshes, finest first, at most `LOD_LIMIT`. The character itself is the finest. All share its palette, morph
   * weights, parts and materials, and stay within its bounds. Their skeletons may lack joints.
   */
  readonly lods: readonly CharacterMesh[];
  /** Parents before children. */
  readonly joints: readonly CharacterJoint[];
  /** Joints with their own transform in the palette, and its entry; see `addSockets`. */
  readonly sockets: readonly { readonly jointIndex: number; readonly entry: number }[];
  readonly clips: readonly CharacterClip[];
  /** Clips that load one by one (`loadCharacter` with `progressive`). Undefined: all are there. */
  readonly arrivals?: ClipArrivals | undefined;
  /** Names of the model's clips that were left out when it was packed. Undefined: none, or unknown. */
  readonly unpackedClips?: readonly string[] | undefined;
  /** Selects the clips that play. Without it the CPU side plays them. */
  readonly controller?: CompiledController;
  /** Names of parts that can be hidden separately: one part per mesh node. At most 64; further nodes share the last. */
  readonly parts: readonly string[];
  /** Names of additional channels that some of its meshes have. Undefined: none. At most 64. */
  readonly channels?: readonly string[] | undefined;
  /** One per morph weight, morph set after morph set. */
  readonly morphNames: readonly string[];
  readonly materials: readonly MaterialModel[];
  readonly images: readonly ImageModel[];
  /** Entry i is the number of vertices with i influences, i = 0 … the most. */
  readonly influenceHistogram: readonly number[];
  /** Problems found and repaired on import, and those that packing adds. */
  readonly issues: readonly Issue[];
}

/** The mesh of a character at one level of detail. */
export interface CharacterMesh {
  /**
   * Distance from the finest mesh, in metres, whatever clip plays; 0 for the finest. Measured in sampled poses, with a
   * margin: see `lods/measure-lods.ts`.
   */
  readonly error: number;
  /**
   * Joints of the level's skeleton in rising order, parents included. The others keep their rest transform relative to
   * their parents. Undefined: all. Chosen when it is packed, so that `error` holds without the others: see
   * `lods/spare-joints.ts`.
   */
  readonly posedJoints?: readonly number[] | undefined;
  /** The geometry blob: vertex streams and batches, see `geometry-layout.ts`. */
  readonly geometry: Uint32Array<ArrayBuffer>;
  /** Three per triangle, of all primitives, relative to the mesh's first vertex. */
  readonly indices: Uint32Array<ArrayBuffer>;
  /** Number of vertices of all primitives, after welding: the source may have more. */
  readonly vertexCount: number;
  /** The same primitives in the same order at every level. One that has vanished has no vertices and no indices. */
  readonly primitives: readonly CharacterPrimitive[];
  /** Batches by loader variant (LOADER_ bits): consecutive runs of the geometry blob's batch table. Levels may differ in variants. */
  readonly batchRuns: readonly BatchRun[];
}

/** The most coarser meshes of a character. */
export const LOD_LIMIT = 7;

/** Corners x, y, z, metres in model space. */
export interface Box {
  readonly min: readonly number[];
  readonly max: readonly number[];
}

/**
 * A sphere that contains every vertex, however clips of the character are blended, mirrored and layered; metres in
 * model space. It does not include joint modifiers, or morph weights that the application sets outside 0 … 1.
 */
export interface ReachSphere {
  readonly center: readonly number[];
  readonly radius: number;
  /** The most additive layers that may lie over each other. */
  readonly additiveLayers: number;
}

/** A joint of the skeleton. Its rest transform is in the rig blob. */
export interface CharacterJoint {
  readonly name: string;
  /** Index into `joints`, or −1 for a root. */
  readonly parentIndex: number;
  /** Index of the node in the source file; −1 for a joint that the importer added. */
  readonly nodeIndex: number;
}

/** Returns true if a value looks like a character from packing. */
export function isCharacter(value: unknown): value is Character {
  return typeof value === 'object' && value !== null && 'batchRuns' in value && 'joints' in value;
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectCharacter(value: unknown): void {
  if (isCharacter(value)) return;
  const suggestion = 'Use what loadCharacter, packCharacter or characterFromGltf return.';
  fail('CROWD_BAD_ARGUMENT', 'character', `Got ${quoted(value)}; expected a character.`, suggestion);
}

/** A clip of the character, and its packing statistics. */
export interface CharacterClip extends ClipStats {
  /** Repeats by default. */
  readonly loops: boolean;
  /**
   * Contains every vertex of all levels at any time of the clip, as long as it is the only clip, is not mirrored, and
   * all joints are posed. Undefined for differences, and where `reach` is.
   */
  readonly bounds?: Box | undefined;
}

/** The part of a mesh that one draw call of one character draws. */
export interface CharacterPrimitive {
  readonly name: string;
  /** Index of its node in the source file, and that node's name or ''. */
  readonly nodeIndex: number;
  readonly nodeName: string;
  /** Index of the primitive in its source mesh. */
  readonly primitiveIndex: number;
  /** Index into `parts`. */
  readonly part: number;
  /** Index into `materials`, or −1 for glTF's default material. */
  readonly materialIndex: number;
  /** Its vertices and indices are runs of the mesh's. */
  readonly firstVertex: number;
  readonly vertexCount: number;
  readonly firstIndex: number;
  readonly indexCount: number;
  /** For each POSITION element of the source, the vertex of this primitive that replaces it; empty in coarser LODs. */
  readonly vertexOfSource: Uint32Array<ArrayBuffer>;
}

/** Batches that one variant of the vertex loader reads: one dispatch of skin-vertices. */
export interface BatchRun {
  /** LOADER_ bits of `geometry-layout.ts`. */
  readonly variant: number;
  readonly firstBatch: number;
  readonly batchCount: number;
}
