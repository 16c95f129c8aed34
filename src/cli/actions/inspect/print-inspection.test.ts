// What people see of a character, on terminals of two widths and in a pipe.
import { readFile } from 'node:fs/promises';
import { WriteStream } from 'node:tty';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { packCharacter } from '../../../character/pack/index.ts';
import { warning } from '../../../errors.ts';
import { importGltf } from '../../../import/index.ts';
import { inspectCharacter, type Inspection } from './inspection.ts';
import { printInspection } from './print-inspection.ts';

let inspection: Inspection;
beforeAll(async () => {
  const model = await importGltf({ name: 'legionary', bytes: await readFile('characters/legionary.glb') });
  const clips = ['walk', 'fall', 'attack_2'].map((name) => model.clips.findIndex((clip) => clip.name === name));
  const message = 'The extension "KHR_animation_pointer" is ignored: materials, lights and cameras keep their values.';
  const issues = [warning('GLTF_EXTENSION_IGNORED', '/extensionsUsed/0', message)];
  inspection = inspectCharacter('legionary.glb', { ...packCharacter(model, { clips }), issues });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** What is printed on stdout. */
function printed(options: { columns?: number; isTTY?: boolean; showsAllJoints?: boolean } = {}): string {
  const { columns, isTTY = false, showsAllJoints = false } = options;
  const chunks: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => chunks.push(String(chunk)) > 0);
  const { isTTY: wasTTY, columns: before } = process.stdout;
  const getColorDepth = () => WriteStream.prototype.getColorDepth.call(process.stdout);
  Object.assign(process.stdout, { isTTY, ...(isTTY ? { columns, getColorDepth } : { columns: undefined }) });
  if (!isTTY) vi.stubEnv('COLUMNS', columns === undefined ? '' : String(columns));
  try {
    printInspection(inspection, showsAllJoints);
  } finally {
    Object.assign(process.stdout, { isTTY: wasTTY, columns: before });
    Reflect.deleteProperty(process.stdout, 'getColorDepth');
    vi.restoreAllMocks();
  }
  return chunks.join('');
}

describe('a character for people', () => {
  it.each([80, 120])('fits into a terminal of %i columns', (columns) => {
    const lines = printed({ columns }).split('\n');
    for (const line of lines) expect(Array.from(line).length, line).toBeLessThanOrEqual(columns);
    expect(lines.find((line) => /^ {2}clip/.test(line))!.includes('knots')).toBe(columns === 120);
  });

  it('shows its kind, size, facing and clips', () => {
    const text = printed();
    expect(text).toMatch(/^legionary\.glb: legionary\n {2}height +2\.01 m\n/);
    expect(text).toMatch(/^ {2}feet +at y = 0\.00 m, around the origin$/m);
    expect(text).toMatch(/^ {2}faces +\+Z, as glTF asks$/m);
    expect(text).toContain('Skeleton: 42 joints\n  root › pelvis\n  ├─ spine_1 › spine_2 › chest\n');
    expect(text).toMatch(/^ {2}Pilum +56 +56 +0\.10 × 0\.11 × 1\.90 +on hand_r +Metal, Matte$/m);
    expect(text).toContain('Materials: 2, no textures\n');
    expect(text).toMatch(/^ {2}walk +0\.93 +yes +30 /m);
    expect(text).toMatch(/^ {2}attack_2 +1\.13 +once +30 /m);
    expect(text).toMatch(/^ {2}fall +1\.60 +once +0\.69 m +0\.43 m\/s +15° left /m);
    expect(text).toMatch(/^ {2}each visible +\d\d\.\d KiB, that included$/m);
    expect(text).toContain('\n\nIssues\nwarning: GLTF_EXTENSION_IGNORED at /extensionsUsed/0: The extension');
    expect(text).not.toMatch(/NaN|Infinity|undefined|null|\[object/);
  });

  it('lists all joints where they are asked for', () => {
    const text = printed({ showsAllJoints: true });
    for (const { name } of inspection.joints) expect(text).toMatch(new RegExp(`^ {2}[ │├└─]*${name}$`, 'm'));
  });

  it('has colours only on terminals', () => {
    vi.stubEnv('NO_COLOR', undefined);
    vi.stubEnv('FORCE_COLOR', '1');
    expect(printed()).not.toContain('\x1b');
    const coloured = printed({ isTTY: true, columns: 100 });
    expect(coloured).toContain('\x1b[1mlegionary.glb\x1b[22m: legionary');
    expect(coloured).toContain('\x1b[33mwarning:\x1b[39m GLTF_EXTENSION_IGNORED');
    vi.stubEnv('FORCE_COLOR', undefined);
    vi.stubEnv('NO_COLOR', '1');
    expect(printed({ isTTY: true, columns: 100 })).not.toContain('\x1b');
  });

  it('counts what is too long to list', () => {
    const many = Array.from({ length: 40 }, (_, i) => ({ ...inspection.materials[0]!, name: `Paint ${i}` }));
    inspection = { ...inspection, materials: many };
    const text = printed();
    expect(text).toContain('  Paint 31 ');
    expect(text).not.toContain('  Paint 32 ');
    expect(text).toContain('  and 8 more; --json lists all\n');
  });
});
