import type { HumanBone } from '../character/humanoid.ts';
import {
  add,
  inverse,
  multiply,
  type Rotation,
  rotate,
  slerp,
  subtract,
  times,
  type Vector3,
} from '../math/rotations.ts';
import { type Body, bone, type Side, SIDES } from './body.ts';
import type { Moment } from './moments.ts';

export interface HumanoidOptions {
  /** Exchanges left and right. */
  readonly mirror: boolean;
  /** Moves fingers; else they rest. */
  readonly fingers: boolean;
  /** Holds planted feet in place. */
  readonly feet: boolean;
}

/** The pose of a body: turns of its bones from the T-pose, and where its hips are. All in the character's space. */
export interface Frame {
  readonly turns: ReadonlyMap<HumanBone, Rotation>;
  /** Turns of the joints of the trunk, from the hips to the one that carries the arms. */
  readonly trunk: readonly Rotation[];
  /** Middle between both hip joints, from the body's origin. */
  readonly pelvis: Vector3;
}

/** A frame of the source, with the places of its feet. */
export interface SourceFrame extends Frame {
  /** Balls of the feet from the body's origin; y is the height over the ball of a flat foot. */
  readonly balls: Readonly<Record<Side, Vector3>>;
}

const FINGER = /Thumb|Index|Middle|Ring|Little/;

/** Height of the ground in a clip: that of the rest pose, or y = 0, or below the lowest feet if both are far from them. */
export function groundOfClip(source: Body, moments: readonly Moment[]): number {
  const heights = moments.map((moment) => Math.min(...SIDES.map((side) => ballOf(source, moment, side)[1])));
  const low = heights.toSorted((a, b) => a - b)[Math.floor(heights.length / 20)]! - source.ballHeight;
  const near = [source.ground, 0]
    .map((ground) => ({ ground, gap: Math.abs(low - ground) }))
    .toSorted((a, b) => a.gap - b.gap)[0]!;
  // feet are not below the ground
  if (low < near.ground - 0.01 * source.legLength) return low;
  // a jump or a fall may never touch the ground of the rest pose
  if (near.gap < 0.12 * source.legLength || (near.ground === source.ground && source.ground === 0 && low > 0))
    return near.ground;
  return low;
}

export function ballOf(body: Body, { rotations, positions }: Moment, side: Side): Vector3 {
  const foot = body.map[bone(side, 'Foot')]!;
  return add(positions[foot]!, rotate(rotations[foot]!, body.ballOffset[side]));
}

/** Turns of all bones from the T-pose, and the pelvis over the ground. */
export function frameOf(body: Body, moment: Moment, ground: number): SourceFrame {
  const { rotations, positions } = moment;
  const turnOf = (joint: number): Rotation => multiply(rotations[joint]!, inverse(body.tPose[joint]!));
  const bones = Object.entries(body.map) as [HumanBone, number][];
  const turns = new Map(bones.map(([name, joint]) => [name, turnOf(joint)]));
  const middle = times(add(positions[body.map.leftUpperLeg!]!, positions[body.map.rightUpperLeg!]!), 0.5);
  const origin: Vector3 = [body.origin[0], ground, body.origin[2]];
  const [left, right] = SIDES.map((side) => subtract(ballOf(body, moment, side), add(origin, [0, body.ballHeight, 0])));
  return {
    turns,
    trunk: body.trunk.map(turnOf),
    pelvis: subtract(middle, origin),
    balls: { left: left!, right: right! },
  };
}

/** The frame reflected in the plane between left and right. */
export function mirrored({ turns, trunk, pelvis, balls }: SourceFrame): SourceFrame {
  const reflect = ([x, y, z]: Vector3): Vector3 => [-x, y, z];
  const other = (name: string): HumanBone =>
    name.replace(/^(left|right)/, (side) => (side === 'left' ? 'right' : 'left')) as HumanBone;
  const turned = ([x, y, z, w]: Rotation): Rotation => [x, -y, -z, w];
  const reflected = Array.from(turns, ([name, turn]) => [other(name), turned(turn)] as const);
  return {
    turns: new Map(reflected),
    trunk: trunk.map(turned),
    pelvis: reflect(pelvis),
    balls: { left: reflect(balls.right), right: reflect(balls.left) },
  };
}

/** Bones of the target that move: those that the source has, and those between or below them. */
export function sharedBones(source: Body, target: Body, { fingers }: HumanoidOptions): HumanBone[] {
  return (Object.keys(target.map) as HumanBone[]).filter((name) => {
    if (FINGER.test(name)) return fingers && source.map[name] !== undefined;
    if (/Eye|jaw/.test(name)) return source.map[name] !== undefined;
    return true;
  });
}

/** The source's frame for the target's bones and proportions. */
export function carriedFrame(
  frame: Frame,
  source: Body,
  target: Body,
  ratio: number,
  bones: readonly HumanBone[],
): Frame {
  const trunk = carriedTrunk(frame.trunk, target.trunk.length);
  const turns = new Map(bones.map((name) => [name, frame.turns.get(name) ?? substitute(name, frame)]));
  const [x, y, z] = frame.pelvis;
  const height = target.legLength + target.ankleHeight + (y - source.legLength - source.ankleHeight) * ratio;
  return { turns, trunk, pelvis: [x * ratio, height, z * ratio] };
}

/**
 * Turns of a trunk of another number of joints. Joints that correspond have equal turns, others are between them. So there and back
 * changes nothing if the other trunk has more joints.
 */
function carriedTrunk(turns: readonly Rotation[], count: number): Rotation[] {
  const [least, most] = [Math.min(turns.length, count), Math.max(turns.length, count)];
  const nodes = Array.from({ length: least }, (_, k) => Math.round((k * (most - 1)) / (least - 1)));
  if (turns.length === most) return nodes.map((at) => turns[at]!);
  return Array.from({ length: most }, (_, at) => {
    const above = Math.max(
      1,
      nodes.findIndex((node) => node >= at),
    );
    const [from, to] = [nodes[above - 1]!, nodes[above]!];
    return slerp(turns[above - 1]!, turns[above]!, (at - from) / (to - from));
  });
}

/** The turn of a bone that the source lacks: that of the bone that carries it. */
function substitute(name: HumanBone, { turns, trunk }: Frame): Rotation {
  const top = trunk.at(-1)!;
  if (name === 'neck') return slerp(top, turns.get('head') ?? top, 0.5);
  const side = name.startsWith('left') ? 'left' : 'right';
  if (name.endsWith('Hand')) return turns.get(bone(side, 'LowerArm'))!;
  if (name.endsWith('Toes')) return turns.get(bone(side, 'Foot'))!;
  return top;
}
