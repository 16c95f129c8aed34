// Reading a character while frames go on being submitted: what comes back is of one frame, whichever.
import { beforeAll, describe, expect, test } from 'vitest';
import type { CharacterId, Crowd, CrowdOptions } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { coded, farthest, largeActor, smallActor } from '../support/crowd-truth.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

const METRIC = 1e-5;
const DT = 0.037;
const [small, large] = [smallActor(), largeActor()];
const VIEWS = [{ clipFromWorld: clipFromWorld({ eye: [0, 2, 12], target: [0, 0, 0] }, 1), height: 100 }];

interface Known {
  readonly vertices: number[];
  readonly previous: number[];
  readonly palette: readonly number[] | undefined;
}

async function known(crowd: Crowd, id: CharacterId): Promise<Known> {
  const { vertices, previousVertices, palette } = (await internalsOf(crowd).host.backend.read(id % 2 ** 24))!;
  const positions = (words: Uint32Array<ArrayBuffer>) =>
    Array.from(new Float32Array(words.buffer).filter((_, i) => i % 4 !== 3)); // the fourth word is the normal
  const [current, previous] = [positions(vertices), positions(previousVertices)];
  return { vertices: current, previous, palette: palette && Array.from(palette) };
}

describe.skipIf(noGpu()).each(['compute', 'vertex'] as const)('reading while frames go on, skinned in %s', (skin) => {
  let device: GPUDevice;
  beforeAll(async () => {
    ({ device } = await testDevice());
  });

  /** A crowd where in every frame others come into view and leave it, so that rows and palettes change places. */
  function begin(options: Partial<CrowdOptions> = {}) {
    const characters = [small.character, large.character];
    const crowd = createCrowd(device, { characters, capacity: 16, skin, updateRates: false, ...options });
    const others = crowd.spawn(small.character, { count: 7 });
    const more = crowd.spawn(large.character, { count: 3 });
    const last = crowd.spawn(small.character).id(0);
    for (const id of [...others.ids, ...more.ids, last]) crowd.play(id, 0);
    let frame = 0;
    const advance = () => {
      frame++;
      [...others.ids, ...more.ids].forEach((id, i) => {
        const isAway = (frame * 2654435761 + i * 40503) % 7 < 3;
        crowd.setTransform(id, (at) => at.position.set(i - 5, isAway ? 500 : 0, 0));
      });
      return updateAndWait(crowd, { dt: DT, views: VIEWS });
    };
    return { crowd, last, advance };
  }

  test('vertices, those of the frame before, and palette are of one frame', async () => {
    const [gpu, cpu] = [begin(), begin({ backend: 'cpu' })];
    const frames: Known[] = [];
    const running: Promise<void>[] = [];
    /** Goes on without waiting for the GPU, but not far. */
    const step = async () => {
      await cpu.advance();
      frames.push(await known(cpu.crowd, cpu.last));
      if (running.push(gpu.advance()) > 4) await running.shift();
      await new Promise((resolve) => setImmediate(resolve));
    };
    for (let i = 0; i < 3; i++) await step();
    const answered = new Set<number>();
    let submitted = 0;
    for (let reading = 0; reading < 6; reading++) {
      const first = frames.length - 1;
      const waiting = new Set(['answer']);
      const answer = known(gpu.crowd, gpu.last).finally(() => waiting.clear());
      for (; waiting.size > 0; submitted++) await step();
      const { vertices, previous, palette } = await answer;
      const frame = frames.findIndex((of) => farthest(small, vertices, of.vertices) < METRIC);
      expect(frame).toBeGreaterThanOrEqual(first);
      answered.add(frame);
      expect(farthest(small, previous, frames[frame]!.previous)).toBeLessThan(METRIC);
      // kernels have rows of their own behind it
      frames[frame]!.palette!.forEach((value, i) => expect(palette![i]).toBeCloseTo(value, 4));
    }
    // frames came in between
    expect(submitted).toBeGreaterThan(6);
    expect(answered.size).toBeGreaterThan(3);
    await Promise.all(running);
    gpu.crowd.destroy();
    cpu.crowd.destroy();
  });

  test('while the crowd grows, and until it is destroyed', async () => {
    const { crowd, last, advance } = begin();
    await advance();
    const growing = known(crowd, last);
    crowd.grow(64);
    // larger ones take the place of its buffers
    crowd.spawn(large.character, { count: 40 });
    await advance();
    await advance();
    expect((await growing).vertices.length).toBe(3 * small.character.vertexCount);
    const late = crowd.readVertices(last);
    crowd.destroy();
    await expect(late).rejects.toThrow(coded('CROWD_DESTROYED'));
  });
});
