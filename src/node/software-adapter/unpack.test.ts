import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { childScript } from '../../../test/support/child.ts';
import { readTar, type Unpacking } from './unpack.ts';
import { hasTurn } from '../../../test/support/setup.ts';

/** A ustar archive of plain files; `type` is the header's type flag. */
function tarOf(files: Record<string, Uint8Array>, type = '0'): Buffer {
  const blocks = Object.entries(files).flatMap(([name, data]) => {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write(`${data.length.toString(8).padStart(11, '0')}\0`, 124);
    header.write(type, 156);
    header.write('ustar\0', 257);
    header.fill(' ', 148, 156);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, data, Buffer.alloc((512 - (data.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

const compress = (bytes: Uint8Array) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

/** Nothing is remembered from an earlier call: as in a new process. */
async function unpackAfresh(unpacking: Unpacking): Promise<string> {
  vi.resetModules();
  return (await import('./unpack.ts')).unpackOnce(unpacking);
}

let root: string;
const big = randomBytes(3_000_000);
const files = { 'lib.so': Buffer.from('library'), 'lib/big.bin': big, 'unwanted.txt': Buffer.from('no') };

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'maniple-test-'));
  await writeFile(path.join(root, 'set.tar.br'), compress(tarOf(files)));
  await writeFile(path.join(root, 'program.br'), compress(big));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const set = (): Unpacking => ({
  name: 'set-1.0.0',
  root,
  archives: [
    { file: path.join(root, 'set.tar.br'), only: ['lib.so', 'big.bin'] },
    { file: path.join(root, 'program.br'), into: 'bin' },
  ],
});

async function expectWhole(folder: string): Promise<void> {
  expect((await readdir(folder, { recursive: true })).sort()).toEqual(
    ['bin', 'bin/program', 'lib', 'lib.so', 'lib/big.bin', 'unpacked.json'].sort(),
  );
  expect(await readFile(path.join(folder, 'lib.so'), 'utf8')).toBe('library');
  expect(big.equals(await readFile(path.join(folder, 'lib/big.bin')))).toBe(true);
  expect(big.equals(await readFile(path.join(folder, 'bin/program')))).toBe(true);
}

describe.runIf(hasTurn(1))('unpackOnce', () => {
  test('unpacks the requested files once, into a folder that only this user can read', async () => {
    const folder = await unpackAfresh(set());
    await expectWhole(folder);
    expect((await stat(path.dirname(folder))).mode & 0o777).toBe(0o700);
    const before = await stat(path.join(folder, 'lib.so'));
    expect(await unpackAfresh(set())).toBe(folder);
    expect((await stat(path.join(folder, 'lib.so'))).ino).toBe(before.ino);
  });

  test.each([
    ['a truncated file', (folder: string) => truncate(path.join(folder, 'lib/big.bin'), 1000)],
    ['an emptied file', (folder: string) => truncate(path.join(folder, 'lib.so'), 0)],
    ['a deleted file', (folder: string) => rm(path.join(folder, 'bin/program'))],
    ['a deleted manifest', (folder: string) => rm(path.join(folder, 'unpacked.json'))],
    ['a manifest that is no JSON', (folder: string) => writeFile(path.join(folder, 'unpacked.json'), '{"lib')],
    ['a manifest of nothing', (folder: string) => writeFile(path.join(folder, 'unpacked.json'), '{}')],
    [
      'a folder that was emptied',
      async (folder: string) => {
        await rm(folder, { recursive: true });
        await mkdir(folder);
      },
    ],
  ])('replaces %s', async (_, damage) => {
    const folder = await unpackAfresh(set());
    await damage(folder);
    expect(await unpackAfresh(set())).toBe(folder);
    await expectWhole(folder);
    expect(await readdir(path.dirname(folder))).toEqual([path.basename(folder)]);
  });

  test('clears away what a killed process left, but not what one is writing now', async () => {
    const unpacked = await unpackAfresh(set());
    await rm(unpacked, { recursive: true });
    await mkdir(`${unpacked}.part-1-aa`);
    await mkdir(`${unpacked}.part-2-bb`);
    const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
    await utimes(`${unpacked}.part-1-aa`, longAgo, longAgo);
    await unpackAfresh(set());
    const name = path.basename(unpacked);
    expect((await readdir(path.dirname(unpacked))).sort()).toEqual([name, `${name}.part-2-bb`]);
  });

  test('keeps different contents apart, also under one name', async () => {
    const [first] = set().archives;
    const folders = await Promise.all([
      unpackAfresh(set()),
      unpackAfresh({ ...set(), archives: [first!] }),
      unpackAfresh({ ...set(), archives: [{ ...first!, into: 'elsewhere' }] }),
      unpackAfresh({ ...set(), archives: [{ ...first!, only: ['lib.so'] }] }),
    ]);
    expect(new Set(folders).size).toBe(4);
    for (const folder of folders) expect(path.basename(folder)).toMatch(/^set-1\.0\.0-[0-9a-f]{8}$/);
  });

  test('agrees on one folder among concurrent processes, some of which are killed', async () => {
    const run = (killAfterMs?: number) =>
      new Promise<string>((resolve) => {
        const process_ = spawn(process.execPath, [childScript('unpack'), JSON.stringify(set())]);
        let output = '';
        process_.stdout.on('data', (chunk: Buffer) => {
          output += chunk.toString();
          if (chunk.includes('started') && killAfterMs !== undefined)
            setTimeout(() => process_.kill('SIGKILL'), killAfterMs);
        });
        process_.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
        process_.on('close', () => resolve(output));
      });
    const outputs = await Promise.all([run(), run(5), run(), run(10), run(), run(15)]);
    const folder = await unpackAfresh(set());
    await expectWhole(folder);
    for (const index of [0, 2, 4]) expect(outputs[index]).toContain(`unpacked ${folder}`);
  });

  test('refuses a folder that others may write to', async () => {
    if (process.platform === 'win32') return;
    const folder = path.join(root, `maniple-${process.getuid?.()}`);
    await mkdir(folder);
    await chmod(folder, 0o777);
    await expect(unpackAfresh(set())).rejects.toMatchObject({ code: 'DEVICE_UNAVAILABLE' });
    await expect(unpackAfresh(set())).rejects.toThrow(/only this user may write to.*TMPDIR/);
  });

  test.skipIf(process.platform !== 'linux')('reports a folder in which nothing can be made', async () => {
    await expect(unpackAfresh({ ...set(), root: '/proc/1' })).rejects.toThrow(/\/proc\/1.*TMPDIR/);
    await expect(unpackAfresh({ ...set(), root: path.join(root, 'absent') })).rejects.toThrow(/absent.*TMPDIR/);
  });

  test('reports a damaged archive, leaves no files, and tries again at the next call', async () => {
    const archive = path.join(root, 'set.tar.br');
    const whole = await readFile(archive);
    await writeFile(archive, whole.subarray(0, whole.length / 2));
    await expect(unpackAfresh(set())).rejects.toThrow(/set-1\.0\.0 cannot be unpacked.*install it again/);
    await writeFile(path.join(root, 'program.br'), Buffer.from('not brotli'));
    await writeFile(archive, whole);
    vi.resetModules();
    const { unpackOnce } = await import('./unpack.ts');
    await expect(unpackOnce(set())).rejects.toThrow(/install it again/);
    expect(await readdir(path.join(root, `maniple-${process.getuid?.() ?? 'user'}`))).toEqual([]);
    await writeFile(path.join(root, 'program.br'), compress(big));
    await expectWhole(await unpackOnce(set()));
  });

  test('reports a missing archive with its path', async () => {
    const archives = [{ file: path.join(root, 'absent.tar.br') }];
    await expect(unpackAfresh({ name: 'x', root, archives })).rejects.toThrow(/absent\.tar\.br/);
    expect(existsSync(path.join(root, 'x'))).toBe(false);
  });
});

describe.runIf(hasTurn(1))('readTar', () => {
  const names = (tar: Uint8Array) => [...readTar(tar)].map(({ name }) => name);

  test('reads files and normalises their names', () => {
    expect(names(tarOf({ './a': big, 'b//c': Buffer.alloc(0) }))).toEqual(['a', 'b/c']);
    expect(names(tarOf({ 'folder/': Buffer.alloc(0) }, '5'))).toEqual([]);
  });

  test.each([
    ['an absolute path', tarOf({ '/etc/passwd': Buffer.from('x') })],
    ['a path that leads outside', tarOf({ 'a/../../b': Buffer.from('x') })],
    ['a link', tarOf({ link: Buffer.alloc(0) }, '2')],
  ])('refuses %s', (_, tar) => {
    expect(() => names(tar)).toThrow(/leads outside|neither a file/);
  });

  test('refuses every truncation, and a changed header', () => {
    const tar = tarOf({ a: Buffer.alloc(700), b: Buffer.alloc(10) });
    for (let length = 0; length <= tar.length - 1024; length += 64) {
      expect(() => names(tar.subarray(0, length))).toThrow(/archive/);
    }
    const changed = Buffer.from(tar);
    changed[124] = 0x37;
    expect(() => names(changed)).toThrow(/damaged/);
  });
});
