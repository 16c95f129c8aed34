import type { Character } from '../character/character.ts';
import type { CrowdTables, CrowdType } from '../frame/tables/crowd-types.ts';
import { multiplyQuaternion } from '../math/quaternion.ts';
import { expectFloats, expectNumbers, expectObject, isFloat, refuseArgument } from './arguments.ts';
import type { CharacterTransform } from './placement.ts';
import { type RestJoint, restJoint } from './rows/rest-joint.ts';
import { vectorList, type VectorLike } from './vectors.ts';

/** Target and limits of a joint that looks. */
export interface LookAtOptions {
  /** Metres in world space. */
  readonly target: VectorLike;
  /** 0 to 1, default 1. */
  readonly weight?: number;
  /** The direction that the character faces at rest, in its own space; default +Z. */
  readonly forward?: VectorLike;
  /** Largest turn in radians; default a right angle. */
  readonly limit?: number;
}

/** Checked `LookAtOptions`. */
export interface Look {
  readonly target: readonly number[];
  readonly forward: readonly number[];
  readonly weight: number;
  readonly limit: number;
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function checkLook(options: LookAtOptions): Look {
  expectObject('options', options);
  const { weight = 1, forward: forwardAxis = [0, 0, 1], limit = Math.PI / 2 } = options;
  const target = expectNumbers('target', vectorList(options.target), 3);
  const forward = expectFloats('forward', vectorList(forwardAxis), 3);
  if (!(isFloat(weight) && weight >= 0 && weight <= 1)) refuseArgument('weight', weight, '0 to 1');
  if (!(isFloat(limit) && limit >= 0)) refuseArgument('limit', limit, '0 radians or more');
  return { target, forward, weight, limit };
}

/** Rotation to append to a joint so that its forward axis points at the target. Its parents are at rest. */
export function lookRotation(
  tables: CrowdTables,
  type: CrowdType,
  joint: number,
  { target, forward, limit }: Look,
  transform: CharacterTransform,
): [number, number, number, number] {
  const { position, rotation } = cachedRest(tables, type, joint);
  const wanted = inModelOf(transform, target).map((c, i) => c - position[i]!);
  return localTurn(rotation, turnBetween(forward, wanted, limit));
}

const restOf = new WeakMap<Character, Map<number, RestJoint>>();

/** `restJoint`, computed once per joint of a character. */
function cachedRest(tables: CrowdTables, type: CrowdType, joint: number): RestJoint {
  const known = restOf.get(type.character) ?? new Map<number, RestJoint>();
  restOf.set(type.character, known);
  const rest = known.get(joint) ?? restJoint(tables, type, joint);
  known.set(joint, rest);
  return rest;
}

/** A point of the world in model space. */
function inModelOf({ position: p, rotation: r, scale }: CharacterTransform, [x, y, z]: readonly number[]): number[] {
  return turned([-r.x, -r.y, -r.z, r.w], [x! - p.x, y! - p.y, z! - p.z]).map((c) => c / scale);
}

/** v turned by a unit quaternion. */
function turned(q: readonly number[], v: readonly number[]): number[] {
  const [x, y, z, w] = q as [number, number, number, number];
  const [vx, vy, vz] = v as [number, number, number];
  const [tx, ty, tz] = [y * vz - z * vy, z * vx - x * vz, x * vy - y * vx].map((t) => 2 * t) as [
    number,
    number,
    number,
  ];
  return [vx + w * tx + y * tz - z * ty, vy + w * ty + z * tx - x * tz, vz + w * tz + x * ty - y * tx];
}

/** The shortest turn from one direction to another, at most `limit` radians. */
function turnBetween(from: readonly number[], to: readonly number[], limit: number): [number, number, number, number] {
  const size = Math.hypot(...from) * Math.hypot(...to);
  if (size === 0) return [0, 0, 0, 1];
  const cosine = Math.max(-1, Math.min(1, from.reduce((sum, f, c) => sum + f * to[c]!, 0) / size));
  const [fx, fy, fz] = from as [number, number, number];
  const [tx, ty, tz] = to as [number, number, number];
  let axis = [fy * tz - fz * ty, fz * tx - fx * tz, fx * ty - fy * tx];
  let length = Math.hypot(...axis);
  // opposite directions: about the vertical
  if (length < 1e-9 * size) [axis, length] = [[0, 1, 0], 1];
  const half = Math.min(Math.acos(cosine), limit) / 2;
  const sine = Math.sin(half) / length;
  return [axis[0]! * sine, axis[1]! * sine, axis[2]! * sine, Math.cos(half)];
}

/**
 * A rotation about the character's own axes, as one to append to a joint that rests turned: R⁻¹ q R, R its rest rotation
 * in model space.
 */
function localTurn(
  modelFromJoint: readonly number[],
  turn: readonly [number, number, number, number],
): [number, number, number, number] {
  const [x, y, z, w] = modelFromJoint as [number, number, number, number];
  const out = [0, 0, 0, 1];
  multiplyQuaternion([-x, -y, -z, w], turn, out);
  multiplyQuaternion(out, [x, y, z, w], out);
  return out as [number, number, number, number];
}
