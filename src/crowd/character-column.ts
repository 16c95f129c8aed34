import { fail, listed, quoted } from '../errors.ts';
import { type NamedColumn, isColumnName, NAME_LENGTH, type ColumnPlan } from '../frame/tables/named-columns.ts';
import { expectFloats, expectObject, expectPlace, refuseArgument } from './arguments.ts';
import type { Crowd } from './crowd.ts';
import type { CrowdState } from './crowd-state.ts';
import type { CharacterGroup } from './group.ts';
import type { CharacterId, CharacterIds } from './rows/ids.ts';
import { writeRows } from './rows/named-columns.ts';
import { internalsOf } from './internals.ts';

/** Floats of one row: as many as the column's `size`; a number where that is 1. */
export type ColumnValue = number | ArrayLike<number>;

/** Options of a column. */
export interface ColumnOptions {
  /** Floats per character: 1 to 4, default 1. */
  readonly size?: number;
  /** Floats of a new character; default zeros. */
  readonly default?: ColumnValue;
}

/**
 * Floats that an application keeps of each character, for shaders: made by `crowd.column`. A row per character, at
 * `crowd.row(id)`. The next frame uploads changes.
 */
export class CharacterColumn {
  readonly #host: CrowdState;
  readonly #column: NamedColumn;

  /** @internal */
  constructor(crowd: Crowd, column: NamedColumn) {
    this.#host = internalsOf(crowd).host;
    this.#column = column;
  }

  get name(): string {
    return this.#column.name;
  }

  /** Floats per character: 1 to 4. */
  get size(): number {
    return this.#column.size;
  }

  /** Floats of a new character. */
  get default(): readonly number[] {
    return this.#column.initial;
  }

  /** Sets the floats of characters, all of them or none. @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT */
  set(ids: CharacterIds, value: ColumnValue): void {
    this.#host.checkAlive();
    const values = floatsOf('value', this.size, value);
    const rows = this.#host.ids.indices(ids);
    writeRows(this.#column, { from: 0, to: rows.length, rowAt: (i) => rows[i]!, values, floatAt: () => 0 });
  }

  /** Sets the floats of all that live. @throws ManipleError CROWD_BAD_ARGUMENT */
  fill(value: ColumnValue): void {
    this.#host.checkAlive();
    const values = floatsOf('value', this.size, value);
    const { ids } = this.#host;
    const rowAt = (row: number) => (ids.lives(row) ? row : -1);
    writeRows(this.#column, { from: 0, to: ids.used, rowAt, values, floatAt: () => 0 });
  }

  /** The floats that a character has. @throws ManipleError CROWD_BAD_ID */
  get(id: CharacterId): number[] {
    this.#host.checkAlive();
    const { size, words } = this.#column;
    const first = this.#host.ids.index(id) * size;
    return Array.from(words.view.floats.subarray(first, first + size));
  }

  /**
   * All rows, yours to write where characters live: the floats of a character begin at `crowd.row(id) * size`. They are taken as
   * they are; `changed` says which are to count. Another array once the crowd has grown.
   */
  get values(): Float32Array<ArrayBuffer> {
    return this.#column.words.view.floats;
  }

  /** Rows from … to − 1 of `values` have been written; default all. Uploads them, whether they differ or not. */
  changed(from = 0, to = Infinity): void {
    this.#host.checkAlive();
    const { size, words } = this.#column;
    const [first, end] = rangeOf(from, to, this.#host.ids.capacity);
    words.changed(first * size, end * size);
  }
}

/** The same of the characters of a group, in its order: made by `group.column`. */
export class GroupColumn {
  readonly #group: CharacterGroup;
  readonly #column: NamedColumn;
  /** The column of all characters. */
  readonly #all: CharacterColumn;
  #values: Float32Array<ArrayBuffer> | undefined;

  /** @internal */
  constructor(group: CharacterGroup, column: NamedColumn) {
    this.#group = group;
    this.#column = column;
    this.#all = new CharacterColumn(group.crowd, column);
  }

  /** Floats per character: 1 to 4. */
  get size(): number {
    return this.#column.size;
  }

  /** Sets the floats of one character of the group. @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT */
  set(index: number, value: ColumnValue): void {
    this.#all.set(this.#group.id(index), value);
  }

  /** Sets the floats of all that live. @throws ManipleError CROWD_BAD_ARGUMENT */
  fill(value: ColumnValue): void {
    this.#all.set(this.#group.ids, value);
  }

  /** The floats that a character of the group has. @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT */
  get(index: number): number[] {
    return this.#all.get(this.#group.id(index));
  }

  /** `size` floats per index of the group, yours to write; `changed` says which are to count. Taken as they are. */
  get values(): Float32Array<ArrayBuffer> {
    if (this.#values) return this.#values;
    const { crowd, spawned } = this.#group;
    const { size, initial } = this.#column;
    const values = new Float32Array(spawned.length * size);
    spawned.forEach((id, i) => values.set(crowd.isAlive(id) ? this.#all.get(id) : initial, i * size));
    return (this.#values = values);
  }

  /** `values` of the characters from … to − 1 have been written; default all. Those of the dead are passed by. */
  changed(from = 0, to = Infinity): void {
    const { crowd, spawned } = this.#group;
    internalsOf(crowd).host.checkAlive();
    const [first, end] = rangeOf(from, to, spawned.length);
    const rowAt = (index: number) =>
      crowd.isAlive(spawned[index]!) ? internalsOf(crowd).host.ids.index(spawned[index]!) : -1;
    const floatAt = (index: number) => index * this.size;
    writeRows(this.#column, { from: first, to: end, rowAt, values: this.values, floatAt });
  }
}

/** The column of a name. Options add a missing one. @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_LIMIT, DEVICE_LIMIT */
export function namedColumn(host: CrowdState, name: string, options: ColumnOptions | undefined): NamedColumn {
  const { named } = host;
  const found = named.find(name);
  if (options === undefined) {
    const names = named.list.map((column) => column.name);
    const suggestion = `Make it with options: { size: 1 }.${names.length > 0 ? ` There are ${listed(names)}.` : ''}`;
    return found ?? fail('CROWD_BAD_ARGUMENT', 'column', `The crowd has no column ${quoted(name)}.`, suggestion);
  }
  if (!found) return host.addColumn(columnPlan(name, options));
  expectSame(found, options);
  return found;
}

/** Description of a column from its options. @throws ManipleError CROWD_BAD_ARGUMENT */
function columnPlan(name: string, options: ColumnOptions): ColumnPlan {
  expectObject('options', options);
  if (!isColumnName(name)) {
    refuseArgument('name', name, `1 to ${NAME_LENGTH} letters, digits and underscores, a letter first`);
  }
  const { size = 1 } = options;
  if (![1, 2, 3, 4].includes(size)) refuseArgument('size', size, '1, 2, 3 or 4');
  const { default: initial = Array<number>(size).fill(0) } = options;
  return { name, size, initial: floatsOf('default', size, initial) };
}

/** Checks that an existing column has the requested options; missing options are not compared. @throws ManipleError CROWD_BAD_ARGUMENT */
function expectSame({ name, size, initial }: ColumnPlan, options: ColumnOptions): void {
  expectObject('options', options);
  const { size: askedSize = size, default: asked = initial } = options;
  const isSame =
    askedSize === size && floatsOf('default', size, asked).every((value, i) => Object.is(value, initial[i]));
  if (isSame) return;
  const message = `${quoted(name)} has ${size} floats that begin with ${initial.map((value) => Number(value.toPrecision(7))).join(', ')}; asked for ${quoted(options)}.`;
  fail('CROWD_BAD_ARGUMENT', 'column', message, 'Use another name, or leave out the options.');
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
function floatsOf(what: string, size: number, value: ColumnValue): number[] {
  const floats = typeof value === 'number' && size === 1 ? [value] : value;
  expectFloats(what, floats, size);
  return Array.from(floats as ArrayLike<number>, Math.fround);
}

/** Whole numbers within what there is, whatever is asked. */
function rangeOf(from: number, to: number, count: number): [first: number, end: number] {
  expectPlace('from', from);
  expectPlace('to', to);
  return [Math.trunc(from), Math.min(count, Math.trunc(to))];
}
