// Feet on the ground, worked out by hand.
import { describe, expect, test } from 'vitest';
import { View } from '../../layout/index.ts';
import { Transform } from '../layout.ts';
import { GroundParams } from './layout.ts';
import { groundAt, groundCharacters } from './reference.ts';

/** Three by two heights from (10, 20), two metres apart along x and four along z; all of it 100 higher. */
function field(heights: readonly number[], lean = 0) {
  const params = new View(GroundParams, 1);
  const size = { columns: 3, rows: 2, characterCount: 2 };
  params.assign(0, { origin: [10, 100, 20], lean, spacing: [2, 4], ...size });
  return { params, heights };
}

function stand(position: number[], rotation: number[], views: ReturnType<typeof field>, grounded = [1]) {
  const transforms = new View(Transform, 2);
  transforms.assign(0, { position, rotation, scale: 1 });
  groundCharacters({ ...views, grounded, transforms });
  return { position: transforms.get(0, 'position'), rotation: transforms.get(0, 'rotation') };
}

const yaw = (angle: number) => [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)];

/** What becomes of a direction. */
function turn([x, y, z, w]: readonly number[], [vx, vy, vz]: readonly number[]): number[] {
  const [tx, ty, tz] = [2 * (y! * vz! - z! * vy!), 2 * (z! * vx! - x! * vz!), 2 * (x! * vy! - y! * vx!)];
  return [vx! + w! * tx + y! * tz - z! * ty, vy! + w! * ty + z! * tx - x! * tz, vz! + w! * tz + x! * ty - y! * tx];
}

function expectClose(actual: readonly number[], expected: readonly number[]): void {
  actual.forEach((c, k) => expect(c).toBeCloseTo(expected[k]!, 5));
}

describe('a height', () => {
  const { params, heights } = field([0, 4, 0, 8, 4, 2]);

  test.each([
    ['at the first corner', 10, 20, 100],
    ['at the last corner', 14, 24, 102],
    ['between two', 11, 20, 102],
    ['in the middle of four', 13, 22, 102.5],
    ['a quarter along both', 10.5, 21, 102.5],
  ])('%s', (_, x, z, height) => {
    expect(groundAt({ params, heights }, x, z)!.height).toBeCloseTo(height, 10);
  });

  test.each([
    [9.99, 20],
    [14.01, 20],
    [12, 19.9],
    [12, 24.1],
    [NaN, 20],
  ])('the field has no height at %f, %f', (x, z) => {
    expect(groundAt({ params, heights }, x, z)).toBeUndefined();
  });
});

describe('a character', () => {
  test('is on the ground, and leans only with `lean`', () => {
    const { position, rotation } = stand([11, -5, 20], yaw(1), field([0, 4, 0, 8, 4, 2]));
    expect(position).toEqual([11, 102, 20]);
    expectClose(rotation, yaw(1));
  });

  test('stays where it is outside the field, and when it does not follow', () => {
    expect(stand([9, -5, 20], yaw(1), field([0, 4, 0, 8, 4, 2])).position).toEqual([9, -5, 20]);
    expect(stand([11, -5, 20], yaw(1), field([0, 4, 0, 8, 4, 2]), [2]).position).toEqual([11, -5, 20]);
  });

  test.each([0, 0.5, 2, 3.1, -1.5])('leans with a slope, and looks where it looked: %f', (angle) => {
    // a metre up per metre along x
    const slope = [0, 2, 4, 0, 2, 4];
    const { rotation } = stand([11, 0, 21], yaw(angle), field(slope, 1));
    expectClose(turn(rotation, [0, 1, 0]), [-Math.SQRT1_2, Math.SQRT1_2, 0]);
    const ahead = turn(rotation, [0, 0, 1]);
    expect(Math.atan2(ahead[0]!, ahead[2]!)).toBeCloseTo(angle, 4);
    // done twice it is done once
    const again = stand([11, 101, 21], rotation, field(slope, 1)).rotation;
    expect(again).toEqual(rotation);
  });

  test('leans half as steeply with lean 0.5', () => {
    const { rotation } = stand([11, 0, 21], yaw(0), field([0, 2, 4, 0, 2, 4], 0.5));
    expectClose(
      turn(rotation, [0, 1, 0]),
      [-0.5, 1, 0].map((c) => c / Math.hypot(0.5, 1)),
    );
  });

  test('that looks straight up keeps its rotation', () => {
    const up = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2];
    expectClose(stand([11, 0, 21], up, field([0, 2, 4, 0, 2, 4], 1)).rotation, up);
  });
});
