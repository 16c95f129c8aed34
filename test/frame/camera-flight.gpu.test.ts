// A camera flies through a crowd: what kernels draw in every frame is what twins draw. Slots may differ, and do.
import { describe, expect, test } from 'vitest';
import { largeActor, smallActor } from '../support/crowd-truth.ts';
import { Company, flightViews, shownBy, type Shown } from '../support/flight.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { Random } from '../support/random.ts';
import { withFewerJoints } from '../support/rig-cases.ts';

const FRAMES = process.env['MANIPLE_FULL'] ? 300 : 40;
const MOST = 24;
/** Metres; the characters are some 2 m large. */
const CLOSE = 1e-4;

function farthest(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return Infinity;
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);
}

describe.skipIf(noGpu())('a camera flight', () => {
  test.each([
    ['room for all', {}],
    ['vertex memory for a third', { vertexMemory: 8 * 2 * 20 * 224 }],
    ['poses for a few', { poses: 5 }],
  ])('shows the same on both backends: %s', async (_, options) => {
    const { device } = await testDevice();
    // levels of the same vertices, whose joints fewer and fewer move; errors that change levels at some 120 and 60 pixels
    const joints = new Random(4);
    const characters = [smallActor(), largeActor()].map(({ character }) =>
      [0.02, 0.04].reduce((finer, error) => withFewerJoints(joints, finer, error), character),
    );
    const shape = { characters, capacity: 32, rates: [150, 80, 40] as const, ...options };
    const [gpu, cpu] = [new Company(device, shape), new Company(undefined, { ...shape, backend: 'cpu' })];
    const [forGpu, forCpu] = [new Random(11), new Random(11)];
    const met = { shown: 0, posed: 0, coarse: 0, kept: 0, unseen: 0, moved: 0, undrawn: 0, worst: 0 };
    for (let frame = 0; frame < FRAMES; frame++) {
      gpu.act(forGpu, MOST);
      cpu.act(forCpu, MOST);
      const views = flightViews(frame, FRAMES);
      await Promise.all([gpu, cpu].map(({ crowd }) => crowd.update({ dt: 1 / 30, views })));
      const [actual, expected] = [
        await shownBy(device, gpu.crowd, gpu.rows),
        await shownBy(device, cpu.crowd, cpu.rows),
      ] as [Map<number, Shown>, Map<number, Shown>];
      const rowsOf = (shown: ReadonlyMap<number, Shown>) => [...shown.keys()].sort((a, b) => a - b);
      expect(rowsOf(actual), `frame ${frame}`).toEqual(rowsOf(expected));
      expect(await gpu.crowd.readStats(), `frame ${frame}`).toEqual(await cpu.crowd.readStats());
      met.undrawn += (await gpu.crowd.readStats()).undrawn;
      met.unseen += gpu.rows.length - actual.size;
      for (const [row, { current, previous, ...decided }] of actual) {
        const twin = expected.get(row)!;
        const label = `frame ${frame}, character ${row}`;
        const { views: seen, level, rate, posed } = twin;
        expect(decided, label).toEqual({ views: seen, level, rate, posed });
        if (seen !== 0) {
          const off = Math.max(farthest(current, twin.current), farthest(previous, twin.previous));
          expect(off, label).toBeLessThan(CLOSE);
          met.worst = Math.max(met.worst, off);
        }
        met.shown++;
        met[posed ? 'posed' : 'kept']++;
        if (level > 0 && posed) met.coarse++;
        if (farthest(current, previous) > 1e-6) met.moved++;
      }
    }
    console.log(`${FRAMES} frames`, met);
    expect(Math.min(met.posed, met.coarse, met.kept, met.unseen, met.moved)).toBeGreaterThan(FRAMES);
    gpu.crowd.destroy();
    cpu.crowd.destroy();
  });
});
