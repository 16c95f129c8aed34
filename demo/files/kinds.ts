import { isBaked } from '../../src/asset/index.ts';
import { decodeText } from '../../src/import/decode-text.ts';
import { scanJson } from '../../src/import/gltf/json-scan.ts';
import { type DroppedFile, readBytes, readText } from './dropped-file.ts';

/** What a file is, told by its content; `resource` is what glTF files refer to, of use with one of those alone. */
export type FileKind =
  | 'gltf'
  | 'baked'
  | 'controller'
  | 'playcanvas'
  | 'unity-controller'
  | 'unity-override'
  | 'unity-clip'
  | 'unity-mask'
  | 'unity-meta'
  | 'resource'
  | 'unknown';

/** JSON that is larger can only be glTF, with its buffers in it. */
const JSON_BYTES = 2 ** 24;
const JSON_VALUES = 2 ** 22;
const JSON_DEPTH = 512;
const HEAD_BYTES = 512;

/** By the class of an object that the file has; the first that fits, for controllers hold clips and masks of their own. */
const UNITY_KINDS: readonly (readonly [classId: number, FileKind])[] = [
  [91, 'unity-controller'],
  [221, 'unity-override'],
  [319, 'unity-mask'],
  [1011, 'unity-mask'],
  [74, 'unity-clip'],
];

/** Names of Unity's files. A binary one goes to the importer, too, which says what it is. */
const UNITY_NAMES: readonly (readonly [name: RegExp, FileKind])[] = [
  [/\.controller$/i, 'unity-controller'],
  [/\.overrideController$/i, 'unity-override'],
  [/\.mask$/i, 'unity-mask'],
  [/\.anim$/i, 'unity-clip'],
];

/** Reads no more than it needs: a few hundred bytes of binary files. @throws ManipleError FILE_UNREADABLE, FILE_TOO_LARGE */
export async function kindOf(file: DroppedFile): Promise<FileKind> {
  const head = await readBytes(file, 0, HEAD_BYTES);
  if (startsWith(head, 'glTF')) return 'gltf';
  if (isBaked(head)) return 'baked';
  if (isImage(head)) return 'resource';
  const text = decodeText(head).replace(/^\uFEFF/, '');
  if (/^\s*(%YAML|%TAG|--- !u!)/.test(text)) return unityKind(await readText(file));
  if (/^fileFormatVersion: *\d/.test(text) && /^guid: *[0-9a-f]{32}/m.test(text)) return 'unity-meta';
  if (/^\s*\{/.test(text)) return file.blob.size > JSON_BYTES ? 'gltf' : jsonKind(await readBytes(file));
  return kindByName(file.path);
}

/** Content that says nothing: buffers have no form of their own, and importers tell best what is wrong with a model. */
function kindByName(path: string): FileKind {
  if (/\.bin$/i.test(path)) return 'resource';
  if (/\.(glb|gltf)$/i.test(path)) return 'gltf';
  if (/\.maniple$/i.test(path)) return 'baked';
  return UNITY_NAMES.find(([name]) => name.test(path))?.[1] ?? 'unknown';
}

function unityKind(text: string): FileKind {
  const classes = new Set(Array.from(text.matchAll(/^--- !u!(\d+) /gm), ([, id]) => Number(id)));
  return UNITY_KINDS.find(([id]) => classes.has(id))?.[1] ?? 'unknown';
}

function jsonKind(bytes: Uint8Array): FileKind {
  const { values, depth } = scanJson(bytes);
  if (values > JSON_VALUES || depth > JSON_DEPTH) return 'gltf';
  const text = new TextDecoder().decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // cut off or broken: whoever reads the kind that it was says what is wrong
    if (/"format"\s*:\s*"maniple-controller"/.test(text)) return 'controller';
    return /"asset"\s*:/.test(text) ? 'gltf' : 'unknown';
  }
  const has = (key: string): boolean => Object.hasOwn(value as object, key);
  if (has('format')) return 'controller';
  if (has('asset')) return 'gltf';
  // what the editor stores has the graph as `data`
  if (has('layers') || has('states')) return 'playcanvas';
  return 'unknown';
}

function startsWith(bytes: Uint8Array, text: string, at = 0): boolean {
  return Array.from(text, (letter) => letter.charCodeAt(0)).every((code, index) => bytes[at + index] === code);
}

function isImage(bytes: Uint8Array): boolean {
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;
  const isWebp = startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8);
  return isJpeg || isWebp || startsWith(bytes, '\x89PNG') || startsWith(bytes, '\xABKTX 20');
}
