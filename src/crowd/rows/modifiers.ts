import type { Character } from '../../character/character.ts';
import { findJoint, listedByNearness, nameIndex } from '../../character/names.ts';
import { fail, quoted } from '../../errors.ts';
import { Column } from '../../frame/tables/column.ts';
import type { CrowdTables, CrowdType } from '../../frame/tables/crowd-types.ts';
import { MODIFIER_NONE, Modifier } from '../../stages/gather-motions/layout.ts';
import { LAYER_SET, LAYER_TURN, MODIFIES_ROTATION, MODIFIES_X } from '../../stages/layout.ts';
import { expectFloats, expectObject, isFloat, refuseArgument, expectNumbers } from '../arguments.ts';
import type { Section } from './ids.ts';
import type { CharacterTransform } from '../placement.ts';
import { type EulerLike, type QuaternionLike, rotationList, vectorList, type VectorLike } from '../vectors.ts';
import { multiplyQuaternion } from '../../math/quaternion.ts';
import { restJoint } from './joints.ts';

/** Changes a joint after its clips have been blended. */
export interface JointModifier {
  /** 'set' replaces the pose of the joint, 'turn' adds to it. Default 'set'. */
  readonly mode?: 'set' | 'turn';
  /** A quaternion, or Euler angles as three.js has them, relative to the parent. */
  readonly rotation?: QuaternionLike | EulerLike;
  /** Metres, relative to the parent. */
  readonly translation?: VectorLike;
  /** 0 to 1, default 1. */
  readonly weight?: number;
}

/**
 * Modifiers of joints and morph weights: a few records per character. Methods that take sections change all of their rows or
 * none.
 */
export class Modifiers {
  column: Column<(typeof Modifier)['fields']>;
  readonly #places: number;

  constructor(capacity: number, places: number) {
    this.column = new Column(Modifier, capacity * places, false, MODIFIER_NONE);
    this.#places = places;
  }

  resize(capacity: number): void {
    this.column = this.column.grown(capacity * this.#places);
  }

  /** @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_LIMIT */
  setJoint(sections: readonly Section[], joint: string | number, modifier: JointModifier): void {
    const { bits, mode, values } = jointRecord(modifier, String(joint));
    const lanes = jointLanes(sections, joint);
    if (values.weight > 0) this.#expectRoom(lanes);
    for (const { rows, lane } of lanes) for (const row of rows) this.#set(row, lane, bits, mode, values);
  }

  /** @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_LIMIT */
  setMorph(sections: readonly Section[], morph: string, weight: number): void {
    if (!isFloat(weight)) refuseArgument('weight', weight, 'a number that a 32-bit float holds');
    const lanes = sections.map(({ type, rows }) => ({ rows, ...morphLane(type.character, morph) }));
    this.#expectRoom(lanes);
    for (const { rows, lane, component } of lanes) {
      const translation: [number, number, number] = [0, 0, 0];
      translation[component] = weight;
      const values = { weight: 1, rotation: [0, 0, 0, 1] as const, translation, adds: true };
      for (const row of rows) this.#set(row, lane, MODIFIES_X << component, LAYER_SET, values);
    }
  }

  /**
   * Turns a joint towards a target.
   * @param readTransform Reads the transform of a row.
   * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_LIMIT
   */
  lookAt(
    sections: readonly Section[],
    tables: CrowdTables,
    joint: string | number,
    look: Look,
    readTransform: (row: number) => CharacterTransform,
  ): void {
    const lanes = jointLanes(sections, joint);
    if (look.weight > 0) this.#expectRoom(lanes);
    for (const { type, rows, lane } of lanes) {
      for (const row of rows) {
        const rotation = lookRotation(tables, type, lane, look, readTransform(row));
        const { values } = jointRecord({ rotation, weight: look.weight }, String(joint));
        this.#set(row, lane, MODIFIES_ROTATION, LAYER_TURN, values);
      }
    }
  }

  clear(character: number): void {
    const first = character * this.#places;
    this.column.clear(first, first + this.#places);
    this.column.changed(first, first + this.#places);
  }

  /** Writes the record of a lane, or a free one; weight 0 frees it. @throws ManipleError CROWD_LIMIT */
  #set(character: number, lane: number, bits: number, mode: number, values: ModifierValues): void {
    const first = character * this.#places;
    const row = this.#rowOf(character, lane, values.weight > 0);
    if (row === undefined) return;
    const { weight, rotation, translation } = values;
    if (weight <= 0) this.column.clear(row);
    else {
      const known = this.column.view.get(row, 'laneAndBits');
      // three morph weights share a lane: those that are set already stay
      const kept = (known & 0xffff) === lane && values.adds ? known >>> 24 : 0;
      const sign = rotation[3] < 0 ? -1 : 1;
      const at = (c: 0 | 1 | 2, key: 'x' | 'y' | 'z') =>
        bits & (MODIFIES_X << c) || !kept ? translation[c] : this.column.view.get(row, key);
      this.column.view.assign(row, {
        laneAndBits: (lane | (mode << 16) | ((bits | kept) << 24)) >>> 0,
        weight,
        rotationX: sign * rotation[0],
        rotationY: sign * rotation[1],
        rotationZ: sign * rotation[2],
        x: at(0, 'x'),
        y: at(1, 'y'),
        z: at(2, 'z'),
      });
    }
    this.column.changed(first, first + this.#places);
  }

  /** @throws ManipleError CROWD_LIMIT */
  #expectRoom(lanes: readonly { readonly rows: readonly number[]; readonly lane: number }[]): void {
    for (const { rows, lane } of lanes) for (const row of rows) this.#rowOf(row, lane, true);
  }

  #rowOf(character: number, lane: number, wanted: boolean): number | undefined {
    const first = character * this.#places;
    let free: number | undefined;
    for (let row = first; row < first + this.#places; row++) {
      const known = this.column.view.get(row, 'laneAndBits') & 0xffff;
      if (known === lane) return row;
      if (known === MODIFIER_NONE) free ??= row;
    }
    if (free !== undefined || !wanted) return free;
    const message = `A character can have ${this.#places} joints or runs of morph weights changed at once.`;
    return fail('CROWD_LIMIT', 'maxModifiers', message, 'Create the crowd with a larger `maxModifiers`.');
  }
}

interface ModifierValues {
  readonly weight: number;
  readonly rotation: readonly [number, number, number, number];
  readonly translation: readonly [number, number, number];
  /** Components that it does not name stay as an earlier one left them. */
  readonly adds: boolean;
}

/** A joint's modifier as its record. @throws ManipleError CROWD_BAD_ARGUMENT */
export function jointRecord(
  modifier: JointModifier,
  joint: string,
): { bits: number; mode: number; values: ModifierValues } {
  expectObject('modifier', modifier);
  const { mode = 'set', weight = 1 } = modifier;
  if (mode !== 'set' && mode !== 'turn') refuseArgument('mode', mode, "'set' or 'turn'");
  const rotation =
    modifier.rotation === undefined ? undefined : expectFloats('rotation', rotationList(modifier.rotation), 4);
  const translation =
    modifier.translation === undefined ? undefined : expectFloats('translation', vectorList(modifier.translation), 3);
  const numbers = [...(rotation ?? []), ...(translation ?? []), weight];
  const length = rotation ? Math.hypot(...rotation) : 1;
  if (!numbers.every(isFloat) || !(length > 0) || weight < 0 || weight > 1) {
    const suggestion = 'Use numbers that a 32-bit float holds, a rotation other than 0 and a weight from 0 to 1.';
    fail('CROWD_BAD_ARGUMENT', joint, `Got ${quoted(numbers)} for the joint.`, suggestion);
  }
  const [x, y, z, w] = (rotation ?? [0, 0, 0, 1]) as [number, number, number, number];
  return {
    bits: (rotation ? MODIFIES_ROTATION : 0) | (translation ? MODIFIES_X * 7 : 0),
    mode: mode === 'set' ? LAYER_SET : LAYER_TURN,
    values: {
      weight,
      rotation: [x / length, y / length, z / length, w / length],
      translation: (translation ?? [0, 0, 0]) as [number, number, number],
      adds: false,
    },
  };
}

function jointLanes(sections: readonly Section[], joint: string | number): (Section & { readonly lane: number })[] {
  return sections.map((section) => ({ ...section, lane: findJoint(section.type.character, joint) }));
}

/** Lane and component of a morph weight. @throws ManipleError CROWD_BAD_ARGUMENT */
export function morphLane({ name, joints, morphNames }: Character, morph: string): { lane: number; component: number } {
  const index = nameIndex(morphNames, morph);
  if (index < 0) {
    const some = morphNames.length > 0 ? `It has ${listedByNearness(morphNames, morph)}.` : 'It has none.';
    fail('CROWD_BAD_ARGUMENT', name, `The character has no morph target ${quoted(morph)}.`, some);
  }
  return { lane: joints.length + Math.floor(index / 3), component: index % 3 };
}

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
  const { position, rotation } = restJoint(tables, type, joint);
  const wanted = inModelOf(transform, target).map((c, i) => c - position[i]!);
  return localTurn(rotation, turnBetween(forward, wanted, limit));
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
