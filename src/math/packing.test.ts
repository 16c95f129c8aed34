import { describe, expect, test } from 'vitest';
import { Random } from '../../test/support/random.ts';
import { full, runSeed, someSeeds } from '../../test/support/setup.ts';
import {
  FIXED3_MAX,
  fixed3Unit,
  packFixed3,
  packHalf,
  packNormalWind,
  packOctahedral,
  packPosition,
  packQuaternion,
  packTangent,
  packTangent8,
  packUnorm16,
  packUnorm8,
  unpackFixed3,
  unpackHalf,
  unpackNormalWind,
  unpackOctahedral,
  unpackPosition,
  unpackQuaternion,
  unpackTangent,
  unpackTangent8,
  unpackUnorm8,
} from './packing.ts';

const CODES_8 = Array.from({ length: 256 }, (_, code) => code);

/** A word with the code in one byte and other codes in the rest. */
const wordOf = (code: number, byte: number) =>
  CODES_8.slice(0, 4).reduce(
    (word, _, b) => (word | ((b === byte ? code : (code * 37 + b * 91) & 0xff) << (8 * b))) >>> 0,
    0,
  );

/** Random rotations and frames. */
const COUNT = full ? 20_000 : 4_000;

describe('the packed layout', () => {
  test('every code of every byte of normal, wind and tangent survives the way round', () => {
    const v = [0, 0, 0, 0];
    for (const code of CODES_8) {
      for (let byte = 0; byte < 4; byte++) {
        const word = wordOf(code, byte);
        unpackNormalWind(word, v);
        expect(packNormalWind(v[0]!, v[1]!, v[2]!, v[3]!)).toBe(word);
        unpackTangent8(word, v);
        expect(packTangent8(v[0]!, v[1]!, v[2]!, v[3]!)).toBe(word);
        unpackUnorm8(word, v);
        expect(packUnorm8(v)).toBe(word);
      }
    }
  });

  test('truncating, as in the article that it is from, loses 63 of 256', () => {
    const f = Math.fround;
    const lost = CODES_8.filter((code) => {
      const normal = f(f(f(code / 255) * 2) - 1);
      return Math.trunc(f(f(f(normal * 0.5) + 0.5) * 255)) !== code;
    });
    expect(lost).toHaveLength(63);
  });

  test('every 16-bit code of a weight survives the way round', () => {
    for (let code = 0; code < 65536; code++) {
      const other = (code * 40503) & 0xffff;
      const word = packUnorm16(Math.fround(code / 65535), Math.fround(other / 65535));
      if (word !== (code | (other << 16)) >>> 0) expect.fail(`code ${code} comes back as ${word & 0xffff}`);
    }
  });

  test('packs round to nearest and clamp', () => {
    expect(packUnorm8([0.5, 0.999, 1.2, -0.1])).toBe(0x00ffff80);
    expect(packUnorm16(0.5, 2)).toBe(0xffff8000);
  });
});

describe('quaternions in 62 bits', () => {
  test.each(someSeeds(3, 30))('come back as the same rotation to 5.5e-6 radians (seed %i)', (seed) => {
    const random = new Random(seed);
    const out = [0, 0, 0, 0];
    for (let n = 0; n < COUNT; n++) {
      const q = random.quaternion(6.3);
      const [low, high] = packQuaternion(q);
      unpackQuaternion(low, high, out);
      const dot = q.reduce((sum, c, i) => sum + c * out[i]!, 0);
      const chord = Math.hypot(...q.map((c, i) => c - Math.sign(dot) * out[i]!));
      expect(4 * Math.asin(chord / 2)).toBeLessThan(5.5e-6);
    }
  });

  test.each([0, 1, 2, 3])('hold the axis rotation of component %i exactly', (component) => {
    const q = [0, 0, 0, 0];
    q[component] = 1;
    const out = [9, 9, 9, 9];
    unpackQuaternion(...packQuaternion(q), out);
    expect(out).toEqual(q);
  });

  test('of length 0 or unnormalised do not break', () => {
    const out = [0, 0, 0, 0];
    unpackQuaternion(...packQuaternion([0, 0, 0, 0]), out);
    expect(Math.hypot(...out)).toBeCloseTo(1, 6);
    unpackQuaternion(...packQuaternion([0, 4, 0, 3]), out);
    expect(out[1]! / out[3]!).toBeCloseTo(4 / 3, 4);
  });
});

describe('three numbers in 63 bits', () => {
  test('keep every corner of the range, sign by sign', () => {
    const ends = [-FIXED3_MAX, -1, 0, 1, FIXED3_MAX];
    const out = [0, 0, 0];
    for (const x of ends) {
      for (const y of ends) {
        for (const z of ends) {
          unpackFixed3(...packFixed3([x, y, z], 0, 1), 1, out);
          expect(out).toEqual([x, y, z]);
        }
      }
    }
  });

  test('clamp what is too large', () => {
    const out = [0, 0, 0];
    unpackFixed3(...packFixed3([1e9, -1e9, 0.4], 0, 1), 1, out);
    expect(out).toEqual([FIXED3_MAX, -FIXED3_MAX, 0]);
  });

  test.each([1e-20, 0.003, 1, 17.2, 1e12])('the unit for ±%f is the smallest power of two that holds it', (maximum) => {
    const unit = fixed3Unit(maximum);
    expect(Number.isInteger(Math.log2(unit))).toBe(true);
    expect(maximum / unit).toBeLessThanOrEqual(FIXED3_MAX);
    expect(maximum / (unit / 2)).toBeGreaterThan(FIXED3_MAX);
  });
});

describe('unit vectors on the octahedron', () => {
  const isOnBorder = (code: number) => [(code << 16) >> 16, code >> 16].some((c) => Math.abs(c) === 32767);

  test.each(someSeeds(2, 30))('come back to within 7e-5 radians, handedness included (seed %i)', (seed) => {
    const random = new Random(seed);
    const out = [0, 0, 0, 0];
    let [normals, tangents, flips] = [0, 0, 0];
    for (let n = 0; n < COUNT; n++) {
      const v = random.vector(1);
      const length = Math.hypot(...v);
      const [x, y, z] = v.map((c) => c / length) as [number, number, number];
      unpackOctahedral(packOctahedral(x, y, z), out);
      normals = Math.max(normals, Math.hypot(out[0]! - x, out[1]! - y, out[2]! - z));
      const handedness = random.chance(0.5) ? 1 : -1;
      unpackTangent(packTangent(x, y, z, handedness), out);
      tangents = Math.max(tangents, Math.hypot(out[0]! - x, out[1]! - y, out[2]! - z));
      if (out[3] !== handedness) flips++;
    }
    expect(normals).toBeLessThan(7e-5);
    expect(tangents).toBeLessThan(1.5e-4);
    expect(flips).toBe(0);
  });

  test('codes survive the way round: what passes through skinning unmoved stays bit for bit', () => {
    const random = new Random(runSeed);
    const out = [0, 0, 0, 0];
    for (let n = 0; n < 50_000; n++) {
      const code = packOctahedral(...random.vector(1));
      unpackOctahedral(code, out);
      const again = packOctahedral(out[0]!, out[1]!, out[2]!);
      if (again === code) continue;
      // the square's border is folded onto itself: several codes there are one direction
      if (!isOnBorder(code)) expect.fail(`code ${code} comes back as ${again}`);
      const unfolded = out.slice();
      unpackOctahedral(again, out);
      expect(Math.hypot(...out.map((c, k) => c - unfolded[k]!)), `code ${code}`).toBeLessThan(1e-9);
    }
  });

  test('the axes are exact', () => {
    const out = [0, 0, 0];
    for (const axis of [
      [1, 0, 0],
      [-1, 0, 0],
      [0, 1, 0],
      [0, -1, 0],
      [0, 0, 1],
      [0, 0, -1],
    ] as const) {
      unpackOctahedral(packOctahedral(axis[0], axis[1], axis[2]), out);
      out.forEach((c, i) => expect(c).toBeCloseTo(axis[i]!, 7));
    }
  });
});

describe('half floats', () => {
  test('every finite code survives the way round', () => {
    for (let code = 0; code < 65536; code++) {
      if ((code & 0x7c00) === 0x7c00) continue;
      if (packHalf(unpackHalf(code)) !== code) expect.fail(`code ${code.toString(16)}`);
    }
  });

  test('round to nearest, ties to even, and clamp at the largest', () => {
    expect(packHalf(1 + 2 ** -11)).toBe(0x3c00);
    expect(packHalf(1 + 3 * 2 ** -11)).toBe(0x3c02);
    expect(packHalf(1e9)).toBe(0x7bff);
    expect(packHalf(2 ** -25)).toBe(0);
    expect(packHalf(2 ** -24)).toBe(1);
  });
});

describe('positions with a shared exponent', () => {
  const there = (p: readonly number[]) => {
    const out = [0, 0, 0];
    unpackPosition(...packPosition(p), out);
    return out;
  };

  test('keep integers, halves and zero', () => {
    for (const p of [[0, 0, 0], [1, -2, 3], [-0.5, 0.25, 1.75], [-1, -1, -1]]) expect(there(p)).toEqual(p); // prettier-ignore
  });

  test('are off by half a unit of the largest coordinate at most; at the end of a power of two by one', () => {
    const random = new Random(runSeed);
    for (let n = 0; n < COUNT; n++) {
      const p = random.vector(10 ** random.range(-6, 6));
      const largest = Math.max(...p.map((c) => Math.abs(Math.fround(c))));
      const unit = 2 ** (Math.floor(Math.log2(largest)) - 17);
      const limit = largest > 262142 * unit ? unit : unit / 2;
      there(p).forEach((c, i) => expect(Math.abs(c - p[i]!), p.join()).toBeLessThanOrEqual(limit * (1 + 1e-6)));
      // what is packed once stays the same
      if (limit < unit) expect(there(there(p))).toEqual(there(p));
    }
  });

  test('that are not finite, or beyond all sizes, are told from others', () => {
    for (const p of [[NaN, 0, 0], [0, Infinity, 0], [0, 0, -(2 ** 64)]]) expect(there(p)).toEqual([NaN, NaN, NaN]); // prettier-ignore
    expect(there([0, 0, 2 ** 63])).toEqual([0, 0, 2 ** 63]);
  });

  test('below all sizes become 0', () => {
    expect(there([1e-30, 0, -1e-30])).toEqual([0, 0, 0].map((z) => expect.closeTo(z, 20)));
  });

  test('just below a power of two do not turn round', () => {
    for (const c of [2 - 2 ** -23, 2 - 2 ** -18, 2 - 2 ** -17, 2 - 2 ** -16]) {
      there([c, -c, 0]).forEach((k, i) => expect(Math.abs(k - [c, -c, 0][i]!)).toBeLessThanOrEqual(2 ** -17));
    }
  });
});
