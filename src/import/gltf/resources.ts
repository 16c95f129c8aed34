import { error, type Issue, issuesOf, quoted, shortened } from '../../errors.ts';
import { type IssueList, pointer, quote, sentence } from '../model-builder/issue-list.ts';
import type { ImportLimits } from './limits.ts';
import { type CheckedGltf, type GltfJson, meshoptExtension, meshoptOf } from './schema.ts';
import { isObject } from '../../forms/rules.ts';

/**
 * Reads a file in the model's folder. It gets a relative path, percent-decoded, without `..`, and the largest allowed
 * number of bytes. A larger file is best refused before it is read, with FILE_TOO_LARGE.
 */
export type ResolveResource = (path: string, byteLimit: number) => Promise<Uint8Array>;

/** The bytes of a file's URIs: each file is read once, one after another, together within `limits.fileBytes`. */
export class Resources {
  /** The bytes of every file that was asked for, or why it has none. */
  readonly #files = new Map<string, Uint8Array | Issue>();
  #bytesLeft: number;
  #countLeft: number;

  constructor(
    readonly resolve: ResolveResource | undefined,
    readonly limits: ImportLimits,
    bytesRead: number,
  ) {
    this.#bytesLeft = limits.fileBytes - bytesRead;
    this.#countLeft = limits.resources;
  }

  /** The bytes of a URI, shared by all that name the same file; undefined, with an issue, when they cannot be read. */
  async read(uri: string, path: string, issues: IssueList): Promise<Uint8Array | undefined> {
    if (--this.#countLeft < 0) {
      issues.error('GLTF_LIMIT', path, `the file refers to more than ${this.limits.resources} resources`);
      return undefined;
    }
    const result = /^data:/i.test(uri) ? this.#embedded(uri) : await this.#external(uri);
    if (result instanceof Uint8Array) return result;
    issues.add({ ...result, path });
    return undefined;
  }

  #embedded(uri: string): Uint8Array | Issue {
    const bytes = decodeDataUri(uri);
    return bytes ? this.#count(bytes) : missing(`the data URI ${quoted(uri)} is malformed`);
  }

  async #external(uri: string): Promise<Uint8Array | Issue> {
    const target = relativePath(uri, '');
    if ('issue' in target) return target.issue;
    const key = target.path.replaceAll('\\', '/').replaceAll(/(^|\/)(\.?\/)+/g, '$1');
    const result = this.#files.get(key) ?? (await this.#load(target.path));
    this.#files.set(key, result);
    return result;
  }

  async #load(path: string): Promise<Uint8Array | Issue> {
    if (!this.resolve) {
      return missing(`${quoted(path)} is a separate file, and there is no resolver`, 'Pass `resolve` with the source.');
    }
    // a file that was too large may have been read up to the limit; no further file is read
    if (this.#bytesLeft < 0) return this.#tooLarge();
    try {
      const bytes = await this.resolve(path, this.#bytesLeft);
      if (bytes instanceof Uint8Array) return this.#count(bytes);
      return missing(`the resolver returned no bytes for ${quoted(path)}`);
    } catch (thrown) {
      const [first] = issuesOf(thrown);
      if (first?.code === 'FILE_TOO_LARGE') return this.#tooLarge();
      const hint = "Keep the file in the model's folder, or pack both into one GLB.";
      return missing(`${quoted(path)} could not be read: ${shortened(first?.message ?? '')}`, hint);
    }
  }

  #count(bytes: Uint8Array): Uint8Array | Issue {
    this.#bytesLeft -= bytes.byteLength;
    return this.#bytesLeft < 0 ? this.#tooLarge() : bytes;
  }

  #tooLarge(): Issue {
    this.#bytesLeft = -1;
    const message = `the file and its resources have more than ${this.limits.fileBytes} bytes.`;
    return error('FILE_TOO_LARGE', '', message, 'Scale textures down, or split the model.');
  }
}

function missing(clause: string, suggestion?: string): Issue {
  return error('GLTF_RESOURCE_MISSING', '', sentence(clause), suggestion);
}

/**
 * The bytes of every buffer that a view needs, without the fallback buffers of compressed views. Errors go to `issues`.
 */
export async function loadBuffers(
  { json, issues }: GltfJson,
  binary: Uint8Array | undefined,
  resources: Resources,
): Promise<(Uint8Array | undefined)[]> {
  const needed = new Set<number>();
  json.bufferViews?.forEach((view, i) => {
    const buffer = meshoptOf(view)?.buffer ?? view.buffer;
    needed.add(buffer);
    if (!isFallback(json.buffers![buffer])) return;
    issues.error('GLTF_RESOURCE_MISSING', pointer('bufferViews', i), `buffer ${buffer} is a fallback without data`);
  });
  const load = async (i: number): Promise<Uint8Array | undefined> => {
    const buffer = json.buffers![i]!;
    const path = pointer('buffers', i);
    if (!needed.has(i) || isFallback(buffer)) return undefined;
    if (buffer.uri === undefined && !(i === 0 && binary)) {
      const what = i === 0 ? 'the buffer has no URI and the file no binary chunk' : 'the buffer has no URI';
      issues.error('GLTF_RESOURCE_MISSING', path, what);
      return undefined;
    }
    const bytes = buffer.uri === undefined ? binary : await resources.read(buffer.uri, `${path}/uri`, issues);
    if (!bytes || bytes.byteLength >= buffer.byteLength) return bytes;
    const message = `the buffer has ${bytes.byteLength} bytes, ${buffer.byteLength} are declared`;
    issues.error('FILE_TRUNCATED', path, message, 'Download or export it again.');
    return undefined;
  };
  const loaded: (Uint8Array | undefined)[] = [];
  // one after another: each is limited to the bytes that the others have left
  for (let i = 0; i < (json.buffers?.length ?? 0); i++) loaded.push(await load(i));
  return loaded;
}

/** The bytes of a buffer view; undefined if it is compressed. */
export function viewBytes(
  json: CheckedGltf,
  buffers: readonly (Uint8Array | undefined)[],
  index: number,
): Uint8Array | undefined {
  const view = json.bufferViews![index]!;
  const { buffer, byteOffset = 0, byteLength } = view;
  return meshoptOf(view) ? undefined : buffers[buffer]!.subarray(byteOffset, byteOffset + byteLength);
}

/** Returns true if a buffer is only a fallback for the decoded data of compressed views. */
function isFallback(buffer: unknown): boolean {
  if (!isObject(buffer) || buffer.uri !== undefined) return false;
  return meshoptExtension(buffer)?.fallback === true;
}

/**
 * The path of a URI inside a glTF file, percent-decoded, or the reason why it is not followed.
 *
 * A model may only name files in its folder or below. Absolute paths, other hosts, other schemes and `..` are refused,
 * whatever the resolver would do with them. So a downloaded model can neither read the rest of a disk nor call other
 * servers.
 */
export function relativePath(uri: string, pointer: string): { path: string } | { issue: Issue } {
  const refuse = (why: string): { issue: Issue } => {
    const suggestion = "Put the file into the model's folder, or pack both into one GLB.";
    return { issue: error('GLTF_RESOURCE_REFUSED', pointer, `The URI ${quote(uri)} ${why}.`, suggestion) };
  };
  if (/^[a-z][a-z0-9+.-]*:/i.test(uri)) return refuse('has a scheme; only relative paths are followed');
  let path: string;
  try {
    path = decodeURIComponent(uri);
  } catch {
    return refuse('is not valid percent-encoding');
  }
  if (path === '') return refuse('is empty');
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f]/.test(path)) return refuse('contains control characters');
  // a resolver would take a decoded colon in the first segment for a scheme or a drive letter
  if (/^[/\\]/.test(path) || /^[^/\\]*:/.test(path)) return refuse('is absolute; only relative paths are followed');
  if (path.split(/[/\\]/).includes('..')) return refuse('leaves the folder of the model');
  return { path };
}

/** The bytes of a data URI; undefined if it is malformed. */
export function decodeDataUri(uri: string): Uint8Array | undefined {
  const comma = uri.indexOf(',');
  if (comma < 0) return undefined;
  const body = uri.slice(comma + 1);
  try {
    if (!/;base64$/i.test(uri.slice(0, comma))) return new TextEncoder().encode(decodeURIComponent(body));
    // some exporters percent-encode the padding
    const binary = atob(body.includes('%') ? decodeURIComponent(body) : body);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
  } catch {
    return undefined;
  }
}
