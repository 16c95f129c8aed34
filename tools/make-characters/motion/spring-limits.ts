import { compose, fromTo, IDENTITY, rotate, slerp, type Quat } from '../math/quat.ts';
import { add, addScaled, clamp, dot, FORWARD, lengthOf, mix, normalize, scale, sub, type Vec3 } from '../math/vec.ts';
import type { Rig } from '../rig.ts';
import type { World } from './pose.ts';
import type { Chain } from './spring-set.ts';

/** Limits of a swinging joint's end: it may not enter the body or the ground, bend too far, or change its length. */

export interface Particle {
  now: Vec3;
  before: Vec3;
}

interface WorldCapsule {
  readonly a: Vec3;
  readonly b: Vec3;
  readonly r: number;
}

const GROUND = 0.015;
/** The part of its speed that cloth loses at each touch of the ground. */
const GROUND_GRIP = 0.25;

/** Where the joints of a chain end in the bind pose. */
export const bindTips = (rig: Rig, chain: Chain): Vec3[] => [
  ...chain.joints.slice(1).map((name) => rig.joint(name).at),
  chain.tip,
];

interface Surroundings {
  readonly rig: Rig;
  readonly world: World;
  readonly capsules: readonly WorldCapsule[];
}

/** From the root down, so that each end is measured from one that has settled. */
export function constrainChain(chain: Chain, particles: readonly Particle[], around: Surroundings): void {
  const { rig, world } = around;
  const tips = bindTips(rig, chain);
  const first = rig.joint(chain.joints[0]!);
  const rootTurn = world.turn[first.parent]!;
  let turn = rootTurn;
  let anchor = add(world.at[first.parent]!, rotate(rootTurn, first.offset));
  particles.forEach((particle, i) => {
    const rest = sub(tips[i]!, rig.joint(chain.joints[i]!).at);
    let p = keptOutside(chain, particle, around);
    if (chain.hinged) p = onHinge(p, { at: anchor, rest, turn: rootTurn });
    const home = normalize(rotate(turn, rest));
    const along = bentAtMost(home, normalize(sub(p, anchor), [0, -1, 0]), chain.maxBend);
    particle.now = addScaled(anchor, along, lengthOf(rest));
    turn = compose(fromTo(home, along), turn);
    anchor = particle.now;
  });
}

function keptOutside(chain: Chain, particle: Particle, { rig, world, capsules }: Surroundings): Vec3 {
  let p = particle.now;
  if (chain.ahead) p = keptAhead(p, world, rig.joint(chain.ahead.joint).index, chain.ahead.by);
  for (const capsule of capsules) p = pushOut(p, capsule, chain.radius);
  if (p[1] >= GROUND + chain.radius) return p;
  p = [p[0], GROUND + chain.radius, p[2]];
  // what lies on the ground does not glide
  particle.before = mix(particle.before, p, GROUND_GRIP);
  return p;
}

function keptAhead(p: Vec3, world: World, index: number, by: number): Vec3 {
  const front = rotate(world.turn[index]!, FORWARD);
  const missing = by - dot(sub(p, world.at[index]!), front);
  return missing * Math.sign(by) <= 0 ? p : addScaled(p, front, missing);
}

/** Out of a capsule, unless that leads into the ground: cloth that a body lies on is simply flat. */
function pushOut(p: Vec3, { a, b, r }: WorldCapsule, thickness: number): Vec3 {
  const axis = sub(b, a);
  const t = clamp(dot(sub(p, a), axis) / Math.max(dot(axis, axis), 1e-9), 0, 1);
  const nearest = addScaled(a, axis, t);
  const out = sub(p, nearest);
  const wanted = r + thickness;
  if (lengthOf(out) >= wanted) return p;
  const pushed = add(nearest, scale(normalize(out), wanted));
  return pushed[1] < GROUND + thickness ? p : pushed;
}

/** Back into the plane in which a hinged joint swings. */
function onHinge(p: Vec3, { at, rest, turn }: { at: Vec3; rest: Vec3; turn: Quat }): Vec3 {
  const axis = rotate(turn, [1, 0, 0]);
  return addScaled(p, axis, rest[0] - dot(sub(p, at), axis));
}

function bentAtMost(home: Vec3, along: Vec3, degrees: number): Vec3 {
  const bend = (Math.acos(clamp(dot(home, along), -1, 1)) * 180) / Math.PI;
  return bend <= degrees ? along : rotate(slerp(IDENTITY, fromTo(home, along), degrees / bend), home);
}
