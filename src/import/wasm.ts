import { reasonOf, shortened } from '../errors.ts';
import { refuse } from './model-builder/issue-list.ts';

/** The shortest module of WebAssembly: a magic number and a version. */
const EMPTY: Uint8Array<ArrayBuffer> = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/**
 * Checks that WebAssembly may run. The import needs it for meshopt and Draco data, and to order the triangles of every mesh.
 *
 * @throws ManipleError WASM_BLOCKED where it may not: mostly because of the page's Content-Security-Policy
 */
export async function requireWasm(): Promise<void> {
  try {
    await WebAssembly.compile(EMPTY);
  } catch (thrown) {
    const message = `The importer needs WebAssembly, which may not run here: ${shortened(reasonOf(thrown))}`;
    const policy = "Add 'wasm-unsafe-eval' to script-src in the page's Content-Security-Policy";
    refuse('WASM_BLOCKED', '', message, `${policy}, or load baked .maniple files.`);
  }
}
