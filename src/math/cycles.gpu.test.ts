import { describe, expect, test } from 'vitest';
import { noGpu, runCompute, testDevice } from '../../test/support/gpu.ts';
import { Random } from '../../test/support/random.ts';
import { runSeed } from '../../test/support/setup.ts';
import { linkTestShader } from '../../test/support/wesl.ts';
import { addCycles, compareCycles, negateCycles, toCycles, type Cycles } from './cycles.ts';

const CODE = `
import package::math::cycles::{Cycles, addCycles, isBefore, isZero, negateCycles, subtractCycles, toCycles};
@group(0) @binding(0) var<storage, read_write> input: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4u>;
fn words(a: Cycles) -> vec2u { return vec2u(bitcast<u32>(a.cycles), a.phase); }
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let x = input[id.x];
  let a = Cycles(bitcast<i32>(x.x), x.y);
  let step = toCycles(bitcast<f32>(x.z));
  output[3u * id.x] = vec4u(words(step), words(addCycles(a, step)));
  output[3u * id.x + 1u] = vec4u(words(subtractCycles(a, step)), words(negateCycles(a)));
  output[3u * id.x + 2u] = vec4u(select(0u, 1u, isBefore(a, step)), select(0u, 1u, isZero(a)), 0u, 0u);
}`;

describe.skipIf(noGpu())('clocks on the GPU', () => {
  test('are the twin’s, bit by bit', async () => {
    const random = new Random(runSeed);
    const count = 4096;
    const input = new Uint32Array(4 * count);
    const steps = new Float32Array(input.buffer);
    for (let n = 0; n < count; n++) {
      const isSmall = random.chance(0.2);
      input[4 * n] = isSmall ? random.integer(-1, 1) : random.integer(-1000, 1000);
      input[4 * n + 1] = isSmall ? random.pick([0, 1, 2 ** 31, 2 ** 32 - 1]) : random.integer(0, 2 ** 32 - 1);
      // magnitudes: from below 2⁻³² to beyond what one step may hold
      steps[4 * n + 2] = random.chance(0.1)
        ? random.pick([0, 1, 0.5, 2 ** -33, 3 * 2 ** -33, 2e9])
        : 2 ** random.range(-36, 8);
    }
    const { device } = await testDevice();
    const [, out] = await runCompute(device, {
      code: await linkTestShader(CODE),
      bindings: [{ data: input }, { data: new Uint32Array(12 * count) }],
      workgroups: [count / 64],
    });
    const words = new Uint32Array(out!);
    const bits = ({ cycles, phase }: Cycles): number[] => [cycles >>> 0, phase];
    for (let n = 0; n < count; n++) {
      const a: Cycles = { cycles: input[4 * n]! | 0, phase: input[4 * n + 1]! };
      const step = toCycles(steps[4 * n + 2]!);
      const expected = [
        ...bits(step),
        ...bits(addCycles(a, step)),
        ...bits(addCycles(a, negateCycles(step))),
        ...bits(negateCycles(a)),
        Number(compareCycles(a, step) < 0),
        Number(a.cycles === 0 && a.phase === 0),
      ];
      expect([...words.subarray(12 * n, 12 * n + 10)], `case ${n}: ${JSON.stringify({ a, step })}`).toEqual(expected);
    }
  });
});
