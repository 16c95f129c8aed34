// Files that are meant to harm, made here: each is imported and packed in a process of its own, whose time and peak memory count.
import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { childScript } from '../support/child.ts';
import { sample } from '../support/setup.ts';
import { GltfBuilder } from './build-gltf.ts';

const [MILLISECONDS, BYTES] = [5_000, 1e9];
const folder = temporaryFolder();

interface Loaded {
  readonly outcome: string;
  readonly milliseconds: number;
  readonly peakBytes: number;
}

async function load(target: string): Promise<Loaded> {
  const { stdout } = await promisify(execFile)(process.execPath, [childScript('load'), target]);
  return JSON.parse(stdout) as Loaded;
}

/** A file of zeros that takes no room on the disk. */
function zeros(name: string, length: number): string {
  const file = path.join(folder, name);
  writeFileSync(file, '');
  truncateSync(file, length);
  return file;
}

/** A glTF without a mesh, with a buffer of 200 MB for each URI. */
function buffers(uris: readonly string[]): string {
  const byteLength = 200e6;
  return JSON.stringify({
    asset: { version: '2.0' },
    scenes: [{ nodes: [0] }],
    nodes: [{}],
    buffers: uris.map((uri) => ({ uri, byteLength })),
    bufferViews: uris.map((_, buffer) => ({ buffer, byteLength })),
  });
}

/** A clip that turns so many joints, by samplers that share their values; and their times, unless each has its own. */
function turning(joints: number, keys: number, hasOwnTimes: boolean): Uint8Array {
  const gltf = new GltfBuilder();
  gltf.meshNode([gltf.triangle()]);
  const nodes = Array.from({ length: joints }, () => gltf.nodes.push({ mesh: 0 }) - 1);
  const times = (shift: number) =>
    gltf.accessor(
      new Float32Array(keys).map((_, k) => k / 30 + shift),
      'SCALAR',
    );
  const angle = (key: number) => 0.3 * Math.sin(key / 17);
  const turns = Array.from({ length: keys }, (_, k) => [Math.sin(angle(k)), 0, 0, Math.cos(angle(k))]);
  const output = gltf.accessor(turns.flat(), 'VEC4');
  const shifts = hasOwnTimes ? nodes.map((_, i) => i / joints / 31) : [0];
  const samplers = shifts.map((shift) => ({ input: times(shift), output }));
  const channels = nodes.map((node, i) => ({ sampler: hasOwnTimes ? i : 0, target: { node, path: 'rotation' } }));
  gltf.animations.push({ samplers, channels });
  return gltf.glb();
}

/** What is loaded, what it comes to, and how it is made: the file, with a slash before its path where a server has it. */
const CASES: readonly (readonly [name: string, outcome: string, make: () => string])[] = [
  [
    '30 buffers that name one file of 200 MB',
    'GLTF_NO_MESH',
    () => {
      zeros('same.bin', 200e6);
      return write('same.gltf', buffers(Array.from({ length: 30 }, () => 'same.bin')));
    },
  ],
  [
    'the same over HTTP',
    'GLTF_NO_MESH',
    () => `/${write('web.gltf', buffers(Array.from({ length: 30 }, () => 'zeros')))}`,
  ],
  [
    '30 names of one file of 200 MB',
    'FILE_TOO_LARGE',
    () => {
      const file = zeros('one.bin', 200e6);
      const names = Array.from({ length: 30 }, (_, i) => `link${i}.bin`);
      for (const name of names) symlinkSync(file, path.join(folder, name));
      return write('names.gltf', buffers(names));
    },
  ],
  [
    '30 addresses of 200 MB each',
    'FILE_TOO_LARGE',
    () => `/${write('addresses.gltf', buffers(Array.from({ length: 30 }, (_, i) => `zeros${i}`)))}`,
  ],
  ['a file of 2 GB', 'FILE_TOO_LARGE', () => zeros('large.glb', 2e9)],
  ['20,000 keys that 400 channels share', 'GLTF_LIMIT', () => write('shared.glb', turning(400, 20_000, false))],
  [
    '500 keys in each of 100 channels, no two at one time',
    'CLIP_TOO_LONG',
    () => write('own.glb', turning(100, 500, true)),
  ],
  ['2,000 keys that 60 channels share', 'loaded', () => write('many.glb', turning(60, 2_000, false))],
];

function write(name: string, content: string | Uint8Array): string {
  writeFileSync(path.join(folder, name), content);
  return path.join(folder, name);
}

/** Serves glTF files of the folder, and 200 MB of zeros at any other address. */
async function served<T>(run: (origin: string) => Promise<T>): Promise<T> {
  const part = new Uint8Array(1e6);
  const server = createServer((request, response) => {
    const name = path.basename(request.url ?? '');
    if (name.endsWith('.gltf')) return void response.end(readFileSync(path.join(folder, name)));
    let left = 200;
    const more = (): void => {
      while (left-- > 0) if (!response.write(part)) return void response.once('drain', more);
      response.end();
    };
    more();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    return await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('a file that is meant to harm', () => {
  it.each(sample(CASES, 8))('%s: %s, within 5 s and 1 GB', async (_, outcome, make) => {
    const target = make();
    const result = target.startsWith('//')
      ? await served((origin) => load(`${origin}/${path.basename(target)}`))
      : await load(target);
    expect(result.outcome).toMatch(new RegExp(`^${outcome}`));
    expect(result.milliseconds).toBeLessThan(MILLISECONDS);
    expect(result.peakBytes).toBeLessThan(BYTES);
  });
});
