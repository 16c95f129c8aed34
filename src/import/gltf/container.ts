import { type IssueList, quote, refuse } from '../model-builder/issue-list.ts';
import { scanJson } from '../../forms/scan-json.ts';
import type { ImportLimits } from './limits.ts';

/** A glTF file taken apart, before anything in it is believed. */
export interface Container {
  readonly json: unknown;
  /** The BIN chunk of a GLB. */
  readonly binary: Uint8Array | undefined;
}

const GLB_MAGIC = 0x46546c67;
const CHUNK_JSON = 0x4e4f534a;
const CHUNK_BIN = 0x004e4942;

/**
 * Splits a GLB or glTF file into JSON and binary chunk. The JSON's size, nesting and number of values are checked
 * before it is parsed.
 *
 * @throws ManipleError FILE_NOT_A_MODEL, FILE_TRUNCATED, FILE_TOO_LARGE, GLTF_LIMIT or GLTF_INVALID
 */
export async function openContainer(bytes: Uint8Array, limits: ImportLimits, issues: IssueList): Promise<Container> {
  if (bytes.byteLength > limits.fileBytes) {
    refuse('FILE_TOO_LARGE', '', `the file has ${bytes.byteLength} bytes, the limit is ${limits.fileBytes}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isBinary = bytes.byteLength >= 4 && view.getUint32(0, true) === GLB_MAGIC;
  const chunks = isBinary ? splitChunks(bytes, view, issues) : { json: bytes, binary: undefined };
  // the code that names other file types is loaded only when needed
  if (!isBinary && !beginsAsJson(bytes)) (await import('./foreign.ts')).refuseForeign(bytes);
  return { json: parseJson(chunks.json, limits, issues), binary: chunks.binary };
}

function splitChunks(bytes: Uint8Array, view: DataView, issues: IssueList) {
  const truncated = (what: string): never =>
    refuse('FILE_TRUNCATED', '', `the GLB ends inside ${what}, after ${bytes.byteLength} bytes`, 'Download it again.');
  if (bytes.byteLength < 12) truncated('its header');
  const version = view.getUint32(4, true);
  if (version !== 2) {
    refuse('FILE_NOT_A_MODEL', '', `GLB version ${version} is not supported, only 2`, 'Export it as glTF 2.0.');
  }
  const length = view.getUint32(8, true);
  if (length > bytes.byteLength) truncated(`its ${length} declared bytes`);
  if (length < bytes.byteLength) {
    issues.info('GLTF_VALIDATOR', '', `${bytes.byteLength - length} bytes after the end of the GLB are ignored`);
  }

  const chunks: { type: number; data: Uint8Array }[] = [];
  for (let at = 12; at < length && chunks.length < 2;) {
    if (at + 8 > length) truncated('a chunk header');
    const size = view.getUint32(at, true);
    if (at + 8 + size > length) truncated(`chunk ${chunks.length}, which declares ${size} bytes`);
    chunks.push({ type: view.getUint32(at + 4, true), data: bytes.subarray(at + 8, at + 8 + size) });
    at += 8 + size;
  }
  const [json, binary] = chunks;
  if (json?.type !== CHUNK_JSON) refuse('GLTF_INVALID', '', 'the first chunk of the GLB is not JSON');
  return { json: json.data, binary: binary?.type === CHUNK_BIN ? binary.data : undefined };
}

function beginsAsJson(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes.subarray(0, 200)).trimStart().startsWith('{');
}

function parseJson(bytes: Uint8Array, limits: ImportLimits, issues: IssueList): unknown {
  if (bytes.byteLength > limits.jsonBytes) {
    refuse('GLTF_LIMIT', '', `the JSON has ${bytes.byteLength} bytes, the limit is ${limits.jsonBytes}`);
  }
  const { depth, values, complete } = scanJson(bytes);
  if (depth > limits.jsonDepth) {
    refuse('GLTF_LIMIT', '', `the JSON is nested ${depth} deep, the limit is ${limits.jsonDepth}`);
  }
  if (values > limits.jsonValues) {
    refuse('GLTF_LIMIT', '', `the JSON has ${values} values, the limit is ${limits.jsonValues}`);
  }
  const text = new TextDecoder().decode(bytes);
  if (text.includes('\ufffd')) {
    issues.warn('GLTF_VALUES_REPAIRED', '', 'the JSON is not valid UTF-8; unreadable characters were replaced');
  }
  try {
    return JSON.parse(text);
  } catch (thrown) {
    if (!complete) refuse('FILE_TRUNCATED', '', 'the JSON ends in the middle of a value', 'Download it again.');
    const reason = quote(thrown instanceof Error ? thrown.message : thrown);
    return refuse('GLTF_INVALID', '', `the JSON cannot be parsed: ${reason}`);
  }
}
