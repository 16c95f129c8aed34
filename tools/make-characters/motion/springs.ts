import { compose, conjugate, fromTo, rotate, slerp, type Quat } from '../math/quat.ts';
import { add, addScaled, distance, lengthOf, mix, normalize, scale, sub, type Vec3 } from '../math/vec.ts';
import type { Rig } from '../rig.ts';
import { carried, placeJoint, type Pose, type World } from './pose.ts';
import { bindTips, constrainChain, type Particle } from './spring-limits.ts';
import type { Chain, SpringSet } from './spring-set.ts';

/** Steps per frame: enough that a hem swung by a blow does not pass through a leg. */
const SUBSTEPS = 6;
const PASSES = 3;
const GRAVITY = 9.81;
/** Frames for which a loop runs before it is written down, and a pose is held before a clip begins. */
const LOOP_SETTLE = 360;
const POSE_SETTLE = 90;

interface SpringRun {
  readonly rig: Rig;
  readonly springs: SpringSet;
  /** One entry per frame, for a loop without the repeated last frame. */
  readonly frames: readonly { pose: Pose; world: World }[];
  readonly frameTime: number;
  readonly loop: boolean;
  /** The air against the body, metres per second: a walking body meets the wind from the front. */
  readonly wind: Vec3;
}

/** Writes the swinging joints' rotations into the poses. A loop runs until it repeats. */
export function runSprings(run: SpringRun): void {
  const { frames, springs, rig, loop } = run;
  const particles = springs.chains.map((chain) => restParticles(rig, chain, frames[0]!.world));
  const settle = loop ? frames.length * Math.ceil(LOOP_SETTLE / frames.length) : POSE_SETTLE;
  let previous = frames[0]!.world;
  for (let i = 0; i < settle; i++) {
    const world = loop ? frames[i % frames.length]!.world : frames[0]!.world;
    advance(run, particles, previous, world);
    previous = world;
  }
  for (const frame of frames) {
    advance(run, particles, previous, frame.world);
    previous = frame.world;
    springs.chains.forEach((chain, c) => writeChain(rig, chain, particles[c]!, frame));
  }
}

function restParticles(rig: Rig, chain: Chain, world: World): Particle[] {
  return bindTips(rig, chain).map((tip, i) => {
    const now = carried(rig, world, rig.joint(chain.joints[i]!).index, tip);
    return { now, before: now };
  });
}

function advance(run: SpringRun, particles: Particle[][], from: World, to: World): void {
  const { rig, springs } = run;
  for (let step = 1; step <= SUBSTEPS; step++) {
    const world = between(from, to, step / SUBSTEPS);
    const capsules = springs.capsules.map((capsule) => {
      const { index } = rig.joint(capsule.joint);
      const [a, b] = [carried(rig, world, index, capsule.from), carried(rig, world, index, capsule.to)];
      return { a, b, r: capsule.radius };
    });
    springs.chains.forEach((chain, c) => integrate(run, chain, particles[c]!, world));
    for (let pass = 0; pass < PASSES; pass++) {
      for (const [a, b] of springs.pairs) {
        holdApart(bindTips(rig, springs.chains[a]!), bindTips(rig, springs.chains[b]!), particles[a]!, particles[b]!);
      }
      springs.chains.forEach((chain, c) => constrainChain(chain, particles[c]!, { rig, world, capsules }));
    }
  }
}

const between = (a: World, b: World, t: number): World => ({
  at: a.at.map((p, i) => mix(p, b.at[i]!, t)),
  turn: a.turn.map((q, i) => slerp(q, b.turn[i]!, t)),
});

/** Where a chain's joints are and how they are turned, from its particles. */
function chainFrames(rig: Rig, chain: Chain, particles: readonly Particle[], world: World): { at: Vec3; turn: Quat }[] {
  const tips = bindTips(rig, chain);
  const first = rig.joint(chain.joints[0]!);
  let turn = world.turn[first.parent]!;
  let at = add(world.at[first.parent]!, rotate(turn, first.offset));
  return chain.joints.map((name, i) => {
    const rest = sub(tips[i]!, rig.joint(name).at);
    const wanted = normalize(sub(particles[i]!.now, at));
    turn = compose(fromTo(normalize(rotate(turn, rest)), wanted), turn);
    const frame = { at, turn };
    at = addScaled(at, wanted, lengthOf(rest));
    return frame;
  });
}

function integrate({ rig, frameTime, wind }: SpringRun, chain: Chain, particles: Particle[], world: World): void {
  const dt = frameTime / SUBSTEPS;
  const keep = Math.exp(-chain.damping * dt);
  const tips = bindTips(rig, chain);
  const frames = chainFrames(rig, chain, particles, world);
  particles.forEach((particle, i) => {
    const joint = rig.joint(chain.joints[i]!);
    const parentTurn = i === 0 ? world.turn[joint.parent]! : frames[i - 1]!.turn;
    const home = add(frames[i]!.at, rotate(parentTurn, sub(tips[i]!, joint.at)));
    const speed = scale(sub(particle.now, particle.before), keep / dt);
    const pull = scale(sub(home, particle.now), chain.stiffness);
    const air = scale(sub(wind, speed), chain.drag);
    const force = add(add(pull, air), [0, -GRAVITY * chain.gravity, 0]);
    particle.before = particle.now;
    particle.now = addScaled(addScaled(particle.now, speed, dt), force, dt * dt);
  });
}

function holdApart(leftTips: Vec3[], rightTips: Vec3[], left: Particle[], right: Particle[]): void {
  left.forEach((particle, i) => {
    const other = right[i]!;
    const gap = sub(other.now, particle.now);
    const size = lengthOf(gap);
    const rest = distance(leftTips[i]!, rightTips[i]!);
    const push = scale(gap, (0.5 * (size - rest)) / Math.max(size, 1e-6));
    particle.now = add(particle.now, push);
    other.now = sub(other.now, push);
  });
}

function writeChain(
  rig: Rig,
  chain: Chain,
  particles: Particle[],
  { pose, world }: { pose: Pose; world: World },
): void {
  const frames = chainFrames(rig, chain, particles, world);
  chain.joints.forEach((name, i) => {
    const { index, parent } = rig.joint(name);
    const parentTurn = i === 0 ? world.turn[parent]! : frames[i - 1]!.turn;
    pose.rotations[index] = compose(conjugate(parentTurn), frames[i]!.turn);
    placeJoint(rig, pose, world, index);
  });
}
