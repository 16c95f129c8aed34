import { error, type Issue, issuesOf, quoted, shortened } from '../../errors.ts';
import type { GltfJson } from './file.ts';
import { type IssueList, pointer, sentence } from '../model-builder/issue-list.ts';
import type { ImportLimits } from './limits.ts';
import { type CheckedGltf, extensionOf, meshoptOf } from './schema.ts';
import { isObject } from '../../forms/rules.ts';
import { decodeDataUri, isDataUri, relativePath } from './uri.ts';

/**
 * Reads a file in the model's folder. It gets a relative path, percent-decoded, without `..`, and the largest allowed
 * number of bytes. A larger file is best refused before it is read, with FILE_TOO_LARGE.
 */
export type ResolveResource = (path: string, byteLimit: number) => Promise<Uint8Array>;

/** The bytes of a file's URIs: each file is read once, one after another, together within `limits.fileBytes`. */
export class Resources {
  readonly #resolve: ResolveResource | undefined;
  readonly #limits: ImportLimits;
  /** The bytes of every file that was asked for, or why it has none. */
  readonly #files = new Map<string, Uint8Array | Issue>();
  #bytesLeft: number;
  #countLeft: number;

  constructor(resolve: ResolveResource | undefined, limits: ImportLimits, bytesRead: number) {
    this.#resolve = resolve;
    this.#limits = limits;
    this.#bytesLeft = limits.fileBytes - bytesRead;
    this.#countLeft = limits.resources;
  }

  /** The bytes of a URI, shared by all that name the same file; undefined, with an issue, when they cannot be read. */
  async read(uri: string, path: string, issues: IssueList): Promise<Uint8Array | undefined> {
    if (--this.#countLeft < 0) {
      issues.error('GLTF_LIMIT', path, `the file refers to more than ${this.#limits.resources} resources`);
      return undefined;
    }
    const result = isDataUri(uri) ? this.#embedded(uri) : await this.#external(uri);
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
    if (!this.#resolve) {
      return missing(`${quoted(path)} is a separate file, and there is no resolver`, 'Pass `resolve` with the source.');
    }
    // a file that was too large may have been read up to the limit; no further file is read
    if (this.#bytesLeft < 0) return this.#tooLarge();
    try {
      const bytes = await this.#resolve(path, this.#bytesLeft);
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
    const message = `the file and its resources have more than ${this.#limits.fileBytes} bytes.`;
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
  const extension = extensionOf(buffer, 'KHR_meshopt_compression') ?? extensionOf(buffer, 'EXT_meshopt_compression');
  return extension?.fallback === true;
}
