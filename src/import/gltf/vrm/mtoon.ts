import { isObject } from '../../../forms/rules.ts';
import { type IssueList, pointer } from '../../model-builder/issue-list.ts';
import { extensionOf } from '../schema.ts';
import { type Fields, listOf, numberOf, objectOf, textOf } from './fields.ts';

/**
 * The glTF materials, completed from VRM's. MToon has neither metal nor gloss, and its base colour is glTF's. In
 * VRM 0.x, colour, texture, alpha and culling are taken from Unity's properties where glTF's are missing.
 */
export function vrmMaterials(materials: readonly unknown[], vrm: Fields, issues: IssueList): unknown[] {
  const properties = listOf(vrm.materialProperties).map(objectOf);
  return materials.map((material, index) => {
    if (!isObject(material)) return material;
    const old = properties[index] ?? {};
    const shader = textOf(old.shader);
    const isToon = shader === 'VRM/MToon' || extensionOf(material, 'VRMC_materials_mtoon') !== undefined;
    const isUnlit = shader.startsWith('VRM/Unlit');
    if (!isToon && !isUnlit) return material;
    if (isToon) {
      const drawn = extensionOf(material, 'KHR_materials_unlit')
        ? 'unlit, as the file asks of others'
        : 'as a matt surface';
      const message = `MToon is drawn ${drawn}: without shade colour, rim and outline`;
      issues.info('GLTF_MATERIAL_SIMPLIFIED', pointer('materials', index), message);
    }
    const pbr = objectOf(material.pbrMetallicRoughness);
    const { metallicRoughnessTexture: _, ...plain } = pbr;
    const extensions = isUnlit ? { KHR_materials_unlit: {}, ...objectOf(material.extensions) } : material.extensions;
    return {
      ...alphaOf(old),
      ...material,
      ...(extensions === undefined ? {} : { extensions }),
      pbrMetallicRoughness: { ...baseColorOf(old), ...plain, metallicFactor: 0, roughnessFactor: 1 },
    };
  });
}

/** Unity's colour, in sRGB, and main texture. */
function baseColorOf(old: Fields): Fields {
  const color = listOf(objectOf(old.vectorProperties)._Color);
  const texture = objectOf(old.textureProperties)._MainTex;
  return {
    ...(color.length === 4
      ? { baseColorFactor: color.map((value, i) => (i < 3 ? linear(numberOf(value, 1)) : value)) }
      : {}),
    ...(typeof texture === 'number' ? { baseColorTexture: { index: texture } } : {}),
  };
}

function alphaOf(old: Fields): Fields {
  const { _Cutoff, _CullMode } = objectOf(old.floatProperties);
  const kind = textOf(objectOf(old.tagMap).RenderType);
  return {
    ...(kind === 'Transparent' ? { alphaMode: 'BLEND' } : {}),
    ...(kind === 'TransparentCutout' ? { alphaMode: 'MASK', alphaCutoff: numberOf(_Cutoff, 0.5) } : {}),
    ...(_CullMode === 0 ? { doubleSided: true } : {}),
  };
}

/** sRGB to linear, IEC 61966-2-1. */
function linear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}
