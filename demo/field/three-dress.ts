import type { Material, Node, NodeMaterial } from 'three/webgpu';
import { vec4, vertexColor, wgslFn } from 'three/tsl';
import type { Character } from '../../src/index.ts';
import { crowdColumn } from '../../src/three/index.ts';
import { DYED_CODE } from '../../src/battle/dress.ts';

const dyed = wgslFn<[Node, Node]>(DYED_CODE);

/** Returns materials that dye the soldiers' cloth as `BATTLE_SURFACE` does. Other characters keep their own. */
export function dressedMaterials(soldiers: readonly Character[]): (own: Material, character: Character) => Material {
  const dressed = new Map<Material, Material>();
  return (own, character) => {
    if (!soldiers.includes(character)) return own;
    const known = dressed.get(own);
    if (known) return known;
    const material = own.clone() as NodeMaterial;
    const color = vertexColor() as unknown as Node<'vec4'>;
    material.colorNode = vec4(dyed(color.rgb, crowdColumn('tunic', 'vec3')) as Node<'vec3'>, color.a);
    material.vertexColors = false; // colorNode includes them
    dressed.set(own, material);
    return material;
  };
}
