import type { MaterialModel, TextureModel, Vec3, Vec4, Wrap } from '../../character/model.ts';
import { imageOfTexture, type Images } from './images.ts';
import { pointer } from '../model-builder/issue-list.ts';
import { isUsable } from '../model-builder/limits.ts';
import { type CheckedGltf, extensionOf, nameOf } from './schema.ts';
import { isObject } from '../../forms/rules.ts';
import type { GltfFile } from './decode.ts';

/**
 * Reads all materials of the file, keeping their order. Nothing here is an error: looks move no vertex, so whatever
 * cannot be understood takes glTF's default.
 */
export async function readMaterials(file: GltfFile, images: Images) {
  const materials: MaterialModel[] = [];
  for (const [index, definition] of (file.json.materials ?? []).entries()) {
    materials.push(await readMaterial(file, definition, index, images));
  }
  return { materials, images: images.list };
}

async function readMaterial(
  file: GltfFile,
  definition: unknown,
  index: number,
  images: Images,
): Promise<MaterialModel> {
  const path = pointer('materials', index);
  const material = isObject(definition) ? definition : {};
  const base = baseColorOf(definition);
  const sets = texcoordSets(file.json, index);
  const read = (info: unknown, at: string) => readTexture(file, info, { path: `${path}${at}`, sets }, images);
  const alphaMode = (['MASK', 'BLEND'] as const).find((mode) => mode === material.alphaMode) ?? 'OPAQUE';
  if (alphaMode === 'BLEND') {
    const message =
      'blended surfaces are not sorted: where several lie over each other, their mean by weight shows; in three.js, and in shadows, it is a mask that discards below one half';
    file.issues.info('GLTF_MATERIAL_SIMPLIFIED', `${path}/alphaMode`, message);
  }
  if (base.isSpecular) {
    const message = 'specular-glossiness is drawn with only its diffuse colour and glossiness';
    file.issues.info('GLTF_MATERIAL_SIMPLIFIED', path, message);
  }
  const strength = factor(extensionOf(definition, 'KHR_materials_emissive_strength')?.emissiveStrength, 1);
  const emissive = factors(material.emissiveFactor, [0, 0, 0]).map((value) => value * strength);
  return {
    name: nameOf(definition),
    baseColor: factors(base.factor, [1, 1, 1, 1]) as unknown as Vec4,
    baseColorTexture: await read(base.texture, base.texturePath),
    metallic: base.metallic,
    roughness: base.roughness,
    metallicRoughnessTexture: await read(base.metallicRoughnessTexture, METALLIC_ROUGHNESS_PATH),
    normalTexture: await read(material.normalTexture, '/normalTexture'),
    normalScale: ofTexture(material.normalTexture, 'scale'),
    occlusionTexture: await read(material.occlusionTexture, '/occlusionTexture'),
    occlusionStrength: ofTexture(material.occlusionTexture, 'strength'),
    emissive: emissive as unknown as Vec3,
    emissiveTexture: await read(material.emissiveTexture, '/emissiveTexture'),
    alphaMode,
    alphaCutoff: factor(material.alphaCutoff, 0.5),
    doubleSided: material.doubleSided === true,
    unlit: isObject(extensionOf(definition, 'KHR_materials_unlit')),
  };
}

const METALLIC_ROUGHNESS_PATH = '/pbrMetallicRoughness/metallicRoughnessTexture';

function ofTexture(info: unknown, name: 'scale' | 'strength'): number {
  return factor(isObject(info) ? info[name] : undefined, 1);
}

/** Where a material keeps its base colour: in metallic-roughness, else in the older specular-glossiness. */
function baseColorOf(definition: unknown) {
  const pbr = isObject(definition) && isObject(definition.pbrMetallicRoughness) ? definition.pbrMetallicRoughness : {};
  const specular = extensionOf(definition, 'KHR_materials_pbrSpecularGlossiness');
  if (specular && pbr.baseColorTexture === undefined && pbr.baseColorFactor === undefined) {
    return {
      factor: specular.diffuseFactor,
      texture: specular.diffuseTexture,
      texturePath: '/extensions/KHR_materials_pbrSpecularGlossiness/diffuseTexture',
      metallicRoughnessTexture: undefined,
      metallic: 0,
      roughness: 1 - factor(specular.glossinessFactor, 1),
      isSpecular: true,
    };
  }
  return {
    factor: pbr.baseColorFactor,
    texture: pbr.baseColorTexture,
    texturePath: '/pbrMetallicRoughness/baseColorTexture',
    metallicRoughnessTexture: pbr.metallicRoughnessTexture,
    metallic: factor(pbr.metallicFactor, 1),
    roughness: factor(pbr.roughnessFactor, 1),
    isSpecular: false,
  };
}

/**
 * The sets of texture coordinates that a material is looked up by, rising, of which meshes have two: those of its first
 * textures, with the base colour before all others.
 */
export function texcoordSets(
  { materials }: CheckedGltf,
  materialIndex: number | undefined,
): [first: number, second?: number] {
  const definition = materialIndex === undefined ? undefined : materials?.[materialIndex];
  const { texture, metallicRoughnessTexture } = baseColorOf(definition);
  const { normalTexture, occlusionTexture, emissiveTexture } = isObject(definition) ? definition : {};
  const all = [texture, metallicRoughnessTexture, normalTexture, emissiveTexture, occlusionTexture];
  const [first = 0, second] = new Set(all.filter(isObject).map(texcoordSetOf));
  if (second === undefined) return [first];
  return first < second ? [first, second] : [second, first];
}

/** Which of them a material's normal map is looked up by; undefined without one, or by another set. */
export function normalMapSet(json: CheckedGltf, materialIndex: number | undefined): 0 | 1 | undefined {
  const definition = materialIndex === undefined ? undefined : json.materials?.[materialIndex];
  const texture = isObject(definition) ? definition.normalTexture : undefined;
  return isObject(texture) ? placeOfSet(texture, texcoordSets(json, materialIndex)) : undefined;
}

function placeOfSet(texture: unknown, sets: readonly (number | undefined)[]): 0 | 1 | undefined {
  const place = sets.indexOf(texcoordSetOf(texture));
  return place === 0 || place === 1 ? place : undefined;
}

function texcoordSetOf(texture: unknown): number {
  if (!isObject(texture)) return 0;
  const set = extensionOf(texture, 'KHR_texture_transform')?.texCoord ?? texture.texCoord;
  return Number.isSafeInteger(set) && (set as number) >= 0 ? (set as number) : 0;
}

async function readTexture(
  { json, issues }: GltfFile,
  info: unknown,
  { path, sets }: { readonly path: string; readonly sets: readonly (number | undefined)[] },
  images: Images,
): Promise<TextureModel | undefined> {
  if (info === undefined) return undefined;
  const index = isObject(info) ? info.index : undefined;
  const texture = typeof index === 'number' ? json.textures?.[index] : undefined;
  if (!isObject(texture)) {
    issues.warn('GLTF_TEXTURE_IGNORED', path, 'the texture does not exist');
    return undefined;
  }
  const texcoordSet = placeOfSet(info, sets);
  if (texcoordSet === undefined) {
    const message = `the texture is looked up by set ${texcoordSetOf(info)} of texture coordinates, others of the material by sets ${sets.join(' and ')}; it is ignored`;
    issues.info('GLTF_MATERIAL_SIMPLIFIED', path, message);
    return undefined;
  }
  const imageIndex = await imageOfTexture(texture, pointer('textures', String(index)), images);
  if (imageIndex === undefined) return undefined;
  const sampler = typeof texture.sampler === 'number' ? json.samplers?.[texture.sampler] : undefined;
  const { wrapS, wrapT } = isObject(sampler) ? sampler : {};
  const transform = extensionOf(info, 'KHR_texture_transform') ?? {};
  return {
    imageIndex,
    offset: factors(transform.offset, [0, 0]) as [number, number],
    scale: factors(transform.scale, [1, 1]) as [number, number],
    rotation: factor(transform.rotation, 0),
    wrapS: WRAPS.get(wrapS) ?? 'REPEAT',
    wrapT: WRAPS.get(wrapT) ?? 'REPEAT',
    ...(texcoordSet === 1 ? { texcoordSet } : {}),
  };
}

const WRAPS: ReadonlyMap<unknown, Wrap> = new Map<unknown, Wrap>([
  [10497, 'REPEAT'],
  [33071, 'CLAMP'],
  [33648, 'MIRROR'],
]);

function factor(value: unknown, fallback: number): number {
  return typeof value === 'number' && isUsable(value) ? value : fallback;
}

function factors(value: unknown, fallback: readonly number[]): number[] {
  return fallback.map((each, i) => (Array.isArray(value) ? factor(value[i], each) : each));
}
