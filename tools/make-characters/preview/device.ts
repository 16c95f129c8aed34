import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { create, globals } from 'webgpu';

const BLOCK = 512;

/** A GPU device on the CPU: SwiftShader, from the package that brings it along. Previews need no graphics card. */
export async function softwareDevice(): Promise<GPUDevice> {
  const folder = unpackDriver();
  try {
    // the loader must stay mapped after Node finds that it is no add-on
    process.dlopen({ exports: {} }, path.join(folder, 'libvulkan.so.1'), constants.dlopen.RTLD_NOW | 0x1000);
  } catch {
    // "did not self-register": expected
  }
  process.env.VK_DRIVER_FILES = process.env.VK_ICD_FILENAMES = path.join(folder, 'vk_swiftshader_icd.json');
  Object.assign(globalThis, globals);
  const gpu = create([]);
  // Dawn aborts when this object is collected
  Object.assign(globalThis, { keptDawn: gpu });
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error('the software adapter did not start');
  const device = await adapter.requestDevice({ requiredFeatures: [...adapter.features] as GPUFeatureName[] });
  device.addEventListener('uncapturederror', (event) =>
    console.error((event as GPUUncapturedErrorEvent).error.message),
  );
  return device;
}

/** Unpacks the driver once into the temporary folder. */
function unpackDriver(): string {
  let root = path.dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium')));
  while (!existsSync(path.join(root, 'bin/swiftshader.tar.br'))) root = path.dirname(root);
  const folder = path.join(tmpdir(), `maniple-preview-driver-${process.getuid?.() ?? 0}`);
  if (existsSync(path.join(folder, 'vk_swiftshader_icd.json'))) return folder;
  const part = `${folder}.${process.pid}`;
  mkdirSync(part, { recursive: true, mode: 0o700 });
  const archive = brotliDecompressSync(readFileSync(path.join(root, 'bin/swiftshader.tar.br')));
  for (let at = 0; at + BLOCK <= archive.length;) {
    const name = archive.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    if (!name) break;
    const size = Number.parseInt(archive.toString('ascii', at + 124, at + 136), 8) || 0;
    if (/(^|\/)(libvulkan\.so\.1|libvk_swiftshader\.so|vk_swiftshader_icd\.json)$/.test(name)) {
      writeFileSync(path.join(part, path.basename(name)), archive.subarray(at + BLOCK, at + BLOCK + size), {
        mode: 0o755,
      });
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  try {
    renameSync(part, folder);
  } catch {
    rmSync(part, { recursive: true, force: true });
  }
  return folder;
}
