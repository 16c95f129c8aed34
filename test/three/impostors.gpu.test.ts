// Far soldiers as impostors in three.js, beside the same soldiers as meshes.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  AmbientLight,
  Color,
  DataUtils,
  DirectionalLight,
  Fog,
  HalfFloatType,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  PerspectiveCamera,
  PlaneGeometry,
  RenderTarget,
  Scene,
  type WebGPURenderer,
} from 'three/webgpu';
import { mrt, output, vec4, velocity } from 'three/tsl';
import type { Character } from '../../src/character/character.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import type { CharacterGroup } from '../../src/crowd/group.ts';
import { readRanges } from '../../src/device/read-back.ts';
import { importGltf } from '../../src/import/index.ts';
import { crowdId, crowdTint, ManipleCrowd, type ManipleCrowdOptions } from '../../src/three/index.ts';
import { noCore, noGpu, testDevice } from '../support/gpu.ts';
import { hasTurn } from '../support/setup.ts';
import { browserFrame, floatTarget, threeRenderer } from '../support/three-renderer.ts';

const [WIDTH, HEIGHT] = [192, 108];
const COUNT = 9;
/** Of a soldier, metres. */
const TALL = 2.007;
/** A part of a picture of 1,080 rows with the usual lens. */
const FOV = 2 * Math.atan((Math.tan(Math.PI / 8) * HEIGHT) / 1080);
/** Heights of soldiers while they cross over, and as impostors. */
const [CROSSING, SMALL] = [21.6, 18.6];
/** Pixels of the picture are multiplied by it, so that the alpha of a cleared target is not taken for one. */
const MARK = 3;

/** @param pixels Height of the soldiers in the middle. */
function cameraFor(pixels: number): PerspectiveCamera {
  const distance = (TALL * HEIGHT) / 2 / Math.tan(FOV / 2) / pixels;
  const camera = new PerspectiveCamera((FOV * 180) / Math.PI, WIDTH / HEIGHT, 1, 1000);
  camera.position.set(0.3 * distance, 0.9 + 0.2 * distance, 0.93 * distance);
  camera.lookAt(0, 0.9, 0);
  camera.updateMatrixWorld();
  return camera;
}

/** A sun, haze, a ground, and nine soldiers. */
class FarScene {
  readonly #renderer: WebGPURenderer;
  readonly #scene = new Scene();
  readonly #army: CharacterGroup;
  readonly #colors = new RenderTarget(WIDTH, HEIGHT, { samples: 4, type: HalfFloatType });
  readonly #motion = floatTarget(WIDTH, HEIGHT, ['output', 'velocity']);
  readonly #ids = floatTarget(WIDTH, HEIGHT, ['output', 'ids']);

  constructor(
    renderer: WebGPURenderer,
    readonly crowd: ManipleCrowd,
    character: Character,
  ) {
    this.#renderer = renderer;
    this.#army = crowd.spawn(character, { count: COUNT });
    this.#army.setClips((i) => [{ clip: i % 4, phase: (0.37 * i) % 1, speed: 0 }]);
    this.place(0);
    const stone = new MeshStandardMaterial({ color: 0x777766, roughness: 1 });
    const ground = new Mesh(new PlaneGeometry(40, 40).rotateX(-Math.PI / 2), stone);
    ground.receiveShadow = true;
    const sun = new DirectionalLight(0xffffff, 1.5);
    sun.position.set(6, 10, 4);
    sun.castShadow = true;
    sun.shadow.mapSize.set(512, 512);
    Object.assign(sun.shadow.camera, { left: -6, right: 6, top: 6, bottom: -6, near: 1, far: 30 });
    const air = new Color(0.5, 0.55, 0.6);
    this.#scene.background = air;
    this.#scene.fog = new Fog(air, 0, 250);
    this.#scene.add(ground, sun, new AmbientLight(0xffffff, 1.5), crowd);
  }

  /** Moves and turns them, by some steps from where they begin. */
  place(steps: number): void {
    this.#army.setTransform((i, at) => {
      at.position.set(1.7 * ((i % 3) - 1) + 0.3 * steps, 0, 1.7 * (Math.floor(i / 3) - 1));
      at.rotation.setYaw(2.4 * i + 0.1 * steps);
    });
  }

  update(camera: PerspectiveCamera): void {
    this.crowd.update(1 / 60, { cameras: [camera] });
  }

  /** Draws the last frame. Motion vectors, ids and MARK have one sample. */
  async draw(camera: PerspectiveCamera) {
    const renderer = this.#renderer;
    renderer.shadowMap.enabled = true;
    browserFrame();
    renderer.setRenderTarget(this.#colors);
    renderer.render(this.#scene, camera);
    renderer.setRenderTarget(this.#motion);
    renderer.setMRT(mrt({ output, velocity }));
    renderer.render(this.#scene, camera);
    renderer.setRenderTarget(this.#ids);
    renderer.setMRT(mrt({ output, ids: vec4(crowdId.toFloat(), crowdTint.a.mul(MARK), 0, 1) }));
    renderer.render(this.#scene, camera);
    renderer.setMRT(null);
    renderer.setRenderTarget(null);
    const read = (target: RenderTarget, index: number) =>
      renderer.readRenderTargetPixelsAsync(target, 0, 0, WIDTH, HEIGHT, index);
    const halves = Array.from((await read(this.#colors, 0)) as unknown as Uint16Array);
    return {
      color: halves.map((half) => code(DataUtils.fromHalfFloat(half))),
      motion: (await read(this.#motion, 1)) as unknown as Float32Array,
      ids: (await read(this.#ids, 1)) as unknown as Float32Array,
    };
  }

  /** Runs frames until all tiles are there, and draws. */
  async settle(camera: PerspectiveCamera): Promise<FarPicture> {
    // cameras of shadow maps are known once they have drawn, and the choices take turns at tiles
    for (let frame = 0; frame < 5; frame++) {
      this.update(camera);
      if (frame === 0) await this.draw(camera);
    }
    return this.draw(camera);
  }

  /** Triangles of characters in the last picture, as the arguments of its draws say. */
  async triangleCount(): Promise<number> {
    const { device } = await testDevice();
    const { backend } = this.#renderer as unknown as { backend: { get(of: object): { buffer: GPUBuffer } } };
    const draws = (this.crowd.children as unknown as Mesh[]).map(({ geometry }) => {
      const { indirect, indirectOffset } = geometry as unknown as { indirect: object; indirectOffset: number };
      return [backend.get(indirect).buffer, indirectOffset, 8] as const;
    });
    const read = await readRanges(device, draws);
    return read.reduce((sum, bytes) => sum + new Uint32Array(bytes).reduce((indices, count) => indices * count) / 3, 0);
  }
}

type FarPicture = Awaited<ReturnType<FarScene['draw']>>;

function code(linear: number): number {
  const bright = Math.min(linear, 1);
  return 255 * (bright <= 0.0031308 ? 12.92 * bright : 1.055 * bright ** (1 / 2.4) - 0.055);
}

/** The character in a pixel, counted from 1; 0: none. */
const idAt = ({ ids }: FarPicture, pixel: number) => (ids[4 * pixel + 1]! > MARK - 1 ? ids[4 * pixel]! + 1 : 0);

/** Mean difference of colours, over the pixels that show a soldier in either picture, and over the others. */
function compareFar(a: FarPicture, b: FarPicture) {
  let [covered, same, sum, outside, holes] = [0, 0, 0, 0, 0];
  const around = [-WIDTH, -1, 1, WIDTH];
  for (let pixel = 0; pixel < WIDTH * HEIGHT; pixel++) {
    const channels = [0, 1, 2].map((c) => Math.abs(a.color[4 * pixel + c]! - b.color[4 * pixel + c]!));
    const difference = channels.reduce((all, each) => all + each) / 3;
    const [first, second] = [idAt(a, pixel), idAt(b, pixel)];
    if (first === 0 && second === 0) {
      outside += difference;
      continue;
    }
    covered++;
    same += Number(first === second);
    sum += difference;
    const isInner = first > 0 && around.every((step) => idAt(a, pixel + step) === first);
    holes += Number(isInner && second === 0);
  }
  const rest = WIDTH * HEIGHT - covered;
  return { covered, same: same / covered, average: sum / covered, outside: outside / rest, holes };
}

/** Mean difference of motion vectors in pixels, where both pictures show a character, and the longest vector. */
function compareMotion(a: FarPicture, b: FarPicture) {
  let [count, sum, longest] = [0, 0, 0];
  const length = (x: number, y: number) => Math.hypot((x * WIDTH) / 2, (y * HEIGHT) / 2);
  for (let pixel = 0; pixel < WIDTH * HEIGHT; pixel++) {
    if (idAt(a, pixel) === 0 || idAt(a, pixel) !== idAt(b, pixel)) continue;
    const [x, y] = [a.motion[4 * pixel]!, a.motion[4 * pixel + 1]!];
    count++;
    sum += length(x - b.motion[4 * pixel]!, y - b.motion[4 * pixel + 1]!);
    longest = Math.max(longest, length(x, y));
  }
  return { count, mean: sum / count, longest };
}

describe.skipIf(noGpu() || noCore() || !hasTurn(1))('impostors in three.js', { timeout: 600_000 }, () => {
  let renderer: WebGPURenderer;
  let character: Character;
  let meshes: FarScene;
  let far: FarScene;
  const sharing = { capacity: COUNT, poseSharing: { belowPx: 1e4, phases: 8 } };

  async function sceneOf(options: Partial<ManipleCrowdOptions>): Promise<FarScene> {
    const crowd = await ManipleCrowd.create(renderer, { characters: [character], copies: 2, ...sharing, ...options });
    crowd.addEventListener('error', ({ error }) => expect.fail(String(error)));
    await crowd.ready();
    return new FarScene(renderer, crowd, character);
  }

  beforeAll(async () => {
    const bytes = new Uint8Array(await readFile('characters/legionary.glb'));
    character = packCharacter(await importGltf({ name: 'legionary', bytes }));
    renderer = await threeRenderer(WIDTH, HEIGHT);
    [meshes, far] = [await sceneOf({}), await sceneOf({ impostors: {} })];
  }, 300_000);
  afterAll(() => {
    for (const scene of [meshes, far]) scene?.crowd.dispose();
  });

  test('differ from meshes by 4/255 on average, and less than a camera half a pixel aside', async () => {
    const camera = cameraFor(SMALL);
    const asMeshes = await meshes.settle(camera);
    const drawn = await far.settle(camera);
    expect(far.crowd.impostors!.refused).toEqual([]);
    const stats = await far.crowd.impostors!.readStats();
    expect(stats).toMatchObject({ drawn: COUNT, waiting: 0, tilesRefused: 0 });
    const [few, many] = [await far.triangleCount(), await meshes.triangleCount()];
    expect(few).toBe(2 * COUNT);
    expect(many).toBeGreaterThan(100 * few);
    const found = compareFar(asMeshes, drawn);
    const aside = camera.clone();
    aside.setViewOffset(WIDTH, HEIGHT, 0.5, 0, WIDTH, HEIGHT);
    const moved = compareFar(asMeshes, await meshes.draw(aside));
    console.log(`impostors ${found.average.toFixed(2)}, half a pixel ${moved.average.toFixed(2)} of 255`, found);
    expect(found.covered).toBeGreaterThan(COUNT * 0.17 * SMALL ** 2);
    expect(found.average).toBeLessThanOrEqual(4);
    expect(found.average).toBeLessThan(0.8 * moved.average);
    expect(found.same).toBeGreaterThan(0.9);
    expect(found.holes).toBe(0);
    // shadows on the ground
    expect(found.outside).toBeLessThan(0.2);
  });

  test('move as their transforms do', async () => {
    const camera = cameraFor(SMALL - 0.4);
    for (const scene of [meshes, far]) {
      scene.place(1);
      scene.update(camera);
    }
    const [a, b] = [await meshes.draw(camera), await far.draw(camera)];
    const found = compareMotion(a, b);
    console.log('motion vectors', found);
    expect(found.count).toBeGreaterThan(COUNT * 40);
    expect(found.longest).toBeGreaterThan(2);
    expect(found.mean).toBeLessThan(0.1);
  });

  test('cross over without holes', async () => {
    const camera = cameraFor(CROSSING);
    for (const scene of [meshes, far]) scene.place(0);
    const drawn = await far.settle(camera);
    meshes.update(camera);
    meshes.update(camera);
    const found = compareFar(await meshes.draw(camera), drawn);
    console.log('crossing over', found);
    expect(await far.crowd.impostors!.readStats()).toMatchObject({ drawn: COUNT, waiting: 0 });
    expect(await far.triangleCount()).toBeGreaterThan(100 * COUNT);
    expect(found.average).toBeLessThanOrEqual(4);
    expect(found.same).toBeGreaterThan(0.9);
    expect(found.holes).toBe(0);
  });

  test('leave out types with other materials, and tell lower tiers that they have none', async () => {
    const materials = () => new MeshBasicMaterial({ name: 'flat' });
    const flat = await sceneOf({ impostors: {}, materials });
    const message = /'flat' is a MeshBasicMaterial/;
    expect(flat.crowd.impostors!.refused).toMatchObject([{ code: 'IMPOSTOR_REFUSED', path: 'legionary' }]);
    expect(flat.crowd.impostors!.refused[0]!.message).toMatch(message);
    flat.crowd.dispose();
    const told = vi.spyOn(console, 'warn').mockReturnValue();
    const lower = await sceneOf({ impostors: {}, tier: 'compatibility' });
    expect(lower.crowd.impostors).toBe(undefined);
    expect(told.mock.calls.flat().join()).toMatch(/THREE_UNSUPPORTED.*tier 'core'.*'compatibility' and draws meshes/s);
    told.mockRestore();
    lower.crowd.dispose();
    const alone = ManipleCrowd.create(renderer, { characters: [character], capacity: 1, impostors: {} });
    await expect(alone).rejects.toThrow(/poseSharing/);
  });
});
