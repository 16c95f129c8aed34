import { reasonOf, shortened } from '../../errors.ts';
import { undecodable } from './image.ts';

/** Where the two files of the Basis Universal transcoder are. */
export interface BasisFiles {
  /** URL of `basis_transcoder.js`. */
  readonly script: string | URL;
  /** URL of `basis_transcoder.wasm`. */
  readonly wasm: string | URL;
}

/** A KTX2 file inside the transcoder's memory. */
export interface Ktx2File {
  isValid(): boolean;
  getImageTranscodedSizeInBytes(level: number, layer: number, face: number, format: number): number;
  startTranscoding(): boolean | number;
  transcodeImage(
    target: Uint8Array,
    level: number,
    layer: number,
    face: number,
    format: number,
    alphaForOpaque: number,
    channel0: number,
    channel1: number,
  ): boolean | number;
  close(): void;
  delete(): void;
}

/** A running transcoder. */
export interface Basis {
  initializeBasis(): void;
  readonly KTX2File: new (bytes: Uint8Array) => Ktx2File;
  readonly HEAPU8: Uint8Array;
}

type CreateBasis = (options: object) => Promise<Basis>;

const MAX_KEPT_HEAP_BYTES = 64 * 2 ** 20; // WebAssembly memory only grows
const FOLDER = 'three/addons/libs/basis/';

let files: BasisFiles | undefined;
let program: ReturnType<typeof loadProgram> | undefined;
let idle: Basis | undefined;

/**
 * Sets the URLs of the transcoder's files, for KTX2 textures. They are part of three.js, in `examples/jsm/libs/basis`.
 *
 * It is not needed in Node with three installed, nor on pages with `three/addons/` in their import map.
 * Bundled pages must call it, because only their bundler knows where it puts files.
 *
 * @example // Vite
 * import script from 'three/addons/libs/basis/basis_transcoder.js?url';
 * import wasm from 'three/addons/libs/basis/basis_transcoder.wasm?url';
 * setBasisTranscoder({ script, wasm });
 */
export function setBasisTranscoder(where: BasisFiles): void {
  files = where;
  program = undefined;
  idle = undefined;
}

/**
 * Starts a transcoder, or reuses the idle one. The first start loads its files, which takes some 50 ms. Call
 * `keepTranscoder` when done, unless its memory may be damaged.
 */
export async function openTranscoder(path: string): Promise<Basis> {
  const last = idle;
  idle = undefined;
  if (last) return last;
  try {
    program ??= loadProgram(files ?? installedFiles());
    return await start(await program);
  } catch (reason) {
    program = undefined;
    const suggestion =
      'Run: npm install three@0.187.0; on a bundled page, also call setBasisTranscoder(). On a page with a ' +
      "Content-Security-Policy, script-src needs data: and 'wasm-unsafe-eval'.";
    // the reason may contain the whole script
    const message = `KTX2 needs the Basis transcoder of three.js, which does not load: ${shortened(reasonOf(reason))}.`;
    return undecodable(path, message, suggestion);
  }
}

/** Keeps a transcoder for the next image. */
export function keepTranscoder(basis: Basis): void {
  if (basis.HEAPU8.length <= MAX_KEPT_HEAP_BYTES) idle = basis;
}

function installedFiles(): BasisFiles {
  // bundlers leave it undefined
  const { resolve } = import.meta as { resolve?: (this: void, specifier: string) => string };
  if (!resolve) throw new Error('import.meta.resolve is missing, so it cannot be located');
  return { script: resolve(`${FOLDER}basis_transcoder.js`), wasm: resolve(`${FOLDER}basis_transcoder.wasm`) };
}

async function loadProgram({ script, wasm }: BasisFiles) {
  const [source, binary] = await Promise.all([readBytes(script), readBytes(wasm)]);
  // The file is a classic script that looks for Node, a page or a worker in order to load the other file.
  // In a module where all of them are undefined it uses `instantiateWasm`, and its variable does not become a global one.
  const text =
    'const process = undefined, window = undefined, document = undefined, importScripts = undefined;\n' +
    `${new TextDecoder().decode(source)}\nexport default BASIS;`;
  const url = `data:text/javascript,${encodeURIComponent(text)}`;
  const module = (await import(/* webpackIgnore: true */ /* @vite-ignore */ url)) as { default: CreateBasis };
  return { create: module.default, wasm: await WebAssembly.compile(binary) };
}

async function start({ create, wasm }: Awaited<ReturnType<typeof loadProgram>>): Promise<Basis> {
  const quiet = () => {};
  const basis = await new Promise<Basis>((resolve, reject) => {
    const instantiateWasm = (imports: WebAssembly.Imports, use: (instance: WebAssembly.Instance) => void) => {
      WebAssembly.instantiate(wasm, imports).then((instance) => use(instance), reject);
      return {}; // "later"
    };
    create({ instantiateWasm, print: quiet, printErr: quiet }).then(resolve, reject);
  });
  basis.initializeBasis();
  return basis;
}

async function readBytes(url: string | URL): Promise<Uint8Array<ArrayBuffer>> {
  const href = String(url);
  if (href.startsWith('file:')) {
    // not an import: bundlers for browsers could not resolve it
    const { readFile } = process.getBuiltinModule('node:fs/promises');
    return new Uint8Array(await readFile(new URL(href)));
  }
  const response = await fetch(href);
  if (!response.ok) throw new Error(`${href}: HTTP ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
