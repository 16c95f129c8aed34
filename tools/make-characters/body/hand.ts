import type { Build } from './humanoid.ts';
import { add, addScaled, cross, FORWARD, normalize, perpendicular, scale, sub, type Vec3 } from '../math/vec.ts';
import { fromAxes, type Quat } from '../math/quat.ts';
import type { Paint } from '../geometry/colour.ts';
import { loft, type Ring } from '../geometry/loft.ts';
import { Surface, type Weights } from '../geometry/surface.ts';

/** The axes of a hand in the bind pose: along the knuckles, along the thumb side, out of the palm. */
interface HandAxes {
  readonly grip: Vec3;
  readonly knuckles: Vec3;
  readonly thumb: Vec3;
  readonly palm: Vec3;
}

const GRIP_FORWARD = 0.078;
const GRIP_INWARD = 0.022;

/** Left hand; `grip` is the middle of what the fist holds. */
export function handAxes(build: Build): HandAxes {
  const knuckles = normalize(sub(build.wrist, build.elbow));
  const thumb = perpendicular(FORWARD, knuckles);
  const palm = cross(knuckles, thumb);
  return { grip: addScaled(addScaled(build.wrist, knuckles, GRIP_FORWARD), palm, GRIP_INWARD), knuckles, thumb, palm };
}

/** The turn from an upright prop (its long axis +Y, its edge +Z) to a fist in the bind pose. */
export function heldTurn({ knuckles, thumb }: Pick<HandAxes, 'knuckles' | 'thumb'>): Quat {
  return fromAxes(cross(thumb, knuckles), thumb, knuckles);
}

/** The same for a shield that is upright and faces +Z while the thumb points to the body's middle. */
export function shieldTurn({ knuckles, thumb }: Pick<HandAxes, 'knuckles' | 'thumb'>): Quat {
  const left: Vec3 = [-thumb[0], -thumb[1], -thumb[2]];
  return fromAxes(left, cross(knuckles, left), knuckles);
}

const HAND: Weights = [['hand_l', 1]];
const FINGERS: Weights = [['grip_l', 1]];
const WRIST: Weights = [
  ['hand_l', 0.6],
  ['lower_arm_l', 0.4],
];

/** A left fist of overall size 1 (metres scale with `size`): a mitten that curls back on itself, and a thumb. */
export function fist(build: Build, size: number, paint: Paint, dark: Paint): Surface {
  const { knuckles, thumb, palm } = handAxes(build);
  const place = (along: number, into: number, toThumb: number): Vec3 =>
    add(build.wrist, scale(add(scale(knuckles, along), add(scale(palm, into), scale(thumb, toThumb))), size));
  // four corners across the fist: the outside of the hand and the inside, each as [along, into the palm]
  const section = (back: readonly [number, number], front: readonly [number, number], half: number): Vec3[] => [
    place(back[0], back[1], half),
    place(front[0], front[1], half * 1.02),
    place(front[0], front[1], -half * 1.02),
    place(back[0], back[1], -half),
  ];
  const ring = (points: Vec3[], skin: Weights, bandPaint: Paint, hard = false): Ring => ({
    points,
    skin,
    paint: bandPaint,
    hard,
  });
  // from the wrist over the back of the hand, round the knuckles and back into the palm
  const hand = loft(
    [
      ring(section([-0.012, -0.026], [-0.012, 0.03], 0.03), WRIST, paint),
      ring(section([0.03, -0.03], [0.028, 0.03], 0.043), HAND, paint),
      ring(section([0.082, -0.031], [0.06, 0.012], 0.05), HAND, paint, true),
      ring(section([0.118, -0.008], [0.088, 0.012], 0.05), FINGERS, paint),
      ring(section([0.112, 0.046], [0.086, 0.034], 0.048), FINGERS, paint),
      ring(section([0.05, 0.058], [0.052, 0.036], 0.044), FINGERS, dark),
    ],
    { capEnd: true },
  );
  const thumbPart = loft(
    [
      ring(
        [place(0.018, -0.012, 0.03), place(0.05, -0.014, 0.045), place(0.05, 0.024, 0.04), place(0.018, 0.026, 0.028)],
        HAND,
        paint,
      ),
      ring(
        [place(0.045, 0.002, 0.066), place(0.075, 0.0, 0.066), place(0.078, 0.034, 0.052), place(0.048, 0.036, 0.05)],
        HAND,
        paint,
      ),
      ring(
        [place(0.076, 0.062, 0.06), place(0.09, 0.062, 0.058), place(0.09, 0.068, 0.05), place(0.076, 0.068, 0.05)],
        HAND,
        paint,
      ),
    ],
    { capEnd: true },
  );
  return new Surface().append(hand).append(thumbPart);
}
