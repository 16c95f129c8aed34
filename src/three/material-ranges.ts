import { BufferAttribute, type Material } from 'three/webgpu';
import type { CharacterMesh, CharacterPrimitive } from '../character/character.ts';

/** Range of a mesh's indices that one material draws. */
export interface MaterialRange {
  readonly material: Material;
  readonly firstIndex: number;
  readonly indexCount: number;
}

/**
 * Sorts a mesh's indices by the materials of its primitives. Draws are slow in three.js, so fifteen parts of a knight with one material
 * become one draw.
 */
export function rangesByMaterial(
  { primitives, indices }: CharacterMesh,
  materialFor: (primitive: CharacterPrimitive) => Material,
): { readonly index: BufferAttribute; readonly ranges: readonly MaterialRange[] } {
  const byMaterial = new Map<Material, CharacterPrimitive[]>();
  for (const primitive of primitives) {
    if (primitive.indexCount === 0) continue;
    const material = materialFor(primitive);
    const known = byMaterial.get(material);
    if (known) known.push(primitive);
    else byMaterial.set(material, [primitive]);
  }
  const sorted = new Uint32Array(indices.length);
  const ranges: MaterialRange[] = [];
  let end = 0;
  for (const [material, drawn] of byMaterial) {
    const firstIndex = end;
    for (const { firstIndex: from, indexCount } of drawn) {
      sorted.set(indices.subarray(from, from + indexCount), end);
      end += indexCount;
    }
    ranges.push({ material, firstIndex, indexCount: end - firstIndex });
  }
  return { index: new BufferAttribute(sorted, 1), ranges };
}
