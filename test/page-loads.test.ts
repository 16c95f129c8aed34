// The entries `maniple` and `maniple/state` as a page has them, bundled with splitting: what is loaded when, and what is said before that.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LIMITS } from '../src/device/limits.ts';
import type * as maniple from '../src/index.ts';
import type * as maniple_state from '../src/state/index.ts';
import { coded, smallActor } from './support/crowd-truth.ts';
import { updateAndWait } from './support/update-and-wait.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { character } = smallActor();
const folders: string[] = [];
let outputs: Metafile['outputs'];
let files: readonly { readonly path: string; readonly contents: Uint8Array }[];
let page: Page;

type Page = typeof maniple & typeof maniple_state;

beforeAll(async () => {
  const built = await build({
    absWorkingDir: root,
    entryPoints: ['src/index.ts', 'src/state/index.ts'],
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
async function fresh(missing?: RegExp): Promise<Page> {
  const outside = await mkdtemp(path.join(tmpdir(), 'maniple-split-'));
  folders.push(outside);
  const folder = path.join(outside, 'node_modules'); // where Vitest leaves files as they are
  await mkdir(path.join(folder, 'state'), { recursive: true });
  const names = files.map((file) => [path.relative(path.join(root, 'unused'), file.path), file.contents] as const);
  const served = names.filter(([name]) => !missing?.test(name));
  await Promise.all(served.map(([name, contents]) => writeFile(path.join(folder, name), contents)));
  const entries = ['index.mjs', 'state/index.mjs'].map((name) => import(/* @vite-ignore */ path.join(folder, name)));
  return Object.assign({}, ...(await Promise.all(entries))) as Page;
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
function fakeGpu({ finds = true } = {}) {
  let [requested, destroyed] = [0, 0];
  const device = { limits, features: new Set(), lost: new Promise(() => {}), destroy: () => destroyed++ };
  const adapter = { limits, features: new Set(), info: {}, requestDevice: async () => device };
  const requestAdapter = async () => {
    requested++;
    return finds ? adapter : null;
  };
  const gpu = { requestAdapter } as unknown as GPU;
  return { gpu, device: () => page.requestDevice({ gpu }), requested: () => requested, destroyed: () => destroyed };
}

describe('the entry', () => {
  test('has crowds and kernels come later', () => {
    const atOnce = sourcesWith('src/index.ts');
    expect(atOnce).toContain('src/crowd/create-crowd.ts');
    const heavy = atOnce.filter((file) =>
      /^src\/(crowd\/(crowd|host)\.ts|frame\/gpu-|frame\/cpu-)|\.gen\.ts$/.test(file),
    );
    expect(heavy).toEqual([]);
    const later = sourcesWith('src/crowd/crowd.ts');
    expect(later).toEqual(
      expect.arrayContaining(['src/crowd/crowd-state.ts', 'src/stages/skin-vertices/kernel.gen.ts']),
    );
    expect(later).not.toContain('src/frame/cpu/backend.ts');
  });

  test('has nothing of snapshots and logs, nor have crowds', () => {
    const outside = [...sourcesWith('src/index.ts'), ...sourcesWith('src/crowd/crowd.ts')];
    expect(outside.filter((file) => file.startsWith('src/state/'))).toEqual([]);
    const state = sourcesWith('src/state/index.ts');
    expect(state).toEqual(expect.arrayContaining(['src/state/restore.ts', 'src/state/input-log.ts']));
    expect(state.filter((file) => /^src\/(crowd\/crowd|frame\/(gpu|cpu))|\.gen\.ts$/.test(file))).toEqual([]);
  });

  test('creates a crowd on a device of any origin, and on twins', async () => {
    const crowd = await page.createCrowd(undefined, onCpu);
    expect([crowd.capacity, crowd.count]).toEqual([4, 0]);
    const { device } = await fakeGpu().device();
    await expect(page.createCrowd(device, { characters: [], capacity: 4 })).rejects.toEqual(
      coded('CROWD_BAD_ARGUMENT'),
    );
    await expect(page.createCrowd(undefined, undefined as never)).rejects.toEqual(coded('CROWD_BAD_ARGUMENT'));
  });

  test('takes the options of the moment of the call', async () => {
    const options = { ...onCpu, capacity: 4 };
    const asked = page.createCrowd(undefined, options);
    options.capacity = 8;
    expect((await asked).capacity).toBe(4);
  });

  test('asks for a device before it loads anything else', async () => {
    const { gpu, requested } = fakeGpu();
    const asked = page.requestDevice({ gpu });
    await Promise.resolve();
    expect(requested()).toBe(1);
    await asked;
  });

  test('reports on WebGPU and the adapter', async () => {
    await expect(page.requestDevice()).rejects.toEqual(coded('DEVICE_UNAVAILABLE'));
    await expect(page.requestDevice(fakeGpu({ finds: false }))).rejects.toEqual(coded('DEVICE_UNAVAILABLE'));
  });

  test('restores what was saved, what was read, and what others have saved', async () => {
    const crowd = await page.createCrowd(undefined, onCpu);
    const { ids } = crowd.spawn(character, { count: 3 });
    crowd.despawn(ids[1]!);
    await updateAndWait(crowd, { dt: 0.25 });
    const saved = await page.saveSnapshot(crowd);
    const again = await page.restoreCrowd(undefined, onCpu, saved);
    expect(again.ids).toEqual([ids[0], ids[2]]);
    expect(again.time).toBe(0.25);
    const read = await page.restoreCrowd(undefined, onCpu, page.readSnapshot(saved.bytes));
    expect(read.ids).toEqual(again.ids);
    const other = await fresh();
    const foreign = await page.restoreCrowd(undefined, onCpu, other.readSnapshot(saved.bytes));
    expect(foreign.ids).toEqual(again.ids);
  });

  test('gives a device where crowds cannot be fetched, and says so when a crowd is created', async () => {
    const { createCrowd, requestDevice } = await fresh(/^crowd-/);
    const { gpu, destroyed } = fakeGpu();
    const { device } = await requestDevice({ gpu });
    await expect(createCrowd(device, { characters: [character], capacity: 4 })).rejects.toThrow(/crowd-/);
    expect(destroyed()).toBe(0);
  });

  test('saves the state of the moment of the call', async () => {
    const crowd = await page.createCrowd(undefined, onCpu);
    const { ids } = crowd.spawn(character, { count: 2 });
    const saved = page.saveSnapshot(crowd);
    crowd.despawn(ids);
    expect((await page.restoreCrowd(undefined, onCpu, await saved)).ids).toEqual(ids);
  });
});
