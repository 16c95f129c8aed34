import type { BufferGeometry, Material, Mesh } from 'three';
import type { CharacterPrimitive } from '../asset/character.ts';

/** Where a primitive of a character came from: for attributes that characters do not carry. */
export interface SourceGeometry {
  /** The first mesh that it was read from; of several that share geometry and skeleton, any. */
  readonly mesh: Mesh;
  readonly geometry: BufferGeometry;
  /** Of a list of materials, the one that draws these triangles. */
  readonly material: Material;
  /**
   * For each vertex of the primitive, the element of the geometry's attributes that it was made of. Of welded ones that is the
   * first; they agree in every attribute.
   */
  readonly sourceOfVertex: Uint32Array;
}

/**
 * What three's geometry a primitive was made of: asked with the objects in `character.primitives`, which `withController` and
 * `addSockets` hand on as they are. Coarser levels and characters that were read from files are not in it.
 */
export const sourceGeometries: WeakMap<CharacterPrimitive, SourceGeometry> = new WeakMap();
