import type { BufferGeometry, Material, Mesh } from 'three';
import type { CharacterPrimitive } from '../character/character.ts';
import type { MaterialModel } from '../character/model.ts';

/** Source of a character's primitive, for attributes that characters do not contain. */
export interface SourceGeometry {
  /** The first mesh that it was read from. If several meshes share geometry and skeleton, any of them. */
  readonly mesh: Mesh;
  readonly geometry: BufferGeometry;
  /** The material of these triangles; one of the list if the mesh has several. */
  readonly material: Material;
  /**
   * For each vertex of the primitive, the index of its source element in the geometry's attributes. For welded vertices it is the first
   * one. They agree in every attribute.
   */
  readonly sourceOfVertex: Uint32Array;
}

/**
 * Maps a primitive to the three geometry that it was made from. Keys are the objects in `character.primitives`. `withController` and
 * `addSockets` pass them on unchanged. Coarser levels and characters read from files are not in it.
 */
export const sourceGeometries: WeakMap<CharacterPrimitive, SourceGeometry> = new WeakMap();

/**
 * Maps a character's material to the three material that it was made from. Keys are the objects in `character.materials`. Packing,
 * `withController` and `addSockets` pass them on unchanged. Characters read from files are not in it.
 */
export const threeMaterials: WeakMap<MaterialModel, Material> = new WeakMap();
