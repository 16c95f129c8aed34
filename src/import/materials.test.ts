import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { codesOf, type Entry, GltfBuilder, importBuilt } from '../../test/import/build-gltf.ts';
import { importFile } from '../../test/import/pose-model.ts';
import { noShared, shared } from '../../test/support/setup.ts';
import type { MeshModel } from '../character/model.ts';

/** The first bytes of each format: nothing here decodes images. */
const HEADS = {
  'image/png': [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  'image/jpeg': [0xff, 0xd8, 0xff, 0xe0],
  'image/webp': [0x52, 0x49, 0x46, 0x46, 0, 0, 0, 0, 0x57, 0x45, 0x42, 0x50],
  'image/ktx2': [0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a],
} as const;

function withMaterial(
  material: Entry,
  attributes: (gltf: GltfBuilder) => Record<string, number> = () => ({}),
): GltfBuilder {
  const gltf = new GltfBuilder();
  gltf.materials.push(material);
  gltf.meshNode([gltf.triangle(attributes(gltf), { material: 0 })]);
  return gltf;
}

const textured = (info: Entry = {}): Entry => ({ pbrMetallicRoughness: { baseColorTexture: { index: 0, ...info } } });

function addImage(gltf: GltfBuilder, type: keyof typeof HEADS = 'image/png'): number {
  return gltf.images.push({ name: type, bufferView: gltf.view(new Uint8Array(HEADS[type])), mimeType: type }) - 1;
}

describe('materials', () => {
  it('have glTF defaults', async () => {
    expect((await importBuilt(withMaterial({}))).materials).toEqual([
      {
        name: '',
        baseColor: [1, 1, 1, 1],
        baseColorTexture: undefined,
        metallic: 1,
        roughness: 1,
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
      },
    ]);
  });

  it('take what the file says', async () => {
    const gltf = withMaterial({
      name: 'cloth',
      pbrMetallicRoughness: { baseColorFactor: [0.1, 0.2, 0.3, 0.4], metallicFactor: 0.25, roughnessFactor: 0.75 },
      emissiveFactor: [0, 0.5, 1],
      alphaMode: 'MASK',
      alphaCutoff: 0.3,
      doubleSided: true,
      extensions: { KHR_materials_unlit: {}, KHR_materials_emissive_strength: { emissiveStrength: 2 } },
    });
    gltf.extra.extensionsUsed = ['KHR_materials_unlit', 'KHR_materials_emissive_strength'];
    expect((await importBuilt(gltf)).materials[0]).toMatchObject({
      name: 'cloth',
      baseColor: [0.1, 0.2, 0.3, 0.4],
      metallic: 0.25,
      roughness: 0.75,
      emissive: [0, 1, 2],
      alphaMode: 'MASK',
      alphaCutoff: 0.3,
      doubleSided: true,
      unlit: true,
    });
  });

  it('are simplified where they must be, and say so', async () => {
    const gltf = withMaterial({
      alphaMode: 'BLEND',
      extensions: { KHR_materials_pbrSpecularGlossiness: { diffuseFactor: [1, 0, 0, 1], glossinessFactor: 0.25 } },
    });
    gltf.extra.extensionsUsed = ['KHR_materials_pbrSpecularGlossiness'];
    const model = await importBuilt(gltf);
    expect(model.materials[0]).toMatchObject({ baseColor: [1, 0, 0, 1], metallic: 0, roughness: 0.75 });
    expect(codesOf(model).filter((code) => code === 'GLTF_MATERIAL_SIMPLIFIED')).toHaveLength(2);
  });

  it.each<[string, unknown]>([
    ['no object', 7],
    [
      'wrong types',
      { pbrMetallicRoughness: [], emissiveFactor: 'red', alphaMode: 3, alphaCutoff: {}, extensions: 'x' },
    ],
    ['absurd numbers', { pbrMetallicRoughness: { baseColorFactor: [1e99, 0, 0], metallicFactor: '1' } }],
  ])('with %s take the defaults', async (_, material) => {
    const { materials } = await importBuilt(withMaterial(material as Entry));
    expect(materials[0]).toMatchObject({ metallic: 1, alphaMode: 'OPAQUE', alphaCutoff: 0.5, emissive: [0, 0, 0] });
    expect(materials[0]!.baseColor.every(Number.isFinite)).toBe(true);
  });
});

describe('textures', () => {
  it('carry transform and wrap, and read the set of coordinates that the transform names', async () => {
    const transform = { offset: [0.5, 0.25], scale: [2, 3], rotation: 1.5, texCoord: 1 };
    const gltf = withMaterial(textured({ texCoord: 0, extensions: { KHR_texture_transform: transform } }), (gltf) => ({
      TEXCOORD_0: gltf.accessor([0, 0, 0, 0, 0, 0], 'VEC2'),
      TEXCOORD_1: gltf.accessor([0.5, 0.5, 0.5, 0.5, 0.5, 0.5], 'VEC2'),
    }));
    gltf.extra.extensionsUsed = ['KHR_texture_transform'];
    gltf.textures.push({ source: addImage(gltf), sampler: 0 });
    gltf.samplers.push({ wrapS: 33_071, wrapT: 33_648 });
    const { materials, meshes, images } = await importBuilt(gltf);
    expect(materials[0]!.baseColorTexture).toEqual({
      imageIndex: 0,
      offset: [0.5, 0.25],
      scale: [2, 3],
      rotation: 1.5,
      wrapS: 'CLAMP',
      wrapT: 'MIRROR',
    });
    expect([...new Set(meshes[0]!.texcoords)]).toEqual([0.5]);
    expect([...images[0]!.bytes]).toEqual([...HEADS['image/png']]);
  });

  it('of all kinds are read, with their factors; their images are carried', async () => {
    const gltf = withMaterial(
      {
        pbrMetallicRoughness: { metallicRoughnessTexture: { index: 0, texCoord: 1 } },
        normalTexture: { index: 1, texCoord: 1, scale: 0.5 },
        occlusionTexture: { index: 0, texCoord: 2, strength: 0.25 },
        emissiveTexture: { index: 1, texCoord: 0 },
      },
      (gltf) => ({
        TEXCOORD_0: gltf.accessor([0, 0, 0.5, 0, 0.5, 0.5], 'VEC2'),
        TEXCOORD_1: gltf.accessor([0, 0, 1, 0, 1, 1], 'VEC2'),
        TEXCOORD_2: gltf.accessor([0, 0, 3, 0, 3, 3], 'VEC2'),
      }),
    );
    gltf.textures.push({ source: addImage(gltf) }, { source: addImage(gltf, 'image/jpeg') });
    const model = await importBuilt(gltf);
    expect(model.materials[0]).toMatchObject({
      baseColorTexture: undefined,
      metallicRoughnessTexture: { imageIndex: 0, texcoordSet: 1 },
      normalTexture: { imageIndex: 1, texcoordSet: 1 },
      normalScale: 0.5,
      // looked up by a third set
      occlusionTexture: undefined,
      occlusionStrength: 0.25,
      emissiveTexture: { imageIndex: 1 },
    });
    expect(model.materials[0]!.emissiveTexture!.texcoordSet).toBeUndefined();
    const [{ texcoords, channels, tangents }] = model.meshes as [MeshModel];
    expect(Math.max(...texcoords!)).toBe(0.5);
    expect(channels).toMatchObject([{ name: 'TEXCOORD_1', width: 2 }]);
    expect(Math.max(...channels![0]!.values)).toBe(1);
    // of the set that the normal map is looked up by
    expect(tangents).toHaveLength(12);
    expect(model.images).toHaveLength(2);
    expect(model.issues).toContainEqual(
      expect.objectContaining({
        code: 'GLTF_MATERIAL_SIMPLIFIED',
        severity: 'info',
        path: '/materials/0/occlusionTexture',
      }),
    );
  });

  it('list only images that are used, each once, whatever the file calls their type', async () => {
    const gltf = new GltfBuilder();
    addImage(gltf);
    const jpeg = addImage(gltf, 'image/jpeg');
    gltf.images[jpeg]!.mimeType = 'image/png';
    gltf.textures.push({ source: jpeg }, { source: jpeg });
    gltf.materials.push(textured(), { pbrMetallicRoughness: { baseColorTexture: { index: 1 } } });
    gltf.meshNode([gltf.triangle({}, { material: 1 })]);
    const { materials, images } = await importBuilt(gltf);
    expect(images.map(({ mimeType, name }) => [mimeType, name])).toEqual([['image/jpeg', 'image/jpeg']]);
    expect(materials.map(({ baseColorTexture }) => baseColorTexture!.imageIndex)).toEqual([0, 0]);
  });

  it.each([
    [['image/png', 'image/ktx2'], 'image/png'],
    [[undefined, 'image/ktx2'], 'image/ktx2'],
  ] as const)('of sources %j take %s', async ([fallback, basis], expected) => {
    const gltf = withMaterial(textured());
    const extensions = { KHR_texture_basisu: { source: addImage(gltf, basis) } };
    gltf.textures.push(fallback ? { source: addImage(gltf, fallback), extensions } : { extensions });
    gltf.extra.extensionsUsed = ['KHR_texture_basisu'];
    expect((await importBuilt(gltf)).images.map(({ mimeType }) => mimeType)).toEqual([expected]);
  });

  it('take WebP', async () => {
    const gltf = withMaterial(textured());
    gltf.textures.push({ extensions: { EXT_texture_webp: { source: addImage(gltf, 'image/webp') } } });
    gltf.extra.extensionsUsed = ['EXT_texture_webp'];
    expect((await importBuilt(gltf)).images[0]!.mimeType).toBe('image/webp');
  });

  it.each<[string, (gltf: GltfBuilder) => void]>([
    ['no texture', () => undefined],
    ['no source', (gltf) => gltf.textures.push({})],
    ['no image', (gltf) => gltf.textures.push({ source: 3 })],
    ['an image without data', (gltf) => gltf.textures.push({ source: gltf.images.push({}) - 1 })],
    ['an image in no view', (gltf) => gltf.textures.push({ source: gltf.images.push({ bufferView: 99 }) - 1 })],
    [
      'an image of no format',
      (gltf) => gltf.textures.push({ source: gltf.images.push({ bufferView: gltf.view(new Uint8Array(8)) }) - 1 }),
    ],
    ['an image that is not there', (gltf) => gltf.textures.push({ source: gltf.images.push({ uri: 'x.png' }) - 1 })],
    ['an image elsewhere', (gltf) => gltf.textures.push({ source: gltf.images.push({ uri: '../x.png' }) - 1 })],
    [
      'an image that is malformed',
      (gltf) => gltf.textures.push({ source: gltf.images.push({ uri: 'data:image/png;base64,?' }) - 1 }),
    ],
  ])('with %s are ignored with a warning', async (_, build) => {
    const gltf = withMaterial(textured());
    build(gltf);
    const model = await importBuilt(gltf);
    expect(model.materials[0]!.baseColorTexture).toBeUndefined();
    expect(model.images).toEqual([]);
    expect(model.issues.filter(({ code }) => code === 'GLTF_TEXTURE_IGNORED')).toMatchObject([{ severity: 'warning' }]);
  });

  it.skipIf(noShared())('are read from files in the model’s folder', async () => {
    const folder = path.join(shared, 'assets/characters');
    const { images } = await importFile(path.join(folder, 'kenney-platformer-character.glb'));
    expect(images).toHaveLength(1);
    expect(Buffer.compare(images[0]!.bytes, readFileSync(path.join(folder, 'Textures/colormap.png')))).toBe(0);
  });
});
