import type { Color, Material, MeshStandardMaterial } from 'three';
import type { MaterialModel, Vec3 } from '../../character/model.ts';
import { isUsable } from '../../import/model-builder/limits.ts';
import { threeMaterials } from '../sources.ts';

/** Properties that three's materials may have in common. */
interface Surface extends Partial<Omit<MeshStandardMaterial, keyof Material>> {
  readonly isMeshBasicMaterial?: boolean;
  readonly isMeshBasicNodeMaterial?: boolean;
}

/** three's `DoubleSide`. */
const DOUBLE_SIDE = 2;

/** The materials of a character, each once, in the order of their first use. */
export class MaterialList {
  readonly models: MaterialModel[] = [];
  readonly #indexOf = new Map<Material, number>();

  /** Returns the index of a material. Adds new ones. */
  index(material: Material): number {
    const known = this.#indexOf.get(material);
    if (known !== undefined) return known;
    const model = materialModel(material);
    threeMaterials.set(model, material);
    const index = this.models.push(model) - 1;
    this.#indexOf.set(material, index);
    return index;
  }
}

/**
 * Converts a material to metallic-roughness, for renderers without three's materials. It has no textures, because three does not keep
 * the encoded images.
 */
function materialModel(material: Material): MaterialModel {
  const surface = material as Material & Surface;
  const emissive = rgb(surface.emissive, 0);
  const strength = factor(surface.emissiveIntensity, 1);
  return {
    name: material.name,
    baseColor: [...rgb(surface.color, 1), factor(material.opacity, 1)],
    baseColorTexture: undefined,
    metallic: factor(surface.metalness, 0),
    roughness: factor(surface.roughness, 1),
    metallicRoughnessTexture: undefined,
    normalTexture: undefined,
    normalScale: factor(surface.normalScale?.x, 1),
    occlusionTexture: undefined,
    occlusionStrength: factor(surface.aoMapIntensity, 1),
    emissive: [emissive[0] * strength, emissive[1] * strength, emissive[2] * strength],
    emissiveTexture: undefined,
    alphaMode: material.alphaTest > 0 ? 'MASK' : material.transparent ? 'BLEND' : 'OPAQUE',
    alphaCutoff: material.alphaTest > 0 ? material.alphaTest : 0.5,
    doubleSided: material.side === DOUBLE_SIDE,
    unlit: surface.isMeshBasicMaterial === true || surface.isMeshBasicNodeMaterial === true,
  };
}

function rgb(color: Color | undefined, fallback: number): Vec3 {
  return [factor(color?.r, fallback), factor(color?.g, fallback), factor(color?.b, fallback)];
}

function factor(value: number | undefined, fallback: number): number {
  return value !== undefined && isUsable(value) ? value : fallback;
}
