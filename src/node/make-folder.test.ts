import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder } from './make-folder.ts';

describe('makeFolder', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'maniple-folder-'));
    await writeFile(path.join(folder, 'file'), '');
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('makes all that is missing, many at once too', async () => {
    const deep = path.join(folder, 'a/b/c');
    await Promise.all([makeFolder(deep), makeFolder(path.join(folder, 'a/b/d')), makeFolder(deep)]);
    expect((await stat(deep)).isDirectory()).toBe(true);
    await makeFolder(deep);
  });

  it.each([
    ['file', 'EEXIST'],
    ['file/below', 'ENOTDIR'],
    ['file/far/below', 'ENOTDIR'],
  ])('fails at %s', async (name, code) => {
    await expect(makeFolder(path.join(folder, name))).rejects.toMatchObject({ code });
  });

  it.runIf(process.platform === 'linux')('ends where no folder can be made and none is refused', async () => {
    await expect(makeFolder('/proc/maniple/deep/er')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
