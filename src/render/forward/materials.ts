import type { Character, CharacterPrimitive } from '../../asset/character.ts';
import type { MaterialModel, TextureModel } from '../../asset/model.ts';
import { View, createBindGroup } from '../../layout/index.ts';
import { readImageHeader } from '../images/header.ts';
import { undecodable } from '../images/image.ts';
import { MATERIAL_MASKED, MATERIAL_UNLIT, MaterialUniforms, materialBindings } from './layout.ts';
import { createImageTexture, createTexture, createTextureSampler } from './textures.ts';

/** One primitive ready to be drawn. */
export interface DrawnPrimitive {
  readonly primitive: CharacterPrimitive;
  readonly material: GPUBindGroup;
  readonly doubleSided: boolean;
  /** It may have holes: fragments decide where it is. */
  readonly masked: boolean;
}

/** What a character type needs to be drawn, and owns. */
export interface DrawnCharacter {
  readonly primitives: readonly DrawnPrimitive[];
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

/** Pixels of all textures of a renderer together: 1.4 GB on the GPU, with their smaller levels. */
const MAX_TEXTURE_PIXELS = 2 ** 28;

/**
 * Whether the characters' textures stay within a total, asked before any of them is decoded.
 * @throws ManipleError IMAGE_UNDECODABLE
 */
export function checkTexturePixels(characters: readonly Character[], limit: number = MAX_TEXTURE_PIXELS): void {
  let total = 0;
  for (const character of characters) {
    for (const index of textureImages(character)) {
      const { name, bytes, mimeType } = character.images[index]!;
      const { width, height } = readImageHeader(bytes, mimeType, name);
      total += width * height;
    }
  }
  if (total <= limit) return;
  const names = characters.map(({ name }) => name).join(', ');
  const suggestion = 'Scale the textures down, or draw fewer types of characters.';
  undecodable(names, `its textures have ${total} pixels together; the limit is ${limit}.`, suggestion);
}

/** The images that primitives show, each once. */
function textureImages({ primitives, materials }: Character): Set<number> {
  const textures = primitives.map(({ materialIndex }) => materials[materialIndex]?.baseColorTexture);
  return new Set(textures.flatMap((texture) => texture?.imageIndex ?? []));
}

/**
 * Decodes and uploads a character's textures, one after the other, and its materials.
 * @throws ManipleError IMAGE_UNDECODABLE
 */
export async function createDrawnCharacter(
  device: GPUDevice,
  layout: GPUBindGroupLayout,
  character: Character,
): Promise<DrawnCharacter> {
  const textures = new Map<number, GPUTexture>();
  for (const index of textureImages(character)) {
    textures.set(index, await createImageTexture(device, character.images[index]!));
  }
  const white = createTexture(device, 'white', { width: 1, height: 1, data: Uint8Array.of(255, 255, 255, 255) });
  const buffers: GPUBuffer[] = [];
  const primitives = character.primitives.map((primitive, index): DrawnPrimitive => {
    const model = character.materials[primitive.materialIndex] ?? DEFAULT_MATERIAL;
    const buffer = uniformBuffer(device, materialUniforms(model, character, index));
    buffers.push(buffer);
    const texture = model.baseColorTexture && textures.get(model.baseColorTexture.imageIndex);
    return {
      primitive,
      doubleSided: model.doubleSided,
      masked: isMasked(model),
      material: createBindGroup(device, model.name, layout, materialBindings, {
        material: buffer,
        baseColorTexture: (texture ?? white).createView(),
        baseColorSampler: createTextureSampler(device, model.baseColorTexture),
      }),
    };
  });
  return {
    primitives,
    destroy: () => [...buffers, ...textures.values(), white].forEach((owned) => owned.destroy()),
  };
}

const isMasked = ({ alphaMode }: MaterialModel) => alphaMode !== 'OPAQUE';

type MaterialView = View<(typeof MaterialUniforms)['fields']>;

function materialUniforms(model: MaterialModel, { bounds, primitives, parts }: Character, index: number): MaterialView {
  const { part } = primitives[index]!;
  const view = new View(MaterialUniforms, 1);
  const masked = isMasked(model);
  const cutoff = model.alphaMode === 'BLEND' ? 0.5 : model.alphaCutoff;
  const [row0, row1] = uvRows(model.baseColorTexture);
  const [width, depth] = [0, 2].map((axis) => bounds.max[axis]! - bounds.min[axis]!);
  view.assign(0, {
    baseColor: model.baseColor,
    emissive: model.emissive,
    alphaCutoff: masked ? cutoff : -1,
    uvRow0: row0,
    metallic: model.metallic,
    uvRow1: row1,
    roughness: model.roughness,
    part: partBit(part),
    characterParts: [0, 1].map((word) => parts.reduce((bits, _, p) => (bits | partBit(p)[word]!) >>> 0, 0)),
    flags: (model.unlit ? MATERIAL_UNLIT : 0) | (masked ? MATERIAL_MASKED : 0),
    contactRadius: 0.75 * Math.min(width!, depth!),
    primitiveIndex: index,
  });
  return view;
}

/** The bit of a part, in two words. */
function partBit(part: number): [number, number] {
  return part < 32 ? [(1 << part) >>> 0, 0] : [0, (1 << (part - 32)) >>> 0];
}

/** KHR_texture_transform: translation × rotation × scale of (u, v, 1). */
function uvRows(texture: TextureModel | undefined): [number[], number[]] {
  if (!texture) {
    return [
      [1, 0, 0],
      [0, 1, 0],
    ];
  }
  const { offset, scale, rotation } = texture;
  const [sine, cosine] = [Math.sin(rotation), Math.cos(rotation)];
  return [
    [cosine * scale[0], sine * scale[1], offset[0]],
    [-sine * scale[0], cosine * scale[1], offset[1]],
  ];
}

export function uniformBuffer(device: GPUDevice, { words }: MaterialView): GPUBuffer {
  const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
  const buffer = device.createBuffer({ label: 'material', size: words.byteLength, usage });
  device.queue.writeBuffer(buffer, 0, words);
  return buffer;
}
