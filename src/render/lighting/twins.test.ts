import { describe, expect, test } from 'vitest';
import type { Vector } from '../camera.ts';
import { BODY_POINTS, CONTACT_PART_SHIFT } from '../contact-codes.ts';
import { lensOf } from '../forward/lens.ts';
import { velocityOf } from '../reference/picture.ts';
import type { MaterialSample } from '../materials/material.ts';
import { discOf, shadeAt } from '../visibility/disc.ts';
import { hazeColor, throughAir, throughDust } from './air.ts';
import { frameUniforms, NO_SHADOWS } from './frame-uniforms.ts';
import { groundColor } from './ground.ts';
import { litFrame, type LitFrame } from './lit-frame.ts';
import { depthOf, lookedAt } from './looked-at.ts';
import { cloudNoise, noise, slopedNoise } from './noise.ts';
import { DEFAULT_LIGHTING, type Lighting } from './scene.ts';
import { shadeSurface, surfaceOf, type Surface } from './shade.ts';
import { sunVisibility } from './shadow.ts';
import { ambientLight, skyColor } from './sky.ts';

/** One metre above the ground, looking at the horizon along −z. */
const CAMERA = { eye: [0, 1, 0], target: [0, 1, -1], fovY: Math.PI / 2 } as const;
const SIZE = { width: 8, height: 8 };

function frameOf(scene: Partial<Lighting> = {}, size = SIZE): LitFrame {
  const lens = lensOf({ camera: CAMERA, ...size });
  return litFrame(frameUniforms({ camera: CAMERA }, { ...DEFAULT_LIGHTING, ...scene }, lens, NO_SHADOWS), []);
}

const near = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 6));

describe('what a pixel looks at', () => {
  const frame = frameOf();

  test('below the horizon a point of the ground, above it a direction', () => {
    // half of the way down a view of 90°: the ray falls as fast as it goes
    const ground = lookedAt(frame, 4, 8);
    expect(ground).toEqual({ place: near([0, 0, -1]), isGround: true });
    expect(depthOf(frame, ground)).toBeCloseTo(0.1, 6);
    const sky = lookedAt(frame, 4, 0);
    expect(sky).toEqual({ place: near([0, 1, -1]), isGround: false });
    expect(depthOf(frame, sky)).toBe(0);
  });

  test('motion is in pixels to the right and down; what was behind the eye has none', () => {
    const at = (x: number, y: number, z: number) => ({ at: [x, y, z], w: 1 }) as const;
    // one metre is 4 pixels at 1 m
    expect(velocityOf(frame, at(0.5, 1, -1), at(0.25, 1.25, -1))).toEqual(near([1, 1]));
    expect(velocityOf(frame, at(0, 1, -1), at(0, 1, 1))).toEqual([0, 0]);
    expect(velocityOf(frame, { at: [0, 0, -1], w: 0 }, { at: [1, 0, -1], w: 0 })).toEqual(near([-4, 0]));
  });
});

describe('sky', () => {
  test('noise is its heights at whole numbers, 0 to 1, and smooth between them', () => {
    for (const [x, y] of [[0, 0], [3, -7], [-100, 2]] as const) {
      expect(noise(x + 1e-9, y)).toBeCloseTo(noise(x, y), 6);
      expect(noise(x + 0.5, y)).toBeCloseTo((noise(x, y) + noise(x + 1, y)) / 2, 12);
      expect(noise(x, y)).toBeGreaterThanOrEqual(0);
      expect(cloudNoise(x, y)).toBeLessThanOrEqual(1);
    } // prettier-ignore
    // sixteen bits of a hash, worked out with whole numbers of any length
    expect(noise(0, 0)).toBe(0);
    expect(noise(1, 0)).toBe(0x999b / 65535);
    expect(noise(-3, 5)).toBe(0x5d7c / 65535);
  });

  test('ambient light: bounced from below, of the sky from above, their mean from aside', () => {
    const frame = frameOf({ skyColor: [0.4, 0.4, 0.4], horizonColor: [0.2, 0.4, 0.8], groundColor: [0.2, 0, 0] });
    // 55 % of the sky overhead, 45 % of the horizon
    expect(ambientLight(frame, [0, 1, 0])).toEqual(near([0.31, 0.4, 0.58]));
    expect(ambientLight(frame, [0, -1, 0])).toEqual(near([0.14, 0, 0]));
    expect(ambientLight(frame, [1, 0, 0])).toEqual(near([0.225, 0.2, 0.29]));
  });

  test('sloped noise has the same heights, and the slopes that differences have', () => {
    const step = 1e-6;
    for (const [x, y] of [[0.3, 0.8], [-4.6, 2.1], [17.5, -0.25]] as const) {
      const [height, alongX, alongY] = slopedNoise(x, y);
      const at = [Math.floor(x), Math.floor(y)] as const;
      expect(slopedNoise(...at)).toEqual([noise(...at), 0, 0].map((value) => expect.closeTo(value, 12)));
      expect((slopedNoise(x + step, y)[0] - height) / step).toBeCloseTo(alongX, 4);
      expect((slopedNoise(x, y + step)[0] - height) / step).toBeCloseTo(alongY, 4);
    } // prettier-ignore
  });

  test('another seed gives other clouds, hills and ground, the same seed the same', () => {
    const at = (seed: number) => {
      const frame = frameOf({ seed, hillHeight: 0.3, skyColor: [0, 0, 0] });
      return [skyColor(frame, [0.6, 0.6, -0.53]), skyColor(frame, [0.995, 0.1, 0]), groundColor(frame, [3, 0, -4], 1)];
    };
    expect(at(3)).toEqual(at(3));
    at(4).forEach((color, i) => expect(color).not.toEqual(at(3)[i]));
  });
});

describe('air', () => {
  const clear = { horizonColor: [1, 0, 0], fadeDistance: 10, hillHeight: 0 } as const;

  test('at the horizon there is the horizon’s colour, and a twentieth of a thing’s own at the distance of fading', () => {
    const frame = frameOf({ ...clear, sunColor: [0, 0, 0] });
    expect(skyColor(frame, [0, 0, -1])).toEqual(near([1, 0, 0]));
    expect(throughAir(frame, [0, 1, 0], [0, 1, -10])).toEqual(near([1 - Math.exp(-3), Math.exp(-3), 0]));
  });

  test('haze and the sky above it have one colour at the horizon, brighter towards the sun', () => {
    const frame = frameOf({ ...clear, sunColor: [0, 1, 0], sunDirection: [0.6, 0.2, 0.7] });
    const around = [0, 1, 2, 3, 4, 5].map((i) => [Math.cos(i), 0, Math.sin(i)] as const);
    for (const direction of around) expect(hazeColor(frame, direction)).toEqual(near(skyColor(frame, direction)));
    const level = Math.hypot(0.6, 0.7);
    const [towards, away] = [1, -1].map((sign) => hazeColor(frame, [(sign * 0.6) / level, 0, (sign * 0.7) / level])[1]);
    // 1.98 of 2 towards it: 0.05 t² + 0.22 t⁸ + 0.35 t⁴⁸
    const t = 0.5 + (0.5 * level) / Math.hypot(0.6, 0.2, 0.7);
    expect(towards).toBeCloseTo(0.05 * t ** 2 + 0.22 * t ** 8 + 0.35 * t ** 48, 6);
    expect(away).toBeLessThan(0.001);
  });

  test('dust hides as much as its density sums up to along the ray, and is soft all around', () => {
    // noise is one number where the ray passes the middle at one place
    const dust = { center: [0, 1, -5], size: [2, 1, 3], density: 0.2, color: [1, 1, 1] } as const;
    const frame = frameOf({ sunColor: [0, 0, 0], skyColor: [1, 1, 1], dust });
    const direction = [0, 0, -1] as const;
    /** −ln of the share of a black thing's colour that is left. */
    const depth = (distance: number) => -Math.log(1 - throughDust(frame, [0, 0, 0], direction, distance)[0]);
    const density = (z: number) => Math.exp(-(((z - 5) / 3) ** 2));
    const summed = (distance: number) => {
      const steps = 2000;
      const step = distance / steps;
      return Array.from({ length: steps }, (_, i) => density((i + 0.5) * step) * step).reduce((a, b) => a + b);
    };
    for (const distance of [5, 6, 8, 30]) {
      expect(depth(distance) / depth(1000)).toBeCloseTo(summed(distance) / summed(60), 2);
    }
    expect(throughDust(frame, [0, 0, 0], [0, 1, 0], 1000)[0]).toBeLessThan(0.02);
    expect(throughDust(frameOf(), [0.5, 0.5, 0.5], direction, 1000)).toEqual([0.5, 0.5, 0.5]);
  });

  test('ground far away has no detail that a pixel could miss', () => {
    const frame = frameOf({ fadeDistance: 1e9, horizonColor: [0, 0, 0] }, { width: 64, height: 64 });
    const spread = (z: number) => {
      const greens = Array.from({ length: 200 }, (_, i) => groundColor(frame, [i * 0.013, 0, z], 1)[1]);
      return Math.max(...greens) - Math.min(...greens);
    };
    expect(spread(-0.5)).toBeGreaterThan(0.03);
    expect(spread(-400)).toBeLessThan(0.01);
  });
});

describe('shadows', () => {
  /** A map of 8 × 8 metres around the origin from above, a texel a metre; the sun stands overhead. */
  const overhead = (map: Float32Array): LitFrame => ({
    ...frameOf({ sunDirection: [0, 1, 0] }),
    shadowResolution: 8,
    cascades: [
      // x to the right, −z upwards, depth y / 10
      { sunFromWorld: Float32Array.of(0.25, 0, 0, 0, 0, 0, 0.1, 0, 0, -0.25, 0, 0, 0, 0, 0, 1), texel: 1, far: 100, depthPerMetre: 0.1, map },
    ],
  }); // prettier-ignore

  test('a texel that is nearer to the sun takes its share of a tent of 1 2 1', () => {
    const map = new Float32Array(64);
    // the texel right and below of the middle is covered at 5 m
    map[8 * 4 + 4] = 0.5;
    const up = [0, 1, 0] as const;
    // in its middle the texel has 2 × 2 of 16
    expect(sunVisibility(overhead(map), [0.5, 0, 0.5], up)).toBeCloseTo(1 - 4 / 16, 12);
    // at its corner 1.5 × 1.5
    expect(sunVisibility(overhead(map), [0, 0, 0], up)).toBeCloseTo(1 - 2.25 / 16, 12);
    expect(sunVisibility(overhead(map), [0.5, 6, 0.5], up)).toBe(1);
    // beside the map there is no shade
    expect(sunVisibility(overhead(map.fill(1)), [9, 0, 0], up)).toBe(1);
    expect(sunVisibility(overhead(map), [0, 0, 0], up)).toBe(0);
  });
});

describe('surfaces', () => {
  const found: MaterialSample = {
    baseColor: [0.5, 0.5, 0.5, 1],
    normal: [0, 0, 1],
    metallic: 0,
    roughness: 1,
    emissive: [0, 0, 0],
    occlusion: 1,
  };
  const point = {
    world: [0, 1, -1],
    outward: [0, 0, 3],
    tangent: undefined,
    isFront: true,
    color: [1, 0.5, 0],
  } as const;

  test('backs look the other way; vertex colours are factors', () => {
    expect(surfaceOf(point, found, false)).toMatchObject({ normal: [0, 0, 1], baseColor: [0.5, 0.25, 0] });
    expect(surfaceOf({ ...point, isFront: false }, found, false).normal[2]).toBe(-1);
  });

  test('a normal map is in the frame of normal, tangent and handedness', () => {
    const tilted = { ...found, normal: [0.6, 0, 0.8] as const };
    const tangent = { direction: [2, 0, 5] as const, handedness: -1 };
    expect(surfaceOf({ ...point, tangent }, tilted, false).shadingNormal).toEqual(near([0.6, 0, 0.8]));
    // y of the map is normal × tangent × handedness = −y of the world
    const up = { ...found, normal: [0, 0.6, 0.8] as const };
    expect(surfaceOf({ ...point, tangent }, up, false).shadingNormal).toEqual(near([0, -0.6, 0.8]));
  });

  /** Facing eye and sun at once, where only the sun shines. */
  const facing = (changes: Partial<Surface>) => {
    const dark = { skyColor: [0, 0, 0], groundColor: [0, 0, 0], horizonColor: [0, 0, 0], fadeDistance: 1e9 } as const;
    const frame = frameOf({ ...dark, sunDirection: [0, 0, 1], sunColor: [1, 1, 1] });
    const white = { ...found, baseColor: [1, 1, 1, 1] as const };
    return shadeSurface(frame, { ...surfaceOf({ ...point, color: [1, 1, 1] }, white, false), ...changes })[0];
  };

  test('a sun of 1 adds 1 to a white surface that faces it, and π D V F of its highlight', () => {
    // all cosines are 1: α = 1, π D = 1, V = ¼, F = 0.04
    expect(facing({})).toBeCloseTo(1 + 0.04 / 4, 6);
    // roughness ½: α = ¼, π D = 1 / α² = 16
    expect(facing({ roughness: 0.5 })).toBeCloseTo(1 + (16 * 0.04) / 4, 6);
    // metals have no light of their own, and all of the highlight
    expect(facing({ metallic: 1 })).toBeCloseTo(1 / 4, 6);
    expect(facing({ emissive: [0.5, 0, 0] })).toBeCloseTo(1.51, 6);
    expect(facing({ isUnlit: true })).toBeCloseTo(1, 6);
    expect(facing({ normal: [0, 0, -1], shadingNormal: [0, 0, -1] })).toBe(0);
  });
});

describe('the shade of feet', () => {
  /** Twice as large as its model, half a metre of which is shade; by vertex: where it is in the world. */
  const bodyOf = (
    places: readonly Vector[],
    { words = [...places.keys()], parts = [1, 0], contactRadius = 0.5 } = {},
  ) => ({
    worldFromModel: [2, 0, 0, 5, 0, 2, 0, 0.25, 0, 0, 2, -3],
    contactRadius,
    contactPoints: Uint32Array.from(words),
    parts,
    placeOf: (vertex: number) => places[vertex]!,
  });
  /** Points of the body along a line, then a foot. */
  const leaning = (foot: number) => [
    ...Array.from({ length: BODY_POINTS }, (_, i): Vector => [7 + i, 2, 1 - i]),
    [40, foot, 40] as const,
  ];

  test('is a disc under the middle of the body, as large as the character, weaker the higher its lowest point is', () => {
    const middle = [7 + (BODY_POINTS - 1) / 2, 0.005, 1 - (BODY_POINTS - 1) / 2];
    expect(discOf(bodyOf(leaning(0)), 0)).toEqual({ center: middle, radius: 1, strength: 0.55 });
    expect(discOf(bodyOf(leaning(0.5)), 0)!.strength).toBeCloseTo(0.275, 12);
    expect(discOf(bodyOf(leaning(-0.5)), 0)!.strength).toBeCloseTo(0.275, 12);
    expect(discOf(bodyOf(leaning(1)), 0)).toBeUndefined();
    expect(discOf(bodyOf(leaning(0), { contactRadius: 0 }), 0)).toBeUndefined();
  });

  test('uses fewer points where it is small: the first ones of either kind', () => {
    const FEET = 8;
    const places = Array.from({ length: BODY_POINTS + FEET }, (_, i): Vector => [i, i < 12 ? 0.9 : 0.5, 0]);
    // a metre takes 100 pixels at a depth of 1: a disc of two metres takes 200 by its depth
    const seen = (depth: number) => {
      const clipFromWorld = Float32Array.of(0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, depth);
      const { center, strength } = discOf(bodyOf(places), 0, { clipFromWorld, height: 200 })!;
      return [center[0], Math.round(1000 * strength)];
    };
    const [all, four, two] = [[3.5, 275], [1.5, 55], [0.5, 55]]; // prettier-ignore
    expect([0.5, 1, 200 / 12.1, 200 / 11.9, 200 / 4.1, 200 / 3.9].map(seen)).toEqual([all, all, all, four, four, two]);
    // the next ones, where those are hidden
    const words = places.map((_, i) => i + (i === 0 || i > 8 ? 0 : 2 ** CONTACT_PART_SHIFT));
    const parts = [2, 0];
    const clipFromWorld = Float32Array.of(0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 200);
    expect(discOf(bodyOf(places, { words, parts }), 0, { clipFromWorld, height: 200 })!.center[0]).toBe(1.5);
  });

  test('leaves out what is hidden, and is where the character was placed when nothing is known of its body', () => {
    const at = (part: number, vertex: number) => vertex + part * 2 ** CONTACT_PART_SHIFT;
    const places: Vector[] = [
      [1, 0.5, 2],
      [9, 0, 9],
    ];
    for (const hidden of [1, 31, 32, 63]) {
      const words = [at(0, 0), at(hidden, 1)];
      expect(discOf(bodyOf(places, { words }), 0)).toMatchObject({ center: [1, 0.005, 2], strength: 0.275 });
      const parts = [0, 1].map((word) => (hidden >> 5 === word ? 2 ** (hidden & 31) : 0));
      expect(discOf(bodyOf(places, { words, parts }), 0)).toMatchObject({ center: [9, 0.005, 9], strength: 0.55 });
    }
    const none = discOf(bodyOf(places, { parts: [2, 0] }), 0)!;
    expect(none.center).toEqual([5, 0.005, -3]);
    expect(none.strength).toBeCloseTo(0.75 * 0.55, 12);
  });

  test('falls off to its edge', () => {
    const disc = { center: [5, 0.005, -3], radius: 1, strength: 0.55 } as const;
    const eye = [5, 1.005, -3] as const;
    expect(shadeAt(disc, eye, [0, -1, 0])).toBeCloseTo(0.55, 12);
    expect(shadeAt(disc, eye, [0.5, -1, 0])).toBeCloseTo(0.55 * 0.75 ** 2, 12);
    expect(shadeAt(disc, eye, [1, -1, 1])).toBe(0);
  });
});
