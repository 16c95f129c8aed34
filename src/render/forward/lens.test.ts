import { describe, expect, test } from 'vitest';
import { dot, normalize, transform, type Matrix4, type Vector } from '../camera.ts';
import type { Lens } from '../lighting/frame-uniforms.ts';
import { lensOf, pixelLens, projectionOf, sightOf } from './lens.ts';

const [width, height] = [320, 200];
const camera = { eye: [1, 2, 5], target: [0, 1, 0], fovY: 0.8 } as const;

/** World direction of a place of the picture, −1 … 1 to the right and up: as shaders take it. */
const rayAt = ({ skyRight, skyUp, skyForward }: Lens, right: number, up: number) =>
  normalize([0, 1, 2].map((c) => right * skyRight[c]! + up * skyUp[c]! + skyForward[c]!) as unknown as Vector);

describe('lens', () => {
  test.each([
    ['looks aslant', camera],
    ['looks down along its up', { ...camera, target: [1, 0, 5] }],
    ['looks up along its up', { ...camera, target: [1, 9, 5] }],
    ['looks nearly down', { ...camera, target: [1.01, 0, 5.01] }],
    ['stands on its head', { ...camera, up: [0.2, -1, 0.1] }],
  ] as const)('rays meet what is projected to where they start from: a camera that %s', (_, of) => {
    const lens = lensOf({ camera: of, width, height });
    for (const [right, up] of [[0, 0], [0.7, -0.4], [-1, 1]] as const) {
      const ray = rayAt(lens, right, up);
      const [x, y, , w] = transform(lens.clipFromWorld, of.eye.map((c, i) => c + 3 * ray[i]!) as unknown as Vector);
      expect(w).toBeGreaterThan(0);
      expect(x / w).toBeCloseTo(right, 5);
      expect(y / w).toBeCloseTo(up, 5);
    }
  }); // prettier-ignore

  test('what was seen from another origin is where it was', () => {
    const eye: [number, number, number] = [1001, 2, 5];
    const far = { ...camera, eye, target: [1000, 1, 0] } as const;
    const sight = sightOf({ camera: far, width, height }, [4e6, 0, 0]);
    eye[0] = 0;
    const moved = projectionOf(sight, [4e6 + 1000, 0, 0]);
    expect(moved).toEqual(lensOf({ camera, width, height }).clipFromWorld);
    expect(lensOf({ camera, width, height }, moved).previousClipFromWorld).toBe(moved);
    expect(projectionOf(sight, sight.origin)).toEqual(
      lensOf({ camera: { ...far, eye: [1001, 2, 5] }, width, height }).clipFromWorld,
    );
  });

  test('of a pixel: it is the whole picture', () => {
    const whole = lensOf({ camera, width, height }).clipFromWorld;
    const small = pixelLens({ camera, width, height }, [100, 30]);
    const seen = (m: Matrix4) => {
      const [x, y, z, w] = transform(m, [0.4, 1.5, 0.2]);
      return [x / w, y / w, z / w];
    };
    const [x, y, depth] = seen(whole) as [number, number, number];
    const pixels = [(x + 1) * 0.5 * width - 100.5, (1 - y) * 0.5 * height - 30.5];
    const [smallX, smallY, smallDepth] = seen(small.clipFromWorld) as [number, number, number];
    // a pixel is 2 wide, upwards is positive
    expect(smallX).toBeCloseTo(2 * pixels[0]!, 2);
    expect(smallY).toBeCloseTo(-2 * pixels[1]!, 2);
    expect(smallDepth).toBeCloseTo(depth, 6);
    expect([small.pictureWidth, small.pictureHeight]).toEqual([1, 1]);
  });

  test('of a pixel: its rays are those of the pixel', () => {
    const whole = lensOf({ camera, width, height });
    const small = pixelLens({ camera, width, height }, [100, 30]);
    // its middle, and its upper right corner
    for (const [corner, x, y] of [[0, 100.5, 30.5], [1, 101, 30]] as const) {
      const ray = rayAt(whole, (2 * x) / width - 1, 1 - (2 * y) / height);
      expect(dot(rayAt(small, corner, corner), ray)).toBeCloseTo(1, 12);
    }
  }); // prettier-ignore
});
