// What a picture shows besides light: ids, picks, debug views; tints; and that looking through views changes nothing.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { packSoldiers } from '../../../test/frame/backend-switch-scene.ts';
import { noGpu, testDevice } from '../../../test/support/gpu.ts';
import { companions } from '../../../test/support/companions.ts';
import { hasTurn, some } from '../../../test/support/setup.ts';
import { colorShare, comparePictures, countColors } from '../../../test/support/pictures.ts';
import type { Character } from '../../character/character.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import { fight, stageBattle, type Battle } from '../../battle/battle.ts';
import type { FrameOptions } from '../../crowd/frame-options.ts';
import { clipFromWorld } from '../camera.ts';
import type { RgbaImage } from '../images/index.ts';
import { createReadableTarget, createIdTarget } from '../target.ts';
import { createForwardRenderer, type ForwardRenderer } from './forward.ts';
import { cascadesOf } from '../lighting/cascades.ts';
import { DEFAULT_LIGHTING } from '../lighting/scene.ts';
import type { ForwardView, ShownView } from './view.ts';
import { updateAndWait } from '../../../test/support/update-and-wait.ts';
import { internalsOf } from '../../crowd/internals.ts';

const [WIDTH, HEIGHT] = [160, 90];
const COUNT = 16;
const SHADOW = 256;

type Looks = Partial<Pick<ForwardView, 'debugView' | 'views' | 'ids' | 'camera'>>;

describe.skipIf(noGpu() || !hasTurn(2))('views of a battle', () => {
  let device: GPUDevice;
  let characters: [Character, Character];
  let types: Character[];
  let crowd: Crowd;
  let battle: Battle;
  let renderer: ForwardRenderer;
  let inLight: RgbaImage;

  beforeAll(async () => {
    ({ device } = await testDevice());
    characters = await packSoldiers();
    types = [...characters, ...companions()];
    crowd = createCrowd(device, { characters: types, capacity: COUNT, updateRates: false });
    battle = await begin(crowd);
    renderer = await createForwardRenderer(device, crowd, { shadowResolution: SHADOW });
    inLight = await take();
  }, 300_000);
  afterAll(() => {
    renderer?.destroy();
    crowd?.destroy();
  });

  /** A battle under way, and two frames of it that are looked at. */
  async function begin(of: Crowd, views?: FrameOptions['views']): Promise<Battle> {
    const begun = stageBattle(of, ...characters, { count: COUNT });
    await fight(of, begun, 2);
    for (let frame = 0; frame < 2; frame++) {
      begun.director!.advance(0.05);
      await updateAndWait(of, { dt: 0.05, ...(views && { views }) });
    }
    return begun;
  }

  const viewOf = ({ camera, bounds }: Battle) => ({ camera, bounds, width: WIDTH, height: HEIGHT });

  async function take(
    looks: Looks = {},
    of: { readonly renderer: ForwardRenderer; readonly battle: Battle } = { renderer, battle },
  ): Promise<RgbaImage> {
    const picture = createReadableTarget(device, WIDTH, HEIGHT);
    const encoder = device.createCommandEncoder();
    const drawn = of.renderer.render(encoder, { ...viewOf(of.battle), target: picture.view, ...looks });
    device.queue.submit([encoder.finish()]);
    await drawn.submitted();
    const image = await picture.read();
    picture.destroy();
    return image;
  }

  test('picks are what ids say, and both name a character, a primitive and a part', async () => {
    const target = createIdTarget(device, WIDTH, HEIGHT);
    await take({ ids: target.view });
    const ids = await target.read();
    target.destroy();
    const at = (x: number, y: number) => [ids[2 * (y * WIDTH + x)]!, ids[2 * (y * WIDTH + x) + 1]!] as const;
    const inside: [x: number, y: number][] = [];
    const grounds: [x: number, y: number][] = [];
    for (let y = 1; y < HEIGHT - 1; y++) {
      for (let x = 1; x < WIDTH - 1; x++) {
        // edges may be rounded to either side
        const around = [-1, 0, 1].flatMap((dy) => [-1, 0, 1].map((dx) => at(x + dx, y + dy).join()));
        if (around.every((key) => key === around[0])) (at(x, y)[0] === 0 ? grounds : inside).push([x, y]);
      }
    }
    expect(inside.length).toBeGreaterThan(200);
    expect(grounds.length).toBeGreaterThan(200);
    const view = viewOf(battle);
    const found = new Set<string>();
    for (const [x, y] of inside.filter((_, i) => i % Math.ceil(inside.length / 24) === 0)) {
      const [place, primitive] = at(x, y);
      // anywhere in the pixel
      const picked = await renderer.pick(view, x + 0.1, y + 0.9);
      const type = battle.groups.find((group) => group.ids.includes(picked!.id))!.character;
      const part = type.parts[type.primitives[primitive]!.part];
      expect(picked).toEqual({ id: place - 1, primitive, part });
      found.add(`${picked!.id} ${part}`);
    }
    expect(found.size).toBeGreaterThan(6);
    for (const [x, y] of [grounds[0]!, grounds.at(-1)!]) expect(await renderer.pick(view, x, y)).toBeUndefined();
    const beyond = [[-1, 5], [WIDTH, 5], [5, HEIGHT], [NaN, 5], [5, -0.01]] as const; // prettier-ignore
    for (const [x, y] of beyond) expect(await renderer.pick(view, x, y)).toBeUndefined();
    // several at once
    const [[x1, y1], [x2, y2]] = [inside[0]!, inside.at(-1)!];
    const both = await Promise.all([renderer.pick(view, x1, y1), renderer.pick(view, x2, y2)]);
    expect(both.map((picked) => picked?.id)).toEqual([at(x1, y1)[0] - 1, at(x2, y2)[0] - 1]);
  });

  test('no despawned character is picked', async () => {
    const own = createCrowd(device, { characters: types, capacity: 1 });
    const group = own.spawn(characters[0]);
    await updateAndWait(own, { dt: 0 });
    const one = await createForwardRenderer(device, own, { shadowResolution: 16 });
    const view = { camera: { eye: [0, 1, 4], target: [0, 1, 0] }, width: 9, height: 9 } as const;
    expect(await one.pick(view, 4, 4)).toMatchObject({ id: group.id(0) });
    expect(await one.pick({ ...view, views: { picture: 0, shadow: 0 } }, 4, 4)).toBeUndefined();
    own.despawn(group.id(0));
    expect(await one.pick(view, 4, 4)).toBeUndefined();
    own.spawn(characters[0]); // in the same row, but no frame has shown it
    expect(await one.pick(view, 4, 4)).toBeUndefined();
    one.destroy();
    own.destroy();
  });

  test('a character under the ground is not picked, whatever the picture shows in its corners', async () => {
    const own = createCrowd(device, { characters: types, capacity: 1 });
    const id = own.spawn(characters[0]).id(0);
    await updateAndWait(own, { dt: 0 });
    const one = await createForwardRenderer(device, own, { shadowResolution: 16 });
    const [width, height] = [32, 48];
    const target = createIdTarget(device, width, height);
    const picture = createReadableTarget(device, width, height);
    const cases = [
      { eye: [0, 1.7, 3], groundHeight: 1, shows: true }, // the picture's upper left is sky
      { eye: [1, 4, 2.5], groundHeight: 1, shows: true }, // all of it is ground
      { eye: [0, -1.5, 3.2], groundHeight: 1, shows: true }, // from below
      { eye: [1, 4, 2.5], groundHeight: 3, shows: false },
    ] as const;
    for (const { eye, groundHeight, shows } of cases) {
      const view = { camera: { eye, target: [0, 1, 0], fovY: 1 }, width, height, lighting: { groundHeight } } as const;
      const encoder = device.createCommandEncoder();
      const bounds = { min: [-1, 0, -1], max: [1, 2, 1] } as const;
      const drawn = one.render(encoder, { ...view, bounds, target: picture.view, ids: target.view });
      device.queue.submit([encoder.finish()]);
      await drawn.submitted();
      const ids = await target.read();
      const wrong: string[] = [];
      const counts = [0, 0];
      for (let y = 2; y < height; y += 4) {
        for (let x = 2; x < width; x += 4) {
          const around = [0, -1, 1].flatMap((dy) => [0, -1, 1].map((dx) => ids[2 * ((y + dy) * width + x + dx)]!));
          // edges may be rounded to either side
          if (around.some((place) => place !== around[0])) continue;
          const picked = await one.pick(view, x, y);
          counts[Number(around[0] !== 0)]!++;
          if (picked?.id !== (around[0] === 0 ? undefined : id)) wrong.push(`${eye.join()}: ${x} ${y}`);
        }
      }
      expect(wrong).toEqual([]);
      expect(counts[0]).toBeGreaterThan(20);
      expect(counts[1]! > 0).toBe(shows);
    }
    [target, picture, one, own].forEach((owned) => owned.destroy());
  });

  const shows: [ShownView, (image: RgbaImage) => void][] = [
    // everyone at the finest level, posed in every frame
    ['level', (image) => expect(colorShare(image, (r, g, b) => g > 1.5 * r && g > 1.5 * b)).toBeGreaterThan(0.1)],
    ['rate', (image) => expect(colorShare(image, (r, g, b) => g > 1.5 * r && g > 1.5 * b)).toBeGreaterThan(0.1)],
    ['slot', (image) => expect(countColors(image)).toBeGreaterThan(1000)],
    ['ids', (image) => expect(countColors(image)).toBeGreaterThan(1000)],
    ['bounds', (image) => expect(countColors(image)).toBeGreaterThan(1000)],
    [
      'joints',
      (image) =>
        expect(colorShare(image, (r, g, b) => Math.max(r, g, b) > 2 * Math.min(r, g, b))).toBeGreaterThan(0.01),
    ],
    [
      'overdraw',
      (image) => {
        const black = colorShare(image, (r, g, b) => r + g + b === 0);
        expect(black).toBeGreaterThan(0.2);
        // one layer, and more than that
        const layers = (least: number) => colorShare(image, (r) => r >= least);
        // at edges a pixel has less than one
        expect(layers(90)).toBeGreaterThan(0.8 * (1 - black));
        expect(layers(200)).toBeGreaterThan(0.02);
        expect(layers(200)).toBeLessThan(0.6);
      },
    ],
    [
      'velocity',
      (image) =>
        expect(
          colorShare(image, (r, g, b) => Math.max(r, g, b) > 2 * Math.min(r, g, b) && r + g + b > 60),
        ).toBeGreaterThan(0.02),
    ],
    ['depth', (image) => expect(colorShare(image, (r, g, b) => r === g && g === b)).toBe(1)],
    ['normals', (image) => expect(colorShare(image, (r, g, b) => g > 250 && Math.abs(r - b) < 3)).toBeGreaterThan(0.2)],
  ];
  // every view is a picture to be drawn: the short run looks at three
  test.each(some(shows, 3))('%s', async (show, expectLook) => {
    const image = await take({ debugView: show });
    expectLook(image);
    expect(comparePictures(image, inLight).share).toBeGreaterThan(0.5);
    // nobody whom the picture's views do not see
    const empty = await take({ debugView: show, views: { picture: 0, shadow: 0 } });
    expect(comparePictures(image, empty).share).toBeGreaterThan(0.05);
    expect(countColors(empty)).toBeLessThan(1000);
  }); // prettier-ignore

  test('a view that there is not', async () => {
    await expect(take({ debugView: 'shadows' as ShownView })).rejects.toMatchObject({ code: 'RENDER_FAILED' });
    await expect(take({ debugView: 'toString' as ShownView })).rejects.toMatchObject({ code: 'RENDER_FAILED' });
  });

  test('targets, picks and debug views are compiled once for all', async () => {
    const one = await createForwardRenderer(device, crowd, { shadowResolution: 16 });
    await take({}, { renderer: one, battle }); // pipelines of pictures in light are compiled by the first one
    const modules = vi.spyOn(device, 'createShaderModule');
    const pipelines = vi.spyOn(device, 'createRenderPipeline');
    const target = createIdTarget(device, WIDTH, HEIGHT);
    try {
      for (let i = 0; i < 2; i++) {
        await take({ ids: target.view }, { renderer: one, battle });
        await one.pick(viewOf(battle), 5, 5);
        for (const show of ['level', 'overdraw'] as const) await take({ debugView: show }, { renderer: one, battle });
      }
      expect(modules.mock.calls.map(([{ label }]) => label)).toEqual(['surface', 'backdrop']);
      const labels = pipelines.mock.calls.map(([{ label }]) => label!);
      // both characters are seen from one side, and stored alike
      const counts = {
        surface: 1,
        'show level': 1,
        'show overdraw': 1,
        'sky without light': 2,
        'ground without light': 2,
      };
      for (const [label, count] of Object.entries(counts)) {
        expect(labels.filter((of) => of === label).length, label).toBe(count);
      }
      expect(labels.length).toBe(7);
    } finally {
      modules.mockRestore();
      pipelines.mockRestore();
    }
    target.destroy();
    one.destroy();
  });

  test('wires keep one buffer of arguments per kind, for any view and any spawns', async () => {
    const own = createCrowd(device, { characters: types, capacity: 40 });
    const one = await createForwardRenderer(device, own, { shadowResolution: 16 });
    const create = vi.spyOn(device, 'createBuffer');
    const living = new Set<GPUBuffer>();
    const plans = new Set<unknown>();
    try {
      for (const show of ['bounds', 'joints', 'bounds', 'joints', 'joints', 'bounds'] as const) {
        own.spawn(characters[0], { count: 6 });
        await updateAndWait(own, { dt: 0 });
        plans.add(internalsOf(own).host.backend.memory!.draws);
        await take({ debugView: show }, { renderer: one, battle });
        for (const { type, value } of create.mock.results.splice(0)) {
          if (type !== 'return' || value.label !== 'wire draws') continue;
          living.add(value);
          const destroy = value.destroy.bind(value);
          value.destroy = () => {
            living.delete(value);
            destroy();
          };
        }
        expect(living.size).toBeLessThanOrEqual(2);
      }
    } finally {
      create.mockRestore();
    }
    expect(plans.size).toBeGreaterThan(2);
    expect(living.size).toBe(2);
    one.destroy();
    own.destroy();
    expect(living.size).toBe(0);
  });

  test('a tint colours those that it is given to, and white takes it back', async () => {
    const before = await take();
    const [legion, mob] = battle.groups;
    legion!.setTint([0.2, 0.2, 1, 1]);
    mob!.setTint([1, 1, 1, 1], [0]);
    await updateAndWait(crowd, { dt: 0 });
    const blue = await take();
    const isBlue = (r: number, g: number, b: number) => b > 1.6 * r && b > 1.6 * g;
    expect(colorShare(blue, isBlue)).toBeGreaterThan(colorShare(before, isBlue) + 0.02);
    crowd.setTint(legion!.ids, [1, 1, 1, 1]);
    await updateAndWait(crowd, { dt: 0 });
    expect(comparePictures(await take(), before).share).toBe(0);
    for (const wrong of [[1, 1], [0, 0, 0, 1.1], [NaN, 0, 0, 0]]) {
      expect(() => crowd.setTint(legion!.ids, wrong as [number, number, number, number])).toThrow(
        expect.objectContaining({ code: 'CROWD_BAD_ARGUMENT' }),
      );
    } // prettier-ignore
  });

  test('characters in views look the same, and others are left out', async () => {
    const other = createCrowd(device, { characters: types, capacity: COUNT, updateRates: false, lodTolerancePx: 0 });
    // close to some: others are behind the eye, and their shadows fall into the picture
    const camera = { eye: [1.5, 1.7, 0], target: [5.5, 0.8, 0], fovY: 0.5 } as const;
    const { sunDirection } = DEFAULT_LIGHTING;
    const { bounds } = battle;
    const look = { camera, aspect: WIDTH / HEIGHT, sunDirection, bounds, count: 3, resolution: SHADOW };
    const views = [
      { clipFromWorld: clipFromWorld(camera, WIDTH / HEIGHT), height: HEIGHT },
      ...cascadesOf(look).map(({ sunFromWorld }) => ({ clipFromWorld: sunFromWorld, height: SHADOW, detail: 0.25 })),
    ];
    const twin = await begin(other, views);
    const { listed: looked } = await other.readStats();
    const through = await createForwardRenderer(device, other, { shadowResolution: SHADOW });
    const masked = await take(
      { camera, views: { picture: 1, shadow: [2, 4, 8] } },
      { renderer: through, battle: twin },
    );
    const all = await take({ camera });
    expect(countColors(all)).toBeGreaterThan(1000);
    expect(comparePictures(masked, all)).toEqual({ mean: 0, max: 0, share: 0, far: 0 });
    // the camera alone: fewer; and somebody's shadow falls beside the picture
    await updateAndWait(other, { dt: 0, views: views.slice(0, 1) });
    const { listed } = await other.readStats();
    console.log(`the camera sees ${listed} of ${COUNT}`, JSON.stringify(battle.bounds));
    expect(listed).toBeLessThan(looked);
    expect(looked).toBeLessThan(COUNT);
    through.destroy();
    other.destroy();
  });

  test('the twins upload bones as well', async () => {
    const other = createCrowd(device, { characters, capacity: COUNT, backend: 'cpu' });
    const twin = await begin(other);
    const onCpu = await createForwardRenderer(device, other, { shadowResolution: 16 });
    const image = await take({ debugView: 'joints' }, { renderer: onCpu, battle: twin });
    expect(comparePictures(image, await take({ debugView: 'joints' })).mean).toBeLessThan(0.5);
    onCpu.destroy();
    other.destroy();
  });
});
