import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from './launch-chromium.ts';

/** As polls in vitest.config.ts. */
const PATIENCE_MS = 240_000;

/** What {@link openPage} serves. */
export interface PageOptions {
  /** TypeScript module that the page runs, bundled for browsers. */
  readonly entry: string;
  /** Body of the page. Default: empty. */
  readonly body?: string;
  /** Head of the page, before the module: an import map, for instance. Default: empty. */
  readonly head?: string;
  /** Further files by URL path (`'/hero.glb'`): their content, or the path of a file on disk. */
  readonly files?: Readonly<Record<string, Uint8Array | string>>;
  /** Size of the page from its first frame on; default 1280 × 720. */
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Sent with every file. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further options for esbuild, such as plugins. */
  readonly bundle?: BuildOptions;
}

/** A page that runs. */
export interface TestPage {
  readonly page: Page;
  /** `http://127.0.0.1:PORT`: a secure context, so WebGPU is there. */
  readonly origin: string;
  /** What the page wrote to its console, as `type: text`. */
  readonly messages: readonly string[];
  /** Uncaught errors, console errors and requests that failed. Empty where all went well. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

/** Bundles a module for browsers with esbuild: what a user's bundler would see. */
export async function bundleForBrowser(entry: string, options: BuildOptions = {}): Promise<string> {
  const { outputFiles } = await build({
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    sourcemap: 'inline',
    logLevel: 'silent',
    ...options,
    entryPoints: [entry],
    write: false,
  });
  const [script] = outputFiles;
  if (!script || outputFiles.length !== 1) throw new Error(`${entry} gives ${outputFiles.length} files`);
  return script.text;
}

/** Bundles a module and opens it in a page of its own, from a server of its own on an ephemeral port. */
export async function openPage(options: PageOptions): Promise<TestPage> {
  const script = await bundleForBrowser(options.entry, options.bundle);
  const html = `<!doctype html><meta charset="utf-8"><title>test</title>${options.head ?? ''}
    <body>${options.body ?? ''}<script type="module" src="/main.js"></script>`;
  const files: PageOptions['files'] = { '/': Buffer.from(html), '/main.js': Buffer.from(script), ...options.files };
  const { viewport, headers } = options;
  return openServed((name) => files[name], { headers, ...(viewport && { settings: { viewport } }) });
}

/** How a page of a built site is opened. */
export interface SiteOptions {
  /** Behind the origin, such as `?count=20`. Default: nothing. */
  readonly path?: string;
  readonly size?: { readonly width: number; readonly height: number };
  /** A phone: touch, and its layout. Default: a desktop. */
  readonly isPhone?: boolean;
  /** Runs in the page before its own scripts. */
  readonly before?: string;
  /** Sent with every file, such as a Content-Security-Policy. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Parts of the addresses of files that the server does not have. */
  readonly without?: readonly string[];
}

/** Opens a page of a folder of static files, as any web server would have it. */
export function openSite(folder: string, options: SiteOptions): Promise<TestPage> {
  const { path: query = '', size, isPhone, before, headers, without = [] } = options;
  const find = (name: string) =>
    without.some((part) => name.includes(part))
      ? undefined
      : path.join(folder, path.posix.normalize(name.endsWith('/') ? `${name}index.html` : name));
  const settings = {
    ...(size ? { viewport: size } : {}),
    ...(isPhone ? { isMobile: true, hasTouch: true } : {}),
  };
  return openServed(find, { query, before, headers, settings });
}

interface Opening {
  readonly query?: string;
  readonly before?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly settings?: BrowserContextOptions;
}

async function openServed(
  find: (name: string) => Uint8Array | string | undefined,
  { query = '', before, headers = {}, settings = {} }: Opening = {},
): Promise<TestPage> {
  const server = await serve(find, headers);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const messages: string[] = [];
  const errors: string[] = [];
  let page: Page | undefined;
  const close = async () => {
    await page?.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  try {
    // a bare system's own locale is none that browsers know
    page = await (await openBrowser()).newPage({ locale: 'en-US', ...settings });
    page.setDefaultTimeout(PATIENCE_MS);
    if (before !== undefined) await page.addInitScript(before);
    page.on('console', (message) => {
      messages.push(`${message.type()}: ${message.text()}`);
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(error.stack ?? error.message));
    page.on('requestfailed', (request) => errors.push(`${request.url()}: ${request.failure()?.errorText ?? 'failed'}`));
    await page.goto(`${origin}/${query}`);
  } catch (reason) {
    await close();
    throw reason;
  }
  return { page, origin, messages, errors, close };
}

const TYPES: Readonly<Record<string, string>> = {
  '': 'text/html',
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
  '.png': 'image/png',
};

function serve(
  find: (name: string) => Uint8Array | string | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<Server> {
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '/', 'http://localhost').pathname;
    const answer = async () => {
      const found = name === '/favicon.ico' ? new Uint8Array() : find(name);
      const content = typeof found === 'string' ? await readFile(found) : found;
      if (!content) return void response.writeHead(404).end();
      const type = TYPES[path.extname(name)] ?? 'application/octet-stream';
      response.writeHead(200, { 'Content-Type': type, ...headers }).end(content);
    };
    answer().catch((reason: unknown) => response.writeHead(500).end(String(reason)));
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}
