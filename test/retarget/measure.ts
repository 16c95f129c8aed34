import type { ClipModel } from '../../src/character/model.ts';
import {
  add,
  cross,
  dot,
  inverse,
  length,
  multiply,
  normalized,
  rotate,
  subtract,
  times,
  type Vector3,
} from '../../src/math/rotations.ts';
import { type Body, bone, type Side, SIDES } from '../../src/retarget/body.ts';
import type { Contact } from '../../src/retarget/contacts.ts';
import { type Moment, momentsOf } from '../../src/retarget/moments.ts';

/** Measures of a clip on a body, from the clip's tracks alone. */

/** A character's height in metres, to which slides are scaled. */
const HEIGHT = 1.8;

/** Seconds of the samples of a retargeted clip: the keys of its first track. */
export function timesOf({ tracks }: ClipModel): Float32Array {
  return tracks[0]!.times;
}

/** Distances of planted feet from their mean place over the ground, in metres of a character of 1.8 m. */
export function footSlides(
  body: Body,
  clip: ClipModel,
  contacts: Readonly<Record<Side, readonly Contact[]>>,
  ground: Vector3,
): number[] {
  const seconds = timesOf(clip);
  const moments = momentsOf(body, clip, seconds);
  return SIDES.flatMap((side) => {
    const foot = body.map[bone(side, 'Foot')]!;
    const balls = moments.map(({ rotations, positions }) =>
      add(positions[foot]!, rotate(rotations[foot]!, body.ballOffset[side])),
    );
    return contacts[side].flatMap(({ first, last }) => {
      const places = balls.slice(first, last + 1).map((at, i) => subtract(at, times(ground, seconds[first + i]!)));
      const mean = (axis: 0 | 2) => places.reduce((sum, at) => sum + at[axis], 0) / places.length;
      const [x, z] = [mean(0), mean(2)];
      return places.map((at) => (HEIGHT / body.height) * Math.hypot(at[0] - x, at[2] - z));
    });
  });
}

/** The most that a knee of a clip bends the wrong way, in radians; 0 if none does. */
export function wrongKnee(body: Body, clip: ClipModel): number {
  let worst = 0;
  for (const moment of momentsOf(body, clip, timesOf(clip)))
    for (const side of SIDES) {
      const hip = body.map[bone(side, 'UpperLeg')]!;
      const axis = rotate(multiply(moment.rotations[hip]!, inverse(body.tPose[hip]!)), [1, 0, 0]);
      const { normal } = bendOf(body, moment, side, 'Leg');
      // below the hips' lateral axis, the shin is behind the thigh
      worst = Math.max(worst, -Math.asin(Math.max(-1, Math.min(1, dot(normal, axis)))));
    }
  return worst;
}

/** The axis of the bend of a limb, as long as the sine of its angle. */
export function bendOf(
  body: Body,
  { positions, rotations }: Moment,
  side: Side,
  limb: 'Arm' | 'Leg',
): { normal: Vector3; bend: number } {
  const at = (part: string): Vector3 | undefined => {
    const joint = body.map[bone(side, part)];
    return joint === undefined ? undefined : positions[joint];
  };
  const [root, middle] = [at(`Upper${limb}`)!, at(`Lower${limb}`)!];
  const lower = body.map[bone(side, `Lower${limb}`)]!;
  const along = rotate(inverse(body.tPose[lower]!), [side === 'left' ? 1 : -1, 0, 0]);
  const end = at(limb === 'Leg' ? 'Foot' : 'Hand') ?? add(middle, rotate(rotations[lower]!, along));
  const [a, b] = [normalized(subtract(middle, root)), normalized(subtract(end, middle))];
  const normal = cross(a, b);
  return { normal, bend: Math.asin(Math.min(1, length(normal))) };
}

/** Positions of both hands relative to the hips, per sample. */
export function handsOf(body: Body, clip: ClipModel, seconds: Float32Array): Vector3[] {
  return momentsOf(body, clip, seconds).flatMap(({ positions }) =>
    SIDES.map((side) => subtract(positions[body.map[bone(side, 'Hand')]!]!, positions[body.map.hips!]!)),
  );
}

export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? 0;
}
