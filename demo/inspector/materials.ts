import {
  ClampToEdgeWrapping,
  DataTexture,
  DoubleSide,
  FrontSide,
  LinearFilter,
  LinearMipmapLinearFilter,
  LinearSRGBColorSpace,
  type Material,
  MeshBasicMaterial,
  MeshStandardMaterial,
  MirroredRepeatWrapping,
  RepeatWrapping,
  SRGBColorSpace,
  type Texture,
} from 'three/webgpu';
import type { Character, ImageModel, MaterialModel, TextureModel, Wrap } from '../../src/character/index.ts';
import { decodeImage } from '../../src/render/index.ts';
import { type Issue, issuesOf } from '../../src/errors.ts';

const WRAPS = {
  REPEAT: RepeatWrapping,
  CLAMP: ClampToEdgeWrapping,
  MIRROR: MirroredRepeatWrapping,
} as const satisfies Record<Wrap, number>;

const MOST_METAL = 0.5;

/** Creates a three.js material per primitive of a character. Images that cannot be decoded are left out and reported. */
export async function materialsOf(
  { materials, images, primitives }: Character,
  issues: Issue[],
): Promise<{ materials: Material[]; dispose: () => void }> {
  const decoded = await Promise.all(images.map((image, index) => decode(image, index, issues)));
  const textures = new Set<Texture>();
  const texture = (model: TextureModel | undefined, isColour: boolean): Texture | null => {
    const image = model && decoded[model.imageIndex];
    if (!image) return null;
    const made = textureOf(model, image, isColour);
    textures.add(made);
    return made;
  };
  const made = materials.map((model) => materialOf(model, texture));
  const plain = new MeshStandardMaterial({ vertexColors: true, roughness: 1 });
  const all = [...made, plain];
  return {
    materials: primitives.map(({ materialIndex }) => made[materialIndex] ?? plain),
    dispose: () => [...all, ...textures].forEach((each) => each.dispose()),
  };
}

type Decoded = Awaited<ReturnType<typeof decodeImage>>;

async function decode(image: ImageModel, index: number, issues: Issue[]): Promise<Decoded | undefined> {
  try {
    return await decodeImage(image.bytes, image.mimeType, `images/${index}`);
  } catch (thrown) {
    issues.push(...issuesOf(thrown).map((issue): Issue => ({ ...issue, severity: 'warning' })));
    return undefined;
  }
}

function textureOf(model: TextureModel, { data, width, height }: Decoded, isColour: boolean): Texture {
  const made = new DataTexture(data as Uint8Array<ArrayBuffer>, width, height);
  made.colorSpace = isColour ? SRGBColorSpace : LinearSRGBColorSpace;
  made.wrapS = WRAPS[model.wrapS];
  made.wrapT = WRAPS[model.wrapT];
  made.offset.set(...model.offset);
  made.repeat.set(...model.scale);
  made.rotation = model.rotation;
  made.magFilter = LinearFilter;
  made.minFilter = LinearMipmapLinearFilter;
  made.generateMipmaps = true;
  made.anisotropy = 4;
  made.needsUpdate = true;
  return made;
}

type MakeTexture = (model: TextureModel | undefined, isColour: boolean) => Texture | null;

/** Converts a material as our renderers do: blended materials use alpha cutout. */
function materialOf(model: MaterialModel, texture: MakeTexture): Material {
  const [red, green, blue] = model.baseColor;
  const shared = {
    vertexColors: true,
    side: model.doubleSided ? DoubleSide : FrontSide,
    map: texture(model.baseColorTexture, true),
    alphaTest: model.alphaMode === 'OPAQUE' ? 0 : model.alphaCutoff,
  };
  const made = model.unlit
    ? new MeshBasicMaterial(shared)
    : new MeshStandardMaterial({
        ...shared,
        // pure metal would be black, because there are no surroundings to reflect
        metalness: Math.min(MOST_METAL, model.metallic),
        roughness: model.roughness,
        metalnessMap: texture(model.metallicRoughnessTexture, false),
        roughnessMap: texture(model.metallicRoughnessTexture, false),
        normalMap: texture(model.normalTexture, false),
        aoMap: texture(model.occlusionTexture, false),
        aoMapIntensity: model.occlusionStrength,
        emissiveMap: texture(model.emissiveTexture, true),
      });
  made.color.setRGB(red, green, blue);
  if (made instanceof MeshStandardMaterial) {
    made.emissive.setRGB(...model.emissive);
    made.normalScale.setScalar(model.normalScale);
  }
  return made;
}
