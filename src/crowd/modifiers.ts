import type { Character } from '../asset/character.ts';
import { listedByNearness, nameIndex } from '../asset/names.ts';
import { fail, quoted } from '../errors.ts';
import { Column } from '../frame/column.ts';
import { multiplyQuaternion } from '../shaders/quaternion.ts';
import { MODIFIER_NONE, Modifier } from '../stages/gather-motions/layout.ts';
import { LAYER_SET, LAYER_TURN, MODIFIES_ROTATION, MODIFIES_X } from '../stages/layout.ts';
import { expectFloats, expectObject, isFloat, refuseArgument } from './arguments.ts';
import { type EulerLike, type QuaternionLike, rotationList, vectorList, type VectorLike } from './vectors.ts';

/** What is done to a joint, over all that its clips do. */
export interface JointModifier {
  /** 'set' puts the joint where it is told; 'turn' appends to what it does. Default 'set'. */
  readonly mode?: 'set' | 'turn';
  /** A quaternion, or Euler angles as three.js has them, relative to the parent. */
  readonly rotation?: QuaternionLike | EulerLike;
  /** Metres, relative to the parent. */
  readonly translation?: VectorLike;
  /** 0 to 1, default 1: how much of it shows. */
  readonly weight?: number;
}

/** What the host does to lanes of characters, a few places each. */
export class Modifiers {
  column: Column<(typeof Modifier)['fields']>;
  readonly #places: number;

  constructor(capacity: number, places: number) {
    this.column = new Column(Modifier, capacity * places);
    this.#places = places;
    for (let row = 0; row < capacity * places; row++) this.column.view.set(row, 'laneAndBits', MODIFIER_NONE);
  }

  /** Makes room for more characters. */
  resize(capacity: number): void {
    const known = this.column.view.count;
    this.column = this.column.grown(capacity * this.#places);
    for (let row = known; row < this.column.view.count; row++) this.column.view.set(row, 'laneAndBits', MODIFIER_NONE);
  }

  /**
   * Gives a lane its modifier, in the place that it has already or in a free one; weight 0 frees the place.
   * @throws ManipleError CROWD_LIMIT
   */
  set(character: number, lane: number, bits: number, mode: number, values: ModifierValues): void {
    const first = character * this.#places;
    const row = this.#rowOf(character, lane, values.weight > 0);
    if (row === undefined) return;
    const { weight, rotation, translation } = values;
    if (weight <= 0) this.#empty(row);
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

  /** Whether a lane of each of these characters can be changed, asked before any is. @throws ManipleError CROWD_LIMIT */
  expectRoom(characters: readonly number[], lane: number): void {
    for (const character of characters) this.#rowOf(character, lane, true);
  }

  clear(character: number): void {
    if (this.#places === 0) return;
    const first = character * this.#places;
    for (let row = first; row < first + this.#places; row++) this.#empty(row);
    this.column.changed(first, first + this.#places);
  }

  #empty(row: number): void {
    const { words } = this.column.view;
    const perRow = Modifier.size / 4;
    words.fill(0, perRow * row, perRow * (row + 1));
    this.column.view.set(row, 'laneAndBits', MODIFIER_NONE);
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
    const message = `a character can have ${this.#places} joints or runs of morph weights changed at once.`;
    return fail('CROWD_LIMIT', 'modifiers', message, 'Create the crowd with a larger `modifiers`.');
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
    fail('CROWD_BAD_ARGUMENT', joint, `cannot be modified by ${quoted(numbers)}.`, suggestion);
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

/** Lane and component of a morph weight. @throws ManipleError CROWD_BAD_ARGUMENT */
export function morphPlace(
  { name, joints, morphNames }: Character,
  morph: string,
): { lane: number; component: number } {
  const index = nameIndex(morphNames, morph);
  if (index < 0) {
    const some = morphNames.length > 0 ? `It has ${listedByNearness(morphNames, morph)}.` : 'It has none.';
    fail('CROWD_BAD_ARGUMENT', name, `has no morph target ${quoted(morph)}.`, some);
  }
  return { lane: joints.length + Math.floor(index / 3), component: index % 3 };
}

/**
 * A rotation about the character's own axes, as one to append to a joint that rests turned: R⁻¹ q R, R its rest rotation
 * in model space.
 */
export function localTurn(
  modelFromJoint: readonly number[],
  turn: readonly [number, number, number, number],
): [number, number, number, number] {
  const [x, y, z, w] = modelFromJoint as [number, number, number, number];
  const out = [0, 0, 0, 1];
  multiplyQuaternion([-x, -y, -z, w], turn, out);
  multiplyQuaternion(out, [x, y, z, w], out);
  return out as [number, number, number, number];
}
