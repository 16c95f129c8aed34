import { expectText } from '../../character/arguments.ts';
import { fail } from '../../errors.ts';
import { BlockReader } from './block-text.ts';
import { refuseSize, refuseText, UNITY_LIMITS, type UnityMap } from './fields.ts';

/** One object of a Unity file. */
export interface UnityDocument {
  /** Class of the object: 91 a controller, 74 a clip … */
  readonly classId: number;
  /** True if the rest of it is in a prefab. */
  readonly stripped: boolean;
  /** Its fields; scalars are text. */
  readonly value: UnityMap;
}

const HEADER = /^--- !u!(\d{1,10}) &(-?\d{1,20})( stripped)?$/;

/**
 * Splits a Unity text file (YAML with several documents) into objects by their fileID. That is a signed 64-bit number
 * and therefore text.
 *
 * Reads the form that Unity writes: indented maps and lists, plain or quoted scalars, flow collections, LF or CRLF.
 * Tables that repeat the key `data`, as Unity 5 and older versions write them, become lists of `{ first, second }`.
 * Aliases, anchors and other repeated keys are refused. Takes some 30 ms per MiB.
 *
 * @throws ManipleError UNITY_INVALID, with the line, for any other text (also binary files, Git LFS pointers and merge
 *   conflicts). UNITY_LIMIT beyond 64 MiB, 65,536 documents, 8 million values or 64 levels.
 */
export function readUnityDocuments(text: string): Map<string, UnityDocument> {
  expectText('text', text);
  if (text.length > UNITY_LIMITS.text) {
    refuseSize('', `the text has ${text.length} characters; the limit is ${UNITY_LIMITS.text}`);
  }
  refuseForeign(text);
  const reader = new BlockReader(text);
  const documents = new Map<string, UnityDocument>();
  const starts = documentStarts(text);
  if (starts.length === 0) refuseText('', 'the text has no Unity document (`--- !u!74 &7400000`)');
  if (starts.length > UNITY_LIMITS.documents) {
    refuseSize('', `there are ${starts.length} documents; the limit is ${UNITY_LIMITS.documents}`);
  }
  starts.forEach((start, i) => {
    const newline = text.indexOf('\n', start);
    const header = text.slice(start, newline < 0 ? text.length : newline).trimEnd();
    const [matched, classId, fileID, stripped] = HEADER.exec(header) ?? [];
    if (matched === undefined) refuseText('', `${JSON.stringify(header.slice(0, 80))} does not begin a Unity document`);
    const end = starts[i + 1] ?? text.length;
    const value = newline < 0 ? '' : reader.read(newline + 1, end);
    const fields = soleField(value, `&${fileID}`);
    if (documents.has(fileID!)) refuseText(`&${fileID}`, 'two documents have this fileID');
    documents.set(fileID!, { classId: Number(classId), stripped: stripped !== undefined, value: fields });
  });
  return documents;
}

/** Offsets of the lines that begin documents. Only directives and comments may precede the first. */
function documentStarts(text: string): number[] {
  const starts: number[] = [];
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length;) {
    if (text.startsWith('---', at)) {
      starts.push(at);
      if (starts.length > UNITY_LIMITS.documents) return starts;
    } else if (starts.length === 0 && !/^[%#\s]/.test(text.slice(at, at + 1))) {
      refuseText('line 1', "the text does not begin as Unity's text files do");
    }
    // after the first document only its marker at the start of a line matters
    const newline = starts.length === 0 ? text.indexOf('\n', at) : text.indexOf('\n---', at);
    if (newline < 0) break;
    at = newline + 1;
  }
  return starts;
}

/** A document is one map of one key, the name of its class. */
function soleField(value: unknown, path: string): UnityMap {
  const fields = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.values(value) : [];
  if (fields.length !== 1) refuseText(path, 'the document is not one object with the name of its class');
  const [only] = fields as unknown[];
  if (only === '') return {};
  if (typeof only !== 'object' || Array.isArray(only)) refuseText(path, 'the document holds no fields');
  return only as UnityMap;
}

/** Characters at the start of a file that show whether it is binary: its header counts in zero bytes. */
const HEAD = 256;
const CONFLICT_MARKERS = ['<<<<<<<', '|||||||', '=======', '>>>>>>>'];

/** Refuses files that are often found in place of a Unity text file, each with its kind and its remedy. */
function refuseForeign(text: string): void {
  if (/^\uFEFF?version https:\/\/git-lfs\.github\.com\/spec\//.test(text.slice(0, HEAD))) {
    const message = 'The file is a Git LFS pointer; the asset itself has not been downloaded.';
    fail('UNITY_INVALID', 'line 1', message, 'Run `git lfs pull` in the project, then try again.');
  }
  if (text.slice(0, HEAD).includes('\0')) {
    const message = 'The file is binary; only assets that Unity saved as text can be read.';
    const suggestion =
      'In Unity, choose Project Settings > Editor > Asset Serialization > Force Text and save the asset.';
    fail('UNITY_INVALID', '', message, suggestion);
  }
  const conflict = conflictAt(text);
  if (conflict >= 0) {
    const line = text.slice(0, conflict).split('\n').length;
    const message = `The file holds an unresolved merge conflict: this line begins with ${text.slice(conflict, conflict + 7)}.`;
    fail('UNITY_INVALID', `line ${line}`, message, 'Resolve the conflict, then try again.');
  }
}

/** Offset of the first line that begins with a marker; −1 without one. Unity indents all text that could look like it. */
function conflictAt(text: string): number {
  const places = CONFLICT_MARKERS.flatMap((marker) => {
    if (text.startsWith(marker)) return 0;
    const newline = text.indexOf(`\n${marker}`);
    return newline < 0 ? [] : newline + 1;
  });
  return places.length === 0 ? -1 : Math.min(...places);
}
