import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { importUnityController } from '../../src/import/index.ts';
import type { SimulatedStep } from '../../src/diagram/index.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { Random } from '../support/random.ts';
import { companions } from '../support/companions.ts';
import { full, noShared, runSeed, shared, some } from '../support/setup.ts';
import { randomScript, simulateAlone, visited } from '../support/simulate-randomly.ts';

const folder = path.join(shared, 'unity');
const STEPS = full ? 300 : 40;

/** Motions that show: at the end of a transition, rounding leaves one side with a weight of 2⁻²⁴ and the other with none. */
const shown = ({ motions }: SimulatedStep['layers'][number]) => motions.filter(({ weight }) => weight > 1e-6);

/** Clocks that two floats apart step over an end a moment earlier or later are the same clock. */
const clock = (cycles: number, phase: number) => cycles + phase;

function expectSame(a: SimulatedStep, b: SimulatedStep, label: string): void {
  expect(
    b.events.map(({ name }) => name),
    label,
  ).toEqual(a.events.map(({ name }) => name));
  a.layers.forEach((layer, l) => {
    const other = b.layers[l]!;
    const at = `${label}, ${layer.name}`;
    expect([other.state, other.next, other.frozen], at).toEqual([layer.state, layer.next, layer.frozen]);
    expect(clock(other.cycles, other.phase), at).toBeCloseTo(clock(layer.cycles, layer.phase), 3);
    expect(clock(other.nextCycles, other.nextPhase), at).toBeCloseTo(clock(layer.nextCycles, layer.nextPhase), 3);
    expect(other.progress, at).toBeCloseTo(layer.progress, 3);
    expect(shown(other).length, at).toBe(shown(layer).length);
    const sum = (step: typeof layer) => step.motions.reduce((total, { weight }) => total + weight, 0);
    expect(sum(other), at).toBeCloseTo(sum(layer), 3);
  });
}

describe.skipIf(noGpu() || noShared())('files of Unity, played by a random script on kernels and twins', () => {
  const files = noShared() ? [] : readdirSync(folder).filter((file) => file.endsWith('.controller'));
  test.each(some(files, 3))('%s', async (file) => {
    const { controller } = importUnityController(readFileSync(path.join(folder, file), 'utf8'));
    const script = randomScript(controller, new Random(runSeed), STEPS);
    const { device } = await testDevice();
    const twin = await simulateAlone(controller, script);
    const gpu = await simulateAlone(controller, script, { device, others: companions() });
    twin.forEach((step, index) => expectSame(step, gpu[index]!, `${file}, step ${index}`));
    expect(visited(twin).states).toBeGreaterThanOrEqual(controller.layers.length);
  });
});
