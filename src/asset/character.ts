import { fail, type Issue, quoted } from '../errors.ts';
import type { CompiledController } from './controller/compile.ts';
import type { ImageModel, MaterialModel } from './model.ts';
import type { ClipStats } from './pack/pack-clip.ts';

/**
 * A character ready for a crowd: the tables that kernels and twins read, and what the host needs to know about them.
 * Made by `packCharacter` or read from a baked file; never changed afterwards, and free to be used by several crowds.
 */
export interface Character extends CharacterMesh {
  readonly name: string;
  /** Diagonal of the rest pose's bounds, in metres. */
  readonly size: number;
  /** Corners x, y, z of the rest pose's vertices, metres in model space. */
  readonly bounds: Box;
  /**
   * Holds it whatever its clips blend to. Undefined in files that were baked before there was such a thing, and where it is
   * farther than can be computed with.
   */
  readonly reach?: ReachSphere | undefined;
  /** The rig blob: skeleton and clips, see `rig-layout.ts`. */
  readonly rig: Uint32Array<ArrayBuffer>;
  /**
   * Coarser meshes, finest first, at most `LOD_LIMIT`; the character itself is the finest. All share its palette, morph
   * weights, parts and materials, and stay within its bounds; their skeletons may lack joints.
   */
  readonly lods: readonly CharacterMesh[];
  /** Parents before children. */
  readonly joints: readonly CharacterJoint[];
  /** Joints whose own transform stands in the palette, and where; see `addSockets`. */
  readonly sockets: readonly { readonly jointIndex: number; readonly entry: number }[];
  readonly clips: readonly CharacterClip[];
  /** Names of the model's clips that were left out when it was packed; undefined: none, or not known. */
  readonly unpackedClips?: readonly string[] | undefined;
  /** What decides which clips play; without one the host plays them. */
  readonly controller?: CompiledController;
  /** What can be hidden one by one: one part per mesh node. At most 64; further nodes share the last. */
  readonly parts: readonly string[];
  /** Names of the channels that some of its meshes have besides; undefined: none. At most 64. */
  readonly channels?: readonly string[] | undefined;
  /** One per morph weight, morph set after morph set. */
  readonly morphNames: readonly string[];
  readonly materials: readonly MaterialModel[];
  readonly images: readonly ImageModel[];
  /** How many vertices have i influences, i = 0 … the most. */
  readonly influenceHistogram: readonly number[];
  /** What was found and repaired on import, and what packing adds. */
  readonly issues: readonly Issue[];
}

/** The mesh of a character at one level of detail. */
export interface CharacterMesh {
  /**
   * How far it is from the finest mesh, in metres, whatever clip plays; 0 for the finest. Measured in sampled poses, with a
   * margin: see `lods/measure-lods.ts`.
   */
  readonly error: number;
  /**
   * Joints that it is posed by, rising, parents among them; the others stand still on those, as at rest. Undefined: all.
   * Chosen when it is packed, so that `error` holds without them: see `lods/spare-joints.ts`.
   */
  readonly posedJoints?: readonly number[] | undefined;
  /** The geometry blob: vertex streams and batches, see `geometry-layout.ts`. */
  readonly geometry: Uint32Array<ArrayBuffer>;
  /** Three per triangle, of all primitives, relative to the mesh's first vertex. */
  readonly indices: Uint32Array<ArrayBuffer>;
  /** Of all primitives; after welding, so the source may have more. */
  readonly vertexCount: number;
  /** The same ones, in the same order, at every level: one that has vanished has no vertices and no indices. */
  readonly primitives: readonly CharacterPrimitive[];
  /** Batches by loader variant (LOADER_ bits): consecutive runs of the geometry blob's batch table. Levels may differ in variants. */
  readonly batchRuns: readonly BatchRun[];
}

/** Coarser meshes of a character at most. */
export const LOD_LIMIT = 7;

/** Corners x, y, z, metres in model space. */
export interface Box {
  readonly min: readonly number[];
  readonly max: readonly number[];
}

/**
 * A sphere that no vertex leaves, however clips of the character are blended, mirrored and layered; metres in model
 * space. What the host does to joints, and morph weights that it sets beyond 0 … 1, are not in it.
 */
export interface ReachSphere {
  readonly center: readonly number[];
  readonly radius: number;
  /** Additive layers that may lie over each other. */
  readonly additiveLayers: number;
}

/** A joint of the skeleton, by name and place; its rest transform stands in the rig blob. */
export interface CharacterJoint {
  readonly name: string;
  /** Index into `joints`, or −1 for a root. */
  readonly parentIndex: number;
  /** Index of the node in the source file; −1 for a joint that the importer added. */
  readonly nodeIndex: number;
}

/** Whether a value is what packing makes. */
export function isCharacter(value: unknown): value is Character {
  return typeof value === 'object' && value !== null && 'batchRuns' in value && 'joints' in value;
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectCharacter(value: unknown): void {
  if (isCharacter(value)) return;
  const suggestion = 'Use what loadCharacter, packCharacter or characterFromGltf return.';
  fail('CROWD_BAD_ARGUMENT', 'character', `Got ${quoted(value)}; expected a character.`, suggestion);
}

/** A clip of the character, and what packing did to it. */
export interface CharacterClip extends ClipStats {
  /** Repeats by default. */
  readonly loops: boolean;
  /**
   * Holds every vertex of all levels wherever the clip stands, as long as it plays alone, is not mirrored, and all joints are
   * posed. Undefined for differences, and as `reach` is.
   */
  readonly bounds?: Box | undefined;
}

/** What one draw call of one character shows. */
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
  /** For each POSITION element of the source, the vertex (of this primitive) that stands for it; empty in coarser LODs. */
  readonly vertexOfSource: Uint32Array<ArrayBuffer>;
}

/** Batches that one variant of the vertex loader reads: one dispatch of skin-vertices. */
export interface BatchRun {
  /** LOADER_ bits of `geometry-layout.ts`. */
  readonly variant: number;
  readonly firstBatch: number;
  readonly batchCount: number;
}
