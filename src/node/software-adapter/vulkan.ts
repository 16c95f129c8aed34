import { readdirSync } from 'node:fs';
import { constants, homedir } from 'node:os';
import path from 'node:path';
import { fail, ManipleError, reasonOf } from '../../errors.ts';
import { findPackage, missingPackage } from './packages.ts';
import { unpackOnce } from './unpack.ts';

/** The bundled Vulkan: Khronos's loader, and SwiftShader, a driver that runs on the CPU. File paths. */
export interface BundledVulkan {
  readonly loader: string;
  /** The driver's manifest. */
  readonly driver: string;
}

const LOADER = 'libvulkan.so.1';
const DRIVER = 'vk_swiftshader_icd.json';

/** True if there is a bundled Vulkan for this platform, installed or not. */
export const hasBundledVulkan: boolean = process.platform === 'linux' && process.arch === 'x64';

/**
 * Unpacks the loader and the software driver of `@sparticuz/chromium`. Needs no root.
 *
 * @throws ManipleError DEVICE_UNAVAILABLE: not installed, or it cannot be unpacked
 */
export async function bundledVulkan(): Promise<BundledVulkan> {
  const found = findPackage('@sparticuz/chromium');
  if (!found) throw new ManipleError(missingPackage('@sparticuz/chromium', 'A software adapter'));
  const folder = await unpackOnce({
    name: `swiftshader-${found.version}`,
    archives: [
      { file: path.join(found.folder, 'bin/swiftshader.tar.br'), only: [LOADER, 'libvk_swiftshader.so', DRIVER] },
    ],
  });
  return { loader: path.join(folder, LOADER), driver: path.join(folder, DRIVER) };
}

/**
 * Loads the system's Vulkan loader. Returns true if there is one. Linux only.
 * Dawn would load it too, but prints errors to stderr if it is missing.
 */
export function loadSystemVulkan(): boolean {
  // tried only once: a bundled loader in the process has the same name
  systemVulkan ??= openLibrary(LOADER) === undefined;
  return systemVulkan;
}

let systemVulkan: boolean | undefined;

/**
 * Loads the bundled Vulkan loader, so that Dawn finds it by its name without LD_LIBRARY_PATH,
 * which a process cannot change for itself.
 *
 * @throws ManipleError DEVICE_UNAVAILABLE: the file cannot be loaded
 */
export function loadBundledVulkan({ loader }: BundledVulkan): void {
  const problem = openLibrary(loader);
  if (problem === undefined) return;
  const suggestion = 'Set TMPDIR to a folder that programs may run from.';
  fail('DEVICE_UNAVAILABLE', 'device', `The bundled Vulkan loader does not load: ${problem}.`, suggestion);
}

/** Loads a shared library into the process permanently. Returns the error, or undefined. */
function openLibrary(file: string): string | undefined {
  // Node closes libraries that are not Node add-ons; glibc's RTLD_NODELETE keeps them mapped
  const RTLD_NODELETE = 0x1000;
  try {
    process.dlopen({ exports: {} }, file, constants.dlopen.RTLD_NOW | RTLD_NODELETE);
  } catch (reason) {
    const message = reasonOf(reason);
    // this error means that the library was loaded, but is not an add-on
    if (!message.includes('did not self-register')) return message;
  }
  return undefined;
}

/**
 * Returns true if the bundled loader would find a driver's manifest in its search folders.
 * Otherwise using it is pointless, and it would print errors to stderr.
 */
export function hasDriverManifest(environment: NodeJS.ProcessEnv = process.env): boolean {
  const { VK_DRIVER_FILES, VK_ICD_FILENAMES, VK_ADD_DRIVER_FILES } = environment;
  if (VK_DRIVER_FILES || VK_ICD_FILENAMES || VK_ADD_DRIVER_FILES) return true;
  const list = (value: string | undefined, fallback: string) => (value || fallback).split(':');
  const home = environment.HOME ?? homedir();
  const folders = [
    ...list(environment.XDG_CONFIG_HOME, path.join(home, '.config')),
    ...list(environment.XDG_CONFIG_DIRS, '/etc/xdg'),
    '/etc',
    '/usr/local/etc',
    ...list(environment.XDG_DATA_HOME, path.join(home, '.local/share')),
    ...list(environment.XDG_DATA_DIRS, '/usr/local/share:/usr/share'),
  ];
  return folders.some((folder) => {
    try {
      return readdirSync(path.join(folder, 'vulkan/icd.d')).some((name) => name.endsWith('.json'));
    } catch {
      return false;
    }
  });
}

/**
 * Runs `work` while Vulkan's loader sees only `driver`.
 * The loader reads the environment when an instance is created, so it can be restored after that.
 */
export async function withOnlyDriver<T>(driver: string, work: () => Promise<T>): Promise<T> {
  const names = ['VK_DRIVER_FILES', 'VK_ICD_FILENAMES'] as const; // the new name, and that of older loaders
  const before = names.map((name) => process.env[name]);
  for (const name of names) process.env[name] = driver;
  try {
    return await work();
  } finally {
    names.forEach((name, index) => {
      const value = before[index];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    });
  }
}
