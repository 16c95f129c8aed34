// Depth and normals of a leaning wall, the ground and the sky, against rays that the host follows.
import { expect, describe, test } from 'vitest';
import { noVisibility, testDevice } from '../../../test/support/gpu.ts';
import { meshOf, smallModel } from '../../../test/support/small-model.ts';
import { packCharacter } from '../../character/pack/index.ts';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import { cross, dot, normalize, subtract, type Camera, type Vector } from '../camera.ts';
import { createReadableTarget, createDepthTarget, createIdTarget, createNormalTarget } from '../target.ts';
import { createVisibilityRenderer } from './visibility.ts';
import { updateAndWait } from '../../../test/support/update-and-wait.ts';

const [WIDTH, HEIGHT] = [64, 48];
const CAMERA: Camera = { eye: [0.7, 1.6, 4.1], target: [0.1, 0.9, 0], fovY: 0.8, near: 0.2 };
const YAW = 0.6;
const BOUNDS = { min: [-2, 0, -2], max: [2, 2, 2] } as const;

/** Through the middle of a pixel, as long as it takes to go one metre along the view. */
function rayAt(x: number, y: number): Vector {
  const forward = normalize(subtract(CAMERA.target, CAMERA.eye));
  const right = normalize(cross(forward, [0, 1, 0]));
  const up = cross(right, forward);
  const half = Math.tan(CAMERA.fovY! / 2);
  const across = ((2 * (x + 0.5)) / WIDTH - 1) * half * (WIDTH / HEIGHT);
  const high = (1 - (2 * (y + 0.5)) / HEIGHT) * half;
  return [0, 1, 2].map((c) => forward[c]! + across * right[c]! + high * up[c]!) as unknown as Vector;
}

describe.skipIf(noVisibility())('depth and normals', () => {
  test('are those of what rays meet, ids or not', async () => {
    const { device } = await testDevice();
    const corners = [[-1, 0.2, 0], [1, 0.2, 0], [1, 1.6, 0], [-1, 1.6, 0]]; // prettier-ignore
    const quad = meshOf(corners, () => [[0, 1]], { indices: Uint32Array.of(0, 1, 2, 0, 2, 3) });
    const wall = packCharacter(smallModel({ meshes: [quad] }));
    const crowd = createCrowd(device, { characters: [wall], capacity: 1 });
    crowd.spawn(wall, { place: (_, at) => at.rotation.set(0, Math.sin(YAW / 2), 0, Math.cos(YAW / 2)) });
    await updateAndWait(crowd, { dt: 0 });
    const renderer = await createVisibilityRenderer(device, crowd, { cascadeCount: 0 });
    const picture = createReadableTarget(device, WIDTH, HEIGHT);
    const [depth, alone] = [0, 1].map(() => createDepthTarget(device, WIDTH, HEIGHT)) as [Depth, Depth];
    const [normals, ids] = [createNormalTarget(device, WIDTH, HEIGHT), createIdTarget(device, WIDTH, HEIGHT)];
    const view = { camera: CAMERA, bounds: BOUNDS, width: WIDTH, height: HEIGHT, target: picture.view };
    for (const targets of [{ depth: alone.view }, { depth: depth.view, normals: normals.view, ids: ids.view }]) {
      const encoder = device.createCommandEncoder();
      const drawn = renderer.render(encoder, { ...view, ...targets });
      device.queue.submit([encoder.finish()]);
      await drawn.submitted();
    }
    const [depths, directions, shown] = [await depth.read(), await normals.read(), await ids.read()];
    expect(await alone.read()).toEqual(depths);

    const facing: Vector = [Math.sin(YAW), 0, Math.cos(YAW)];
    const seen = { wall: 0, ground: 0, sky: 0 };
    for (let pixel = 0; pixel < WIDTH * HEIGHT; pixel++) {
      const ray = rayAt(pixel % WIDTH, Math.floor(pixel / WIDTH));
      const what = shown[2 * pixel]! > 0 ? 'wall' : ray[1] < 0 ? 'ground' : 'sky';
      seen[what]++;
      const along = what === 'wall' ? -dot(CAMERA.eye, facing) / dot(ray, facing) : -CAMERA.eye[1] / ray[1];
      const wanted = what === 'sky' ? 0 : CAMERA.near! / along;
      // corners are rounded to the grid of the rasteriser, and the wall leans
      expect(Math.abs(depths[pixel]! - wanted), `${what}, pixel ${pixel}`).toBeLessThanOrEqual(1e-3 * wanted);
      const normal = { wall: facing, ground: [0, 1, 0] as Vector, sky: [0, 0, 0] as Vector }[what];
      const found = directions.subarray(4 * pixel, 4 * pixel + 4);
      normal.forEach((n, c) => expect(Math.abs(found[c]! - n), `${what}, pixel ${pixel}`).toBeLessThan(0.01));
      expect(found[3]).toBe(what === 'sky' ? 0 : 1);
    }
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(100);
    for (const owned of [renderer, crowd, picture, depth, alone, normals, ids]) owned.destroy();
  });
});

type Depth = ReturnType<typeof createDepthTarget>;
