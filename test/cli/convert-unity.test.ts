// `maniple convert` on files of Unity in other encodings, with broken masks, and on files that are none.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { unity } from '../import/unity-yaml.ts';
import { answer, maniple, type Refusal, refusal } from './maniple.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const write = (name: string, text: string | Buffer): string => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};
const out = path.join(folder, 'out.json');

const layers = ['Arms', 'Legs'].map((name, i) => ({
  name,
  machine: 1,
  more: `m_Mask: {fileID: 101100000, guid: aaa${i}, type: 2}`,
}));
const controller = unity.text(
  unity.controller(layers),
  unity.machine(1, 'Wörter', { states: [10], start: 10 }),
  unity.state(10, 'Größe'),
);
const override = unity.text(
  unity.object(
    221,
    1,
    'AnimatorOverrideController',
    'm_Name: O\nm_Controller: {fileID: 9, guid: cc, type: 2}\nm_Clips: []',
  ),
);
const mask = unity.text(unity.object(1011, 5, 'AvatarMask', 'm_Name: M\nm_Elements:\n- m_Path: Hips\n  m_Weight: 1'));
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 71234\n`;

const bigEndian = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16();
const littleEndian = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le');

/** Converts, with a mask for the layer Arms. */
async function converted(file: string, arms: string | Buffer) {
  const places = {
    aaa0: write('arms.mask', arms),
    aaa1: write('legs.mask', mask),
    cc: write('base.controller', controller),
  };
  const clips = write('map.json', JSON.stringify(places));
  const { issues } = await answer<{ issues: Refusal[] }>(['convert', file, '--clips', clips, '--out', out]);
  const { layers: found } = JSON.parse(readFileSync(out, 'utf8')) as {
    layers: { mask?: object; machine: { states: object } }[];
  };
  return { issues, found };
}

describe('a mask that cannot be read', () => {
  test.each([
    ['is a Git LFS pointer', pointer, /arms\.mask:line 1$/, /Git LFS/, /git lfs pull/],
    ['is binary', Buffer.alloc(64), /arms\.mask$/, /binary/, /Force Text/],
    ['has an invalid weight', mask.replace('Weight: 1', 'Weight: x'), /arms\.mask:M\/m_Elements\/0/, /"x"/, /./],
  ])('is a warning, and its layer has no mask: it %s', async (_, arms, place, message, suggestion) => {
    const file = write('hero.controller', controller);
    for (const source of [file, write('hero.overrideController', override)]) {
      const { issues, found } = await converted(source, arms);
      expect(issues).toEqual([
        expect.objectContaining({
          code: 'UNITY_INVALID',
          severity: 'warning',
          path: expect.stringMatching(place),
          message: expect.stringMatching(message),
        }),
      ]);
      expect(issues[0]!.suggestion ?? '.').toMatch(suggestion);
      expect(found.map((layer) => layer.mask)).toEqual([undefined, { Hips: 1 }]);
    }
  });

  test('may be missing', async () => {
    const clips = write('missing.json', JSON.stringify({ aaa0: 'gone.mask', aaa1: 'legs.mask' }));
    write('legs.mask', mask);
    const file = write('hero.controller', controller);
    const { issues } = await answer<{ issues: Refusal[] }>(['convert', file, '--clips', clips, '--out', out]);
    expect(issues.map(({ code, severity, path: at }) => [code, severity, path.basename(at)])).toEqual([
      ['FILE_NOT_FOUND', 'warning', 'gone.mask'],
    ]);
  });
});

test('Write Defaults off is a warning where clips of the map move different joints', async () => {
  const clip = (name: string, joint: string) =>
    unity.text(
      unity
        .clip({
          curves: { m_PositionCurves: [unity.curve([{ time: 0, value: [1, 2, 3] }], `path: ${joint}`)] },
        })
        .replace('Made', name),
    );
  const motion = (guid: string) => ({
    motion: `{fileID: 7400000, guid: ${guid}, type: 2}`,
    more: 'm_WriteDefaultValues: 0',
  });
  const file = write(
    'defaults.controller',
    unity.text(
      unity.controller([{ name: 'Base', machine: 1 }]),
      unity.machine(1, 'M', { states: [10, 11], start: 10 }),
      unity.state(10, 'A', motion('aa')),
      unity.state(11, 'B', motion('bb')),
    ),
  );
  const clips = write('defaults.json', JSON.stringify({ aa: 'a.anim', bb: 'b.anim' }));
  write('a.anim', clip('A', 'Hips'));
  for (const [joint, expected] of [
    ['Hips', []],
    ['Spine', [`UNITY_UNSUPPORTED ${file}:Base`]],
  ] as const) {
    write('b.anim', clip('B', joint));
    const { issues } = await answer<{ issues: Refusal[] }>(['convert', file, '--clips', clips, '--out', out]);
    expect(issues.map(({ code, path: at }) => `${code} ${at}`)).toEqual(expected);
  }
});

test('issues are listed by kind with three places, what changes the result first; --json has each', async () => {
  const script = 'm_StateMachineBehaviours:\n- {fileID: 11400000}';
  const states = Array.from({ length: 40 }, (_, i) => 10 + i);
  const file = write(
    'many.controller',
    unity.text(
      unity.controller([{ name: 'Base', machine: 1 }]),
      unity.machine(1, 'M', { states, start: 10 }),
      ...states.map((id) => unity.state(id, `S${id}`, { more: `${script}\nm_IKOnFeet: ${Number(id % 2 === 0)}` })),
    ),
  );
  const { issues } = await answer<{ issues: Refusal[] }>(['convert', file, '--out', out]);
  const count = (severity: string) => issues.filter((issue) => issue.severity === severity).length;
  expect([issues.length, count('warning'), count('info')]).toEqual([60, 20, 40]);
  const { code, stdout } = await maniple(['convert', file, '--out', out]);
  expect(code).toBe(0);
  expect(stdout.trim().split('\n').slice(1)).toEqual([
    'warning: UNITY_UNSUPPORTED, 20 times: Foot IK is left out.',
    ...[10, 12, 14].map((id) => `  at ${file}:Base/S${id}`),
    '  and 17 more; --json lists each',
    'info: UNITY_UNSUPPORTED, 40 times: Behaviour scripts that are left out: 1.',
    ...[10, 11, 12].map((id) => `  at ${file}:Base/S${id}`),
    '  and 37 more; --json lists each',
  ]);
});

describe('UTF-16 is read', () => {
  test.each([
    ['little-endian', littleEndian],
    ['big-endian', bigEndian],
  ])('%s', async (_, encode) => {
    const { issues, found } = await converted(write('wide.controller', encode(controller)), encode(mask));
    expect(issues).toEqual([]);
    expect(found[0]).toMatchObject({ mask: { Hips: 1 }, machine: { states: { Größe: {} } } });
    expect((await converted(write('wide.overrideController', encode(override)), encode(mask))).found).toEqual(found);
    const clip = write('wide.anim', encode(unity.text(unity.clip({ curves: {} }))));
    expect(await answer(['convert', clip, '--out', out])).toMatchObject({ kind: 'clip', issues: [] });
  });
});

describe('files that are not what their names say', () => {
  const conflict = (text: string) => text.replace('  m_Name', '<<<<<<< HEAD\n  a: 1\n=======\n  m_Name');
  test.each(['controller', 'overrideController', 'anim'])('.%s: each is refused with what to do', async (extension) => {
    const text = { controller, overrideController: override, anim: unity.text(unity.clip({ curves: {} })) }[extension]!;
    const cases = [
      [pointer, /Git LFS/, /git lfs pull/],
      [Buffer.alloc(64), /binary/, /Force Text/],
      [conflict(text), /merge conflict/, /Resolve/],
    ] as const;
    for (const [content, message, suggestion] of cases) {
      const file = write(`foreign.${extension}`, content);
      const [issue, ...more] = await refusal(['convert', file, '--out', out]);
      expect(more).toEqual([]);
      expect(issue).toMatchObject({ code: 'UNITY_INVALID', path: expect.stringContaining(file) });
      expect(issue!.message).toMatch(message);
      expect(issue!.suggestion).toMatch(suggestion);
    }
  });
});
