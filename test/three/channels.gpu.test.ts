// What vertices have by name, and second texture coordinates, in three.js: beside the mesh as GLTFLoader draws it.
import { describe, expect, test } from 'vitest';
import { Mesh, MeshBasicNodeMaterial, type Node, type Object3D, type WebGPURenderer } from 'three/webgpu';
import { attribute, vec3 } from 'three/tsl';
import { packCharacter } from '../../src/character/index.ts';
import type { Character, CrowdOptions, VertexProvider } from '../../src/index.ts';
import { addLods } from '../../src/import/index.ts';
import {
  characterFromGltf,
  characterFromModel,
  crowdChannel,
  ManipleCrowd,
  modelFromThree,
} from '../../src/three/index.ts';
import { importBuilt } from '../import/build-gltf.ts';
import { BANDS, bandCenter, bandedGltf, HALF_WIDTH, MIDDLE } from '../support/banded-gltf.ts';
import { noGpu } from '../support/gpu.ts';
import { parseTexturedGltf } from '../support/three-files.ts';
import { browserFrame, frontPicture, threeRenderer } from '../support/three-renderer.ts';

const SIZE = 64;

/** Halves the wind, and tells later passes. */
const calm: VertexProvider = {
  name: 'calm',
  space: 'model',
  code: `fn calm(site: VertexSite, surface: Surface) -> Surface { skinnedChannel.x *= 0.5; return surface; }`,
};

async function draw(renderer: WebGPURenderer, subject: Object3D): Promise<Float32Array> {
  const sides = { left: -HALF_WIDTH, right: HALF_WIDTH, top: MIDDLE + 1, bottom: MIDDLE - 1 };
  return frontPicture(renderer, [subject], sides, SIZE);
}

async function drawCrowd(
  renderer: WebGPURenderer,
  character: Character,
  options: Partial<ConstructorParameters<typeof ManipleCrowd>[1] & CrowdOptions> = {},
): Promise<Float32Array> {
  const crowd = await ManipleCrowd.create(renderer, { characters: [character], capacity: 1, ...options });
  const problems: unknown[] = [];
  crowd.addEventListener('error', ({ error }) => problems.push(error));
  crowd.spawn(character);
  crowd.update(0);
  browserFrame();
  await crowd.ready();
  await draw(renderer, crowd);
  crowd.update(0);
  const picture = await draw(renderer, crowd);
  crowd.dispose();
  expect(problems).toEqual([]);
  return picture;
}

/** Red, green and blue of the middle of a band, linear. */
function bandOf(picture: Float32Array, band: number): number[] {
  const x = Math.floor((SIZE / 2) * (1 + bandCenter(band) / HALF_WIDTH));
  const at = 4 * ((SIZE / 2) * SIZE + x);
  return [...picture.subarray(at, at + 3)];
}

function expectBands(picture: Float32Array, label: string): void {
  BANDS.forEach((color = [0, 0, 0] as never, band) => {
    bandOf(picture, band).forEach((value, c) =>
      expect(value, `${label}, band ${band}`).toBeCloseTo((color?.[c] ?? 0) / 255, 2),
    );
  });
}

const farthest = (a: Float32Array, b: Float32Array) =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);

describe.skipIf(noGpu())('channels in three.js', () => {
  test('second texture coordinates lay a texture out as GLTFLoader draws it', async () => {
    const renderer = await threeRenderer(SIZE, SIZE);
    const built = await bandedGltf();
    const gltf = await parseTexturedGltf(built.glb());
    const theirs = await draw(renderer, gltf.scene);
    expectBands(theirs, 'three itself');
    const loaded = characterFromGltf(gltf);
    expect(loaded.channels).toEqual(['TEXCOORD_1', '_WIND']);
    expect(farthest(await drawCrowd(renderer, loaded), theirs)).toBeLessThan(0.01);
    const imported = packCharacter(await importBuilt(built));
    expect(farthest(await drawCrowd(renderer, imported), theirs)).toBeLessThan(0.01);
    await renderer.dispose();
  });

  test('named channels are attributes of nodes, wherever a character is from', async () => {
    const renderer = await threeRenderer(SIZE, SIZE);
    const built = await bandedGltf();
    const gltf = await parseTexturedGltf(built.glb());
    const material = new MeshBasicNodeMaterial();
    material.colorNode = vec3(attribute<'float'>('_wind', 'float'), 0.25, 0);
    const materials = () => material;
    const crowds = {
      loaded: characterFromGltf(gltf),
      'with levels': characterFromModel(await addLods(modelFromThree(gltf), { ratios: [0.5] })),
      imported: packCharacter(await importBuilt(built)),
      packed: packCharacter(await importBuilt(built), { vertexFormat: 'packed' }),
    };
    const ours: Record<string, Float32Array> = {};
    for (const [name, character] of Object.entries(crowds))
      ours[name] = await drawCrowd(renderer, character, { materials });
    gltf.scene.traverse((object) => {
      if (object instanceof Mesh) object.material = material;
    });
    const theirs = await draw(renderer, gltf.scene);
    BANDS.forEach((_, band) => expect(bandOf(theirs, band)[0]).toBeCloseTo((band + 0.5) / 4, 1));
    for (const [name, picture] of Object.entries(ours)) expect(farthest(picture, theirs), name).toBeLessThan(0.01);
    await renderer.dispose();
  });

  test('a channel that a provider changes is what nodes get of it', async () => {
    const renderer = await threeRenderer(SIZE, SIZE);
    const character = packCharacter(await importBuilt(await bandedGltf()), { providers: () => 1 });
    const material = new MeshBasicNodeMaterial();
    material.colorNode = vec3((crowdChannel as Node<'vec4'>).x, 0.25, 0);
    const materials = () => material;
    const options = { materials, providers: [calm] };
    for (const format of ['unorm8', 'float32'] as const) {
      const skinnedChannel = { name: '_WIND', format };
      const picture = await drawCrowd(renderer, character, { ...options, skinnedChannel });
      BANDS.forEach((_, band) => expect(bandOf(picture, band)[0], format).toBeCloseTo((band + 0.5) / 8, 1));
    }
    const without = await drawCrowd(renderer, character, options);
    BANDS.forEach((_, band) => expect(bandOf(without, band)).toEqual([0, 0.25, 0]));
    await renderer.dispose();
  });
});
