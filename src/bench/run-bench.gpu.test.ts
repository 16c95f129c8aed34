import { expect, test } from 'vitest';
import { nodeDevice } from '../node/node-gpu.ts';
import { runBench } from './run-bench.ts';
import { testInTurn } from '../../test/support/setup.ts';

const context = { models: () => Promise.reject(new Error('no scene here needs them')), say: () => undefined };

testInTurn(2)(
  'without timestamps whole frames and the CPU are measured, and the rest is left out with its reason',
  async () => {
    const requested = await nodeDevice({ features: [] });
    const options = { scenes: ['poses', 'gallery', 'parade'], counts: [32], seconds: 2, version: '0' };
    const { rows, leftOut, hasTimestamps, rounds } = await runBench(requested, options, context);
    requested.device.destroy();
    expect(hasTimestamps).toBe(false);
    expect(rounds).toBeGreaterThan(0);
    expect(rows.map(({ scene, stage }) => `${scene} ${stage}`)).toEqual(['gallery frame', 'gallery host']);
    for (const { milliseconds, floorMilliseconds } of rows) {
      expect(milliseconds).toBeGreaterThan(0);
      expect(floorMilliseconds).toBeUndefined();
    }
    const [poses, parade] = leftOut;
    expect(poses).toEqual({ scene: 'poses', count: 32, reason: 'the device has no timestamps' });
    // it failed, or the time was over before it began
    expect(parade).toMatchObject({ scene: 'parade', count: 32 });
  },
);

test('after its time nothing begins but the first scene', async () => {
  const requested = await nodeDevice({ features: [] });
  const options = { scenes: ['poses', 'skins'], counts: [8], seconds: 0, version: '0' };
  const { leftOut, rounds } = await runBench(requested, options, context);
  requested.device.destroy();
  expect(rounds).toBe(1);
  expect(leftOut).toEqual([
    { scene: 'poses', count: 8, reason: 'the device has no timestamps' },
    { scene: 'skins', count: 8, reason: 'the 0 s were over' },
  ]);
});

test('a device that is lost ends the run, and each scene is listed', async () => {
  const requested = await nodeDevice();
  const say = (text: string) => {
    if (text.includes('gallery')) requested.device.destroy();
  };
  const options = { scenes: ['gallery', 'skins'], counts: [8], seconds: 20, version: '0' };
  const { rows, leftOut } = await runBench(requested, options, { ...context, say });
  expect(rows).toEqual([]);
  expect(leftOut.map(({ scene }) => scene)).toEqual(['gallery', 'skins']);
  expect(leftOut[1]!.reason).toContain('lost');
});
