import { isBaked } from '../../src/character/index.ts';
import { decodeText } from '../../src/import/decode-text.ts';
import { formatOf } from '../../src/import/import-model.ts';
import { scanJson } from '../../src/forms/scan-json.ts';
import { type DroppedFile, readBytes, readText } from './dropped-file.ts';

/** Kind of a file, detected from its content. A `resource` belongs to a glTF file and is useful only with it. */
export type FileKind =
  | 'model'
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

/** Larger JSON can only be glTF with embedded buffers. */
const JSON_BYTES = 2 ** 24;
const JSON_VALUES = 2 ** 22;
const JSON_DEPTH = 512;
const HEAD_BYTES = 512;

/** Kinds by the class of an object in the file. The first match counts, because controllers can contain clips and masks. */
const UNITY_KINDS: readonly (readonly [classId: number, FileKind])[] = [
  [91, 'unity-controller'],
  [221, 'unity-override'],
  [319, 'unity-mask'],
  [1011, 'unity-mask'],
  [74, 'unity-clip'],
];

/** Kinds by the names of Unity's files. The importer also receives binary files, and reports them. */
const UNITY_NAMES: readonly (readonly [name: RegExp, FileKind])[] = [
  [/\.controller$/i, 'unity-controller'],
  [/\.overrideController$/i, 'unity-override'],
  [/\.mask$/i, 'unity-mask'],
  [/\.anim$/i, 'unity-clip'],
];

/** Reads no more than it needs: a few hundred bytes of binary files. @throws ManipleError FILE_UNREADABLE, FILE_TOO_LARGE */
export async function kindOf(file: DroppedFile): Promise<FileKind> {
  const head = await readBytes(file, 0, HEAD_BYTES);
  if (isBaked(head)) return 'baked';
  if (isImage(head)) return 'resource';
  const text = decodeText(head).replace(/^\uFEFF/, '');
  if (/^\s*(%YAML|%TAG|--- !u!)/.test(text)) return unityKind(await readText(file));
  if (/^fileFormatVersion: *\d/.test(text) && /^guid: *[0-9a-f]{32}/m.test(text)) return 'unity-meta';
  if (/^\s*\{/.test(text)) return file.blob.size > JSON_BYTES ? 'model' : jsonKind(await readBytes(file));
  return formatOf(head) === undefined ? kindByName(file.path) : 'model';
}

/** Detects the kind from the name, for content without a known format: buffers have none, and importers explain broken models best. */
function kindByName(path: string): FileKind {
  if (/\.bin$/i.test(path)) return 'resource';
  if (/\.(glb|gltf|vrm|vrma|fbx|bvh)$/i.test(path)) return 'model';
  if (/\.maniple$/i.test(path)) return 'baked';
  return UNITY_NAMES.find(([name]) => name.test(path))?.[1] ?? 'unknown';
}

function unityKind(text: string): FileKind {
  const classes = new Set(Array.from(text.matchAll(/^--- !u!(\d+) /gm), ([, id]) => Number(id)));
  return UNITY_KINDS.find(([id]) => classes.has(id))?.[1] ?? 'unknown';
}

function jsonKind(bytes: Uint8Array): FileKind {
  const { values, depth } = scanJson(bytes);
  if (values > JSON_VALUES || depth > JSON_DEPTH) return 'model';
  const text = new TextDecoder().decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // truncated or broken: the reader of that kind reports the error
    if (/"format"\s*:\s*"maniple-controller"/.test(text)) return 'controller';
    return /"asset"\s*:/.test(text) ? 'model' : 'unknown';
  }
  const has = (key: string): boolean => Object.hasOwn(value as object, key);
  if (has('format')) return 'controller';
  if (has('asset')) return 'model';
  // PlayCanvas's editor stores the graph as `data`
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
