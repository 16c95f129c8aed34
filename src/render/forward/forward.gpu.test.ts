import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moteModel } from '../../../test/format/mote.ts';
import { noCore, noGpu, readBuffer, testDevice } from '../../../test/support/gpu.ts';
import { largestError } from '../../../test/support/images.ts';
import { colorShare } from '../../../test/support/pictures.ts';
import { meshOf, smallModel } from '../../../test/support/small-model.ts';
import { packCharacter, type PackOptions } from '../../character/pack/index.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import type { Camera } from '../camera.ts';
import type { RgbaImage } from '../images/index.ts';
import { createReadableTarget, createIdTarget, createVelocityTarget } from '../target.ts';
import { createForwardRenderer } from './forward.ts';
import { DEFAULT_MATERIAL } from '../materials/material-table.ts';
import type { ForwardView } from './view.ts';
import { updateAndWait } from '../../../test/support/update-and-wait.ts';

const SIZE = 64;
/** Straight down on the ground, some 12 m of it, where shadows of what stands in the bounds would fall. */
const FROM_ABOVE: Camera = { eye: [-3, 15, -3], target: [-3, 0, -3], up: [0, 0, 1] };
const BOUNDS = { min: [-4, 0, -4], max: [4, 3, 4] } as const;

describe.skipIf(noGpu())('forward renderer', () => {
  const mote = packCharacter({ ...moteModel(), materials: [], images: [] });
  let device: GPUDevice;
  let crowd: Crowd;

  beforeAll(async () => {
    ({ device } = await testDevice());
    crowd = createCrowd(device, { characters: [mote], capacity: 1 });
  });
  afterAll(() => crowd?.destroy());

  async function drawTo(
    target: GPUTextureView,
    format: GPUTextureFormat,
    camera = FROM_ABOVE,
    of = crowd,
    views?: ForwardView['views'],
  ): Promise<void> {
    const renderer = await createForwardRenderer(device, of, { format });
    const encoder = device.createCommandEncoder();
    const view = { camera, bounds: BOUNDS, target, width: SIZE, height: SIZE };
    const drawn = renderer.render(encoder, views ? { ...view, views } : view);
    device.queue.submit([encoder.finish()]);
    await drawn.submitted();
    renderer.destroy();
  }

  async function drawPicture(camera = FROM_ABOVE, of = crowd, views?: ForwardView['views']): Promise<RgbaImage> {
    const picture = createReadableTarget(device, SIZE, SIZE);
    await drawTo(picture.view, picture.format, camera, of, views);
    const image = await picture.read();
    picture.destroy();
    return image;
  }

  test('ground beyond the far plane of the shadow map is lit like any other', async () => {
    const { data } = await drawPicture();
    const greens = Array.from({ length: SIZE * SIZE }, (_, pixel) => data[4 * pixel + 1]!).sort((a, b) => a - b);
    const [dark, light] = [0.01, 0.99].map((share) => greens[Math.floor(share * greens.length)]!);
    // but for grains, blotches differ by a fifth; shade is half as bright
    expect(dark!).toBeGreaterThan(0.78 * light!);
  });

  test.each([
    ['straight down', [-3, 0, -3]],
    ['nearly straight down', [-3.02, 0, -3.03]],
  ] as const)('a camera that looks %s along its up takes Z for it, on the ground as well', async (_, target) => {
    const { data } = await drawPicture({ eye: FROM_ABOVE.eye, target });
    expect(largestError(data, (await drawPicture({ ...FROM_ABOVE, target, up: [0, 0, 1] })).data)).toBe(0);
    // blotches, and not one colour
    expect(new Set(Array.from({ length: SIZE * SIZE }, (_, pixel) => data[4 * pixel + 2]!)).size).toBeGreaterThan(10);
  });

  test('several samples give sRGB also where only the view is sRGB, or nothing is, as with canvases', async () => {
    // textures of the compatibility level have no other views: the renderer encodes
    const [format, viewFormats] = noCore()
      ? (['rgba8unorm', []] as const)
      : (['rgba8unorm-srgb', ['rgba8unorm-srgb']] as const);
    const texture = device.createTexture({
      size: [SIZE, SIZE],
      format: 'rgba8unorm',
      viewFormats: [...viewFormats],
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    });
    await drawTo(texture.createView({ format }), format);
    const bytesPerRow = 4 * SIZE;
    const buffer = device.createBuffer({
      size: bytesPerRow * SIZE,
      usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
    });
    const encoder = device.createCommandEncoder();
    encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [SIZE, SIZE]);
    device.queue.submit([encoder.finish()]);
    const codes = new Uint8Array(await readBuffer(device, buffer));
    expect(largestError(codes, (await drawPicture()).data)).toBeLessThanOrEqual(1);
    texture.destroy();
    buffer.destroy();
  });

  test('two pictures of different sizes in one encoder each see their own view', async () => {
    const renderer = await createForwardRenderer(device, crowd, { shadowResolution: 256 });
    const fromBelow: Camera = { eye: [0, -2, 0], target: [0, -9, 0], up: [0, 0, 1] };
    const encoder = device.createCommandEncoder();
    const [ground, sky] = [createReadableTarget(device, SIZE, SIZE), createReadableTarget(device, 32, 32)];
    const submitted = [
      renderer.render(encoder, { camera: FROM_ABOVE, bounds: BOUNDS, target: ground.view, width: SIZE, height: SIZE }),
      renderer.render(encoder, { camera: fromBelow, bounds: BOUNDS, target: sky.view, width: 32, height: 32 }),
    ];
    device.queue.submit([encoder.finish()]);
    await Promise.all(submitted.map((drawn) => drawn.submitted()));
    expect(largestError((await ground.read()).data, (await drawPicture()).data)).toBe(0);
    const { data } = await sky.read();
    expect(data[2]!).toBeGreaterThan(data[0]!); // blue: nothing of the brown ground
    renderer.destroy();
    ground.destroy();
    sky.destroy();
  });

  /** A square of 3 × 3 m, 2 m above the ground, in two colours; half of it is transparent, if it has holes. */
  const roof = (alphaMode: 'OPAQUE' | 'MASK', vertexFormat: NonNullable<PackOptions['vertexFormat']>) => {
    const corners = [[-1.5, 2, -1.5], [0, 2, -1.5], [0, 2, 1.5], [-1.5, 2, 1.5]]; // prettier-ignore
    const positions = [...corners, ...corners.map(([x, y, z]) => [x! + 1.5, y!, z!])];
    const colors = Float32Array.from(positions.flatMap((_, v) => (v < 4 ? [1, 0, 0, 1] : [0, 0, 1, 0])));
    const indices = Uint32Array.of(0, 2, 1, 0, 3, 2, 4, 6, 5, 4, 7, 6);
    const mesh = meshOf(positions, () => [[0, 1]], { indices, colors, materialIndex: 0 });
    const material = { ...DEFAULT_MATERIAL, alphaMode };
    return packCharacter({ ...smallModel({ meshes: [mesh] }), materials: [material] }, { vertexFormat });
  };
  const FORMATS = ['standard', { position: 'float32', color: 'unorm8' }] as const;

  test('holes let the sun through, whatever format vertices are in', async () => {
    const shades: number[] = [];
    const pictures: RgbaImage[] = [];
    for (const alphaMode of ['OPAQUE', 'MASK'] as const) {
      for (const format of FORMATS) {
        const character = roof(alphaMode, format);
        const own = createCrowd(device, { characters: [character], capacity: 1 });
        own.spawn(character);
        await updateAndWait(own, { dt: 0 });
        const { data } = await drawPicture(FROM_ABOVE, own, { picture: 0, shadow: 1 });
        const greens = Array.from({ length: SIZE * SIZE }, (_, pixel) => data[4 * pixel + 1]!);
        shades.push(greens.filter((green) => green < 0.75 * Math.max(...greens)).length);
        pictures.push(await drawPicture({ eye: [0, 9, 0], target: [0, 0, 0] }, own));
        own.destroy();
      }
    }
    const [solid, solidTable, holed, holedTable] = shades as [number, number, number, number];
    expect(solid).toBeGreaterThan(100);
    expect([solidTable, holedTable]).toEqual([solid, holed]);
    expect(Math.abs(holed / solid - 0.5)).toBeLessThan(0.1);
    for (const at of [0, 2]) expect(largestError(pictures[at]!.data, pictures[at + 1]!.data)).toBeLessThanOrEqual(1);
    const isBlue = (red: number, _: number, blue: number) => blue > 2 * red;
    const blue = pictures.map((picture) => colorShare(picture, isBlue));
    expect(blue.map((share) => share > 0.02)).toEqual([true, true, false, false]);
  });

  test('nothing moves with the origin: not in the picture after its move, not in one before the frame that makes it', async () => {
    const own = createCrowd(device, { characters: [mote], capacity: 1 });
    own.spawn(mote, { place: (_, at) => at.position.set(300, 0, -40) });
    await updateAndWait(own, { dt: 0 });
    const renderer = await createForwardRenderer(device, own, { shadowResolution: 256 });
    const [picture, velocity, ids] = [createReadableTarget, createVelocityTarget, createIdTarget].map((create) =>
      create(device, SIZE, SIZE),
    ) as [
      ReturnType<typeof createReadableTarget>,
      ReturnType<typeof createVelocityTarget>,
      ReturnType<typeof createIdTarget>,
    ];
    /** How far things have moved at most, where the crowd counts from `origin`; and whether all there is was looked at. */
    async function look(origin: readonly number[]): Promise<{ pixels: number; sees: boolean[] }> {
      const at = (x: number, y: number, z: number) =>
        [x, y, z].map((c, i) => c - origin[i]!) as [number, number, number];
      const encoder = device.createCommandEncoder();
      const drawn = renderer.render(encoder, {
        camera: { eye: at(300, 1.5, -36), target: at(300, 0.5, -40) },
        bounds: { min: at(299, 0, -41), max: at(301, 2, -39) },
        lighting: { groundHeight: -origin[1]! },
        target: picture.view,
        velocity: velocity.view,
        ids: ids.view,
        width: SIZE,
        height: SIZE,
      });
      device.queue.submit([encoder.finish()]);
      await drawn.submitted();
      const seen = new Set((await ids.read()).filter((_, i) => i % 2 === 0));
      return { pixels: Math.max(...(await velocity.read()).map(Math.abs)), sees: [seen.has(0), seen.has(1)] };
    }
    const still = { pixels: expect.toSatisfy((pixels: number) => pixels < 0.01), sees: [true, true] };
    expect(await look([0, 0, 0])).toEqual(still);
    own.moveOrigin([250, 3.5, -60]);
    own.moveOrigin([290.5, 3, -41]);
    expect(await look([0, 0, 0])).toEqual(still);
    await updateAndWait(own, { dt: 0 });
    expect(await look(own.origin)).toEqual(still);
    await updateAndWait(own, { dt: 0 });
    expect(await look(own.origin)).toEqual(still);
    [picture, velocity, ids, renderer, own].forEach((owned) => owned.destroy());
  });

  test('says what a crowd without a device lacks', async () => {
    const blind = createCrowd(undefined, { characters: [mote], capacity: 1, backend: 'cpu' });
    await expect(createForwardRenderer(device, blind)).rejects.toMatchObject({ code: 'RENDER_FAILED' });
  });
});
