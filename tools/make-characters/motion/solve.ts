import type { Rig } from '../rig.ts';
import { type Build, onSide, type Side, SIDES } from '../body/humanoid.ts';
import {
  compose,
  conjugate,
  fromAngles,
  fromAxes,
  fromAxisAngle,
  IDENTITY,
  type Quat,
  rotate,
  slerp,
  twistAbout,
} from '../math/quat.ts';
import {
  add,
  clamp,
  cross,
  FORWARD,
  lengthOf,
  normalize,
  perpendicular,
  scale,
  sub,
  UP,
  type Vec3,
} from '../math/vec.ts';
import type { Controls } from './controls.ts';
import { solveLimb } from './ik.ts';
import { bindPose, placeJoint, type Pose, type World } from './pose.ts';

interface Solved {
  readonly pose: Pose;
  readonly world: World;
  /** Leg reach, left and right, in leg lengths: above 1 a foot has left its place. */
  readonly legReach: number[];
}

/** How much of the chest's turn each spine joint takes, from the pelvis up. */
const SPINE_SHARE = [0.3, 0.35, 0.35] as const;
const NECK_SHARE = 0.45;
const ARM_SOFTNESS = 0.06;
const FOREARM_TWIST_SHARE = 0.55;

/** Joint rotations for a set of controls. Secondary joints (cloth, hair) stay at rest; springs move them later. */
export function solveControls(rig: Rig, build: Build, controls: Controls): Solved {
  const pose = bindPose(rig);
  const world: World = { at: [], turn: [] };
  const set = (name: string, rotation: Quat): void => {
    const { index } = rig.joint(name);
    pose.rotations[index] = rotation;
    placeJoint(rig, pose, world, index);
  };
  const setWorld = (name: string, turn: Quat): void =>
    set(name, compose(conjugate(world.turn[rig.joint(name).parent]!), turn));

  pose.pelvisShift = controls.pelvis;
  set('root', IDENTITY);
  set('pelvis', fromAngles(controls.pelvisTurn));
  const torso = fromAngles(controls.torsoTurn);
  ['spine_1', 'spine_2', 'chest'].forEach((name, i) => set(name, slerp(IDENTITY, torso, SPINE_SHARE[i]!)));
  solveHead(rig, world, controls, set, setWorld);
  for (const side of SIDES) solveArm({ rig, build, controls, world, side, set, setWorld });
  const legReach = SIDES.map((side) => solveLeg({ rig, build, controls, world, side, set, setWorld }));
  for (const joint of rig.joints) if (!world.at[joint.index]) placeJoint(rig, pose, world, joint.index);
  return { pose, world, legReach };
}

type SetTurn = (name: string, rotation: Quat) => void;

interface LimbJob {
  readonly rig: Rig;
  readonly build: Build;
  readonly controls: Controls;
  readonly world: World;
  readonly side: Side;
  readonly set: SetTurn;
  readonly setWorld: SetTurn;
}

function solveHead(rig: Rig, world: World, controls: Controls, set: SetTurn, setWorld: SetTurn): void {
  const chest = world.turn[rig.joint('chest').index]!;
  const head = compose(fromAngles(controls.headTurn), fromAxisAngle(UP, controls.headTwist[0]));
  set('neck', slerp(IDENTITY, compose(conjugate(chest), head), NECK_SHARE));
  setWorld('head', head);
}

function solveArm({ rig, build, controls, world, side, set, setWorld }: LimbJob): void {
  const suffix = side === 'l' ? 'L' : 'R';
  const sign = side === 'l' ? 1 : -1;
  const hand = controls[`hand${suffix}`];
  const chest = world.turn[rig.joint('chest').index]!;
  const frame = slerp(IDENTITY, chest, controls[`follow${suffix}`][0]);

  // a hand above the shoulder takes the collar bone with it
  const lift = clamp(hand[1] / 0.5 + 0.35, 0, 1.35) * 24;
  const [raise, forward] = controls[`shoulder${suffix}`];
  set(`clavicle_${side}`, compose(fromAxisAngle(UP, -sign * forward), fromAxisAngle(FORWARD, sign * (raise + lift))));

  const bind = {
    root: onSide(side, build.shoulder),
    middle: onSide(side, build.elbow),
    end: onSide(side, build.wrist),
    bendsTo: onSide(side, [0.3, 0, -1]),
  };
  const shoulder = add(
    world.at[rig.joint(`clavicle_${side}`).index]!,
    rotate(
      world.turn[rig.joint(`clavicle_${side}`).index]!,
      sub(onSide(side, build.shoulder), onSide(side, build.clavicle)),
    ),
  );
  // the hand is placed from where the shoulder is without the collar bone's help: else a shrug would move the hand
  const chestAt = world.at[rig.joint('chest').index]!;
  const anchor = add(chestAt, rotate(chest, sub(onSide(side, build.shoulder), build.chest)));
  const target = add(anchor, rotate(frame, hand));
  const turns = solveLimb(bind, shoulder, target, rotate(frame, controls[`elbow${suffix}`]), ARM_SOFTNESS);
  setWorld(`upper_arm_${side}`, turns.upper);

  const bindForearm = normalize(sub(bind.end, bind.middle));
  const forearm = rotate(turns.lower, bindForearm);
  const aim = normalize(rotate(frame, controls[`aim${suffix}`]));
  const faceWanted = rotate(frame, controls[`face${suffix}`]);
  const given = clamp(lengthOf(faceWanted), 0, 1);
  const face = normalize(add(faceWanted, scale(perpendicular(forearm, aim, UP), 1 - given)));
  const handTurn = compose(
    handFrame(aim, face, side),
    conjugate(handFrame(perpendicular(FORWARD, bindForearm), bindForearm, side)),
  );
  const twist = twistAbout(compose(conjugate(turns.lower), handTurn), bindForearm);
  setWorld(`lower_arm_${side}`, compose(turns.lower, fromAxisAngle(bindForearm, twist * FOREARM_TWIST_SHARE)));
  setWorld(`hand_${side}`, handTurn);
  set(`grip_${side}`, fromAxisAngle(FORWARD, sign * controls[`grip${suffix}`][0]));
}

/** A shield hand keeps its face exactly, a weapon hand its aim. */
function handFrame(aim: Vec3, face: Vec3, side: Side): Quat {
  const thumb = side === 'l' ? perpendicular(aim, face, FORWARD) : aim;
  const knuckles = side === 'l' ? face : perpendicular(face, aim, UP);
  return fromAxes(thumb, knuckles, cross(thumb, knuckles));
}

function solveLeg({ rig, build, controls, world, side, set, setWorld }: LimbJob): number {
  const suffix = side === 'l' ? 'L' : 'R';
  const [roll, yaw, bank] = controls[`footTurn${suffix}`];
  const foot = controls[`foot${suffix}`];
  const heading = fromAxisAngle(UP, yaw);
  const tilt = compose(heading, compose(fromAxisAngle([1, 0, 0], roll), fromAxisAngle(FORWARD, bank)));

  const ball = onSide(side, build.ball);
  const heel = onSide(side, build.heel);
  const ankle = onSide(side, build.ankle);
  const ballAt = add(ball, foot);
  const ankleAt =
    roll >= 0
      ? add(ballAt, rotate(tilt, sub(ankle, ball)))
      : add(add(ballAt, rotate(heading, sub(heel, ball))), rotate(tilt, sub(ankle, heel)));

  const hip = onSide(side, build.hip);
  const knee = onSide(side, build.knee);
  const pelvis = world.turn[rig.joint('pelvis').index]!;
  const hipAt = add(world.at[rig.joint('pelvis').index]!, rotate(pelvis, sub(hip, build.pelvis)));
  const pole = add(
    add(rotate(pelvis, FORWARD), rotate(heading, FORWARD)),
    add(rotate(pelvis, onSide(side, [0.12, 0, 0])), controls[`knee${suffix}`]),
  );
  const turns = solveLimb({ root: hip, middle: knee, end: ankle, bendsTo: FORWARD }, hipAt, ankleAt, pole, 0);
  setWorld(`thigh_${side}`, turns.upper);
  setWorld(`shin_${side}`, turns.lower);
  setWorld(`foot_${side}`, tilt);
  // on the ball the toes stay flat on the ground; in the air they relax
  const contact = clamp(1 - foot[1] / 0.08, 0.25, 1);
  set(`toe_${side}`, fromAxisAngle([1, 0, 0], -Math.max(0, roll) * contact));
  return turns.reach;
}
