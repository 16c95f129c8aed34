import { error, type Issue } from '../../errors.ts';
import { quote } from '../model-builder/issue-list.ts';

/**
 * The path of a URI inside a glTF file, percent-decoded, or the reason why it is not followed.
 *
 * A model may only name files in its folder or below. Absolute paths, other hosts, other schemes and `..` are refused,
 * whatever the resolver would do with them. So a downloaded model can neither read the rest of a disk nor call other
 * servers.
 */
export function relativePath(uri: string, pointer: string): { path: string } | { issue: Issue } {
  const refuse = (why: string): { issue: Issue } => ({
    issue: error(
      'GLTF_RESOURCE_REFUSED',
      pointer,
      `The URI ${quote(uri)} ${why}.`,
      "Put the file into the model's folder, or pack both into one GLB.",
    ),
  });
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

export function isDataUri(uri: string): boolean {
  return /^data:/i.test(uri);
}
