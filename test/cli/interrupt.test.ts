// A command that is interrupted leaves no part of a file.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { encodePng } from '../../src/render/images/index.ts';
import { GltfBuilder } from '../import/build-gltf.ts';
import { commandLine, refusal, root } from './maniple.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

test.runIf(process.platform !== 'win32')('a signal removes what is half written', async () => {
  const image = { width: 16, height: 16, data: new Uint8Array(1024) };
  writeFileSync(path.join(folder, '1.png'), await encodePng(image));
  execFileSync('mkfifo', [path.join(folder, '2.png')]); // never written to: the command waits for its second frame
  const line = ['encode', path.join(folder, '%d.png'), '--out', path.join(folder, 'a.webm')];
  const child = spawn(process.execPath, commandLine(line), { cwd: root, stdio: 'ignore' });
  const exit = once(child, 'exit');
  const parts = () => readdirSync(folder).filter((name) => name.endsWith('.part'));
  await expect.poll(parts, { timeout: 50_000 }).toHaveLength(1);
  child.kill('SIGINT');
  expect(await exit).toEqual([null, 'SIGINT']);
  expect(readdirSync(folder).sort()).toEqual(['1.png', '2.png']);
});

test.runIf(process.platform === 'linux')('a file below /proc cannot be written, and that is said', async () => {
  const triangle = new GltfBuilder();
  triangle.meshNode([triangle.triangle()]);
  writeFileSync(path.join(folder, 'triangle.glb'), triangle.glb());
  const [first] = await refusal(['bake', path.join(folder, 'triangle.glb'), '--out', '/proc/a/b.maniple']);
  expect(first).toMatchObject({ code: 'FILE_UNWRITABLE', path: '/proc/a/b.maniple' });
});

test('a sequence is not drawn among frames of a longer one', async () => {
  for (const number of [1, 2, 4, 5, 10]) writeFileSync(path.join(folder, `f${number}.png`), '');
  const render = ['render', '--frames', '3', '--out', path.join(folder, 'f%d.png'), '--backend', 'cpu'];
  const [first] = await refusal(render, { code: 2 });
  expect(first).toMatchObject({
    code: 'USAGE',
    path: '--frames',
    message: `3 frames are asked for, and a longer sequence has left ${path.join(folder, 'f4.png')} and 2 more.`,
    suggestion: 'Remove the frames after 3, or name another --out.',
  });
});
