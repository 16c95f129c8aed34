import type { Material, Node, NodeMaterial } from 'three/webgpu';
import { vec4, vertexColor, wgslFn } from 'three/tsl';
import type { Character } from '../../src/index.ts';
import { crowdColumn } from '../../src/three/index.ts';
import { DYED_CODE, DYED_GLSL } from '../../src/battle/dress.ts';

const dyed = wgslFn<[Node, Node]>(DYED_CODE);

/**
 * Returns materials that dye the soldiers' cloth as `BATTLE_SURFACE` does. Other characters keep their own.
 * @param dye Changes a material, for the renderer: `dyeNodes` or `dyeShader`.
 */
export function dressedMaterials(
  soldiers: readonly Character[],
  dye: (material: Material) => void,
): (own: Material, character: Character) => Material {
  const dressed = new Map<Material, Material>();
  return (own, character) => {
    if (!soldiers.includes(character)) return own;
    const known = dressed.get(own);
    if (known) return known;
    const material = own.clone();
    dye(material);
    dressed.set(own, material);
    return material;
  };
}

/** For `WebGPURenderer`. */
export function dyeNodes(material: Material): void {
  const color = vertexColor() as unknown as Node<'vec4'>;
  const colorNode = vec4(dyed(color.rgb, crowdColumn('tunic', 'vec3')) as Node<'vec3'>, color.a);
  // the node includes colours of vertices
  Object.assign(material as NodeMaterial, { colorNode, vertexColors: false });
}

/** For `WebGLRenderer`. */
export function dyeShader(material: Material): void {
  const color = '#include <color_fragment>';
  material.onBeforeCompile = (shader) => {
    const dyedColor = `${color}\ndiffuseColor.rgb = dyed(diffuseColor.rgb, crowdColumn_tunic());`;
    shader.fragmentShader = `${DYED_GLSL}\n${shader.fragmentShader.replace(color, dyedColor)}`;
  };
  material.customProgramCacheKey = () => 'dyed';
}
