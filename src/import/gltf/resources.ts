import { issuesOf } from '../../errors.ts';
import type { GltfJson } from './file.ts';
import { type IssueList, pointer, quote } from './issue-list.ts';
import type { ImportLimits } from './limits.ts';
import { type CheckedGltf, extensionOf, meshoptOf } from './schema.ts';
import { isObject } from './shape.ts';
import { decodeDataUri, isDataUri, relativePath } from './uri.ts';

/** Reads a file beside the model: gets a relative path, percent-decoded, without `..`. */
export type ResolveResource = (path: string) => Promise<Uint8Array>;

/** The bytes behind a file's URIs, each read once, together within `limits.fileBytes`. */
export class Resources {
  readonly #resolve: ResolveResource | undefined;
  readonly #limits: ImportLimits;
  #bytesLeft: number;
  #countLeft: number;

  constructor(resolve: ResolveResource | undefined, limits: ImportLimits, bytesRead: number) {
    this.#resolve = resolve;
    this.#limits = limits;
    this.#bytesLeft = limits.fileBytes - bytesRead;
    this.#countLeft = limits.resources;
  }

  /** The bytes of a URI; undefined, with an issue, when they cannot be had. */
  async read(uri: string, path: string, issues: IssueList): Promise<Uint8Array | undefined> {
    if (--this.#countLeft < 0) {
      issues.error('GLTF_LIMIT', path, `the file refers to more than ${this.#limits.resources} resources`);
      return undefined;
    }
    const bytes = isDataUri(uri) ? this.#embedded(uri, path, issues) : await this.#external(uri, path, issues);
    if (!bytes) return undefined;
    this.#bytesLeft -= bytes.byteLength;
    if (this.#bytesLeft >= 0) return bytes;
    const message = `the file and its resources have more than ${this.#limits.fileBytes} bytes`;
    issues.error('FILE_TOO_LARGE', path, message);
    return undefined;
  }

  #embedded(uri: string, path: string, issues: IssueList): Uint8Array | undefined {
    const bytes = decodeDataUri(uri);
    if (!bytes) issues.error('GLTF_RESOURCE_MISSING', path, `the data URI ${quote(uri)} is malformed`);
    return bytes;
  }

  async #external(uri: string, path: string, issues: IssueList): Promise<Uint8Array | undefined> {
    const target = relativePath(uri, path);
    if ('issue' in target) {
      issues.add(target.issue);
      return undefined;
    }
    if (!this.#resolve) {
      const hint = 'Pass `resolve` with the source.';
      issues.error('GLTF_RESOURCE_MISSING', path, `${quote(uri)} is a separate file, and there is no resolver`, hint);
      return undefined;
    }
    try {
      const bytes = await this.#resolve(target.path);
      if (bytes instanceof Uint8Array) return bytes;
      issues.error('GLTF_RESOURCE_MISSING', path, `the resolver returned no bytes for ${quote(target.path)}`);
    } catch (thrown) {
      const reason = issuesOf(thrown)[0]?.message ?? '';
      const hint = 'Keep the file beside the model, or pack both into one GLB.';
      issues.error('GLTF_RESOURCE_MISSING', path, `${quote(target.path)} could not be read: ${reason}`, hint);
    }
    return undefined;
  }
}

/**
 * The bytes of every buffer that a view needs; the fallback buffers of compressed views are none of them.
 * Errors go to `issues`.
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
  return Promise.all((json.buffers ?? []).map((_, i) => load(i)));
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

/** Whether a buffer only stands in for what compressed views decode to. */
function isFallback(buffer: unknown): boolean {
  if (!isObject(buffer) || buffer.uri !== undefined) return false;
  const extension = extensionOf(buffer, 'KHR_meshopt_compression') ?? extensionOf(buffer, 'EXT_meshopt_compression');
  return extension?.fallback === true;
}
