// A texture that only the second set of texture coordinates lays out: both renderers, their masks, and pictures of expected colours.
import { beforeAll, describe, expect } from 'vitest';
import { importBuilt } from '../../../test/import/build-gltf.ts';
import { BANDS, bandCenter, bandedGltf, HALF_WIDTH, MIDDLE } from '../../../test/support/banded-gltf.ts';
import { comparedRenderers } from '../../../test/support/compare-renderers.ts';
import { noVisibility, testDevice } from '../../../test/support/gpu.ts';
import { hasTurn, some, testInTurn } from '../../../test/support/setup.ts';
import { meshOf, smallModel } from '../../../test/support/small-model.ts';
import { packCharacter, readBaked, writeBaked, type Character } from '../../character/index.ts';
import { packScenery } from '../../character/pack-scenery.ts';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import { createForwardRenderer } from '../forward/forward.ts';
import type { RgbaImage } from '../images/index.ts';
import { createReadableTarget } from '../target.ts';
import { createReferenceRenderer } from '../reference/reference.ts';
import { createScenery } from '../scenery/scenery.ts';
import { createVisibilityRenderer } from './visibility.ts';
import { updateAndWait } from '../../../test/support/update-and-wait.ts';

const SIZE = 64;
const DISTANCE = 4;
/** The square fills three quarters of the picture. */
const FOV = 2 * Math.atan(HALF_WIDTH / 0.75 / DISTANCE);
const CAMERA = { eye: [0, MIDDLE, DISTANCE], target: [0, MIDDLE, 0], fovY: FOV } as const;
const VIEW = { camera: CAMERA, bounds: { min: [-2, 0, -2], max: [2, 3, 2] } } as const;

/** The pixel in the middle of a band. */
function pixelOf({ data }: RgbaImage, band: number): number[] {
  const x = Math.floor((SIZE / 2) * (1 + (0.75 * bandCenter(band)) / HALF_WIDTH));
  return [...data.subarray(4 * ((SIZE / 2) * SIZE + x), 4 * ((SIZE / 2) * SIZE + x) + 3)];
}

/** Every band has its colour; behind the hole there is the same as beside the square. */
function expectBands(image: RgbaImage, label: string): void {
  const beside = [...image.data.subarray(4 * ((SIZE / 2) * SIZE + 2), 4 * ((SIZE / 2) * SIZE + 2) + 3)];
  BANDS.forEach((color, band) => {
    const pixel = pixelOf(image, band);
    if (!color) {
      pixel.forEach((code, c) => expect(Math.abs(code - beside[c]!), `${label}, hole`).toBeLessThan(12));
      return;
    }
    const [own, ...others] = pixel.toSorted((a, b) => b - a);
    expect(pixel.indexOf(own!), `${label}, band ${band}: ${pixel.join()}`).toBe(color.indexOf(255));
    expect(own! - Math.max(...others), `${label}, band ${band}: ${pixel.join()}`).toBeGreaterThan(120);
  });
}

describe.skipIf(noVisibility() || !hasTurn(0))('a second set of texture coordinates', () => {
  let device: GPUDevice;
  beforeAll(async () => {
    ({ device } = await testDevice());
  });

  async function draw(
    character: Character,
    renderer: 'forward' | 'visibility' | 'reference',
    skin: 'compute' | 'vertex' = 'compute',
  ) {
    const backend = renderer === 'reference' ? 'cpu' : 'gpu';
    const crowd = createCrowd(device, { characters: [character], capacity: 1, skin, backend });
    crowd.spawn(character);
    await updateAndWait(crowd, { dt: 0 });
    const options = { shadowResolution: 64, cascadeCount: 1 };
    if (renderer === 'reference') {
      const { color } = await (
        await createReferenceRenderer(crowd, options)
      ).render({ ...VIEW, width: SIZE, height: SIZE });
      crowd.destroy();
      return color;
    }
    const made =
      renderer === 'forward'
        ? await createForwardRenderer(device, crowd, { ...options, sampleCount: 1 })
        : await createVisibilityRenderer(device, crowd, options);
    const picture = createReadableTarget(device, SIZE, SIZE);
    const encoder = device.createCommandEncoder();
    const drawn = made.render(encoder, { ...VIEW, target: picture.view, width: SIZE, height: SIZE });
    device.queue.submit([encoder.finish()]);
    await drawn.submitted();
    const image = await picture.read();
    for (const owned of [picture, made, crowd]) owned.destroy();
    return image;
  }

  testInTurn(0)('is what a texture is looked up by that names it, in all renderers, however it is packed', async () => {
    const model = await importBuilt(await bandedGltf());
    expect(model.issues.map(({ code }) => code)).not.toContain('GLTF_MATERIAL_SIMPLIFIED');
    const standard = packCharacter(model);
    const compact = readBaked(writeBaked(packCharacter(model, { vertexFormat: 'compact' })));
    const materials = model.materials.map((material) => ({ ...material, alphaMode: 'BLEND' as const }));
    const blended = packCharacter({ ...model, materials });
    const pictures: Readonly<Record<string, () => Promise<RgbaImage>>> = {
      forward: () => draw(standard, 'forward'),
      visibility: () => draw(standard, 'visibility'),
      'forward, skinned by draws': () => draw(standard, 'forward', 'vertex'),
      'visibility, compact, baked': () => draw(compact, 'visibility'),
      reference: () => draw(standard, 'reference'),
      'visibility, blended': () => draw(blended, 'visibility'),
      'forward, blended': () => draw(blended, 'forward'),
    };
    // each compiles shaders of its own
    for (const [label, take] of some(Object.entries(pictures), 3)) expectBands(await take(), label);
  });

  testInTurn(0)('looks alike in both renderers, beside characters and scenery that have one set', async () => {
    const banded = await importBuilt(await bandedGltf());
    const plain = smallModel({
      meshes: [meshOf([[-2, 0.5, -1], [2, 0.5, -1], [0, 2, -1]], () => [[0, 1]])], // prettier-ignore
    });
    const characters = [packCharacter(plain), packCharacter(banded)];
    const crowd = createCrowd(device, { characters, capacity: 3 });
    crowd.spawn(characters[0]!);
    crowd.spawn(characters[1]!, { count: 2, place: (i, at) => at.position.set(1.4 * i - 0.7, 0, -0.3 * i) });
    const place = { position: [0, -0.6, 0.5], rotation: [0, 0, 0, 1], scale: 1 } as const;
    const pieces = [{ character: packScenery(banded), places: [place] }];
    const scenery = createScenery(device, pieces);
    const renderers = await comparedRenderers(device, crowd, { scenery });
    await updateAndWait(crowd, { dt: 0 });
    await updateAndWait(crowd, { dt: 0 });
    const difference = await renderers.compare('second-texcoords', VIEW);
    expect(difference.shown).toBeGreaterThan(300);
    expect(difference.mean).toBeLessThan(1);
    expect(difference.strangers).toBe(0);
    for (const owned of [renderers, crowd, scenery]) owned.destroy();
  });
});
