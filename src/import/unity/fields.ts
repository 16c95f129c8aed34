import { describe } from '../../forms/rules.ts';
import type { IssueList } from '../model-builder/issue-list.ts';
import type { UnityMap, UnityValue } from './value.ts';

/** The object that a `{fileID: 3, guid: …}` names. Without a guid it is in the same file. */
export interface UnityReference {
  readonly fileID: string;
  readonly guid?: string;
}

/** Reads fields of one object. A field that cannot be read is an error; a missing one has a default. */
export interface Fields {
  readonly path: string;
  has(key: string): boolean;
  text(key: string): string;
  /** A finite number. */
  number(key: string, fallback: number): number;
  flag(key: string, fallback: boolean): boolean;
  /** Undefined for the null reference. */
  reference(key: string): UnityReference | undefined;
  list(key: string): readonly UnityValue[];
  /** The fields of each map in a list. */
  maps(key: string): Fields[];
  map(key: string): UnityMap | undefined;
}

/** @param path Place in front of the field's name in issues. */
export function fieldsOf(map: UnityMap, path: string, issues: IssueList): Fields {
  const at = (key: string): UnityValue | undefined => (Object.hasOwn(map, key) ? map[key] : undefined);
  const wrong = (key: string, value: UnityValue, wanted: string) =>
    issues.error('UNITY_INVALID', `${path}/${key}`, `Expected ${wanted}, got ${describe(value)}.`);

  const fields: Fields = {
    path,
    has: (key) => at(key) !== undefined,
    text(key) {
      const value = at(key) ?? '';
      if (typeof value === 'string') return value;
      wrong(key, value, 'a string');
      return '';
    },
    number(key, fallback) {
      const value = at(key);
      if (value === undefined || value === '') return fallback;
      const number = readNumber(value);
      if (Number.isFinite(number)) return number;
      wrong(key, value, 'a finite number');
      return fallback;
    },
    flag: (key, fallback) => fields.number(key, Number(fallback)) !== 0,
    reference(key) {
      const value = at(key);
      if (value === undefined || value === '') return undefined;
      const reference = readReference(value);
      if (reference === undefined) wrong(key, value, 'a reference');
      return reference === undefined || isNull(reference) ? undefined : reference;
    },
    list(key) {
      const value = at(key) ?? '';
      if (typeof value !== 'string' && Array.isArray(value)) return value as readonly UnityValue[];
      // Unity writes an empty table as {}
      if (value !== '' && (typeof value === 'string' || Object.keys(value).length > 0)) wrong(key, value, 'a list');
      return [];
    },
    maps: (key) =>
      fields.list(key).flatMap((item, i) => {
        if (isMap(item)) return fieldsOf(item, `${path}/${key}/${i}`, issues);
        wrong(`${key}/${i}`, item, 'an object');
        return [];
      }),
    map(key) {
      const value = at(key);
      if (value === undefined || isMap(value)) return value;
      if (value !== '') wrong(key, value, 'an object');
      return undefined;
    },
  };
  return fields;
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
