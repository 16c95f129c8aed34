// Files of Unity that refer to each other by guid: `.meta` files beside a controller, and `--unity-project`.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ControllerModel } from '../../src/controller/model.ts';
import { unity } from '../import/unity-yaml.ts';
import { PROJECT_LIMITS, UnityProject } from '../../src/cli/unity-project.ts';
import { answer, type Refusal, refusal } from './maniple.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const out = path.join(folder, 'out.json');

/** Guids by letter. */
const guid = (letter: string): string => letter.repeat(32);
const at = (letter: string, fileID: number | string = 7400000): string =>
  `{fileID: ${fileID}, guid: ${guid(letter)}, type: 2}`;

const write = (name: string, text: string): string => {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};
const meta = (name: string, letter: string, more = ''): string =>
  write(`${name}.meta`, `fileFormatVersion: 2\nguid: ${guid(letter)}\n${more}`);
/** An asset and its `.meta` file. */
const asset = (name: string, letter: string, text: string): void => {
  write(name, text);
  meta(name, letter);
};

const clip = (name: string, more = ''): string =>
  unity.text(
    unity
      .clip({
        curves: { m_PositionCurves: [unity.curve([{ time: 0, value: [1, 2, 3] }], 'path: Hips')] },
        settings: `m_StartTime: 0\nm_StopTime: 2${more}`,
      })
      .replace('Made', name),
  );
const mask = unity.text(
  unity.object(319, 31900000, 'AvatarMask', 'm_Name: Upper\nm_Elements:\n- m_Path: Hips\n  m_Weight: 1'),
);
const controller = (motions: readonly string[]): string =>
  unity.text(
    unity.controller([{ name: 'Base', machine: 1, more: `m_Mask: ${at('e', 31900000)}` }]),
    unity.machine(1, 'M', { states: motions.map((_, i) => 10 + i), start: 10 }),
    ...motions.map((motion, i) => unity.state(10 + i, `S${i}`, { motion })),
  );

async function convert(file: string, ...more: string[]) {
  const { issues } = await answer<{ issues: Refusal[] }>(['convert', file, '--out', out, ...more]);
  const model = JSON.parse(readFileSync(out, 'utf8')) as ControllerModel;
  const motions = Object.values(model.layers[0]!.machine!.states).map(({ motion }) => motion);
  return { issues, model, motions };
}
const codes = (issues: readonly Refusal[]): string[] => issues.map(({ severity, code }) => `${severity} ${code}`);

const TABLE = 'ModelImporter:\n  internalIDToNameTable:\n  - first:\n      74: -5\n    second: Run\n';
const MOTIONS = [at('a'), at('b', -5), at('b', -6)];

describe('a project', () => {
  const file = write('Game/Assets/Controllers/Hero.controller', controller(MOTIONS));
  asset('Game/Assets/Clips/Deep/Walk.anim', 'a', clip('Walk'));
  meta('Game/Assets/Models/Hero.fbx', 'b', TABLE);
  asset('Game/Assets/Masks/Upper.mask', 'e', mask);
  const project = ['--unity-project', path.join(folder, 'Game/Assets/')];

  test('gives names for guids, and finds clips and masks', async () => {
    const { issues, model, motions } = await convert(file, ...project);
    expect(motions).toEqual(['Walk', 'Run', 'Hero:-6']);
    expect(model.layers[0]!.mask).toEqual({ Hips: 1 });
    expect(model.clips).toEqual({ Walk: expect.objectContaining({ length: 2 }) });
    expect(issues).toEqual([]);
    expect((await convert(file, '--unity-project', path.join(folder, 'Game'))).motions).toEqual(motions);
  });

  test('gives way to the map', async () => {
    const map = write('map.json', JSON.stringify({ [guid('a')]: 'Game/Other.anim' }));
    write('Game/Other.anim', clip('Stroll'));
    expect((await convert(file, ...project, '--clips', map)).motions[0]).toBe('Stroll');
  });

  test('that is not named leaves guids, and says what to do', async () => {
    const { issues, motions } = await convert(file);
    expect(motions[0]).toBe(`${guid('a')}:7400000`);
    expect(codes(issues)).toEqual(['warning UNITY_DANGLING', 'info UNITY_DANGLING']);
    expect(issues[1]).toMatchObject({
      message: expect.stringMatching(/^Clips without a name: 3\./),
      suggestion: expect.stringContaining('--unity-project'),
    });
  });

  test('finds the controller that an override changes', async () => {
    asset('Game/Assets/Controllers/Base.controller', 'c', controller(MOTIONS.slice(0, 1)));
    asset('Game/Assets/Clips/Limp.anim', 'd', clip('Limp'));
    const clips = `m_Clips:\n- m_OriginalClip: ${at('a')}\n  m_OverrideClip: ${at('d')}`;
    const fields = `m_Name: O\nm_Controller: ${at('c', 9100000)}\n${clips}`;
    const override = write(
      'Game/Assets/Hurt.overrideController',
      unity.text(unity.object(221, 1, 'AnimatorOverrideController', fields)),
    );
    expect(await convert(override, ...project)).toMatchObject({ motions: ['Limp'], issues: [] });
    const [issue] = await refusal(['convert', override, '--out', out]);
    expect(issue).toMatchObject({ code: 'UNITY_DANGLING', suggestion: expect.stringContaining('--unity-project') });
  });

  test('has to be a folder', async () => {
    for (const [name, code] of [
      ['Nowhere', 'FILE_NOT_FOUND'],
      ['map.json', 'FILE_UNREADABLE'],
    ] as const) {
      write('map.json', '{}');
      const [issue] = await refusal(['convert', file, '--out', out, '--unity-project', path.join(folder, name)]);
      expect(issue).toMatchObject({ code, path: path.join(folder, name) });
    }
  });
});

describe('beside a controller', () => {
  test('.meta files are used without being asked for', async () => {
    const file = write('beside/Hero.controller', controller([at('a'), at('f')]));
    asset('beside/Walk.anim', 'a', clip('Walk'));
    asset('beside/Upper.mask', 'e', mask);
    asset('beside/deeper/Run.anim', 'f', clip('Run'));
    const { motions, issues } = await convert(file);
    expect(motions).toEqual(['Walk', `${guid('f')}:7400000`]);
    expect(issues.map(({ message }) => message)).toEqual([expect.stringMatching(/^Clips without a name: 1\./)]);
  });

  test('clips of one name get names of their own', async () => {
    const file = write('twins/Hero.controller', controller([at('a', 1), at('b', 1), at('d')]));
    const named = 'ModelImporter:\n  animations:\n    clipAnimations:\n    - name: mixamo.com\n      internalID: 1\n';
    for (const letter of ['a', 'b']) meta(`twins/${letter}.fbx`, letter, named);
    asset('twins/Walk.anim', 'd', clip('mixamo.com'));
    asset('twins/Upper.mask', 'e', mask);
    expect((await convert(file)).motions).toEqual(['mixamo.com', 'mixamo.com 2', 'mixamo.com 3']);
  });

  test('a clip that cannot be read is a warning, and known by its name', async () => {
    const file = write('broken/Hero.controller', controller([at('a'), at('b'), at('c')]));
    asset('broken/Walk.anim', 'a', 'version https://git-lfs.github.com/spec/v1\n');
    asset('broken/Run.anim', 'b', clip('Run').replace('&7400000', '&7400002'));
    meta('broken/Gone.anim', 'c');
    asset('broken/Upper.mask', 'e', mask);
    const { motions, issues } = await convert(file);
    expect(motions).toEqual(['Walk', 'Run', 'Gone']);
    expect(codes(issues)).toEqual(['warning UNITY_INVALID', 'warning UNITY_DANGLING', 'warning FILE_NOT_FOUND']);
    expect(issues[0]!.path).toBe(`${path.join(folder, 'broken/Walk.anim')}:line 1`);
  });

  test('the clip of a reference pose is found, too', async () => {
    const file = write('pose/Hero.controller', controller([at('a')]));
    const pose = `\nm_HasAdditiveReferencePose: 1\nm_AdditiveReferencePoseClip: ${at('b')}`;
    asset('pose/Lean.anim', 'a', clip('Lean', pose));
    asset('pose/Stand.anim', 'b', clip('Stand'));
    asset('pose/Upper.mask', 'e', mask);
    const { model } = await convert(file);
    const { clip: reference } = model.clips!.Lean!.reference!;
    expect(model.clips![reference]).toMatchObject({ length: 2 });
  });

  test('two files of one guid are a warning', async () => {
    const file = write('double/Hero.controller', controller([at('a')]));
    asset('double/A.anim', 'a', clip('A'));
    asset('double/B.anim', 'a', clip('B'));
    asset('double/Upper.mask', 'e', mask);
    const { motions, issues } = await convert(file);
    expect(motions).toEqual(['A']);
    expect(issues).toMatchObject([
      { code: 'UNITY_INVALID', severity: 'warning', message: expect.stringContaining('B.anim') },
    ]);
  });
});

test.skipIf(process.platform === 'win32')('links are not followed', async () => {
  asset('outside/Walk.anim', 'a', clip('Walk'));
  const file = write('linked/Assets/Hero.controller', controller([at('a')]));
  asset('linked/Assets/Upper.mask', 'e', mask);
  // a folder; a clip with a .meta file of its own; a .meta file
  symlinkSync(path.join(folder, 'outside'), path.join(folder, 'linked/Assets/Folder'));
  for (const name of ['Clip', 'Meta']) mkdirSync(path.join(folder, 'linked/Assets', name));
  symlinkSync(path.join(folder, 'outside/Walk.anim'), path.join(folder, 'linked/Assets/Clip/Walk.anim'));
  meta('linked/Assets/Clip/Walk.anim', 'a');
  write('linked/Assets/Meta/Walk.anim', clip('Walk'));
  symlinkSync(path.join(folder, 'outside/Walk.anim.meta'), path.join(folder, 'linked/Assets/Meta/Walk.anim.meta'));
  const { motions } = await convert(file, '--unity-project', path.join(folder, 'linked/Assets'));
  expect(motions).toEqual([`${guid('a')}:7400000`]);
});

test('hidden and generated folders are left out', async () => {
  const file = write('whole/Assets/Hero.controller', controller([at('a'), at('b'), at('c'), at('d')]));
  asset('whole/Assets/Upper.mask', 'e', mask);
  asset('whole/Assets/.hidden/A.anim', 'a', clip('A'));
  asset('whole/Assets/Samples~/B.anim', 'b', clip('B'));
  asset('whole/Library/C.anim', 'c', clip('C'));
  asset('whole/Assets/Library/D.anim', 'd', clip('D'));
  const { motions } = await convert(file, '--unity-project', path.join(folder, 'whole'));
  expect(motions).toEqual([...['a', 'b', 'c'].map((letter) => `${guid(letter)}:7400000`), 'D']);
});

describe('a project is bounded', () => {
  asset('bounded/Assets/A/B/Walk.anim', 'a', clip('Walk'));
  asset('bounded/Assets/A/Run.anim', 'b', clip('Run'));
  const open = (limits: Partial<typeof PROJECT_LIMITS>) =>
    UnityProject.open(path.join(folder, 'bounded'), true, { ...PROJECT_LIMITS, ...limits });

  test.each([
    ['entries', 7, 6],
    ['depth', 3, 2],
    ['bytes', 120, 100],
  ] as const)('in %s', async (limit, enough, tooFew) => {
    await open({ [limit]: enough });
    await expect(open({ [limit]: tooFew })).rejects.toMatchObject({
      issues: [
        { code: 'UNITY_LIMIT', path: path.join(folder, 'bounded'), message: expect.stringContaining(`${tooFew}`) },
      ],
    });
  });

  test('in what is read of one .meta file: its start to find the guid, 4 MiB for names', async () => {
    const file = write('large/Assets/Large.fbx', '');
    write(
      'large/Assets/Large.fbx.meta',
      `fileFormatVersion: 2\nguid: ${guid('a')}\nuserData: ${'x'.repeat(2 ** 22)}\n`,
    );
    const large = path.join(folder, 'large');
    const bytes = 512 + 2 ** 22;
    const project = await UnityProject.open(large, true, { ...PROJECT_LIMITS, bytes });
    expect((await project.asset(guid('a')))!.file).toBe(file);
    const small = await UnityProject.open(large, true, { ...PROJECT_LIMITS, bytes: 512 });
    await expect(small.asset(guid('a'))).rejects.toMatchObject({ code: 'UNITY_LIMIT' });
  });

  test('over all that is read of it', async () => {
    const project = await open({ bytes: 300 });
    const { file } = (await project.asset(guid('a')))!;
    await expect(project.readText(file)).rejects.toMatchObject({ code: 'UNITY_LIMIT' });
  });
});
