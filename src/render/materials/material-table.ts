import type { Character, CharacterPrimitive } from '../../character/character.ts';
import { takesSecondTexcoords, type MaterialModel, type TextureModel } from '../../character/model.ts';
import { createFilled } from '../../frame/tables/memory.ts';
import { createBindGroup, createBindGroupLayout, View } from '../../layout/index.ts';
import {
  Material,
  MATERIAL_DOUBLE_SIDED,
  MATERIAL_MASKED,
  MATERIAL_UNLIT,
  materialBindings,
  TEXTURE_ARRAY_SHIFT,
  TEXTURE_ARRAYS,
  TEXTURE_CLAMP_S,
  TEXTURE_CLAMP_T,
  TEXTURE_MIRROR_S,
  TEXTURE_MIRROR_T,
  TEXTURE_NONE,
  TEXTURE_SECOND_SET,
  TextureRecord,
} from './layout.ts';
import {
  planTextures,
  TEXTURE_NAMES,
  TEXTURE_SPACES,
  type PlacedImage,
  type TextureName,
  type TexturePlan,
  createTextureArrays,
} from './textures.ts';

/** Materials of all primitives of a renderer's types, in one bind group. */
export interface MaterialTable {
  readonly layout: GPUBindGroupLayout;
  readonly group: GPUBindGroup;
  /** Bound in the group. */
  readonly resources: Readonly<Record<keyof typeof materialBindings.entries, GPUBuffer | GPUTextureView | GPUSampler>>;
  /**
   * Constants for pipelines with a shader that calls `sampleMaterial`: code that no texture needs is not compiled. A
   * shader that calls only `sampleAlpha` has `baseColorTextures` and `secondTexcoords`, and no other.
   */
  readonly constants: Readonly<Record<`${TextureName}s` | 'secondTexcoords', number>>;
  rowOf(character: Character, primitiveIndex: number): number;
  destroy(): void;
}

export const DEFAULT_MATERIAL: MaterialModel = {
  name: 'default',
  baseColor: [1, 1, 1, 1],
  baseColorTexture: undefined,
  metallic: 0,
  roughness: 0.8,
  metallicRoughnessTexture: undefined,
  normalTexture: undefined,
  normalScale: 1,
  occlusionTexture: undefined,
  occlusionStrength: 1,
  emissive: [0, 0, 0],
  emissiveTexture: undefined,
  alphaMode: 'OPAQUE',
  alphaCutoff: 0.5,
  doubleSided: false,
  unlit: false,
};

export function materialOf(
  { materials }: Character,
  { materialIndex }: Pick<CharacterPrimitive, 'materialIndex'>,
): MaterialModel {
  return materials[materialIndex] ?? DEFAULT_MATERIAL;
}

/**
 * Returns true if the material may have holes, which fragments decide. Blended materials are masks where they cannot be
 * blended: in shadows, picks and debug views.
 */
export function isMasked({ alphaMode }: MaterialModel): boolean {
  return alphaMode !== 'OPAQUE';
}

/** Returns true if pictures show the background through it. */
export function isBlended({ alphaMode }: MaterialModel): boolean {
  return alphaMode === 'BLEND';
}

/** Returns true if some primitive of a character is blended. */
export function hasBlended(character: Character): boolean {
  return character.primitives.some((primitive) => isBlended(materialOf(character, primitive)));
}

export function partBit(part: number): [number, number] {
  return part < 32 ? [(1 << part) >>> 0, 0] : [0, (1 << (part - 32)) >>> 0];
}

/**
 * Decodes and uploads the textures of all characters, and a record per primitive of each. Memory: 5.3 bytes per pixel of squares
 * of 256, 512, 1024 or 2048 pixels, at most 2²⁸ pixels; 256 bytes per primitive.
 *
 * @param visibility Shader stages that read it. Each needs a storage buffer, eight textures and four samplers.
 * @throws ManipleError IMAGE_UNDECODABLE
 */
export async function createMaterialTable(
  device: GPUDevice,
  characters: readonly Character[],
  visibility: GPUFlagsConstant,
): Promise<MaterialTable> {
  const plan = planTextures(characters);
  const arrays = await createTextureArrays(device, plan);
  const { rows, constants, rowOf } = materialRows(characters, plan);
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
  const materials = createFilled(device, 'materials', usage, rows.words);
  const layout = createBindGroupLayout(device, 'materials', materialBindings, visibility);
  const texture = (array: number) => arrays[array]!.createView({ dimension: '2d-array' });
  const resources = {
    materials,
    textures0: texture(0),
    textures1: texture(1),
    textures2: texture(2),
    textures3: texture(3),
    textures4: texture(4),
    textures5: texture(5),
    textures6: texture(6),
    textures7: texture(7),
    repeatSampler: createSampler(device, 'repeat', 'repeat'),
    clampSSampler: createSampler(device, 'clamp-to-edge', 'repeat'),
    clampTSampler: createSampler(device, 'repeat', 'clamp-to-edge'),
    clampSampler: createSampler(device, 'clamp-to-edge', 'clamp-to-edge'),
  };
  return {
    layout,
    group: createBindGroup(device, 'materials', layout, materialBindings, resources),
    resources,
    constants,
    rowOf,
    destroy: () => [materials, ...arrays].forEach((owned) => owned.destroy()),
  };
}

export type MaterialRows = ReturnType<typeof materialRows>;

/** The contents of a table, on the CPU side. */
export function materialRows(characters: readonly Character[], plan: TexturePlan) {
  const firstRows = new Map<Character, number>();
  let count = 0;
  for (const character of new Set(characters)) {
    firstRows.set(character, count);
    count += character.primitives.length;
  }
  const rows = new View(Material, Math.max(1, count));
  // kinds of textures in use, a bit each
  const constants = {
    baseColorTextures: 0,
    metallicRoughnessTextures: 0,
    normalTextures: 0,
    occlusionTextures: 0,
    emissiveTextures: 0,
    // 1: some texture is looked up by the second set of texture coordinates
    secondTexcoords: 0,
  };
  for (const [character, first] of firstRows) {
    character.primitives.forEach((primitive, index) => {
      const model = materialOf(character, primitive);
      constants.secondTexcoords |= Number(takesSecondTexcoords(model));
      setMaterial(rows, first + index, model, { part: primitive.part, index });
      for (const name of TEXTURE_NAMES) {
        const texture = model[name];
        const placed = texture && plan.placeOf(character, texture, TEXTURE_SPACES[name]);
        const place = texture && placed ? placeWord(texture, placed) : TEXTURE_NONE;
        setTexture(rows, first + index, name, texture, place);
        if (place !== TEXTURE_NONE) constants[`${name}s`] |= 1 << ((place >>> TEXTURE_ARRAY_SHIFT) & 15);
      }
    });
  }
  const rowOf = (character: Character, primitiveIndex: number) => firstRows.get(character)! + primitiveIndex;
  return { rows, constants, rowOf };
}

type Rows = View<(typeof Material)['fields']>;

function setMaterial(
  rows: Rows,
  row: number,
  model: MaterialModel,
  { part, index }: { readonly part: number; readonly index: number },
): void {
  const masked = isMasked(model);
  const cutoff = isBlended(model) ? 0.5 : model.alphaCutoff;
  rows.assign(row, {
    baseColor: model.baseColor,
    emissive: model.emissive,
    alphaCutoff: masked ? cutoff : -1,
    metallic: model.metallic,
    roughness: model.roughness,
    normalScale: model.normalScale,
    occlusionStrength: model.occlusionStrength,
    part: partBit(part),
    flags:
      (model.unlit ? MATERIAL_UNLIT : 0) |
      (masked ? MATERIAL_MASKED : 0) |
      (model.doubleSided ? MATERIAL_DOUBLE_SIDED : 0),
    primitiveIndex: index,
  });
}

function setTexture(
  rows: Rows,
  row: number,
  name: TextureName,
  texture: TextureModel | undefined,
  place: number,
): void {
  const at = row * Material.size + Material.offsets[name];
  const [uvRow0, uvRow1] = uvRows(texture);
  new View(TextureRecord, rows.words.buffer, at, 1).assign(0, { uvRow0, place, uvRow1 });
}

function placeWord({ wrapS, wrapT, texcoordSet }: TextureModel, { array, layer }: PlacedImage): number {
  return (
    (layer |
      ((array % TEXTURE_ARRAYS) << TEXTURE_ARRAY_SHIFT) |
      (wrapS === 'REPEAT' ? 0 : TEXTURE_CLAMP_S) |
      (wrapT === 'REPEAT' ? 0 : TEXTURE_CLAMP_T) |
      (wrapS === 'MIRROR' ? TEXTURE_MIRROR_S : 0) |
      (wrapT === 'MIRROR' ? TEXTURE_MIRROR_T : 0) |
      (texcoordSet === 1 ? TEXTURE_SECOND_SET : 0)) >>>
    0
  );
}

/** KHR_texture_transform: translation × rotation × scale of (u, v, 1). */
function uvRows(texture: TextureModel | undefined): [number[], number[]] {
  const { offset, scale, rotation } = texture ?? { offset: [0, 0], scale: [1, 1], rotation: 0 };
  const [sine, cosine] = [Math.sin(rotation), Math.cos(rotation)];
  return [
    [cosine * scale[0]!, sine * scale[1]!, offset[0]!],
    [-sine * scale[0]!, cosine * scale[1]!, offset[1]!],
  ];
}

function createSampler(device: GPUDevice, addressModeU: GPUAddressMode, addressModeV: GPUAddressMode): GPUSampler {
  const linear = { magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear' } as const;
  return device.createSampler({ addressModeU, addressModeV, ...linear });
}
