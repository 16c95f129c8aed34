import { type Issue, ManipleError, warning } from '../../errors.ts';
import { BlockReader } from './block-text.ts';
import { isMap, type UnityMap, type UnityValue } from './fields.ts';
import { UNITY_CLASS } from './file.ts';

/** The contents of a `.meta` file, which describes the asset of the same name. */
export interface UnityMeta {
  readonly guid: string;
  /** Names of the clips that a model holds, by fileID. */
  readonly clips: ReadonlyMap<string, string>;
  /** Why names could not be read. */
  readonly issues: readonly Issue[];
}

/** The guid of an asset, in the text of its `.meta` file or the first lines of it. */
export function guidOf(text: string): string | undefined {
  return /^guid: *([0-9a-f]{32})\s*$/m.exec(text)?.[1];
}

/**
 * Reads a `.meta` file. Names of clips are in one of three tables: `fileIDToRecycleName` up to Unity 2018,
 * `internalIDToNameTable` and the `internalID` of `clipAnimations` from 2019 on.
 *
 * @returns Undefined for a text without a guid.
 */
export function readUnityMeta(text: string): UnityMeta | undefined {
  const guid = guidOf(text);
  if (guid === undefined) return undefined;
  try {
    const value = /^(%|---)/m.test(text) ? '' : new BlockReader(text).read(0, text.length);
    return { guid, clips: new Map(isMap(value) ? Object.values(value).flatMap(clipNames) : []), issues: [] };
  } catch (thrown) {
    if (!(thrown instanceof ManipleError)) throw thrown;
    const message = 'The names of its clips cannot be read; controllers call them by their fileIDs.';
    const issues = thrown.issues.map((issue) => warning(issue.code, issue.path, `${issue.message} ${message}`));
    return { guid, clips: new Map(), issues };
  }
}

/** The name of a clip for controllers: from the `.meta` file, else from the file that holds it. */
export function clipNameByMeta(path: string, { clips }: UnityMeta, fileID: string): string {
  const file = /[^/\\]*$/.exec(path)![0];
  const stem = file.replace(/\.[^.]*$/, '');
  return clips.get(fileID) ?? (/\.anim$/i.test(file) ? stem : `${stem}:${fileID}`);
}

/** Names of one importer's settings, the newest table last. */
function clipNames(importer: UnityValue): (readonly [fileID: string, name: string])[] {
  if (!isMap(importer)) return [];
  const recycled = isMap(importer.fileIDToRecycleName) ? Object.entries(importer.fileIDToRecycleName) : [];
  const animations = isMap(importer.animations) ? maps(importer.animations.clipAnimations) : [];
  const named = [
    ...recycled.filter(([fileID]) => isClip(fileID)),
    ...animations.map(({ internalID, name }) => [internalID, name] as const),
    ...maps(importer.internalIDToNameTable).map(({ first, second }) => {
      const fileID = isMap(first) ? first[UNITY_CLASS.clip] : undefined;
      return [fileID, second] as const;
    }),
  ];
  return named.flatMap(([fileID, name]) => {
    const isNamed = typeof fileID === 'string' && /^-?\d*[1-9]\d*$/.test(fileID) && typeof name === 'string';
    return isNamed && name !== '' ? [[fileID, name] as const] : [];
  });
}

function maps(value: UnityValue | undefined): readonly UnityMap[] {
  return Array.isArray(value) ? (value as readonly UnityValue[]).filter((item) => isMap(item)) : [];
}

/** FileIDs that are counted up begin with the class. */
function isClip(fileID: string): boolean {
  return Math.floor(Number(fileID) / 100_000) === UNITY_CLASS.clip;
}
