import {
  ClampToEdgeWrapping,
  DataTexture,
  DoubleSide,
  FrontSide,
  LinearFilter,
  LinearMipmapLinearFilter,
  type Material,
  MeshBasicMaterial,
  MeshStandardMaterial,
  MirroredRepeatWrapping,
  NoColorSpace,
  type Node,
  type NodeMaterial,
  NormalBlending,
  RepeatWrapping,
  SRGBColorSpace,
  type Texture,
  Vector2,
  type WebGPURenderer,
  type Wrapping,
} from 'three/webgpu';
import { bool, float, materialOpacity } from 'three/tsl';
import type { Character } from '../character/character.ts';
import type { MaterialModel, TextureModel, Wrap } from '../character/model.ts';
import { nodeMaterialOf } from './internals.ts';
import { threeMaterials } from './sources.ts';

const WRAPS: Readonly<Record<Wrap, Wrapping>> = {
  REPEAT: RepeatWrapping,
  CLAMP: ClampToEdgeWrapping,
  MIRROR: MirroredRepeatWrapping,
};

/**
 * three.js materials of characters: the loaded ones if three.js loaded the character, else new ones from the character's file. Images
 * are decoded in the background.
 */
export class ModelMaterials {
  readonly #made = new Map<MaterialModel | undefined, Material>();
  readonly #images = new Map<object, Texture[]>();
  readonly #decoding: Promise<void>[] = [];

  /** @param onError Called for images that cannot be decoded. Their textures stay white. */
  constructor(private readonly onError: (thrown: unknown) => void) {}

  of(character: Character, materialIndex: number): Material {
    const model = character.materials[materialIndex];
    const known = (model && threeMaterials.get(model)) ?? this.#made.get(model);
    if (known) return known;
    const made = model ? this.#make(character, model) : new MeshStandardMaterial({ roughness: 1 });
    this.#made.set(model, made);
    return made;
  }

  /** Resolves when all images are decoded or have failed. */
  async ready(): Promise<void> {
    await Promise.all(this.#decoding);
  }

  dispose(): void {
    this.#made.forEach((material) => material.dispose());
    this.#images.forEach((textures) => textures.forEach((texture) => texture.dispose()));
  }

  #make(character: Character, model: MaterialModel): Material {
    const [red, green, blue, alpha] = model.baseColor;
    const textured = (texture: TextureModel | undefined, isColor = false) =>
      texture ? this.#texture(character, texture, isColor) : null;
    const material = model.unlit ? new MeshBasicMaterial() : new MeshStandardMaterial();
    material.name = model.name;
    material.color.setRGB(red, green, blue);
    material.opacity = alpha;
    material.map = textured(model.baseColorTexture, true);
    material.side = model.doubleSided ? DoubleSide : FrontSide;
    material.vertexColors = true; // no effect without colours
    if (model.alphaMode === 'MASK') material.alphaTest = model.alphaCutoff;
    if (model.alphaMode === 'BLEND') material.alphaTest = 0.5;
    if (material instanceof MeshStandardMaterial) {
      material.metalness = model.metallic;
      material.roughness = model.roughness;
      material.metalnessMap = material.roughnessMap = textured(model.metallicRoughnessTexture);
      material.normalMap = textured(model.normalTexture);
      material.normalScale = new Vector2(model.normalScale, model.normalScale);
      material.aoMap = textured(model.occlusionTexture);
      material.aoMapIntensity = model.occlusionStrength;
      material.emissive.setRGB(...model.emissive);
      material.emissiveMap = textured(model.emissiveTexture, true);
    }
    return material;
  }

  #texture({ images }: Character, model: TextureModel, isColor: boolean): Texture {
    const image = images[model.imageIndex]!;
    // one white texel until the image is decoded
    const texture = new DataTexture(new Uint8Array([255, 255, 255, 255]), 1, 1);
    texture.name = image.name;
    texture.colorSpace = isColor ? SRGBColorSpace : NoColorSpace;
    texture.wrapS = WRAPS[model.wrapS];
    texture.wrapT = WRAPS[model.wrapT];
    texture.magFilter = LinearFilter;
    texture.minFilter = LinearMipmapLinearFilter;
    texture.generateMipmaps = true;
    texture.offset.set(...model.offset);
    texture.repeat.set(...model.scale);
    texture.rotation = model.rotation;
    texture.channel = model.texcoordSet ?? 0;
    texture.needsUpdate = true;
    const waiting = this.#images.get(image);
    if (waiting) waiting.push(texture);
    else {
      const textures = [texture];
      this.#images.set(image, textures);
      this.#decoding.push(decode(image, textures).catch(this.onError));
    }
    return texture;
  }
}

async function decode(image: Character['images'][number], textures: readonly Texture[]): Promise<void> {
  const { decodeImage } = await import('../render/images/index.ts');
  const { data, width, height } = await decodeImage(image.bytes, image.mimeType, image.name);
  for (const texture of textures) {
    texture.dispose(); // because its size changes
    texture.image = { data, width, height };
    texture.needsUpdate = true;
  }
}

/** Builds a position node from the material's own one. */
type PositionNode = (ofMaterial: Node | null | undefined) => Node<'vec3'>;
type Source = Material &
  Partial<Readonly<Record<'positionNode' | 'opacityNode' | 'maskNode' | 'maskShadowNode', Node | null>>>;

/**
 * Copy of a material for a crowd, with its own position node, and opacity multiplied by `alpha`. It is drawn where `mask` is true,
 * except in shadow maps. It shares colours and textures with the original. `follow` copies all other changes.
 */
export class FollowedMaterial {
  readonly material: NodeMaterial;
  readonly #source: Source;
  readonly #position: PositionNode;
  readonly #alpha: Node<'float'> | undefined;
  readonly #mask: Node<'bool'> | undefined;
  #version: number;
  #madeOf: readonly unknown[] | undefined;

  constructor(
    renderer: WebGPURenderer,
    source: Material,
    position: PositionNode,
    alpha?: Node<'float'>,
    mask?: Node<'bool'>,
  ) {
    this.#source = source;
    this.#position = position;
    this.#alpha = alpha;
    this.#mask = mask;
    const node = nodeMaterialOf(renderer, source);
    this.material = node === source ? node.clone() : node;
    this.#copy();
    this.#version = source.version;
    this.#place();
  }

  /** Copies changes of the original since the last frame. Cheap if nothing has changed. */
  follow(): void {
    const isStructural = this.#copy();
    const { version } = this.#source;
    const isStale = isStructural || version !== this.#version;
    this.#version = version;
    if (this.#place() || isStale) this.material.needsUpdate = true;
  }

  dispose(): void {
    this.material.dispose();
  }

  #copy(): boolean {
    return copyMaterial(this.#source, this.material, this.#mask && MASKS);
  }

  /** Updates the nodes from the original's. Returns true if they have changed, which means new shaders. */
  #place(): boolean {
    const { positionNode, opacityNode, maskNode, maskShadowNode } = this.#source;
    const isSeen = this.#alpha !== undefined && showsOpacity(this.#source);
    const masks = this.#mask && [maskNode, maskShadowNode];
    const madeOf = [positionNode, opacityNode, isSeen, ...(masks ?? [])];
    if (madeOf.every((part, i) => part === this.#madeOf?.[i])) return false;
    this.#madeOf = madeOf;
    this.material.positionNode = this.#position(positionNode);
    const opacity = opacityNode ? float(opacityNode as Node<'float'>) : materialOpacity;
    this.material.opacityNode = isSeen ? opacity.mul(this.#alpha!) : (opacityNode ?? null);
    if (this.#mask) {
      this.material.maskNode = maskNode ? this.#mask.and(maskNode as Node<'bool'>) : this.#mask;
      // a mask of the original counts in shadow maps, too; without one three.js would take that of the picture
      this.material.maskShadowNode = maskShadowNode ?? maskNode ?? bool(true);
    }
    return true;
  }
}

/** Returns true if opacity has an effect. three.js sets it to 1 in opaque materials. */
function showsOpacity({ transparent, blending, alphaTest, alphaHash, alphaToCoverage }: Material): boolean {
  return transparent || blending !== NormalBlending || alphaTest > 0 || alphaHash || alphaToCoverage;
}

type Values = Record<string, unknown>;

/** Fields that are not copied where the crowd has a mask. */
const MASKS: ReadonlySet<string> = new Set(['maskNode', 'maskShadowNode']);

/** Fields that are not copied. */
const OWN: ReadonlySet<string> = new Set([
  'id',
  'uuid',
  'type',
  'version',
  'userData',
  'positionNode',
  'opacityNode',
  '_listeners',
]);

/**
 * Copies fields, objects by reference. Returns true if a changed field may affect shaders: anything except a number.
 * @param own Further fields that are not copied.
 */
export function copyMaterial(from: Material, to: Material, own?: ReadonlySet<string>): boolean {
  const [source, target] = [from as unknown as Values, to as unknown as Values];
  let isStructural = false;
  // runs for every material in every frame, so it makes no list of keys
  for (const key in source) {
    const value = source[key];
    if (value === target[key] || OWN.has(key) || own?.has(key) || !Object.hasOwn(source, key)) continue;
    if (typeof value !== 'number') isStructural = true;
    target[key] = value;
  }
  return isStructural;
}
