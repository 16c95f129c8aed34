// Whole crowds on the kernels that GPUs run. Software adapters choose others: lists and poses by single threads.
import { beforeAll, describe, expect, test } from 'vitest';
import type { CrowdOptions } from '../../src/index.ts';
import { chooseKernels } from '../../src/stages/kernel-choice.ts';
import { fly } from '../support/flight.ts';
import { noGpu, testDevice, withShippedKernels } from '../support/gpu.ts';
import { full, some, someSeeds } from '../support/setup.ts';
import { contents, randomFrame, stateCrowd } from '../support/state-scene.ts';
import { internalsOf } from '../../src/crowd/internals.ts';
import { saveSnapshot } from '../../src/state/index.ts';

const FRAMES = full ? 150 : 16;

/** Crowds that a camera flies through; each asks for kernels that software adapters compile for seconds. */
const FLIGHTS: readonly (readonly [name: string, Partial<CrowdOptions>])[] = [
  ['room for all', {}],
  ['shared poses', { poseSharing: { belowPx: 60, phases: 4, minWeight: 0.6 } }],
  ['vertex memory for a third', { maxVertexBytes: 8 * 2 * 12 * 224 }],
  ['poses for a few', { maxPoses: 5 }],
];

describe.skipIf(noGpu())('whole crowds on the kernels of GPUs', { timeout: 300_000 }, () => {
  let device: GPUDevice;
  beforeAll(async () => {
    ({ device } = await testDevice());
  });
  const shipped = <T>(run: () => Promise<T>): Promise<T> => withShippedKernels(device, run);

  test('which a software adapter does not choose', async () => {
    const choice = await shipped(() => Promise.resolve(chooseKernels(device)));
    expect(choice).toMatchObject({ serialLists: false, serialPoses: false, cachedPalettes: true });
    const crowd = await shipped(() => Promise.resolve(stateCrowd(device)));
    expect(internalsOf(crowd).host.shape.kernels).toEqual(choice);
    crowd.destroy();
  });

  test.each(some(FLIGHTS, 2))('show in a camera flight what twins show: %s', async (name, options) => {
    const met = await shipped(() => fly(device, FRAMES, options));
    console.log(`${FRAMES} frames, ${name}`, met);
    expect(Math.min(met.posed, met.coarse, met.kept, met.unseen, met.moved)).toBeGreaterThan(FRAMES / 3);
    if ('maxVertexBytes' in options) expect(met.undrawn).toBeGreaterThan(0);
  });

  // machines, sockets, ground, modifiers, followers: whatever a host can do
  test.each(someSeeds(1, 8, 800))(
    'end where those of software adapters end, after random frames: seed %i',
    async (seed) => {
      const serial = stateCrowd(device);
      const kernels = await shipped(() => Promise.resolve(chooseKernels(device)));
      const parallel = stateCrowd(device, { kernels });
      for (let i = 0; i < FRAMES; i++) {
        const seen = i > FRAMES - 3 ? true : undefined;
        for (const crowd of [serial, parallel]) {
          if (i === FRAMES - 1) crowd.show(crowd.ids);
          await randomFrame(crowd, 1000 * seed + i, seen);
        }
      }
      const [actual, expected] = [contents(await saveSnapshot(parallel)), contents(await saveSnapshot(serial))];
      // joints that attachments hang on come from palettes, which are the same to rounding
      const { attachmentJoints: joints = [], ...others } = actual;
      const { attachmentJoints: serialJoints = [], ...serialOthers } = expected;
      expect(others).toEqual(serialOthers);
      expect(joints.length).toBe(serialJoints.length);
      const floatsOf = (words: readonly number[]) => new Float32Array(Uint32Array.from(words).buffer);
      const held = floatsOf(serialJoints);
      let [shown, worst] = [0, 0];
      // shares of what is far away: a world may be fifty kilometres wide
      const apart = (a: number, b: number) => Math.abs(a - b) / Math.max(1, Math.abs(b) / 100);
      floatsOf(joints).forEach((value, k) => (worst = Math.max(worst, apart(value, held[k]!))));
      for (const id of serial.ids.filter((each) => !serial.isHidden(each))) {
        const [expected, actual] = [await serial.readVertices(id), await parallel.readVertices(id)];
        expect(actual.length).toBe(expected.length);
        expected.forEach((value, k) => (worst = Math.max(worst, apart(actual[k]!, value))));
        shown += expected.length / 3;
      }
      console.log(`seed ${seed}: ${serial.count} characters, ${shown} vertices, ${worst} m apart at most`);
      expect(shown).toBeGreaterThan(0);
      expect(worst).toBeLessThan(1e-4);
      for (const crowd of [serial, parallel]) crowd.destroy();
    },
  );
});
