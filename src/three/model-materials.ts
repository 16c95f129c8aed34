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
  RepeatWrapping,
  SRGBColorSpace,
  type Texture,
  Vector2,
} from 'three/webgpu';
import type { Character } from '../character/character.ts';
import type { MaterialModel, TextureModel, Wrap } from '../character/model.ts';
import { threeMaterials } from './material-registry.ts';

const WRAPS: Readonly<
  Record<Wrap, typeof RepeatWrapping | typeof ClampToEdgeWrapping | typeof MirroredRepeatWrapping>
> = { REPEAT: RepeatWrapping, CLAMP: ClampToEdgeWrapping, MIRROR: MirroredRepeatWrapping };

/**
 * three.js materials of characters: the loaded ones if three.js loaded the character, else new ones from the character's file. Images
 * are decoded in the background.
 */
export class ModelMaterials {
  readonly #made = new Map<MaterialModel, Material>();
  readonly #images = new Map<object, Texture[]>();
  readonly #decoding: Promise<void>[] = [];
  #fallback: Material | undefined;

  /** @param onError Called for images that cannot be decoded. Their textures stay white. */
  constructor(private readonly onError: (thrown: unknown) => void) {}

  of(character: Character, materialIndex: number): Material {
    const model = character.materials[materialIndex];
    if (!model) return (this.#fallback ??= new MeshStandardMaterial({ roughness: 1 }));
    const known = threeMaterials.get(model) ?? this.#made.get(model);
    if (known) return known;
    const made = this.#make(character, model);
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
    this.#fallback?.dispose();
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
