import type { ImageModel, MaterialModel, TextureModel, Vec3 } from '../../character/model.ts';
import { formatIssue, quoted } from '../../errors.ts';
import { mimeTypeOf } from '../gltf/images.ts';
import { decodeDataUri, type Resources } from '../gltf/resources.ts';
import { IssueList } from '../model-builder/issue-list.ts';
import type { FbxDocument, FbxObject } from './document.ts';

/** Properties of a material that textures may be connected to. */
const BASE_COLOR = ['DiffuseColor', 'Diffuse', 'Maya|baseColor', '3dsMax|Parameters|base_color_map'];
const NORMAL = ['NormalMap', 'Bump', 'Maya|normalCamera', '3dsMax|Parameters|bump_map'];
const EMISSIVE = ['EmissiveColor', 'Emissive', 'Maya|emissionColor', '3dsMax|Parameters|emit_color_map'];
const DRAWN: ReadonlySet<string> = new Set([...BASE_COLOR, ...NORMAL, ...EMISSIVE]);
const WHITE: Vec3 = [1, 1, 1];
const BLACK: Vec3 = [0, 0, 0];
/** Wrap modes of a texture. */
const WRAP_CLAMP = 1;

/** The materials that nodes use, each once, and their images. */
export class Materials {
  readonly #used: FbxObject[] = [];
  readonly #indexOf = new Map<FbxObject, number>();

  constructor(
    readonly document: FbxDocument,
    readonly resources: Resources,
  ) {}

  /** Indices of a node's materials, in the order that its geometry numbers them. */
  of(model: FbxObject): number[] {
    return model.sourcesOf('Material').map((material) => {
      const index = this.#indexOf.get(material) ?? this.#used.push(material) - 1;
      this.#indexOf.set(material, index);
      return index;
    });
  }

  /** Which of a node's materials have a normal map. */
  normalMaps(model: FbxObject): boolean[] {
    return model
      .sourcesOf('Material')
      .map(({ sources }) => sources.some(({ property }) => NORMAL.includes(property ?? '')));
  }

  /** Reads all materials that were asked for. Nothing is an error: looks move no vertex. */
  async read(): Promise<{ materials: MaterialModel[]; images: ImageModel[] }> {
    const images = new TextureReader(this.document, this.resources);
    const materials: MaterialModel[] = [];
    for (const material of this.#used) materials.push(await readMaterial(material, images));
    return { materials, images: images.list };
  }
}

/** A Lambert or Phong material as metallic-roughness. Colours are taken as linear, as Blender writes them. */
async function readMaterial(material: FbxObject, images: TextureReader): Promise<MaterialModel> {
  const texture = async (properties: readonly string[]) => {
    const found = material.sources.find(({ property }) => properties.includes(property ?? ''));
    return found && images.read(found.object);
  };
  const baseColorTexture = await texture(BASE_COLOR);
  for (const { object, property } of material.sources) {
    if (object.kind !== 'Texture' || DRAWN.has(property ?? '')) continue;
    images.ignore(object, `textures of ${quoted(property)} are not drawn`);
  }
  const factor = material.number('DiffuseFactor', 1);
  const color = material.vector('DiffuseColor', material.vector('Maya|baseColor', WHITE));
  const emissiveFactor = material.number('EmissiveFactor', 1);
  const emissive = material.vector('EmissiveColor', BLACK);
  // a texture replaces the colour that it is connected to
  const [r, g, b] = baseColorTexture ? WHITE : (color.map((value) => value * factor) as unknown as Vec3);
  const opacity = opacityOf(material);
  return {
    name: material.name,
    baseColor: [r, g, b, opacity],
    baseColorTexture,
    metallic: 0,
    roughness: roughnessOf(material),
    metallicRoughnessTexture: undefined,
    normalTexture: await texture(NORMAL),
    normalScale: 1,
    occlusionTexture: undefined,
    occlusionStrength: 1,
    emissive: emissive.map((value) => value * emissiveFactor) as unknown as Vec3,
    emissiveTexture: await texture(EMISSIVE),
    alphaMode: opacity < 1 ? 'BLEND' : 'OPAQUE',
    alphaCutoff: 0.5,
    doubleSided: false,
    unlit: false,
  };
}

/** Opacity, else what TransparencyFactor leaves of TransparentColor. Files with both often have only one that is right. */
function opacityOf(material: FbxObject): number {
  const color = material.vector('TransparentColor', WHITE);
  const transparency = material.number('TransparencyFactor', 0) * ((color[0] + color[1] + color[2]) / 3);
  const opacity = material.property('Opacity') ? material.number('Opacity', 1) : 1 - transparency;
  return Math.min(1, Math.max(0, opacity));
}

/** The roughness with a highlight as wide as that of a Phong exponent: α² = 2 / (n + 2), α = roughness². */
function roughnessOf(material: FbxObject): number {
  if (!material.property('Shininess') && !material.property('ShininessExponent')) return 1;
  const exponent = Math.max(0, material.number('Shininess', material.number('ShininessExponent', 0)));
  return (2 / (exponent + 2)) ** 0.25;
}

class TextureReader {
  readonly list: ImageModel[] = [];
  readonly #imageOf = new Map<FbxObject, number | undefined>();
  #bytesLeft: number;

  constructor(
    readonly document: FbxDocument,
    readonly resources: Resources,
  ) {
    this.#bytesLeft = document.limits.fileBytes;
  }

  ignore(object: FbxObject, why: string): undefined {
    this.document.issues.warn('GLTF_TEXTURE_IGNORED', object.place, why, 'The material is drawn without it.');
  }

  async read(object: FbxObject): Promise<TextureModel | undefined> {
    // of several layers the first one with an image
    const layers = object.kind === 'LayeredTexture' ? object.sourcesOf('Texture') : [object];
    if (layers.length > 1) this.ignore(object, `of ${layers.length} layers of the texture only the first is drawn`);
    const [texture] = layers;
    if (texture?.kind !== 'Texture') return undefined;
    const imageIndex = await this.#image(texture);
    if (imageIndex === undefined) return undefined;
    const [u, v] = texture.vector('Translation', BLACK);
    const [scaleU, scaleV] = texture.vector('Scaling', WHITE);
    if (u !== 0 || v !== 0 || scaleU !== 1 || scaleV !== 1 || texture.vector('Rotation', BLACK)[2] !== 0) {
      const message = 'the texture is moved, scaled or turned, which has no effect';
      this.document.issues.warn('FBX_IGNORED', texture.place, message);
    }
    const wrap = (name: string) => (texture.number(name, 0) === WRAP_CLAMP ? 'CLAMP' : 'REPEAT');
    return {
      imageIndex,
      offset: [0, 0],
      scale: [1, 1],
      rotation: 0,
      wrapS: wrap('WrapModeU'),
      wrapT: wrap('WrapModeV'),
    };
  }

  async #image(texture: FbxObject): Promise<number | undefined> {
    const [video] = texture.sourcesOf('Video');
    const source = video ?? texture;
    if (!this.#imageOf.has(source)) this.#imageOf.set(source, await this.#load(source, texture));
    return this.#imageOf.get(source);
  }

  async #load(source: FbxObject, texture: FbxObject): Promise<number | undefined> {
    const names = [source, texture].flatMap(({ node }) =>
      ['RelativeFilename', 'FileName', 'Filename'].flatMap((name) => node.childText(name) || []),
    );
    const bytes = embeddedBytes(source) ?? (await this.#external(texture, names));
    if (!bytes) return undefined;
    const mimeType = mimeTypeOf(bytes);
    const name = (names[0] ?? source.name).split(/[/\\]/).at(-1) ?? '';
    if (!mimeType) {
      return this.ignore(texture, `the image ${quoted(name)} is not a PNG, JPEG, WebP or KTX2`);
    }
    if (bytes.byteLength > this.#bytesLeft) {
      return this.ignore(texture, `with it, the images have more than ${this.document.limits.fileBytes} bytes`);
    }
    this.#bytesLeft -= bytes.byteLength;
    return this.list.push({ name: name.replace(/\.[^.]*$/, ''), mimeType, bytes: bytes.slice() }) - 1;
  }

  /** A file in the model's folder or below: by its relative path, else by its name. */
  async #external(texture: FbxObject, names: readonly string[]): Promise<Uint8Array | undefined> {
    const paths = names.map((name) => name.replaceAll('\\', '/'));
    const isInside = (path: string) => !/^[/\\]|^[^/]*:|(^|\/)\.\.(\/|$)/.test(path);
    const candidates = [...paths.filter(isInside), ...paths.map((path) => path.split('/').at(-1)!)];
    if (candidates.length === 0) return this.ignore(texture, 'the texture has neither data nor a file name');
    let found = new IssueList();
    for (const path of new Set(candidates)) {
      if (path === '') continue;
      found = new IssueList();
      const uri = path.split('/').map(encodeURIComponent).join('/');
      const bytes = await this.resources.read(uri, texture.place, found);
      if (bytes) return bytes;
    }
    for (const issue of found.list()) this.ignore(texture, formatIssue(issue));
    return undefined;
  }
}

/** The bytes of a file inside the FBX: in binary as they are, in ASCII in base64. */
function embeddedBytes({ node }: FbxObject): Uint8Array | undefined {
  const values = node.child('Content')?.values ?? [];
  const [first] = values;
  if (first instanceof Uint8Array) return first.length > 0 ? first : undefined;
  const text = values.filter((value) => typeof value === 'string').join('');
  return text === '' ? undefined : decodeDataUri(`data:;base64,${text.replaceAll(/\s/g, '')}`);
}
