import { describe, expect, test } from 'vitest';
import { noGpu, runCompute, testDevice } from '../../test/support/gpu.ts';
import { Random } from '../../test/support/random.ts';
import { runSeed } from '../../test/support/setup.ts';
import { linkTestShader } from '../../test/support/wesl.ts';
import {
  packFixed3,
  packOctahedral,
  packPosition,
  packQuaternion,
  packTangent,
  unpackFixed3,
  unpackOctahedral,
  unpackPosition,
  unpackQuaternion,
  unpackTangent,
} from './packing.ts';

const HEAD = `
@group(0) @binding(0) var<storage, read_write> input: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4u>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= arrayLength(&input)) { return; }
  let x = input[i];
`;

/** Runs `body` on every row; it reads `x` and writes `output[i]`. */
async function onGpu(imports: string, body: string, rows: Uint32Array): Promise<ArrayBuffer> {
  const { device } = await testDevice();
  const code = await linkTestShader(`${imports}\n${HEAD}${body}\n}\n`);
  const [, out] = await runCompute(device, {
    code,
    bindings: [{ data: rows }, { data: new Uint32Array(rows.length) }],
    workgroups: [Math.ceil(rows.length / 4 / 64)],
  });
  return out!;
}

describe.skipIf(noGpu())('packing on the GPU', () => {
  test('every 8-bit code of normal, wind and tangent, and every 16-bit code of a weight, survives the way round', async () => {
    const rows = new Uint32Array(4 * 65536);
    for (let code = 0; code < 65536; code++) {
      const byte = code & 0xff;
      rows[4 * code] = (byte | (byte << 8) | (byte << 16) | (byte << 24)) >>> 0;
      rows[4 * code + 1] = (code | ((code ^ 0xffff) << 16)) >>> 0;
    }
    const words = new Uint32Array(
      await onGpu(
        'import package::math::packing::{packNormalWind, unpackNormalWind, packTangent8, unpackTangent8};',
        `let n = unpackNormalWind(x.x);
  output[i] = vec4u(packNormalWind(n.xyz, n.w), packTangent8(unpackTangent8(x.x)), pack2x16unorm(unpack2x16unorm(x.y)), 0u);`,
        rows,
      ),
    );
    const expected = Uint32Array.from(rows, (_, i) => [rows[i], rows[i - 1], rows[i - 1], 0][i % 4]!);
    expect(words).toEqual(expected);
  });

  test('quaternions and fixed-point vectors unpack to what the twin unpacks (ulp)', async () => {
    const random = new Random(runSeed);
    const rows = new Uint32Array(4 * 4096);
    for (let n = 0; n < 4096; n++) {
      rows.set(packQuaternion(random.quaternion(6.3)), 4 * n);
      rows.set(packFixed3(random.vector(1), 0, 2 ** -20), 4 * n + 2);
    }
    const q = new Float32Array(
      await onGpu(
        'import package::math::packing::unpackQuaternion;',
        'output[i] = bitcast<vec4u>(unpackQuaternion(x.xy));',
        rows,
      ),
    );
    const v = new Float32Array(
      await onGpu(
        'import package::math::packing::unpackFixed3;',
        'output[i] = bitcast<vec4u>(vec4f(unpackFixed3(x.zw), 0.0));',
        rows,
      ),
    );
    const out = [0, 0, 0, 0];
    for (let n = 0; n < 4096; n++) {
      unpackQuaternion(rows[4 * n]!, rows[4 * n + 1]!, out);
      for (let c = 0; c < 4; c++) expect(Math.abs(q[4 * n + c]! - out[c]!)).toBeLessThan(2.5e-7);
      unpackFixed3(rows[4 * n + 2]!, rows[4 * n + 3]!, 1, out);
      for (let c = 0; c < 3; c++) expect(v[4 * n + c]).toBe(out[c]);
    }
  });

  test('octahedral words agree with the twin’s to one code, and unpack alike', async () => {
    const random = new Random(runSeed + 1);
    const rows = new Uint32Array(4 * 4096);
    const floats = new Float32Array(rows.buffer);
    for (let n = 0; n < 4096; n++) floats.set([...random.vector(1), random.chance(0.5) ? 1 : -1], 4 * n);
    const imports = 'import package::math::packing::{packOctahedral, packTangent};';
    const words = new Uint32Array(
      await onGpu(
        imports,
        'let v = bitcast<vec4f>(x); output[i] = vec4u(packOctahedral(v.xyz), packTangent(v.xyz, v.w), 0u, 0u);',
        rows,
      ),
    );
    const [a, b] = [
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ];
    for (let n = 0; n < 4096; n++) {
      const [x, y, z, w] = floats.subarray(4 * n, 4 * n + 4) as unknown as [number, number, number, number];
      unpackOctahedral(words[4 * n]!, a);
      unpackOctahedral(packOctahedral(x, y, z), b);
      expect(Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!)).toBeLessThan(1e-4);
      unpackTangent(words[4 * n + 1]!, a);
      unpackTangent(packTangent(x, y, z, w), b);
      expect(Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!)).toBeLessThan(2e-4);
      expect(a[3]).toBe(w);
    }
  });

  test('octahedral words of what has no direction are the twin’s', async () => {
    const vectors = [[0, 0, 0], [-0, -0, -0], [0, 0, -0], [1e-35, -1e-36, -1e-37], [0, 0, -1e-36]]; // prettier-ignore
    const floats = new Float32Array(vectors.flatMap((v) => [[...v, 1], [...v, -1]].flat())); // prettier-ignore
    const imports = 'import package::math::packing::{packOctahedral, packTangent};';
    const body =
      'let v = bitcast<vec4f>(x); output[i] = vec4u(packOctahedral(v.xyz), packTangent(v.xyz, v.w), 0u, 0u);';
    const words = new Uint32Array(await onGpu(imports, body, new Uint32Array(floats.buffer)));
    for (let n = 0; n < floats.length / 4; n++) {
      const [x, y, z, w] = floats.subarray(4 * n, 4 * n + 4) as unknown as [number, number, number, number];
      // where the twin's are 0: z
      expect([packOctahedral(x, y, z), packTangent(x, y, z, w)]).toEqual([0, w < 0 ? 0x10000 : 0]);
      expect(words.subarray(4 * n, 4 * n + 2)).toEqual(Uint32Array.of(0, w < 0 ? 0x10000 : 0));
    }
  });

  test('positions are packed and unpacked as by the twin (exact)', async () => {
    const random = new Random(runSeed);
    const points = Array.from({ length: 4096 }, () => Float32Array.from(random.vector(10 ** random.range(-6, 6))));
    const rows = new Uint32Array(4 * points.length);
    points.forEach((p, n) => rows.set(new Uint32Array(p.buffer), 4 * n));
    const imports = 'import package::math::packing::{packPosition, unpackPosition};';
    const packed = new Uint32Array(
      await onGpu(imports, 'output[i] = vec4u(packPosition(bitcast<vec3f>(x.xyz)), 0u, 0u);', rows),
    );
    const expected = Uint32Array.from(points.flatMap((p) => [...packPosition(p), 0, 0]));
    expect(packed).toEqual(expected);
    const unpacked = new Float32Array(
      await onGpu(imports, 'output[i] = bitcast<vec4u>(vec4f(unpackPosition(x.xy), 0.0));', packed),
    );
    const out = new Float32Array(unpacked.length);
    for (let n = 0; n < points.length; n++) unpackPosition(packed[4 * n]!, packed[4 * n + 1]!, out, 4 * n);
    expect(unpacked).toEqual(out);
  });
});
