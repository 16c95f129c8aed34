import { expect, describe, test } from 'vitest';
import { noVisibility, runCompute, testDevice } from '../../../test/support/gpu.ts';
import { Random } from '../../../test/support/random.ts';
import { full, runSeed } from '../../../test/support/setup.ts';
import { linkTestShader } from '../../../test/support/wesl.ts';
import { weightsAt } from './shown-triangle.ts';
import type { Point } from './triangle-reference.ts';

/** `drawn` of raster-triangles is binding 3. */
const SHADER = `
import package::render::visibility::barycentrics::weightsAt;
@group(0) @binding(0) var<storage, read_write> input: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4f>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (3u * i >= arrayLength(&input)) { return; }
  let a = input[3u * i];
  let b = input[3u * i + 1u];
  let c = input[3u * i + 2u];
  let found = weightsAt(4u * i, a.xyz, b.xyz, c.xyz, vec2f(a.w, b.w));
  output[3u * i] = vec4f(found.at, select(0.0, 1.0, found.isClockwise));
  output[3u * i + 1u] = vec4f(found.ddx, 0.0);
  output[3u * i + 2u] = vec4f(found.ddy, 0.0);
}
`;

describe.skipIf(noVisibility())('weights of corners', () => {
  test('are what the twin says, to rounding, and hold together', async () => {
    const seed = runSeed;
    const random = new Random(seed);
    const count = full ? 200_000 : 4096;
    const [input, drawn] = [new Float32Array(12 * count), new Float32Array(16 * count)];
    for (let i = 0; i < count; i++) {
      // a picture of 640 × 360: pixels of a point before the eye, and corners around it, a few behind
      const focal = random.range(200, 800);
      drawn.set([focal, 0, 320, 0, 0, focal, 180, 0, 0, 0, 1, 0], 16 * i);
      const [x, y, depth] = [random.range(-1, 1), random.range(-0.5, 0.5), random.range(0.5, 20)];
      const size = depth * 10 ** random.range(-2.5, 0.2);
      const corners = [0, 1, 2].map(() =>
        random.vector(size).map((value, c) => value + [x * depth, y * depth, depth][c]!),
      );
      const pixel = [320 + focal * x, 180 + focal * y, 0];
      corners.forEach((corner, c) => input.set([...corner, Math.floor(pixel[c]!) + 0.5], 12 * i + 4 * c));
    }
    const { device } = await testDevice();
    const code = await linkTestShader(SHADER, { raster: true });
    const [, out] = await runCompute(device, {
      code,
      bindings: [
        { data: input },
        { data: new Float32Array(12 * count) },
        { data: new Uint32Array(4) },
        { data: drawn, type: 'read-only-storage' },
      ],
      workgroups: [Math.ceil(count / 64)],
    });
    const found = new Float32Array(out!);
    let [worst, looked, thin] = [0, 0, 0];
    for (let i = 0; i < count; i++) {
      const at = (c: number): Point => [input[12 * i + 4 * c]!, input[12 * i + 4 * c + 1]!, input[12 * i + 4 * c + 2]!];
      const pixel = [input[12 * i + 3]!, input[12 * i + 7]!] as const;
      const rows = drawn.subarray(16 * i, 16 * i + 12);
      const expected = weightsAt(rows, [at(0), at(1), at(2)], pixel);
      // pixels that show it, and triangles that are no slivers
      if (!expected.at.every((weight) => weight >= 0)) continue;
      const reach = Math.max(...[...expected.ddx, ...expected.ddy].map(Math.abs));
      if (reach > 0.5) {
        thin++;
        continue;
      }
      looked++;
      const numbers = [...expected.at, ...expected.ddx, ...expected.ddy];
      const actual = [0, 1, 2].flatMap((r) => [0, 1, 2].map((c) => found[12 * i + 4 * r + c]!));
      // a weight changes by `reach` a pixel: so a hundredth of a pixel and rounding
      numbers.forEach((value, n) => {
        worst = Math.max(worst, Math.abs(actual[n]! - value) / (n < 3 ? Math.max(reach, 1e-3) : reach));
      });
      expect(found[12 * i + 3], `seed ${seed}, case ${i}`).toBe(Number(expected.isClockwise));
    }
    console.log(`weights, seed ${seed}: ${looked} triangles, ${thin} thin ones left out, off by ${worst} px at most`);
    expect(looked).toBeGreaterThan(count / 20);
    expect(worst).toBeLessThan(0.01);
  });
});
