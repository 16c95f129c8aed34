import { describe, expect, test } from 'vitest';
import { noGpu, runCompute, testDevice } from '../../test/support/gpu.ts';
import { Random } from '../../test/support/random.ts';
import { runSeed } from '../../test/support/setup.ts';
import { linkTestShader } from '../../test/support/wesl.ts';
import { angleOf, wrapAngle } from './angle.ts';

const CODE = `
import package::math::angle::{angleOf, wrapAngle};
@group(0) @binding(0) var<storage, read_write> input: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> output: array<vec2f>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let x = input[id.x];
  output[id.x] = vec2f(angleOf(x.xy), wrapAngle(x.z));
}`;

describe.skipIf(noGpu())('angles on the GPU', () => {
  test('are the twin’s to 1e-6', async () => {
    const random = new Random(runSeed);
    const count = 4096;
    const input = Float32Array.from({ length: 4 * count }, (_, i) => {
      if (i % 4 === 2) return random.range(-6.2, 6.2);
      return random.chance(0.1) ? random.integer(-1, 1) : random.range(-2, 2);
    });
    const { device } = await testDevice();
    const [, out] = await runCompute(device, {
      code: await linkTestShader(CODE),
      bindings: [{ data: input }, { data: new Float32Array(2 * count) }],
      workgroups: [count / 64],
    });
    const angles = new Float32Array(out!);
    for (let n = 0; n < count; n++) {
      const [x, y, angle] = input.subarray(4 * n, 4 * n + 3) as unknown as [number, number, number];
      expect(Math.abs(angles[2 * n]! - angleOf(x, y)), `(${x}, ${y})`).toBeLessThan(1e-6);
      expect(Math.abs(angles[2 * n + 1]! - wrapAngle(angle)), `${angle}`).toBeLessThan(1e-6);
    }
  });
});
