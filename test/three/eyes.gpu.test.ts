// Several views in one picture, as three.js draws them for headsets, in every tier of a WebGPU device.
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect } from 'vitest';
import {
  ArrayCamera,
  BoxGeometry,
  type Camera,
  HemisphereLight,
  Mesh,
  MeshStandardMaterial,
  PerspectiveCamera,
  type RenderTarget,
  Scene,
  Vector4,
  type WebGPURenderer,
} from 'three/webgpu';
import { mrt, output, velocity } from 'three/tsl';
import type { Character } from '../../src/character/character.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { importGltf } from '../../src/import/index.ts';
import { noGpu } from '../support/gpu.ts';
import { testInTurn } from '../support/setup.ts';
import { disposedCrowds } from '../support/three-crowds.ts';
import { floatTarget, threePicture, threeRenderer } from '../support/three-renderer.ts';

const [WIDTH, HEIGHT] = [64, 64];
/** Yaw of each eye, radians. The last one looks where the others do not. */
const YAWS = [0.15, -0.15, -1.4];

/** Cameras side by side, with parts of one picture, as three's XR managers make them. */
function camerasOf(): { eyes: PerspectiveCamera[]; all: ArrayCamera } {
  const eyes = YAWS.map((yaw, i) => {
    const eye = new PerspectiveCamera(50, WIDTH / HEIGHT, 0.1, 100);
    eye.position.set(0.2 * i, 1.2, 4);
    eye.rotation.y = yaw;
    eye.updateMatrixWorld();
    return Object.assign(eye, { viewport: new Vector4(i * WIDTH, 0, WIDTH, HEIGHT) });
  });
  const all = new ArrayCamera(eyes);
  all.matrixWorldAutoUpdate = false;
  all.matrixWorld.copy(eyes[0]!.matrixWorld);
  all.matrixWorldInverse.copy(eyes[0]!.matrixWorldInverse);
  all.projectionMatrix.copy(eyes[0]!.projectionMatrix);
  return { eyes, all };
}

describe.skipIf(noGpu())('several eyes', () => {
  let raider: Character;
  const createCrowd = disposedCrowds();
  beforeAll(async () => {
    const model = await importGltf({ name: 'raider', bytes: await readFile('characters/raider.glb') });
    raider = packCharacter(model, { clips: [model.clips.findIndex(({ name }) => name === 'walk')] });
  });

  /** Draws colours and motion vectors, top row first. */
  async function look(renderer: WebGPURenderer, scene: Scene, camera: Camera, target: RenderTarget) {
    const color = await threePicture(renderer, scene, camera, target);
    const motion = await renderer.readRenderTargetPixelsAsync(target, 0, 0, target.width, target.height, 1);
    return { color, motion };
  }

  /** Pixels of one eye in a picture of all. */
  const part = (picture: ArrayLike<number>, eye: number): number[] =>
    Array.from({ length: HEIGHT }, (_, y) => {
      const from = 4 * (y * YAWS.length * WIDTH + eye * WIDTH);
      return Array.from({ length: 4 * WIDTH }, (__, k) => picture[from + k]!);
    }).flat();

  /** Counts pixels. One counts if a value of it is farther off than `limit`. */
  const farPixels = (one: ArrayLike<number>, other: (at: number) => number, limit: number): number => {
    let far = 0;
    for (let at = 0; at < one.length; at += 4) {
      if ([0, 1].some((c) => !(Math.abs(one[at + c]! - other(at + c)) <= limit))) far++;
    }
    return far;
  };

  testInTurn(1).each([
    ['core', 'core'],
    ['compatibility', 'compatibility'],
    ['webgl2', 'core'],
  ] as const)('see what each sees alone: tier %s on a device of level %s', async (tier, level) => {
    const renderer = await threeRenderer(WIDTH, HEIGHT, level);
    renderer.setMRT(mrt({ output, velocity }));
    const crowd = await createCrowd(renderer, { characters: [raider], capacity: 8, tier, updateRates: false });
    const group = crowd.spawn(raider, { count: 5, place: (i, at) => at.position.set(i - 1.5, 0, -(i % 2)) });
    // only the last eye sees this one
    const aside = crowd.spawn(raider, { count: 1, place: (_, at) => at.position.set(5, 0, 3) });
    for (const each of [group, aside]) each.setClips((i) => [{ clip: 'walk', phase: i / 5 }]);
    const scene = new Scene();
    scene.add(crowd, new HemisphereLight(0xffffff, 0x404040, 2));
    const { eyes, all } = camerasOf();
    const wide = floatTarget(YAWS.length * WIDTH, HEIGHT, ['output', 'velocity']);
    const narrow = floatTarget(WIDTH, HEIGHT, ['output', 'velocity']);
    const draw = async (dt: number) => {
      crowd.update(dt, { cameras: [all, ...eyes] });
      const both = await look(renderer, scene, all, wide);
      const alone = [];
      for (const eye of eyes) alone.push(await look(renderer, scene, eye, narrow));
      return { both, alone };
    };
    await draw(1 / 30);
    await draw(1 / 30);
    const { both, alone } = await draw(1 / 30);
    const covered = alone.map(({ color }) => farPixels(color, () => 0, 0));
    for (const count of covered) expect(count).toBeGreaterThan(100);
    for (const i of YAWS.keys()) {
      expect(farPixels(part(both.color, i), (at) => alone[i]!.color[at]!, 2 / 255)).toBeLessThan(covered[i]! / 100);
    }
    // characters walk, and the first eye has their motion
    const moving = farPixels(alone[0]!.motion, () => 0, 1e-4);
    expect(moving).toBeGreaterThan(covered[0]! / 2);
    expect(farPixels(part(both.motion, 0), (at) => alone[0]!.motion[at]!, 1e-3)).toBeLessThan(moving / 100);

    // In revision 187 three.js has the first view's matrices for all eyes. Nothing moves here, and the others have motion all the same.
    await draw(0);
    const still = await draw(0);
    const moves = (motion: ArrayLike<number>) => YAWS.map((_, i) => farPixels(part(motion, i), () => 0, 1e-4));
    for (const { motion } of still.alone) expect(farPixels(motion, () => 0, 1e-4)).toBe(0);
    const [first, ...others] = moves(still.both.motion);
    expect(first).toBe(0);
    others.forEach((count, i) => expect(count).toBeGreaterThan(0.9 * covered[i + 1]!));
    // so it is for three's own meshes
    crowd.visible = false;
    const box = new Mesh(new BoxGeometry(40, 1, 1), new MeshStandardMaterial());
    box.position.set(0, 1, -3);
    scene.add(box);
    for (let i = 0; i < 2; i++) await threePicture(renderer, scene, all, wide);
    const { motion } = await look(renderer, scene, all, wide);
    const [ownFirst, ownSecond] = moves(motion);
    expect(ownFirst).toBe(0);
    expect(ownSecond).toBeGreaterThan(100);
    renderer.setMRT(null);
  });
});
