// The entry `maniple` as a page has it, bundled with splitting: what is loaded when, and what is said before that.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LIMITS } from '../src/device/limits.ts';
import * as maniple from '../src/index.ts';
import { coded, smallActor } from './support/crowd-truth.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { character } = smallActor();
const folders: string[] = [];
let outputs: Metafile['outputs'];
let files: readonly { readonly path: string; readonly contents: Uint8Array }[];
let page: typeof maniple;

beforeAll(async () => {
  const built = await build({
    absWorkingDir: root,
    entryPoints: ['src/index.ts'],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    splitting: true,
    metafile: true,
    write: false,
    outdir: 'unused',
    outExtension: { '.js': '.mjs' },
  });
  outputs = built.metafile.outputs;
  files = built.outputFiles;
});

beforeEach(async () => {
  page = await fresh();
});

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

/** A copy of its own: nothing of it has been loaded by others. @param missing Files that cannot be fetched. */
async function fresh(missing?: RegExp): Promise<typeof maniple> {
  const outside = await mkdtemp(path.join(tmpdir(), 'maniple-split-'));
  folders.push(outside);
  const folder = path.join(outside, 'node_modules'); // where Vitest leaves files as they are
  await mkdir(folder);
  const names = files.map((file) => [path.basename(file.path), file.contents] as const);
  const served = names.filter(([name]) => !missing?.test(name));
  await Promise.all(served.map(([name, contents]) => writeFile(path.join(folder, name), contents)));
  return (await import(/* @vite-ignore */ path.join(folder, 'index.mjs'))) as typeof maniple;
}

/** Sources that come at once with what is built of one. */
function sourcesWith(entryPoint: string): string[] {
  const files = Object.keys(outputs).filter((file) => outputs[file]!.entryPoint === entryPoint);
  for (const file of files) {
    const next = outputs[file]!.imports.filter(({ kind }) => kind === 'import-statement');
    files.push(...next.map((found) => found.path).filter((each) => !files.includes(each)));
  }
  return files.flatMap((file) => Object.keys(outputs[file]!.inputs));
}

const onCpu = { characters: [character], capacity: 4, backend: 'cpu' } as const;
const limits = Object.fromEntries(LIMITS.map(({ name, standard }) => [name, standard]));

/** WebGPU that grants a device which can be destroyed, and nothing else. */
function fakeGpu({ finds = true } = {}): { gpu: GPU; requested: () => number; destroyed: () => number } {
  let [requested, destroyed] = [0, 0];
  const device = { limits, features: new Set(), lost: new Promise(() => {}), destroy: () => destroyed++ };
  const adapter = { limits, features: new Set(), info: {}, requestDevice: async () => device };
  const requestAdapter = async () => {
    requested++;
    return finds ? adapter : null;
  };
  return { gpu: { requestAdapter } as unknown as GPU, requested: () => requested, destroyed: () => destroyed };
}

describe('the entry', () => {
  test('has crowds and kernels come later', () => {
    const atOnce = sourcesWith('src/index.ts');
    expect(atOnce).toContain('src/runtime/runtime.ts');
    const heavy = atOnce.filter((file) =>
      /^src\/(crowd\/(crowd|host)\.ts|frame\/gpu-|frame\/cpu-)|\.gen\.ts$/.test(file),
    );
    expect(heavy).toEqual([]);
    const later = sourcesWith('src/crowd/crowd.ts');
    expect(later).toEqual(expect.arrayContaining(['src/crowd/host.ts', 'src/stages/skin-vertices/kernel.gen.ts']));
    expect(later).not.toContain('src/frame/cpu-backend.ts');
  });

  test('asks for the runtime, and takes it once it is loaded', async () => {
    const { createCrowd, loadRuntime, loadTwins } = page;
    expect(() => createCrowd(undefined, onCpu)).toThrow(coded('RUNTIME_NOT_LOADED'));
    expect(() => createCrowd(undefined, onCpu)).toThrow('await loadRuntime() first');
    await loadRuntime();
    expect(() => createCrowd(undefined, onCpu)).toThrow('await loadTwins() first');
    await loadTwins();
    expect(createCrowd(undefined, onCpu).capacity).toBe(4);
  });

  test('loads the runtime with the twins', async () => {
    await page.loadTwins();
    expect(page.createCrowd(undefined, onCpu).count).toBe(0);
  });

  test('loads the runtime while a device is requested', async () => {
    const { gpu, requested } = fakeGpu();
    const asked = page.requestDevice({ gpu });
    expect(requested()).toBe(1);
    const { device } = await asked;
    // the runtime is what refuses
    expect(() => page.createCrowd(device, { characters: [], capacity: 4 })).toThrow(coded('CROWD_BAD_ARGUMENT'));
  });

  test('loads nothing where there is no WebGPU, and says of an adapter what there is to say', async () => {
    await expect(page.requestDevice()).rejects.toEqual(coded('DEVICE_UNAVAILABLE'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(() => page.createCrowd(undefined, onCpu)).toThrow(coded('RUNTIME_NOT_LOADED'));
    await expect(page.requestDevice(fakeGpu({ finds: false }))).rejects.toEqual(coded('DEVICE_UNAVAILABLE'));
  });

  test('restores what was saved, and what was read', async () => {
    await page.loadTwins();
    const crowd = page.createCrowd(undefined, onCpu);
    const { ids } = crowd.spawn(character, { count: 3 });
    crowd.despawn(ids[1]!);
    await crowd.update({ dt: 0.25 });
    const saved = await crowd.save();
    const again = page.createCrowd(undefined, { ...onCpu, from: saved });
    expect(again.ids).toEqual([ids[0], ids[2]]);
    expect(again.time).toBe(0.25);
    const read = page.createCrowd(undefined, { ...onCpu, from: page.readSnapshot(saved.bytes) });
    expect(read.ids).toEqual(again.ids);
  });

  test('restores what others have saved, with nothing saved before', async () => {
    const saved = await maniple.createCrowd(undefined, onCpu).save();
    await page.loadTwins();
    const crowd = page.createCrowd(undefined, { ...onCpu, from: page.readSnapshot(saved.bytes) });
    expect(crowd.count).toBe(0);
    const foreign = { ...onCpu, from: saved };
    const other = await fresh();
    await other.loadTwins();
    expect(() => other.createCrowd(undefined, foreign)).toThrow(/RUNTIME_NOT_LOADED at from/);
  });

  test('gives no device where the runtime cannot be fetched', async () => {
    const { requestDevice } = await fresh(/^crowd-/);
    const { gpu, destroyed } = fakeGpu();
    await expect(requestDevice({ gpu })).rejects.toThrow(/crowd-/);
    await expect.poll(destroyed).toBe(1);
  });

  test('saves where what restores cannot be fetched', async () => {
    const { createCrowd, loadTwins, readSnapshot } = await fresh(/^restore-/);
    await loadTwins();
    const from = await createCrowd(undefined, onCpu).save();
    expect(() => createCrowd(undefined, { ...onCpu, from })).toThrow(/RUNTIME_NOT_LOADED at from/);
    expect(createCrowd(undefined, { ...onCpu, from: readSnapshot(from.bytes) }).count).toBe(0);
  });
});
