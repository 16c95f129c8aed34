import { describe, expect, it } from 'vitest';
import { importMade, listed } from '../../../test/import/unity-made.ts';
import { unity } from '../../../test/import/unity-yaml.ts';
import { importUnityController } from './controller.ts';
import { movedBy } from './write-defaults.ts';

const off = 'm_WriteDefaultValues: 0';
const clip = (guid: string) => `{fileID: 7400000, guid: ${guid}, type: 2}`;
const WARNING = 'UNITY_UNSUPPORTED Base';

describe('Write Defaults off', () => {
  const moved: Record<string, string[]> = { aa: ['Hips', 'Spine'], bb: ['Spine', 'Hips'], cc: ['Hips'], ee: [] };
  const issuesOf = (a: string | undefined, b: string | undefined, isKnown = true) => {
    const state = (guid: string | undefined) => (guid === undefined ? {} : { motion: clip(guid) });
    const options = { resolveMotion: (guid: string) => guid, resolveMoved: (name: string) => moved[name] };
    return importMade({ a: { ...state(a), more: off }, b: state(b) }, [], isKnown ? options : {}).issues;
  };

  it.each([
    ['the same clip', 'dd', 'dd'],
    ['clips of the same joints', 'aa', 'bb'],
    ['nothing', undefined, undefined],
    ['clips that move nothing', 'ee', undefined],
  ])('is the same as on where all states play %s', (_, a, b) => expect(issuesOf(a, b)).toEqual([]));

  it.each([
    ['other joints', 'aa', 'cc'],
    ['unknown clips', 'dd', 'ff'],
    ['a clip or nothing', 'aa', undefined],
  ])('is a warning where they play %s', (_, a, b) => expect(issuesOf(a, b)).toEqual([WARNING]));

  it('says that it does not know what unknown clips move', () => {
    const { issues } = importMade({ a: { motion: clip('dd'), more: off } }).model;
    expect(issues!.map(({ message }) => message)).toEqual([expect.stringMatching(/the states may move different/)]);
  });

  it('is a warning for clips that nothing is known of', () => {
    expect(issuesOf('aa', 'bb', false)).toEqual([WARNING]);
    expect(issuesOf('aa', 'aa', false)).toEqual([]);
  });

  it('is one warning per layer, over all its machines and trees', () => {
    const layers = [1, 2, 3].map((id) => ({ name: `L${id}`, machine: id }));
    const { controller } = importUnityController(
      unity.text(
        unity.controller(layers),
        unity.machine(1, 'A', { states: [11, 12], machines: [4] }),
        unity.state(11, 'One', { more: off, motion: clip('aa') }),
        unity.state(12, 'Two', { more: off, motion: clip('aa') }),
        unity.machine(4, 'Inner', { states: [41] }),
        unity.state(41, 'Three', { motion: clip('cc') }),
        unity.machine(2, 'B', { states: [21, 22] }),
        unity.state(21, 'One', { more: off, motion: clip('aa') }),
        unity.state(22, 'Two', { more: off, motion: clip('bb') }),
        unity.machine(3, 'C', { states: [31, 32] }),
        unity.state(31, 'One', { motion: clip('aa') }),
        unity.state(32, 'Two', { motion: clip('cc') }),
      ),
      { resolveMotion: (guid) => guid, resolveMoved: (name) => moved[name] },
    );
    expect(listed(controller)).toEqual(['UNITY_UNSUPPORTED L1']);
    expect(controller.issues![0]!.message).toMatch(/off in 2 of 3 states, and the states move different/);
  });

  it('knows what clips of the same file move', () => {
    const curve = (path: string) => unity.curve([{ time: 0, value: [1, 2, 3] }], `path: ${path}`);
    const embedded = (fileID: string, path: string) =>
      unity.clip({ curves: { m_PositionCurves: [curve(path)] } }).replace('&7400000', `&${fileID}`);
    const warnings = (path: string) =>
      (
        importMade({ a: { more: off, motion: '{fileID: 71}' }, b: { motion: '{fileID: 72}' } }, [
          embedded('71', 'Hips'),
          embedded('72', path),
        ]).model.issues ?? []
      ).filter(({ message }) => message.startsWith('Write Defaults'));
    expect(warnings('Hips')).toHaveLength(0);
    expect(warnings('Spine')).toHaveLength(1);
  });
});

it('movedBy distinguishes channels and morphs', () => {
  const track = { interpolation: 'STEP', times: new Float32Array(1), values: new Float32Array(3) } as const;
  const tracks = [
    { ...track, path: 'A', channel: 'scale' },
    { ...track, path: 'A', channel: 'rotation' },
    { ...track, path: 'A', channel: 'weights', morph: 'x' },
    { ...track, path: 'A', channel: 'weights', morph: 'y' },
  ] as const;
  expect(new Set(movedBy({ tracks })).size).toBe(4);
});
