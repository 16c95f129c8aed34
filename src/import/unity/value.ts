import { error, ManipleError, quoted } from '../../errors.ts';
import { sentence } from '../model-builder/issue-list.ts';

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
  throw new ManipleError(error('UNITY_INVALID', path, sentence(message), suggestion));
}

/** Ends the reading of a text or an import: there is too much of it. */
export function refuseSize(path: string, message: string): never {
  throw new ManipleError(error('UNITY_LIMIT', path, sentence(message)));
}

/** Sets a key that a map must not have yet, whatever it is called. */
export function setKey(map: Record<string, UnityValue>, key: string, value: UnityValue, where: () => string): void {
  if (Object.hasOwn(map, key)) refuseText(where(), `Duplicate key ${quoted(key)}`);
  // plain assignment would set the prototype
  if (key === '__proto__') Object.defineProperty(map, key, { value, enumerable: true });
  else map[key] = value;
}
