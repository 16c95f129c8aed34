import { describe, expect, test } from 'vitest';
import { noGpu, runCompute, testDevice } from '../../test/support/gpu.ts';
import { Random } from '../../test/support/random.ts';
import { runSeed } from '../../test/support/setup.ts';
import { linkTestShader } from '../../test/support/wesl.ts';
import { cyclesIn, joinWide } from './fixed.ts';

const CODE = `
import package::math::fixed::{Wide, cyclesIn, addWide, subtractWide};
@group(0) @binding(0) var<storage, read_write> input: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4u>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= arrayLength(&input)) { return; }
  let x = input[i];
  let cycles = cyclesIn(Wide(x.x, x.y), x.z);
  let other = Wide(x.z, x.w);
  let difference = subtractWide(addWide(Wide(x.x, x.y), other), other);
  output[i] = vec4u(cycles.low, cycles.high, difference.low, difference.high);
}`;

describe.skipIf(noGpu())('64-bit fixed point on the GPU', () => {
  test('products, sums and differences are exact', async () => {
    const random = new Random(runSeed);
    const count = 4096;
    const rows = Uint32Array.from({ length: 4 * count }, (_, i) => {
      if (i % 4 === 1) return random.integer(0, 2 ** random.integer(0, 20));
      if (i % 4 === 2) return random.integer(0, 2 ** random.integer(1, 31) - 1);
      return random.integer(0, 0xffffffff);
    });
    const { device } = await testDevice();
    const [, out] = await runCompute(device, {
      code: await linkTestShader(CODE),
      bindings: [{ data: rows }, { data: new Uint32Array(4 * count) }],
      workgroups: [count / 64],
    });
    const words = new Uint32Array(out!);
    for (let n = 0; n < count; n++) {
      const [low, high, rate] = rows.subarray(4 * n, 4 * n + 3) as unknown as [number, number, number];
      // The kernel drops the bits below 2^-32 of each partial product: one unit at most.
      const exact = cyclesIn(joinWide(low, high), rate);
      const difference = exact - joinWide(words[4 * n]!, words[4 * n + 1]!);
      expect(difference >= 0n && difference <= 1n, `case ${n}: ${difference}`).toBe(true);
      expect([words[4 * n + 2], words[4 * n + 3]]).toEqual([low, high]);
    }
  });
});
