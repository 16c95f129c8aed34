// Temporal antialiasing comes near to pictures of many samples, which it can by right motion vectors alone.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noVisibility, testDevice } from '../../../test/support/gpu.ts';
import { comparePictures } from '../../../test/support/pictures.ts';
import { packCharacter, type Character } from '../../character/index.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import type { CharacterGroup } from '../../crowd/group.ts';
import { importGltf } from '../../import/gltf/import-gltf.ts';
import type { Camera } from '../camera.ts';
import type { RgbaImage } from '../images/index.ts';
import { createReadableTarget, type ReadableTarget } from '../target.ts';
import { createVisibilityRenderer, type TestedOptions, type VisibilityRenderer } from './visibility.ts';
import { full, hasTurn } from '../../../test/support/setup.ts';
import { updateAndWait } from '../../../test/support/update-and-wait.ts';

const [WIDTH, HEIGHT] = [128, 72];
const DT = 1 / 60;
const BOUNDS = { min: [-4, 0, -4], max: [4, 2, 2] } as const;
const STILL: Camera = { eye: [0.1, 1.5, 3.2], target: [0, 0.95, 0], fovY: 0.8 };
const passing = (frame: number): Camera => ({ ...STILL, eye: [0.02 * frame, 1.5, 3.2 - 0.02 * frame] });

describe.skipIf(noVisibility() || !hasTurn(1))('temporal antialiasing', () => {
  let device: GPUDevice;
  let legionary: Character;
  let crowd: Crowd;
  let group: CharacterGroup;
  let picture: ReadableTarget;
  const renderers: VisibilityRenderer[] = [];

  beforeAll(async () => {
    ({ device } = await testDevice());
    const bytes = new Uint8Array(readFileSync(path.resolve('characters/legionary.glb')));
    const model = await importGltf({ name: 'legionary', bytes });
    const clips = model.clips.filter(({ name }) => name === 'run');
    legionary = packCharacter({ ...model, clips }, { errorBudget: 0.002 });
    crowd = createCrowd(device, { characters: [legionary], capacity: 3 });
    group = crowd.spawn(legionary, { count: 3, place: (i, at) => at.position.set(i - 1, 0, -(i % 2)) });
    picture = createReadableTarget(device, WIDTH, HEIGHT);
    await updateAndWait(crowd, { dt: 0 });
  });
  afterAll(() => {
    for (const owned of [...renderers, picture, crowd]) owned?.destroy();
  });

  async function open(options: TestedOptions): Promise<(camera: Camera) => Promise<RgbaImage>> {
    const renderer = await createVisibilityRenderer(device, crowd, { ...options, cascadeCount: 0 });
    renderers.push(renderer);
    return async (camera) => {
      const encoder = device.createCommandEncoder();
      const view = { camera, bounds: BOUNDS, target: picture.view, width: WIDTH, height: HEIGHT };
      const drawn = renderer.render(encoder, view);
      device.queue.submit([encoder.finish()]);
      await drawn.submitted();
      return picture.read();
    };
  }
  let many: ReturnType<typeof open> | undefined;
  const truthOf = async (camera: Camera) => (await (many ??= open({ sampleCount: 16 })))(camera);
  /** Squares tell edges that are off from noise. */
  function deviation(a: RgbaImage, b: RgbaImage): number {
    const squares = a.data.reduce((sum, code, i) => sum + (code - b.data[i]!) ** 2, 0);
    return Math.sqrt(squares / (3 * WIDTH * HEIGHT));
  }

  test.runIf(full)('of motionless surfaces reaches the mean of many samples', async () => {
    const draw = await open({ antialiasing: 'temporal' });
    let last = await draw(STILL);
    for (let frame = 1; frame < 32; frame++) {
      await updateAndWait(crowd, { dt: 0 });
      last = await draw(STILL);
    }
    const truth = await truthOf(STILL);
    const raw = await (await open({}))(STILL);
    const [own, plain] = [comparePictures(last, truth).mean, comparePictures(raw, truth).mean];
    console.log(`32 pictures of what stands still: ${own.toFixed(3)} codes off, one picture ${plain.toFixed(3)}`);
    expect(own).toBeLessThan(1.5);
    expect(own).toBeLessThan(0.5 * plain);
  });

  test('follows runners and a camera that moves, by their motion vectors', async () => {
    group.play('run');
    const scales = full ? [1, 0, 0.85, 1.15] : [1, 0];
    const draws = await Promise.all(scales.map((motionScale) => open({ antialiasing: 'temporal', motionScale })));
    const plain = await open({});
    let shown: RgbaImage[] = [];
    let camera = STILL;
    for (let frame = 0; frame < 8; frame++) {
      // 3 m/s: a pixel and a half a picture, and legs more than that
      group.setTransform((i, at) => at.position.set(i - 1.3 + 0.05 * frame, 0, -(i % 2)));
      await updateAndWait(crowd, { dt: DT });
      camera = passing(frame);
      shown = [];
      for (const draw of draws) shown.push(await draw(camera));
    }
    const truth = await truthOf(camera);
    const [own, zero, ...near] = shown.map((image) => deviation(image, truth)) as [number, number, ...number[]];
    const raw = deviation(await plain(camera), truth);
    const errors = Object.entries({ own, raw, zero }).map(([name, value]) => `${name} ${value.toFixed(2)}`);
    const others = near.map((value) => value.toFixed(2)).join(', ');
    console.log(
      `in motion, codes from 16 samples: ${errors.join(', ')}; a seventh less, more: ${others || 'not in short runs'}`,
    );
    expect(own).toBeLessThan(0.95 * raw);
    expect(zero).toBeGreaterThan(1.3 * own);
    // right vectors are better than any others
    expect(Math.min(...near, Infinity)).toBeGreaterThan(own);
  });

  test.runIf(full)('nothing stays of despawned characters', async () => {
    const draw = await open({ antialiasing: 'temporal' });
    const after = async (frames: number) => {
      let last: RgbaImage | undefined;
      for (let frame = 0; frame < frames; frame++) {
        await updateAndWait(crowd, { dt: 0 });
        last = await draw(STILL);
      }
      return last!;
    };
    await after(8);
    const there = await truthOf(STILL);
    crowd.despawn(group.id(1));
    const last = await after(8);
    const truth = await truthOf(STILL);
    // what of the difference that the character made is still there
    let [ghost, whole] = [0, 0];
    for (let i = 0; i < there.data.length; i++) {
      const made = there.data[i]! - truth.data[i]!;
      ghost += made * (last.data[i]! - truth.data[i]!);
      whole += made * made;
    }
    console.log(`8 pictures after one has left: ${((100 * ghost) / whole).toFixed(2)} % of it are left`);
    expect(Math.abs(ghost / whole)).toBeLessThan(0.02);
  });
});
