// Help, bad usage and failures of every subcommand. Each process takes a tenth of a second and more, so a test looks at all of one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  cameraView,
  characterCount,
  extent,
  fileName,
  finite,
  frameCount,
  framesPerSecond,
  nonNegative,
  pictureSize,
  positive,
  sampleCount,
  seconds,
  shardOf,
  someName,
  videoFile,
  wholeNumber,
} from '../../src/cli/options.ts';
import { GltfBuilder } from '../import/build-gltf.ts';
import { answer, commandLine, editGlb, legionary, maniple, refusal, root } from './maniple.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { hasTurn } from '../support/setup.ts';

const OPTIONS = {
  render: [
    '--count',
    '--out',
    '--frames',
    '--fps',
    '--shard',
    '--resume',
    '--video',
    '--orbit',
    '--size',
    '--camera',
    '--output',
    '--renderer',
    '--samples',
    '--clip',
    '--controller',
    '--clips',
    '--unity-project',
    '--backend',
    '--seed',
    '--error-budget',
    '--bvh-unit',
    '--fbx-unit',
    '--lods',
    '--json',
  ],
  encode: ['--out', '--frames', '--fps', '--json'],
  inspect: ['--error-budget', '--bvh-unit', '--fbx-unit', '--vertex-format', '--lods', '--joints', '--plot', '--json'],
  pose: ['--clip', '--time', '--backend', '--error-budget', '--bvh-unit', '--fbx-unit', '--out', '--json'],
  simulate: [
    '--script',
    '--character',
    '--clips',
    '--unity-project',
    '--out',
    '--plot',
    '--backend',
    '--error-budget',
    '--json',
  ],
  graph: ['--out', '--clips', '--unity-project', '--json'],
  convert: ['--out', '--clips', '--unity-project', '--json'],
  bake: [
    '--out',
    '--clips',
    '--first',
    '--humanoid',
    '--mirror',
    '--error-budget',
    '--bvh-unit',
    '--fbx-unit',
    '--vertex-format',
    '--lods',
    '--json',
  ],
  retarget: ['--clips', '--out', '--plot', '--humanoid', '--mirror', '--bvh-unit', '--fbx-unit', '--json'],
  replay: ['--stage', '--backend', '--json'],
  doctor: ['--json'],
};

/** Packing takes less time where it need not look for how little will do. */
const QUICKLY = ['--error-budget', '0'];

/** Subcommands that answer with a file. */
const NEEDS_OUT = new Set(['bake', 'retarget', 'graph', 'convert', 'encode']);

describe.runIf(hasTurn(2))('help', () => {
  test('of the program names every subcommand, and --version the version', async () => {
    const { code, stdout, stderr } = await maniple(['--help']);
    expect([code, stderr]).toEqual([0, '']);
    for (const name of Object.keys(OPTIONS)) expect(stdout).toMatch(new RegExp(`^  ${name} .*\\w`, 'm'));
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
    expect(await maniple(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  test.concurrent.each(Object.entries(OPTIONS))('of %s explains every option', async (name, options) => {
    const { code, stdout, stderr } = await maniple([name, '--help']);
    expect([code, stderr]).toEqual([0, '']);
    const described = [...stdout.matchAll(/^  (?:-\w, )?(--[\w-]+)(?: <[^>]+>)?\s+\w/gm)].map(([, option]) => option);
    expect(new Set(described)).toEqual(new Set([...options, '--help']));
  });
});

describe.runIf(hasTurn(2))('values of options', () => {
  test.each<[(text: string) => unknown, string, unknown]>([
    [finite, '-0.5', -0.5],
    [finite, '1e-3', 0.001],
    [nonNegative, '0', 0],
    [wholeNumber, '0', 0],
    [positive, '12', 12],
    [framesPerSecond, '240', 240],
    [characterCount, '16777216', 2 ** 24],
    [frameCount, '1e6', 1e6],
    [sampleCount, '64', 64],
    [seconds, '-1e9', -1e9],
    [extent, '-1e6', -1e6],
    [fileName, '.glb', '.glb'],
    [fileName, '../a b', '../a b'],
    [someName, '0', '0'],
    [shardOf, '4/4', { index: 4, count: 4 }],
    [videoFile, 'out/a.webm', 'out/a.webm'],
    [pictureSize, '8192x1', { width: 8192, height: 1 }],
    [cameraView, '1,2,3/0,-1,0', { eye: [1, 2, 3], target: [0, -1, 0], fovY: Math.PI / 4 }],
    [cameraView, '1,2,3/0,0.5,0/90', { eye: [1, 2, 3], target: [0, 0.5, 0], fovY: Math.PI / 2 }],
  ])('%o takes %s', (parse, text, value) => expect(parse(text)).toEqual(value));

  test.each<[(text: string) => unknown, string[]]>([
    [finite, ['', ' ', 'abc', 'NaN', 'Infinity', '1,5', '1s']],
    [nonNegative, ['', '-1', 'NaN', '1e999']],
    [wholeNumber, ['', '-1', '1.5', '1e99', 'x']],
    [positive, ['0', '-3', '2.5']],
    [framesPerSecond, ['', '0', '29.97', '241']],
    [characterCount, ['', '0', '1e9', '16777217']],
    [frameCount, ['', '0', '1e15']],
    [sampleCount, ['', '0', '65']],
    [seconds, ['', '1e300', '-1e10']],
    [extent, ['', '1e7', '-1e7']],
    [fileName, ['', ' ', '.', '..', '/', 'out/', 'out/..']],
    [someName, ['', ' ']],
    [shardOf, ['', '1', '0/4', '5/4', '1/0', '-1/4', '1/4/4', '1.5/4', 'a/b', '1/99999999999999999']],
    [videoFile, ['', '.webm', 'a.mp4', 'a', 'out/.webm']],
    [pictureSize, ['', '640', '0x480', '640x0', '8193x1', '-1x5', '640x480x2', '640 x 480', '1.5x2']],
    [cameraView, ['', '1,2,3', '1,2/0,0,0', '1,2,3/0,0,NaN', '1,2,3/0,0,0/180', '1,2,3/0,0,0/45/1', '1,2,3/1,2,3']],
  ])('%o refuses %j', (parse, texts) => {
    for (const text of texts) expect(() => parse(text), text).toThrow(/^It has to be |^Eye and target are/);
  });
});

describe.runIf(hasTurn(2))('bad usage ends with 2 and says what is wrong', () => {
  test.concurrent.each<[string, string[], RegExp]>([
    ['an unknown subcommand', ['pos'], /pos.*pose/s],
    ['an unknown option', ['render', '--cuont', '5'], /--cuont.*--count/s],
    ['an option of another subcommand', ['inspect', legionary, '--clip', 'walk'], /--clip/],
    ['no file', ['pose'], /file/],
    ['bake without --out', ['bake', legionary], /--out/],
    ['simulate without --script', ['simulate', 'x.json'], /--script/],
    ['graph without --out', ['graph', 'x.json'], /--out/],
    ['convert to something else', ['convert', 'x.controller', '--out', 'x.yaml'], /\.json/],
    ['--time NaN', ['pose', legionary, '--time', 'NaN'], /--time.*NaN.*number/],
    [
      'clips and times that do not pair up',
      ['pose', legionary, ...'--clip 0 --clip 1 --time 0 --time 1 --time 2'.split(' ')],
      /2 clips and 3 times/,
    ],
    ['--backend vulkan', ['pose', legionary, '--backend', 'vulkan'], /--backend.*vulkan.*gpu, cpu/],
    ['--error-budget -1', ['bake', legionary, '--out', 'x', '--error-budget', '-1'], /--error-budget.*-1.*0 or more/],
    ['--lods 8', ['bake', legionary, '--out', 'x', '--lods', '8'], /--lods.*8.*7 at most/],
    ['--count 0', ['render', '--count', '0'], /--count.*0.*1 or more/],
    ['--frames 0', ['render', '--frames', '0'], /--frames.*0.*1 or more/],
    ['a shard of one picture', ['render', '--shard', '1/2'], /sequences/],
    ['a video of a shard', 'render --frames 4 --shard 1/2 --video a.webm'.split(' '), /needs all frames/],
    ['a picture to be resumed', ['render', '--resume'], /sequences/],
    ['a video to be resumed', 'render --frames 4 --resume --video a.webm'.split(' '), /needs all frames/],
    ['a video of another kind', ['render', '--frames', '4', '--video', 'a.mp4'], /--video.*\.webm/],
    ['a clip of the battle', ['render', '--clip', 'walk'], /has its own/],
    ['a controller of the battle', ['render', '--controller', 'x.json'], /has its own/],
    ['two things that say what plays', ['render', legionary, '--clip', '0', '--controller', 'x.json'], /--controller/],
    ['clips without a controller', ['render', legionary, '--clips', 'x.json'], /of a controller/],
    ['a project without a controller', ['render', legionary, '--unity-project', '.'], /of a controller/],
    ['encode without a pattern', ['encode', 'out/0001.png', '--out', 'a.webm'], /no number/],
    ['--output heat', ['render', '--output', 'heat'], /--output.*heat.*color, depth, normals, ids, velocity, lod/],
    ['--count 1e9', ['render', '--count', '1e9'], /--count.*1e9.*16777216 at most/],
    ['--samples 65', ['render', '--samples', '65'], /--samples.*65.*64 at most/],
    ['--frames 1e15', ['render', '--frames', '1e15'], /--frames.*1000000 at most/],
    ['--orbit 1e300', ['render', '--orbit', '1e300'], /--orbit.*1000000 at most/],
    ['--seed 1e15', ['render', '--seed', '1e15'], /--seed.*4294967295 at most/],
    ['--camera far away', ['render', '--camera', '1e9,0,0/0,0,0'], /--camera.*1000000 at most/],
    ['--error-budget 1e300', ['bake', legionary, '--out', 'x', '--error-budget', '1e300'], /--error-budget.*at most/],
    ['--time 1e300', ['pose', legionary, '--time', '1e300'], /--time.*at most/],
    ['--size 9000x480', ['render', '--size', '9000x480'], /--size.*9000x480.*1 to 8192/],
  ])('%s', async (_, args, message) => {
    const errors = await refusal(args, { code: 2 });
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'USAGE',
        message: expect.stringMatching(message),
        suggestion: expect.any(String),
      }),
    ]);
  });

  test.concurrent.each([
    ...['render', 'bake', 'convert', 'graph', 'pose', 'simulate', 'encode'].map((name) => [name, '--out']),
    ...['--video', '--clip', '--controller', '--clips', '--size', '--count', '--camera'].map((name) => [
      'render',
      name,
    ]),
    ['inspect', '--plot'],
    ['pose', '--clip'],
    ['pose', '--time'],
    ['convert', '--clips'],
    ['graph', '--clips'],
    ['graph', '--unity-project'],
    ['replay', '--stage'],
    ...['--script', '--character', '--plot'].map((name) => ['simulate', name]),
  ])('%s with an empty %s', async (name, option) => {
    const script = name === 'simulate' && option !== '--script' ? ['--script', 'x.json'] : [];
    const out = NEEDS_OUT.has(name!) && option !== '--out' ? ['--out', 'x.json'] : [];
    const [first] = await refusal([name!, 'none.json', ...script, ...out, `${option}=`], { code: 2 });
    expect(first).toMatchObject({ code: 'USAGE', message: expect.stringMatching(`${option} .*''.*It has to be`) });
  });

  test.each(Object.keys(OPTIONS).filter((name) => name !== 'doctor'))('%s of a file without a name', async (name) => {
    const out = NEEDS_OUT.has(name) ? ['--out', 'x.webm'] : [];
    const [first] = await refusal([name, '', ...out, ...(name === 'simulate' ? ['--script', 'x.json'] : [])], {
      code: 2,
    });
    expect(first).toMatchObject({ code: 'USAGE' });
  });

  test('in a message that quotes little of a long value', async () => {
    const long = 'x'.repeat(10_000);
    for (const args of [['--count', long], [`--count=${long}`], [`--${long}`], [`--out=${long}/`]]) {
      const [first] = await refusal(['render', ...args], { code: 2 });
      expect(first!.message).toMatch(/x{70}/);
      expect(first!.message.length).toBeLessThan(300);
    }
  });

  test('no subcommand, but --json', async () => {
    const [first] = await refusal([], { code: 2 });
    expect(first).toMatchObject({ code: 'USAGE', suggestion: expect.stringMatching(/^Usage: maniple .*--help/) });
    for (const name of Object.keys(OPTIONS)) expect(first!.message).toContain(name);
    const [second] = await refusal(['--json', 'inspect', 'none.glb']); // it may stand first
    expect(second).toMatchObject({ code: 'FILE_NOT_FOUND', suggestion: expect.stringMatching(/path/) });
  });

  test('on stderr, and only there, without --json', async () => {
    const wrong = await maniple(['render', '--size', '640']);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toMatch(/--size.*640/);
    const nothing = await maniple([]);
    expect(nothing).toMatchObject({ code: 2, stdout: '' });
    expect(nothing.stderr).toMatch(/Usage: maniple/);
  });
});

describe.runIf(hasTurn(2))('failures end with 1 and a coded error', () => {
  const folder = temporaryFolder();
  const file = (name: string) => path.join(folder, name);

  beforeAll(() => {
    const glb = readFileSync(path.join(root, legionary));
    mkdirSync(file('folder.glb'));
    writeFileSync(file('text.glb'), 'not a model, whatever its name says');
    writeFileSync(file('empty.glb'), '');
    writeFileSync(file('cut.glb'), glb.subarray(0, 20_000));
    writeFileSync(file('other.json'), '{"clips": []}');
    const scaled = Array.from({ length: 6 }, (_, i) => ({ scale: [1e15, 1e15, 1e15], children: [i + 1] }));
    const nested = new GltfBuilder();
    nested.nodes.push(...scaled);
    nested.meshNode([nested.triangle()]);
    writeFileSync(file('nested.glb'), nested.glb());
    writeFileSync(file('open.gltf'), '{"asset": {"version": "2.0"');
    writeFileSync(file('steps.json'), '[{"dt": 0.1}]');
    writeFileSync(
      file('cut.controller'),
      '%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!91 &1\nAnimatorController:',
    );
    writeFileSync(file('clip.json'), '{"format": "maniple-clip", "version": 1}');
    writeFileSync(
      file('twice.glb'),
      editGlb(glb, ({ animations }) => (animations[6]!.name = animations[5]!.name!)),
    );
  });

  test.concurrent.each<[string, string, string]>([
    ['pose', 'none.glb', 'FILE_NOT_FOUND'],
    ['render', 'none.glb', 'FILE_NOT_FOUND'],
    ['inspect', 'folder.glb', 'FILE_UNREADABLE'],
    ['inspect', 'text.glb', 'FILE_NOT_A_MODEL'],
    ['inspect', 'empty.glb', 'FILE_NOT_A_MODEL'],
    ['inspect', 'cut.glb', 'FILE_TRUNCATED'],
    ['inspect', 'other.json', 'GLTF_INVALID'],
    ['bake', 'open.gltf', 'FILE_TRUNCATED'],
    ['pose', 'nested.glb', 'GLTF_INVALID'],
    ['bake', 'nested.glb', 'GLTF_INVALID'],
    ['simulate', 'none.json', 'FILE_NOT_FOUND'],
    ['simulate', 'text.glb', 'CONTROLLER_INVALID'],
    ['simulate', 'other.json', 'CONTROLLER_INVALID'],
    ['graph', 'cut.controller', 'UNITY_INVALID'],
    ['graph', 'clip.json', 'CONTROLLER_INVALID'],
    ['convert', 'empty.glb', 'CONTROLLER_INVALID'],
    ['convert', 'folder.glb', 'FILE_UNREADABLE'],
    ['encode', 'none-%d.png', 'FILE_NOT_FOUND'],
    ['replay', 'none.glb', 'FILE_NOT_FOUND'],
    ['replay', 'text.glb', 'CAPTURE_INVALID'],
  ])('%s %s: %s', async (command, name, code) => {
    const never = file(command === 'encode' ? 'never.webm' : 'never.json');
    const out = NEEDS_OUT.has(command) ? ['--out', never] : [];
    const script = command === 'simulate' ? ['--script', file('steps.json'), '--backend', 'cpu'] : [];
    const errors = await refusal([command, file(name), ...out, ...script]);
    expect(errors[0]).toMatchObject({ code, severity: 'error', path: expect.stringContaining(name) });
    expect(existsSync(never)).toBe(false);
  });

  test('on stderr, and only there, without --json', async () => {
    const run = await maniple(['inspect', file('none.glb')]);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toMatch(/^FILE_NOT_FOUND.*none\.glb.*\n$/);
  });

  test('names the file, of several', async () => {
    const [first] = await refusal(['render', legionary, file('cut.glb'), '--out', file('never.png'), ...QUICKLY]);
    expect(first!.path).toBe(file('cut.glb'));
    expect(existsSync(file('never.png'))).toBe(false);
  });

  test('an unknown clip, with a list of those that there are', async () => {
    for (const clip of ['Walk', '14']) {
      const [first] = await refusal(['pose', legionary, `--clip=${clip}`, '--backend', 'cpu']);
      expect(first).toMatchObject({ code: 'CLIP_NOT_FOUND' });
      expect(`${first!.message} ${first!.suggestion}`).toMatch(/"idle".*"walk".*"fall"/);
    }
  });

  test('a clip name that two clips share; their indices work', async () => {
    const [first] = await refusal(['pose', file('twice.glb'), '--clip', 'walk', '--backend', 'cpu']);
    expect(first).toMatchObject({ code: 'CLIP_AMBIGUOUS' });
    expect(`${first!.message} ${first!.suggestion}`).toMatch(/\b5, 6\b/);
    const pose = await answer(['pose', file('twice.glb'), '--clip', '6', '--time', '0.1', '--backend', 'cpu']);
    const run = await answer(['pose', legionary, '--clip', 'run', '--time', '0.1', '--backend', 'cpu']);
    expect(pose).toEqual({ ...run, file: file('twice.glb'), clip: 'walk' });
  });

  // As root everything is writable, but nobody can write below a file, or over a folder.
  test.each([
    ['below a file', ['bake', legionary, ...QUICKLY], path.join(root, 'package.json', 'x')],
    ['over a folder', ['pose', legionary, '--backend', 'cpu'], file('folder.glb')],
  ])('a place that cannot be written: %s', async (_, args, out) => {
    const [first] = await refusal([...args, '--out', out]);
    expect(first!.code).toMatch(/^FILE_/);
    expect(JSON.stringify(first)).toContain(out);
  });

  test.skipIf(!existsSync('/dev/full'))('an answer that does not fit where it goes', async () => {
    const full = openSync('/dev/full', 'w');
    const args = ['pose', legionary, '--backend', 'cpu', '--json'];
    const child = spawn(process.execPath, commandLine(args), { cwd: root, stdio: ['ignore', full, 'ignore'] });
    const [code] = (await once(child, 'exit')) as [number];
    closeSync(full);
    expect(code).toBe(1); // a half-written answer is none
  });
});
