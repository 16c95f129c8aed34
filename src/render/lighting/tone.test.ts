// How true colours stay between light and screen. The figures of ADR 0031 are these.
import { describe, expect, test } from 'vitest';
import { normalize, type Vector } from '../camera.ts';
import { lensOf } from '../forward/lens.ts';
import { battleLight } from '../../battle/battle.ts';
import { frameUniforms, NO_SHADOWS } from './frame-uniforms.ts';
import { TONE_FILMIC, TONE_NEUTRAL, TONE_NONE } from './layout.ts';
import { litFrame } from './lit-frame.ts';
import { DEFAULT_LIGHTING, type Lighting } from './scene.ts';
import { shadeSurface } from './shade.ts';
import { toneMap } from './tone.ts';

/** The eighteen colours of a Macbeth chart, sRGB codes, and skin of one of the characters that showed how light bleached. */
const CHART: readonly Vector[] = [
  [115, 82, 68], [194, 150, 130], [98, 122, 157], [87, 108, 67], [133, 128, 177], [103, 189, 170],
  [214, 126, 44], [80, 91, 166], [193, 90, 99], [94, 60, 108], [157, 188, 64], [224, 163, 46],
  [56, 61, 150], [70, 148, 73], [175, 54, 60], [231, 199, 31], [187, 86, 149], [8, 133, 161],
]; // prettier-ignore
const SKIN: Vector = [199, 149, 124];

const each = ([a, b, c]: Vector, f: (value: number) => number): Vector => [f(a), f(b), f(c)];
const linear = (code: number) => (code <= 10.31 ? code / 255 / 12.92 : ((code / 255 + 0.055) / 1.055) ** 2.4);
const coded = (value: number) => 255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055);

/** Hue in degrees, and saturation: chroma over lightness, which more light of the same colour does not change. Oklab (Ottosson, 2020). */
function hueAndSaturation([r, g, b]: Vector) {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const lightness = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s;
  const x = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const y = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return { hue: (Math.atan2(y, x) * 180) / Math.PI, saturation: Math.hypot(x, y) / lightness };
}

function shift(before: Vector, after: Vector) {
  const [a, b] = [hueAndSaturation(before), hueAndSaturation(after)];
  const turn = Math.abs(a.hue - b.hue);
  return { hue: Math.min(turn, 360 - turn), saturation: b.saturation / a.saturation };
}

type Curve = (light: Vector) => Vector;
const curveOf =
  (tone: number): Curve =>
  (light) =>
    toneMap({ exposure: 1, toneMap: tone }, light);

/** What Khronos publishes: with the toe that takes 0.04, and less of what is dark, from every channel. */
const withToe: Curve = (light) => {
  const least = Math.min(...light);
  const toe = least < 0.08 ? least - 6.25 * least * least : 0.04;
  const [start, color] = [0.76, each(light, (value) => value - toe)];
  const peak = Math.max(...color);
  if (peak < start) return color;
  const shown = 1 - (1 - start) ** 2 / (peak + 1 - 2 * start);
  const own = 1 / (0.15 * (peak - shown) + 1);
  return each(color, (value) => shown + (value * (shown / peak) - shown) * own);
};

const times = (rows: readonly Vector[], v: Vector): Vector => {
  const dot = (row: Vector) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
  return [dot(rows[0]!), dot(rows[1]!), dot(rows[2]!)];
};

/** AgX of Troy Sobotka, as Blender and three.js have it, without a look. */
const agx: Curve = (light) => {
  const wide = times([[0.6274, 0.3293, 0.0433], [0.0691, 0.9195, 0.0113], [0.0164, 0.088, 0.8956]], light); // prettier-ignore
  const inset = times([[0.856627153315983, 0.0951212405381588, 0.0482516061458583], [0.137318972929847, 0.761241990602591, 0.101439036467562], [0.11189821299995, 0.0767994186031903, 0.811302368396859]], wide); // prettier-ignore
  const curved = each(inset, (value) => {
    const x = Math.min(1, Math.max(0, (Math.log2(Math.max(value, 1e-10)) + 12.47393) / 16.5));
    return 15.5 * x ** 6 - 40.14 * x ** 5 + 31.96 * x ** 4 - 6.868 * x ** 3 + 0.4298 * x ** 2 + 0.1191 * x - 0.00232;
  });
  const outset = times([[1.1271005818144368, -0.11060664309660323, -0.016493938717834573], [-0.1413297634984383, 1.157823702216272, -0.016493938717834257], [-0.14132976349843826, -0.11060664309660294, 1.2519364065950405]], curved); // prettier-ignore
  const shown = each(outset, (value) => Math.max(0, value) ** 2.2);
  const narrow = times(
    [
      [1.6605, -0.5876, -0.0728],
      [-0.1246, 1.1329, -0.0083],
      [-0.0182, -0.1006, 1.1187],
    ],
    shown,
  );
  return each(narrow, (value) => Math.min(1, Math.max(0, value)));
};

/** Light that shows a card of 18 % as it is. */
function exposureOf(curve: Curve): number {
  let [low, high] = [0.01, 20];
  for (let step = 0; step < 60; step++) {
    const middle = Math.sqrt(low * high);
    if (curve([0.18 * middle, 0.18 * middle, 0.18 * middle])[1] < 0.18) low = middle;
    else high = middle;
  }
  return low;
}

/** Of the chart in so much light: the mean and the largest turn of hue, and the least, mean and largest factor of saturation. */
function chartIn(curve: Curve, light: number) {
  const exposure = exposureOf(curve);
  const shifts = CHART.map((codes) => {
    const own = each(codes, linear);
    return shift(own, curve(each(own, (value) => value * light * exposure)));
  });
  const [hues, factors] = [shifts.map(({ hue }) => hue), shifts.map(({ saturation }) => saturation)];
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b) / values.length;
  return [mean(hues), Math.max(...hues), Math.min(...factors), mean(factors), Math.max(...factors)];
}

describe('curves', () => {
  // in a quarter of a grey card's light, in that, and in twice as much
  test.each<readonly [string, Curve, readonly (readonly number[])[]]>([
    ['neutral', curveOf(TONE_NEUTRAL), [[0, 0, 1, 1, 1], [0, 0, 1, 1, 1], [0.33, 2.34, 0.84, 0.97, 1]]],
    ['neutral as published', withToe, [[2.75, 9.61, 1.01, 1.51, 2.07], [1.16, 5.69, 1, 1.2, 1.58], [0.78, 2.78, 0.8, 1.03, 1.25]]],
    ['filmic', curveOf(TONE_FILMIC), [[4.43, 12.02, 1.02, 1.36, 1.62], [3.48, 11.75, 0.89, 1.16, 1.47], [7.24, 25.74, 0.51, 0.93, 1.29]]],
    ['agx', agx, [[3.53, 11.56, 0.91, 1.07, 1.38], [3.26, 7.45, 0.61, 0.74, 0.96], [3.62, 6.9, 0.47, 0.59, 0.78]]],
  ])('what becomes of a chart of colours: %s', (_, curve, expected) => {
    [0.25, 1, 2].forEach((light, i) => {
      const [mean, most, ...factors] = chartIn(curve, light) as [number, number, ...number[]];
      const [meanExpected, mostExpected, ...factorsExpected] = expected[i] as [number, number, ...number[]];
      expect(Math.abs(mean - meanExpected), `hue in ${light}`).toBeLessThan(0.006);
      expect(Math.abs(most - mostExpected), `largest turn in ${light}`).toBeLessThan(0.006);
      expect(factors, `saturation in ${light}`).toEqual(factorsExpected.map((value) => expect.closeTo(value, 2)));
    });
  }); // prettier-ignore

  test('neutral keeps values below 0.8, and maps the rest below 1, in order', () => {
    const neutral = curveOf(TONE_NEUTRAL);
    expect(neutral([0.79, 0.4, 0.001])).toEqual([0.79, 0.4, 0.001]);
    // 1 − 0.04 / (2 − 0.8 + 0.2), faded by 1 / (0.15 · (2 − 0.971…) + 1)
    const shown = 1 - 0.04 / 1.4;
    const own = 1 / (0.15 * (2 - shown) + 1);
    expect(neutral([2, 0, 1])).toEqual([
      expect.closeTo(shown, 9),
      expect.closeTo(shown * (1 - own), 9),
      expect.closeTo(shown * (1 - own) + (shown / 2) * own, 9),
    ]);
    const greys = Array.from({ length: 100 }, (_, i) => neutral([i / 20, i / 20, i / 20])[0]);
    expect(greys).toEqual(greys.toSorted((a, b) => a - b));
    expect(Math.max(...greys)).toBeLessThan(1);
  });

  test('filmic is Narkowicz’s quotient, none cuts', () => {
    expect(curveOf(TONE_FILMIC)([0, 1, 1000])).toEqual([0, expect.closeTo(2.54 / 3.16, 9), 1]);
    expect(curveOf(TONE_NONE)([0.5, 1, 3])).toEqual([0.5, 1, 1]);
  });
});

/** The battle's light, without its dust. */
const { dust: _, ...LATE } = battleLight({ min: [-25, 0, -20], max: [25, 2, 20] });

const sunDirection = (scene: Partial<Lighting>) => normalize({ ...DEFAULT_LIGHTING, ...scene }.sunDirection);

/** A matt surface of a colour, 2 m before the eye, in the light of a scene: sRGB codes. */
function shownIn(changes: Partial<Lighting>, color: Vector, normal?: Vector): Vector {
  const scene = { ...DEFAULT_LIGHTING, ...changes };
  const camera = { eye: [0, 1, 0], target: [0, 1, -1] } as const;
  const lens = lensOf({ camera, width: 8, height: 8 });
  const frame = litFrame(frameUniforms({ camera }, scene, lens, NO_SHADOWS), []);
  const facing = normal ?? frame.sunDirection;
  const material = { metallic: 0, roughness: 1, emissive: [0, 0, 0], occlusion: 1, isUnlit: false } as const;
  const surface = { ...material, world: [0, 1, -2], normal: facing, shadingNormal: facing, baseColor: color } as const;
  return each(toneMap(frame, shadeSurface(frame, surface)), coded);
}

describe('exposure', () => {
  test('a card of 18 % that faces the sun is at 118 to 128 in every channel', () => {
    for (const code of shownIn({}, [0.18, 0.18, 0.18])) {
      expect(code).toBeGreaterThan(118);
      expect(code).toBeLessThan(128);
    }
    // late light is warmer, and half a stop brighter at most
    const [red, green, blue] = shownIn(LATE, [0.18, 0.18, 0.18]);
    expect(red).toBeLessThan(118 * 1.26);
    expect(blue).toBeGreaterThan(112);
    expect(green).toBeLessThan(red);
  });

  test('twice the exposure is twice the light', () => {
    const [one, two] = [1, 2].map((exposure) => shownIn({ exposure, toneMap: 'none' }, [0.18, 0.18, 0.18]));
    two!.forEach((code, i) => expect(linear(code) / linear(one![i]!)).toBeCloseTo(2, 6));
  });

  // degrees of hue, and factors of saturation, in sunlight; from the sun a quarter turn away; in the shade, which is bluer
  test.each([
    ['facing the sun', 0, { hue: 2, least: 0.94, most: 1.03 }],
    ['turned by 60°', 60, { hue: 2, least: 0.86, most: 1 }],
    ['in the shade', 180, { hue: 4, least: 0.65, most: 0.85 }],
  ])('skin keeps hue and saturation %s', (_, turn, bars) => {
    const [x, y, z] = sunDirection({});
    const [sin, cos] = [Math.sin((turn * Math.PI) / 180), Math.cos((turn * Math.PI) / 180)];
    const normal = turn === 180 ? normalize([-x, 0, -z]) : normalize([x * cos + z * sin, y, z * cos - x * sin]);
    const own = each(SKIN, linear);
    const { hue, saturation } = shift(own, each(shownIn({}, own, normal), linear));
    expect(hue).toBeLessThan(bars.hue);
    expect(saturation).toBeGreaterThan(bars.least);
    expect(saturation).toBeLessThan(bars.most);
  });

  test('curves that there are not are refused', () => {
    expect(() => shownIn({ toneMap: 'agx' as 'none' }, SKIN)).toThrow(/lighting.toneMap.*agx.*none, neutral, filmic/);
  });
});
