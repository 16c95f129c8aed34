import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { error, type Issue, ManipleError, reasonOf } from '../../errors.ts';

const require = createRequire(import.meta.url);

/** Commands that install packages that only Node needs, and only some users (optional peers), in the versions that the tests use. */
const INSTALL = {
  webgpu: 'npm install webgpu@0.6.2',
  '@sparticuz/chromium': 'npm install @sparticuz/chromium@143.0.4',
} as const;

type OptionalPackage = keyof typeof INSTALL;

/**
 * Finds an installed package without running any of its code; undefined if it is not installed.
 * @returns The folder of its package.json, and its version
 */
export function findPackage(name: OptionalPackage): { readonly folder: string; readonly version: string } | undefined {
  let folder: string;
  try {
    folder = path.dirname(require.resolve(name));
  } catch {
    return undefined;
  }
  // a build folder may have a package.json of its own, so the name decides, not the first one met
  for (; ; folder = path.dirname(folder)) {
    const manifest = readManifest(path.join(folder, 'package.json'));
    if (manifest?.name === name) return { folder, version: manifest.version };
    if (folder === path.dirname(folder)) return undefined;
  }
}

/** The issue for a package that is not installed. */
export function missingPackage(name: OptionalPackage, purpose: string): Issue {
  const suggestion = `Run: ${INSTALL[name]} (add -g where maniple is installed globally).`;
  const message = `${purpose} needs the package ${name}, which is not installed.`;
  return error('DEVICE_UNAVAILABLE', 'device', message, suggestion);
}

/** Exports of `webgpu`. They are typed here, because its own types declare WebGPU a second time, for the whole program. */
export interface Dawn {
  create(flags: string[]): GPU;
  readonly globals: Readonly<Record<string, unknown>>;
}

/**
 * Loads Dawn.
 *
 * @throws ManipleError DEVICE_UNAVAILABLE: not installed, or no build for this platform
 */
export async function importDawn(): Promise<Dawn> {
  if (!findPackage('webgpu')) throw new ManipleError(missingPackage('webgpu', 'WebGPU in Node'));
  const name: string = 'webgpu';
  try {
    return (await import(name)) as Dawn;
  } catch (reason) {
    const message = `The package webgpu does not load on ${process.platform}-${process.arch}: ${reasonOf(reason)}.`;
    const suggestion = 'It has builds for glibc Linux, macOS and Windows, on x64 and arm64.';
    throw new ManipleError(error('DEVICE_UNAVAILABLE', 'device', message, suggestion));
  }
}

function readManifest(file: string): { name: string; version: string } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { name: string; version: string };
  } catch {
    return undefined;
  }
}
