// The box of a clip: short spikes, jumps and fast turns between keys, random models, and what is too much to look at.
import { describe, expect, test } from 'vitest';
import { clipVertices, diagonal, outside } from '../../../test/support/posed-vertices.ts';
import { Random } from '../../../test/support/random.ts';
import { someSeeds } from '../../../test/support/setup.ts';
import { bindingOf, clipOf, jointAt, meshOf, NO_TURN, smallModel, trackOf } from '../../../test/support/small-model.ts';
import { stopwatch } from '../../../test/support/stopwatch.ts';
import type { Box } from '../character.ts';
import type { CharacterModel, ClipModel, Interpolation, TrackModel } from '../model.ts';
import { measurePoses, type PoseBounds } from './pose-bounds.ts';
import { keyTimes } from './samples.ts';
import { finish } from './steps.ts';

function measured(model: CharacterModel, clip: ClipModel): PoseBounds & { readonly box: Box } {
  const options = { errorBudget: 0, firstDifference: 1, additiveLayers: 0 };
  const bounds = finish(measurePoses(model, [clip], options));
  return { ...bounds, box: bounds.clips[0]! };
}

const boxOf = (model: CharacterModel, clip: ClipModel): Box => measured(model, clip).box;

/** Joints in a row, a unit apart along X, and vertices round the last. */
function chainOf(count: number): CharacterModel {
  const joints = Array.from({ length: count }, (_, j) =>
    jointAt(j === 0 ? [0, 0, 0] : [1, 0, 0], { parentIndex: j - 1 }),
  );
  const corners = [
    [1, 0, 0],
    [0.9, 0.1, 0],
    [0.9, 0, 0.1],
  ];
  return smallModel({ joints, meshes: [meshOf(corners, () => [[count - 1, 1]])] });
}

function expectHeld(model: CharacterModel, clip: ClipModel, times: Iterable<number>, box = boxOf(model, clip)): void {
  for (const time of times) {
    const distance = outside(box, clipVertices(model, clip, time));
    if (distance > 1e-6 * diagonal(box)) expect.fail(`at ${time} s ${distance} outside, of ${diagonal(box)}`);
  }
}

/** So many moments between each two keys, and those next to keys. */
function* between(clip: ClipModel, count: number): Generator<number> {
  const ends = keyTimes(clip.duration, clip.tracks);
  for (let k = 1; k < ends.length; k++) {
    const [from, to] = [ends[k - 1]!, ends[k]!];
    yield from;
    for (let i = 0; i < count; i++) yield from + ((to - from) * (i + 0.5)) / count;
    yield to - (to - from) * 1e-9;
  }
  yield clip.duration;
}

describe('boxes of very many clips', () => {
  test('are those of the first; the others have the box of the sphere, at no cost', () => {
    const model = chainOf(100);
    // 10,000 moments of 100 joints each
    const clip = clipOf(166, trackOf('rotation', 0, 'LINEAR', [0, 0, 0, 0, 1], [166, 0, 0, 0.1, 0.99]));
    const elapsed = stopwatch();
    const { clips, reach } = finish(
      measurePoses(
        model,
        Array.from({ length: 100 }, () => clip),
        { errorBudget: 0, firstDifference: 100, additiveLayers: 0 },
      ),
    );
    expect(elapsed()).toBeLessThan(8_000);
    const widths = clips.map((box) => box!.max[1]! - box!.min[1]!);
    const sphere = widths.filter((width) => width === 2 * reach!.radius).length;
    expect(sphere).toBeGreaterThan(90);
    expect(widths[0]).toBeLessThan(reach!.radius);
  });
});

describe('the box of a clip', () => {
  test.each([
    ['STEP', [0, 0, 0, 0], [0.5031, 0, 7, 0], [0.5041, 0, 0, 0]],
    ['LINEAR', [0, 0, 0, 0], [0.5031, 0, 0, 0], [0.5036, 0, 7, 0], [0.5041, 0, 0, 0]],
    // flat keys around one key, and no key at the top: tangents of 56,000 a second up, and down again
    [
      'CUBICSPLINE',
      [0, ...Array<number>(9).fill(0)],
      [0.5031, 0, 0, 0, 0, 0, 0, 0, 28_000, 0],
      [0.5041, 0, -28_000, 0, 0, 0, 0, 0, 0, 0],
    ],
  ] as [Interpolation, ...[number, ...number[]][]][])(
    'holds a spike of a millisecond: %s',
    (interpolation, ...keys) => {
      const last: [number, ...number[]] = [1, ...keys[0]!.slice(1)];
      const clip = clipOf(1, trackOf('translation', 0, interpolation, ...keys, last));
      const { min, max } = boxOf(smallModel(), clip);
      // the triangle stands between 0 and 1, and is carried up by 7
      expect(max[1]).toBeGreaterThanOrEqual(8 - 1e-5);
      expect(max[1]).toBeLessThan(12);
      expect([...min, max[0], max[2]].map((value) => Math.round(100 * value!))).toEqual([
        0,
        expect.any(Number),
        0,
        100,
        100,
      ]);
      expectHeld(smallModel(), clip, between(clip, 50));
    },
  );

  test('holds what ends where it began: turns about and about, cubics there and back', () => {
    const half = [NO_TURN, [0, 0, Math.sin(1.5), Math.cos(1.5)]] as const;
    // each joint by 172° within 10 ms; together more than a full turn
    const tracks = [0, 1, 2, 3].map((joint) =>
      trackOf('rotation', joint, 'LINEAR', [0, ...half[0]], [0.01, ...half[1]]),
    );
    expectHeld(chainOf(4), clipOf(0.01, ...tracks), between(clipOf(0.01, ...tracks), 500));
    // 0 at both ends and in the middle
    const tangent = [0, 900, 0];
    const swing = trackOf(
      'translation',
      0,
      'CUBICSPLINE',
      [0, 0, 0, 0, 0, 0, 0, ...tangent],
      [0.01, ...tangent, 0, 0, 0, 0, 0, 0],
    );
    const clip = clipOf(0.01, swing);
    expect(boxOf(smallModel(), clip).max[1]).toBeGreaterThan(1.86);
    expectHeld(smallModel(), clip, between(clip, 500));
  });

  test.each(someSeeds(20, 400, 700))('holds random clips of random models: seed %i', (seed) => {
    const random = new Random(seed);
    const { model, clip } = randomCase(random);
    const box = boxOf(model, clip);
    expectHeld(model, clip, between(clip, 40), box);
  });

  test('is that of the sphere where a clip takes too many moments', () => {
    const walk = (keys: number) => {
      const rows = Array.from({ length: keys }, (_, k) => [k / 4096, k % 2, 0, 0] as const);
      return clipOf((keys - 1) / 4096, trackOf('translation', 0, 'LINEAR', ...rows));
    };
    const model = smallModel();
    const around = ({ reach }: PoseBounds): Box => {
      const { center, radius } = reach!;
      return { min: center.map((c) => c - radius), max: center.map((c) => c + radius) };
    };
    // three moments from each key to the next
    const [few, many] = [measured(model, walk(6_600)), measured(model, walk(6_700))];
    expect(few.box.max.map((high) => Math.round(1e9 * high))).toEqual([2e9, 1e9, 1e9]);
    expect(many.box).toEqual(around(many));
    const elapsed = stopwatch();
    const most = measured(model, walk(60_000));
    expect(most.box).toEqual(around(most));
    expect(elapsed()).toBeLessThan(2_000);
    // a rotation through nothing turns faster than anybody could look
    const through = clipOf(
      1,
      trackOf(
        'rotation',
        0,
        'CUBICSPLINE',
        [0, 0, 0, 0, 0, ...NO_TURN, 0, 0, 0, 0],
        [1, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0],
      ),
    );
    const turned = measured(model, through);
    expect(turned.box).toEqual(around(turned));
  });
});

/** A tree of joints that move in all ways at once, with keys next to each other and far apart. */
function randomCase(random: Random): { model: CharacterModel; clip: ClipModel } {
  const joints = Array.from({ length: random.integer(1, 6) }, (_, j) =>
    jointAt(random.vector(1), {
      parentIndex: j === 0 ? -1 : random.integer(Math.max(0, j - 2), j - 1),
      rotation: random.quaternion(3),
      scale: [1, random.range(0.5, 2), 1],
    }),
  );
  const corners = Array.from({ length: 12 }, () => random.vector(0.5));
  const influences = corners.map(() => {
    const [a, b, share] = [random.integer(0, joints.length - 1), random.integer(0, joints.length - 1), random.next()];
    return [[a, 1 - share] as const, [b, share] as const];
  });
  const duration = random.pick([0.004, 0.1, 1, 3]);
  const tracks = joints.flatMap((_, joint) => {
    const paths = (['translation', 'rotation', 'scale'] as const).filter(() => random.chance(0.6));
    return paths.map((path) => randomTrack(random, path, joint, duration));
  });
  const bindings = joints.map((_, joint) => bindingOf(joint, random.vector(1)));
  const model = smallModel({ joints, bindings, meshes: [meshOf(corners, (v) => influences[v]!)] });
  return { model, clip: clipOf(duration, ...tracks) };
}

function randomTrack(
  random: Random,
  path: 'translation' | 'rotation' | 'scale',
  joint: number,
  duration: number,
): TrackModel {
  const interpolation = random.pick<Interpolation>(['STEP', 'LINEAR', 'CUBICSPLINE']);
  const moments = new Set([0, duration].map(Math.fround));
  for (let k = random.integer(0, 6); k > 0; k--) {
    const at = random.range(0, duration);
    moments.add(Math.fround(at));
    if (random.chance(0.4)) moments.add(Math.fround(Math.min(duration, at + 0.001)));
  }
  const times = Array.from(moments).sort((a, b) => a - b);
  const steepest = random.pick([0, 1, 10]) / duration;
  const tangent = () => (path === 'rotation' ? [...random.vector(0.3 * steepest), 0] : random.vector(steepest));
  const value = () =>
    path === 'rotation' ? random.quaternion(Math.PI) : path === 'scale' ? random.vector(1.5) : random.vector(2);
  const keys = times.map((time) =>
    interpolation === 'CUBICSPLINE' ? [time, ...tangent(), ...value(), ...tangent()] : [time, ...value()],
  );
  return trackOf(path, joint, interpolation, ...(keys as [number, ...number[]][]));
}
