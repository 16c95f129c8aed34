import type { Character } from '../../character/character.ts';
import { findJoint, listedByNearness, nameIndex } from '../../character/names.ts';
import { fail, quoted } from '../../errors.ts';
import { Column } from '../../frame/tables/column.ts';
import type { CrowdTables } from '../../frame/tables/crowd-types.ts';
import { MODIFIER_NONE, Modifier } from '../../stages/gather-motions/layout.ts';
import { LAYER_SET, LAYER_TURN, MODIFIES_ROTATION, MODIFIES_X } from '../../stages/layout.ts';
import { expectFloats, expectObject, isFloat, refuseArgument } from '../arguments.ts';
import type { Section } from './ids.ts';
import { type Look, lookRotation } from '../look-at.ts';
import type { CharacterTransform } from '../placement.ts';
import { type EulerLike, type QuaternionLike, rotationList, vectorList, type VectorLike } from '../vectors.ts';

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
    if (this.#places === 0) return;
    const first = character * this.#places;
    for (let row = first; row < first + this.#places; row++) this.#empty(row);
    this.column.changed(first, first + this.#places);
  }

  /** Writes the record of a lane, or a free one; weight 0 frees it. @throws ManipleError CROWD_LIMIT */
  #set(character: number, lane: number, bits: number, mode: number, values: ModifierValues): void {
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

  /** @throws ManipleError CROWD_LIMIT */
  #expectRoom(lanes: readonly { readonly rows: readonly number[]; readonly lane: number }[]): void {
    for (const { rows, lane } of lanes) for (const row of rows) this.#rowOf(row, lane, true);
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
