import { type IssueCode, quoted } from '../../errors.ts';
import { describe } from '../../forms/rules.ts';
import { type IssueList, refuse } from '../model-builder/issue-list.ts';

/** A value of a Unity file. Scalars stay text: fileIDs have more digits than a number holds. */
export type UnityValue = string | readonly UnityValue[] | UnityMap;

export interface UnityMap {
  readonly [key: string]: UnityValue;
}

/** Limits of one text. They are far above any controller or clip, and bound the cost of a hostile one. */
export const UNITY_LIMITS = {
  /** Characters. */
  text: 64 * 1024 * 1024,
  documents: 65_536,
  /** Levels of nesting inside a document. */
  depth: 64,
  /** Scalars, lists and maps together. */
  values: 8_000_000,
  /** Scalars that need a whole YAML reader, and characters of each. */
  unusual: 20_000,
  unusualText: 65_536,
  /** Limits of one controller. */
  states: 65_536,
  transitions: 262_144,
  treeChildren: 65_536,
  treeDepth: 32,
  machineDepth: 64,
  /**
   * Limits of one converted clip: all keys, and the keys that fitting adds. Those are `addedKeys`, and `addedPerKey`
   * for each key of the file.
   */
  keys: 1_000_000,
  addedKeys: 100_000,
  addedPerKey: 64,
  /** Issues of one code that are kept. */
  issues: 100_000,
} as const;

/** Throws an error that ends the reading of a text that Unity did not write. */
export function refuseText(path: string, message: string): never {
  const suggestion = 'In Unity, set Asset Serialization to Force Text and save the asset again.';
  return refuse('UNITY_INVALID', path, message, suggestion);
}

/** Ends the reading of a text or an import: there is too much of it. */
export function refuseSize(path: string, message: string): never {
  return refuse('UNITY_LIMIT', path, message);
}

/** Sets a key that a map must not have yet, whatever it is called. */
export function setKey(map: Record<string, UnityValue>, key: string, value: UnityValue, where: () => string): void {
  if (Object.hasOwn(map, key)) refuseText(where(), `Duplicate key ${quoted(key)}`);
  // plain assignment would set the prototype
  if (key === '__proto__') Object.defineProperty(map, key, { value, enumerable: true });
  else map[key] = value;
}

/** The object that a `{fileID: 3, guid: …}` names. Without a guid it is in the same file. */
export interface UnityReference {
  readonly fileID: string;
  readonly guid?: string;
}

/** Gives the name of a clip asset; undefined if it is not known. */
export type ResolveMotion = (guid: string, fileID: string) => string | undefined;

/** The name of a clip of another file for controllers: from the caller, else `guid:fileID`. */
export function motionName({ guid, fileID }: Required<UnityReference>, resolve: ResolveMotion | undefined): string {
  return resolve?.(guid, fileID) ?? `${guid}:${fileID}`;
}

/** Reads fields of one object. A field that cannot be read is an error; a missing one has a default. */
export class Fields {
  readonly #map: UnityMap;
  readonly #place: string;

  /**
   * @param path Name of the object in issues.
   * @param place Its name where a field cannot be read. Default: the same.
   */
  constructor(
    map: UnityMap,
    readonly path: string,
    readonly issues: IssueList,
    place = path,
  ) {
    this.#map = map;
    this.#place = place;
  }

  /** The same fields of an object that has another name in issues. */
  named(path: string): Fields {
    return new Fields(this.#map, path, this.issues, this.#place);
  }

  /** Warns of the object, or of one of its fields. */
  warn(code: IssueCode, message: string, key?: string): void {
    this.issues.warn(code, key === undefined ? this.path : `${this.path}/${key}`, message);
  }

  /** Reports a field that cannot be read. */
  refuse(key: string, message: string): void {
    this.issues.error('UNITY_INVALID', `${this.#place}/${key}`, message);
  }

  has(key: string): boolean {
    return this.#at(key) !== undefined;
  }

  text(key: string): string {
    const value = this.#at(key) ?? '';
    if (typeof value === 'string') return value;
    this.#wrong(key, value, 'a string');
    return '';
  }

  /** A finite number. */
  number(key: string, fallback: number): number {
    const value = this.#at(key);
    if (value === undefined || value === '') return fallback;
    const number = readNumber(value);
    if (Number.isFinite(number)) return number;
    this.#wrong(key, value, 'a finite number');
    return fallback;
  }

  flag(key: string, fallback: boolean): boolean {
    return this.number(key, Number(fallback)) !== 0;
  }

  /** Undefined for the null reference. */
  reference(key: string): UnityReference | undefined {
    const value = this.#at(key);
    if (value === undefined || value === '') return undefined;
    const reference = readReference(value);
    if (reference === undefined) this.#wrong(key, value, 'a reference');
    return reference === undefined || isNull(reference) ? undefined : reference;
  }

  list(key: string): readonly UnityValue[] {
    const value = this.#at(key) ?? '';
    if (typeof value !== 'string' && Array.isArray(value)) return value as readonly UnityValue[];
    // Unity writes an empty table as {}
    if (value !== '' && (typeof value === 'string' || Object.keys(value).length > 0)) this.#wrong(key, value, 'a list');
    return [];
  }

  /** The fields of each map in a list. */
  maps(key: string): Fields[] {
    return this.list(key).flatMap((item, i) => {
      if (isMap(item)) return new Fields(item, `${this.#place}/${key}/${i}`, this.issues);
      this.#wrong(`${key}/${i}`, item, 'an object');
      return [];
    });
  }

  map(key: string): UnityMap | undefined {
    const value = this.#at(key);
    if (value === undefined || isMap(value)) return value;
    if (value !== '') this.#wrong(key, value, 'an object');
    return undefined;
  }

  #at(key: string): UnityValue | undefined {
    return Object.hasOwn(this.#map, key) ? this.#map[key] : undefined;
  }

  #wrong(key: string, value: UnityValue, wanted: string): void {
    this.refuse(key, `Expected ${wanted}, got ${describe(value)}.`);
  }
}

export function isMap(value: UnityValue | undefined): value is UnityMap {
  return typeof value === 'object' && !Array.isArray(value);
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const INFINITE = /^([+-])?\.?inf(?:inity)?$/i;

/** NaN for anything that is not a number, as well as for `nan`. */
export function readNumber(value: UnityValue | undefined): number {
  if (typeof value !== 'string') return Number.NaN;
  if (NUMBER.test(value)) return Number(value);
  const infinite = INFINITE.exec(value);
  return infinite ? (infinite[1] === '-' ? -Infinity : Infinity) : Number.NaN;
}

/** Undefined for anything that is not a reference. */
export function readReference(value: UnityValue): UnityReference | undefined {
  if (!isMap(value)) return undefined;
  const { fileID, guid } = value;
  if (typeof fileID !== 'string' || !/^-?\d{1,20}$/.test(fileID)) return undefined;
  return typeof guid === 'string' && guid !== '' ? { fileID, guid } : { fileID };
}

export function isNull({ fileID }: UnityReference): boolean {
  return /^-?0+$/.test(fileID);
}
