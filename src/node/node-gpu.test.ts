import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { childScript } from '../../test/support/child.ts';
import { nodeGpu } from './node-gpu.ts';
import { findPackage } from './software-adapter/packages.ts';
import { hasBundledVulkan, hasDriverManifest, withOnlyDriver } from './software-adapter/vulkan.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'maniple-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());

describe('nodeGpu', () => {
  /** What a process that may not resolve `hidden` says when it wants a device. */
  async function failWithout(hidden: string, kind: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
    const hide = path.join(folder, 'hide.cjs');
    await writeFile(
      hide,
      `const Module = require('node:module'); const resolve = Module._resolveFilename;
       Module._resolveFilename = function (name, ...rest) {
         if (name.startsWith(${JSON.stringify(hidden)})) throw Object.assign(new Error('hidden'), { code: 'MODULE_NOT_FOUND' });
         return resolve.call(this, name, ...rest);
       };`,
    );
    const args = ['--require', hide, childScript('device'), 'return', kind];
    const options = { env: { ...process.env, ...env } };
    return promisify(execFile)(process.execPath, args, options).then(
      () => 'it worked',
      (reason: { stderr: string }) => reason.stderr,
    );
  }

  test('says how to install webgpu, whatever the kind', async () => {
    for (const kind of ['auto', 'null']) {
      const message = await failWithout('webgpu', kind);
      expect(message).toContain('DEVICE_UNAVAILABLE at device: WebGPU in Node needs the package webgpu');
      expect(message).toContain('npm install webgpu@');
    }
  });

  test.skipIf(!hasBundledVulkan || !findPackage('webgpu'))('says how to install the software adapter', async () => {
    // no driver of the system's: neither a GPU nor a software adapter of another kind
    const none = { VK_DRIVER_FILES: '/nonexistent.json', VK_ICD_FILENAMES: '/nonexistent.json' };
    const message = await failWithout('@sparticuz/chromium', 'software', none);
    expect(message).toContain('Dawn found no software adapter.');
    expect(message).toContain('npm install @sparticuz/chromium@143.0.4');
  });

  test('refuses a kind that it does not know', async () => {
    vi.stubEnv('MANIPLE_GPU', 'vulkan');
    await expect(nodeGpu()).rejects.toMatchObject({ code: 'USAGE' });
    await expect(nodeGpu()).rejects.toThrow(/vulkan.*auto, hardware, software, null/);
  });
});

describe('findPackage', () => {
  test('finds the folder that has the package.json with the name', () => {
    const found = findPackage('@sparticuz/chromium');
    if (!found) return;
    expect(found.folder).toMatch(/@sparticuz[\\/]chromium$/);
    expect(found.version).toMatch(/^\d+\.\d+\.\d+/);
  });
});

describe('the Vulkan environment', () => {
  test('is as before after a driver was chosen, whatever happens', async () => {
    vi.stubEnv('VK_DRIVER_FILES', 'mine.json');
    vi.stubEnv('VK_ICD_FILENAMES', undefined);
    const seen = await withOnlyDriver('only.json', async () => [
      process.env.VK_DRIVER_FILES,
      process.env.VK_ICD_FILENAMES,
    ]);
    expect(seen).toEqual(['only.json', 'only.json']);
    await expect(withOnlyDriver('only.json', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(process.env.VK_DRIVER_FILES).toBe('mine.json');
    expect('VK_ICD_FILENAMES' in process.env).toBe(false);
  });

  test('names a driver by a variable, or by a manifest where the loader looks', async () => {
    const nowhere = path.join(folder, 'nowhere');
    const bare = { HOME: nowhere, XDG_CONFIG_DIRS: nowhere, XDG_DATA_DIRS: nowhere };
    expect(hasDriverManifest({ ...bare, VK_DRIVER_FILES: 'x.json' })).toBe(true);
    expect(hasDriverManifest({ ...bare, VK_ADD_DRIVER_FILES: 'x.json' })).toBe(true);
    await mkdir(path.join(folder, 'share/vulkan/icd.d'), { recursive: true });
    const withFolder = { ...bare, XDG_DATA_DIRS: `${nowhere}:${path.join(folder, 'share')}` };
    const before = hasDriverManifest(withFolder); // /etc may have one
    expect(before).toBe(hasDriverManifest(bare));
    await writeFile(path.join(folder, 'share/vulkan/icd.d/gpu.json'), '{}');
    expect(hasDriverManifest(withFolder)).toBe(true);
  });
});
