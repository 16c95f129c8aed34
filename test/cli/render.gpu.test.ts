// The subcommands that open a GPU.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { decodeImage } from '../../src/render/images/index.ts';
import type { RgbaImage } from '../../src/render/images/index.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { full, testInTurn } from '../support/setup.ts';
import { colorShare, comparePictures, countColors, isWithin } from '../support/pictures.ts';
import { answer, legionary, maniple, refusal, root } from './maniple.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FRAME = ['step-controllers', 'cull-characters', 'gather-motions', 'pose-joints', 'skin-vertices'];
/** By kind of device: software adapters draw forward unless they are told otherwise. */
const PASSES = {
  hardware: ['filter-triangles', 'raster-triangles', 'draw-contact', 'shade-pixels'],
  software: ['draw-shadows', 'draw-contact', 'draw-forward'],
};

const decode = (file: string) => decodeImage(new Uint8Array(readFileSync(file)), 'image/png', file);

/** A picture of soldiers: earth and grass, and on them red, blue and shadow. */
function expectSoldiers(image: RgbaImage): void {
  expect(countColors(image)).toBeGreaterThan(image.width * 2);
  const ground = colorShare(image, (r, g, b) => r > 1.08 * b && g > b && r + g + b > 120 && r + g + b < 500);
  const red = colorShare(image, (r, g, b) => r > 2 * g && r > 2 * b);
  const dark = colorShare(image, (r, g, b) => r + g + b < 230);
  expect(ground).toBeGreaterThan(0.3);
  expect(red).toBeGreaterThan(0.001);
  expect(dark).toBeGreaterThan(0.01);
}

const folder = temporaryFolder();
/** What has been baked need not be packed, which takes longer than anything else here. */
const baked = path.join(folder, 'raider.maniple');
beforeAll(async () => {
  await answer(['bake', 'characters/raider.glb', '--out', baked]);
});

describe.skipIf(noGpu())('render', () => {
  const small = ['--count', '6', '--size', '160x90'];
  /** Shows the same, and no kernels of state machines have to be compiled, which takes a software adapter seconds. */
  const twins = ['--backend', 'cpu'];

  testInTurn(2)('draws a battle to a PNG of the size asked for, in folders that it makes', async () => {
    const out = path.join(folder, 'new/folder/battle.png');
    const said = await answer<{ stages: Record<string, number> }>(['render', ...small, '--out', out]);
    expect(said).toMatchObject({
      out,
      count: 6,
      backend: 'gpu',
      adapter: expect.stringMatching(/\w/),
      total: expect.any(Number),
      bytes: expect.any(Number),
      playing: [
        { file: expect.stringContaining('legionary'), clips: expect.arrayContaining([expect.any(String)]) },
        { file: expect.stringContaining('raider'), clips: expect.arrayContaining([expect.any(String)]) },
      ],
      issues: [],
    });
    const names = Object.keys(said.stages);
    const { kind } = await testDevice();
    const passes = kind === 'hardware' ? PASSES.hardware : PASSES.software;
    if (names.length > 0) expect(names).toEqual([...FRAME, ...passes]); // without timestamps there are none
    for (const time of Object.values(said.stages)) expect(time).toBeGreaterThanOrEqual(0);

    const gpu = await decode(out);
    expect([gpu.width, gpu.height]).toEqual([160, 90]);
    expectSoldiers(gpu);

    if (!full) return;
    // the same on the twins, picture and all: its edges are on a finer grid than a software adapter's
    const draw = async (name: string, ...args: string[]) => {
      const file = path.join(folder, name);
      await answer(['render', ...small, ...args, '--out', file]);
      return decode(file);
    };
    const byVisibility = (samples: number) => ['--renderer', 'visibility', '--samples', `${samples}`];
    const single = await draw('single.png', ...byVisibility(1));
    const byTwins = await draw('cpu.png', ...twins);
    const within = comparePictures(single, byTwins, (pixel) => isWithin(byTwins, pixel));
    expect(within.mean).toBeLessThan(0.1);
    expect(within.far).toBeLessThan(0.005);
    expect(comparePictures(single, byTwins).far).toBeLessThan(0.05);
    // and by the renderer that others are compared with, which takes four samples; edges have them elsewhere in their pixels
    const forward = await draw('forward.png', ...twins, '--renderer', 'forward');
    const four = await draw('four.png', ...byVisibility(4));
    expect(comparePictures(four, forward).mean).toBeLessThan(3.5);
    const beside = comparePictures(single, forward, (pixel) => isWithin(forward, pixel));
    console.log('within surfaces, by twins:', within, 'by the forward renderer:', beside);
    expect(beside.mean).toBeLessThan(0.5);
    expect(beside.far).toBeLessThan(0.02);

    // another battle, seen from elsewhere: straight down
    const other = path.join(folder, 'other.png');
    const elsewhere = ['--seed', '8', '--camera', '0,6,0/0,0,0/60', '--renderer', 'forward', ...twins];
    await answer(['render', ...small, ...elsewhere, '--out', other]);
    const fromAbove = await decode(other);
    expectSoldiers(fromAbove);
    expect(comparePictures(gpu, fromAbove).share).toBeGreaterThan(0.5);
  });

  testInTurn(2)('draws debug views, each by the name that its help gives', async () => {
    const { stdout } = await maniple(['render', '--help']);
    const [, choices] = /\(choices: ([^)]*)\)/.exec(stdout.slice(stdout.indexOf('--output')).replace(/\s+/g, ' '))!;
    const outputs = Array.from(choices!.matchAll(/"(\w+)"/g), ([, name]) => name!);
    expect(outputs).toEqual(expect.arrayContaining(['color', 'depth', 'ids', 'velocity', 'lod', 'joints', 'overdraw']));
    const pictures: RgbaImage[] = [];
    for (const output of full ? ['joints', 'velocity', 'lod'] : ['joints']) {
      const out = path.join(folder, `${output}.png`);
      await answer(['render', baked, ...small, ...twins, '--output', output, '--out', out]);
      pictures.push(await decode(out));
    }
    const [joints, velocity, lod] = pictures as [RgbaImage, RgbaImage | undefined, RgbaImage | undefined];
    // soldiers at the finest level are green, and some of them have bones of all colours
    if (lod) expect(colorShare(lod, (r, g, b) => g > 1.5 * r && g > 1.5 * b)).toBeGreaterThan(0.02);
    const isVivid = (r: number, g: number, b: number) => Math.max(r, g, b) > 2 * Math.min(r, g, b) + 40;
    expect(colorShare(joints, isVivid)).toBeGreaterThan(0.002);
    if (!velocity) return; // sequence.gpu.test.ts draws some in short runs
    expect(colorShare(velocity, isVivid)).toBeGreaterThan(0.002);
    expect(comparePictures(velocity, joints).share).toBeGreaterThan(0.3);
  });

  test('draws the files that it is given to out/<name>.png, baked ones too, and says so in words', async () => {
    const args = [
      'render',
      path.join(root, legionary),
      baked,
      '--count',
      '4',
      '--size',
      '96x64',
      '--renderer',
      'forward',
      ...twins,
    ];
    const run = await maniple(args, { cwd: folder });
    expect(run).toMatchObject({ code: 0, stderr: '' }); // no progress where nobody looks
    expect(run.stdout).toMatch(/^out\/legionary\.png: 4 characters on \w/);
    const image = await decode(path.join(folder, 'out/legionary.png'));
    expect([image.width, image.height]).toEqual([96, 64]);
    expectSoldiers(image);
  });

  test('refuses what it cannot do with a coded error, and writes nothing', async () => {
    const out = path.join(folder, 'never.png');
    const [clip] = await refusal(['render', baked, '--clip', 'no such clip', '--size', '16x16', '--out', out]);
    expect(clip).toMatchObject({ code: 'CLIP_NOT_FOUND', path: 'no such clip' });
    expect(existsSync(out)).toBe(false);
  });

  test('says where it could not write', async () => {
    const out = path.join(root, 'package.json', 'battle.png');
    const [unwritable] = await refusal(['render', baked, '--count', '1', '--size', '16x16', '--out', out]);
    expect(unwritable!.code).toMatch(/^FILE_/);
    expect(JSON.stringify(unwritable)).toContain(out);
  });
});

describe.skipIf(noGpu())('pose on the GPU', () => {
  testInTurn(2)('answers what the CPU answers', async () => {
    interface Pose {
      readonly joints: readonly { worldFromJoint: number[] }[];
      readonly meshes: readonly { positions: number[] }[];
    }
    const moment = ['--clip', 'attack_1', '--time', '0.41'];
    const gpu = await answer<Pose>(['pose', baked, ...moment]); // the default
    const cpu = await answer<Pose>(['pose', baked, ...moment, '--backend', 'cpu']);
    expect(gpu).toMatchObject({ backend: 'gpu' });
    const numbers = ({ joints, meshes }: Pose) => [
      ...joints.flatMap(({ worldFromJoint }) => worldFromJoint),
      ...meshes.flatMap(({ positions }) => positions),
    ];
    const expected = numbers(cpu);
    const worst = numbers(gpu).reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i]!)), 0);
    expect(worst).toBeLessThan(3e-5); // metres, of a character 3 m across
  });
});

describe('doctor', () => {
  interface Report {
    readonly features: readonly { name: string; use: string; state: string }[];
    readonly limits: readonly { name: string; needed: number; device: number | null; enough: boolean }[];
    readonly variants: Record<string, string>;
    readonly tuning: { readonly from: string; readonly meshes: readonly unknown[] };
    readonly environment: Record<string, string>;
    readonly advice: readonly string[];
  }

  test.skipIf(noGpu())('describes the adapter, its limits and the kernels that run on it', async () => {
    const report = await answer<Report>(['doctor']);
    expect(report).toMatchObject({
      ok: true,
      kind: expect.toBeOneOf(['hardware', 'software']),
      adapter: expect.objectContaining({ vendor: expect.any(String), description: expect.any(String) }),
      issues: [],
    });
    expect(report.features.map(({ name }) => name)).toContain('timestamp-query');
    const binding = report.limits.find(({ name }) => name === 'maxStorageBufferBindingSize')!;
    expect(binding).toMatchObject({ needed: 2 ** 27, enough: true });
    expect(binding.device).toBeGreaterThanOrEqual(2 ** 27);
    expect(Object.keys(report.variants)).toEqual(['workgroups', 'pose-joints', 'skin-vertices']);
    expect(report.tuning.from).toMatch(/maniple$/);
    expect(report.environment).toMatchObject({
      node: process.version,
      maniple: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });

    const text = await maniple(['doctor']);
    expect(text).toMatchObject({ code: 0, stderr: '' });
    expect(text.stdout).toMatch(/^Adapter$.*^Limits$.*^Result\n {2}Maniple runs here\.$/ms);
  });

  test('says what to do where nothing runs', async () => {
    const none = await answer<Report>(['doctor'], { code: 1, env: { MANIPLE_GPU: 'null' } });
    expect(none).toMatchObject({ ok: false, kind: 'null' });
    expect(none.advice.join()).toMatch(/MANIPLE_GPU/);
    const wrong = await answer<Report>(['doctor'], { code: 2, env: { MANIPLE_GPU: 'warp' } });
    expect(wrong).toMatchObject({ ok: false, kind: 'none', issues: [{ code: 'USAGE', path: 'MANIPLE_GPU' }] });
    expect(wrong.advice.join()).toMatch(/hardware, software/);
  });
});

// The null device validates and runs nothing: what comes back is no pose and no picture.
describe('the null device', () => {
  test.each([
    ['pose', ['pose', legionary]],
    ['render', ['render', '--count', '1', '--size', '16x16', '--out', path.join(folder, 'null.png')]],
  ])('does not pass for a GPU: %s', async (_, args) => {
    const [first] = await refusal(args, { env: { MANIPLE_GPU: 'null' } });
    expect(first!.code).toBe('DEVICE_UNAVAILABLE');
    expect(existsSync(path.join(folder, 'null.png'))).toBe(false);
  });
});
