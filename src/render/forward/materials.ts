import type { Character, CharacterPrimitive } from '../../asset/character.ts';
import type { MaterialModel, TextureModel } from '../../asset/model.ts';
import { View, createBindGroup } from '../../layout/index.ts';
import { MATERIAL_MASKED, MATERIAL_UNLIT, MaterialUniforms, materialBindings } from './layout.ts';
import { createImageTexture, createTexture, createTextureSampler } from './textures.ts';

/** One primitive ready to be drawn. */
export interface DrawnPrimitive {
  readonly primitive: CharacterPrimitive;
  readonly material: GPUBindGroup;
  readonly doubleSided: boolean;
}

/** What a character type needs to be drawn, and owns. */
export interface DrawnCharacter {
  readonly primitives: readonly DrawnPrimitive[];
  destroy(): void;
}

const DEFAULT_MATERIAL: MaterialModel = {
  name: 'default',
  baseColor: [1, 1, 1, 1],
  baseColorTexture: undefined,
  metallic: 0,
  roughness: 0.8,
  emissive: [0, 0, 0],
  alphaMode: 'OPAQUE',
  alphaCutoff: 0.5,
  doubleSided: false,
  unlit: false,
};

/** Decodes and uploads a character's textures and materials. @throws ManipleError IMAGE_UNDECODABLE */
export async function createDrawnCharacter(
  device: GPUDevice,
  layout: GPUBindGroupLayout,
  character: Character,
): Promise<DrawnCharacter> {
  const used = new Set(character.primitives.map(({ materialIndex }) => materialIndex));
  const images = new Map<number, Promise<GPUTexture>>();
  character.materials.forEach(({ baseColorTexture: texture }, index) => {
    if (!used.has(index) || !texture || images.has(texture.imageIndex)) return;
    images.set(texture.imageIndex, createImageTexture(device, character.images[texture.imageIndex]!));
  });
  const textures = new Map<number, GPUTexture>();
  for (const [index, texture] of images) textures.set(index, await texture);
  const white = createTexture(device, 'white', { width: 1, height: 1, data: Uint8Array.of(255, 255, 255, 255) });
  const buffers: GPUBuffer[] = [];
  const primitives = character.primitives.map((primitive): DrawnPrimitive => {
    const model = character.materials[primitive.materialIndex] ?? DEFAULT_MATERIAL;
    const buffer = uniformBuffer(device, materialUniforms(model, primitive, character));
    buffers.push(buffer);
    const texture = model.baseColorTexture && textures.get(model.baseColorTexture.imageIndex);
    return {
      primitive,
      doubleSided: model.doubleSided,
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

type MaterialView = View<(typeof MaterialUniforms)['fields']>;

function materialUniforms(model: MaterialModel, { part }: CharacterPrimitive, { bounds }: Character): MaterialView {
  const view = new View(MaterialUniforms, 1);
  const masked = model.alphaMode !== 'OPAQUE';
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
    part: part < 32 ? [(1 << part) >>> 0, 0] : [0, (1 << (part - 32)) >>> 0],
    flags: (model.unlit ? MATERIAL_UNLIT : 0) | (masked ? MATERIAL_MASKED : 0),
    contactRadius: 0.75 * Math.min(width!, depth!),
  });
  return view;
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
