import { beforeAll, describe, expect, test } from 'vitest';
import { noGpu, testDevice } from '../../../test/support/gpu.ts';
import { hasTurn, testInTurn } from '../../../test/support/setup.ts';
import { fromPixels } from '../../../test/support/images.ts';
import { comparePictures } from '../../../test/support/pictures.ts';
import { meshOf, smallModel } from '../../../test/support/small-model.ts';
import type { Character } from '../../character/character.ts';
import type { MaterialModel, MeshModel } from '../../character/model.ts';
import { packCharacter } from '../../character/pack/index.ts';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import type { RgbaImage } from '../images/index.ts';
import { DEFAULT_MATERIAL } from '../materials/material-table.ts';
import { createReadableTarget } from '../target.ts';
import { createForwardRenderer, type ForwardOptions } from './forward.ts';
import type { ForwardView } from './view.ts';
import { updateAndWait } from '../../../test/support/update-and-wait.ts';

const SIZE = 48;
const HALF = Math.SQRT1_2;

describe.skipIf(noGpu() || !hasTurn(1))('light', () => {
  let device: GPUDevice;
  beforeAll(async () => {
    ({ device } = await testDevice());
  });

  /** A square of 2 × 2 m that faces up, 1 m above the ground, in a material; or with other normals. */
  async function plate(
    look: Partial<MaterialModel>,
    mesh: Partial<MeshModel> = {},
    texel: readonly [number, number, number] = [0, 0, 1],
  ): Promise<Character> {
    const positions = [[-1, 1, -1], [1, 1, -1], [1, 1, 1], [-1, 1, 1]]; // prettier-ignore
    const flat = {
      normals: Float32Array.from(positions.flatMap(() => [0, 1, 0])),
      texcoords: Float32Array.of(0, 0, 1, 0, 1, 1, 0, 1),
      indices: Uint32Array.of(0, 2, 1, 0, 3, 2),
      materialIndex: 0,
    };
    const codes = texel.map((value) => Math.round(127.5 + 127.5 * value));
    const data = Uint8Array.from(Array.from({ length: 16 }, () => [...codes, 255]).flat());
    const bytes = new Uint8Array(await fromPixels({ width: 4, height: 4, data }).png().toBuffer());
    return packCharacter({
      ...smallModel({ meshes: [meshOf(positions, () => [[0, 1]], { ...flat, ...mesh })] }),
      materials: [{ ...DEFAULT_MATERIAL, ...look }],
      images: [{ name: 'normals', mimeType: 'image/png', bytes }],
    });
  }

  async function draw(
    character: Character,
    {
      options = {},
      view = {},
      skin,
    }: Partial<Record<'options', ForwardOptions>> & {
      readonly view?: Partial<ForwardView>;
      readonly skin?: 'vertex';
    } = {},
  ): Promise<RgbaImage> {
    const crowd = createCrowd(device, { characters: [character], capacity: 1, ...(skin && { skin }) });
    crowd.spawn(character);
    await updateAndWait(crowd, { dt: 0 });
    const renderer = await createForwardRenderer(device, crowd, { shadowResolution: 256, ...options });
    const picture = createReadableTarget(device, SIZE, SIZE);
    const encoder = device.createCommandEncoder();
    const drawn = renderer.render(encoder, {
      camera: { eye: [0, 3, 0.4], target: [0, 1, 0] },
      bounds: { min: [-3, 0, -3], max: [3, 1.2, 3] },
      target: picture.view,
      width: SIZE,
      height: SIZE,
      ...view,
    });
    device.queue.submit([encoder.finish()]);
    await drawn.submitted();
    const image = await picture.read();
    for (const owned of [picture, renderer, crowd]) owned.destroy();
    return image;
  }

  const normalTexture = {
    imageIndex: 0,
    offset: [0, 0],
    scale: [1, 1],
    rotation: 0,
    wrapS: 'REPEAT',
    wrapT: 'REPEAT',
  } as const;
  const look = { metallic: 0.5, roughness: 0.5, doubleSided: true };

  // normal × tangent is −Z here; a turned normal of the mesh has to look like a turned normal of the map
  testInTurn(2).each([
    ['along the tangent', [HALF, 0, HALF], 1, [HALF, HALF, 0]],
    ['along the bitangent', [0, HALF, HALF], 1, [0, HALF, -HALF]],
    ['mirrored', [0, HALF, HALF], -1, [0, HALF, HALF]],
  ] as const)('a normal map turns normals %s, however vertices are skinned', async (_, texel, handedness, normal) => {
    const tangents = Float32Array.from({ length: 16 }, (_, i) => [1, 0, 0, handedness][i % 4]!);
    const mapped = await plate({ ...look, normalTexture }, { tangents }, texel);
    const turned = await plate(look, { normals: Float32Array.from({ length: 12 }, (_, i) => normal[i % 3]!) });
    const expected = await draw(turned);
    const actual = await draw(mapped);
    // codes of the map have 8 bits
    expect(comparePictures(actual, expected).mean).toBeLessThan(0.7);
    expect(comparePictures(actual, await draw(await plate(look))).mean).toBeGreaterThan(2.5);
    expect(comparePictures(await draw(mapped, { skin: 'vertex' }), actual).mean).toBeLessThan(0.1);
  });

  test('the back of a plate is lit as what faces down, by the light from below', async () => {
    const [front, back] = await Promise.all(
      [3, -1].map(async (y) => {
        const view = { camera: { eye: [0, y, 0.4], target: [0, 1, 0] }, lighting: { groundHeight: -9 } } as const;
        return draw(await plate(look), { view });
      }),
    );
    const greenOf = ({ data }: RgbaImage) => data[4 * (SIZE * SIZE + SIZE) / 2 + 1]!; // prettier-ignore
    expect(greenOf(front!)).toBeGreaterThan(1.5 * greenOf(back!));
    expect(greenOf(back!)).toBeGreaterThan(20);
  });

  test('shadows lie where they lie, whatever the number of cascades', async () => {
    const view = {
      camera: { eye: [-2, 3, 4], target: [-1, 0, -0.5] },
      views: { picture: 0, shadow: 1 },
      // so large that the ground is one colour
      lighting: { groundScale: 1e4 },
    } as const;
    const character = await plate(look);
    const pictures: RgbaImage[] = [];
    for (const cascadeCount of [1, 2, 3, 4]) pictures.push(await draw(character, { options: { cascadeCount }, view }));
    const greens = Array.from({ length: SIZE * SIZE }, (_, pixel) => pictures[0]!.data[4 * pixel + 1]!);
    const shaded = greens.filter((green) => green < 0.75 * Math.max(...greens)).length;
    expect(shaded).toBeGreaterThan(60);
    for (const picture of pictures) {
      expect(comparePictures(picture, pictures[0]!).mean).toBeLessThan(1);
    }
    // none of them casts any
    const none = await draw(character, { view: { ...view, views: { picture: 0, shadow: [0, 0, 0] } } });
    const codes = Array.from({ length: SIZE * SIZE }, (_, pixel) => none.data[4 * pixel + 1]!);
    expect(Math.min(...codes)).toBeGreaterThan(0.75 * Math.max(...codes));
  });

  test('no more cascades than four, and not none', async () => {
    const character = await plate(look);
    for (const cascadeCount of [0, 5, 1.5]) {
      await expect(draw(character, { options: { cascadeCount } })).rejects.toMatchObject({ code: 'RENDER_FAILED' });
    }
  });
});
