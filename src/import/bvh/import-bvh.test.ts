import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { noShared } from '../../../test/support/setup.ts';
import { shared } from '../../../test/support/shared.ts';
import { thrownBy } from '../../../test/support/thrown-by.ts';
import { composeJoints, evaluatePose } from '../../character/evaluate.ts';
import type { CharacterModel } from '../../character/model.ts';
import { type IssueCode } from '../../errors.ts';
import { type BvhOptions, importBvh } from './import-bvh.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** World position of a joint, by its place in the model. */
function positionsAt(model: CharacterModel, time: number): number[][] {
  const worldFromJoint = composeJoints(model, evaluatePose(model, model.clips[0], time));
  return model.joints.map((_, i) => [3, 7, 11].map((at) => worldFromJoint[12 * i + at]!));
}

interface Reference {
  readonly frameTime: number;
  readonly frames: readonly { frame: number; joints: Record<string, readonly number[]> }[];
}

describe.skipIf(noShared())('files of others', () => {
  const rigs = path.join(shared, 'rigs');
  const files = noShared() ? [] : readdirSync(path.join(rigs, 'bvh')).filter((file) => file.endsWith('.bvh'));

  it.each(files)('%s has the joints of the reference', (file) => {
    const reference = JSON.parse(readFileSync(path.join(rigs, 'reference', `bvh-${file}.json`), 'utf8')) as Reference;
    const model = importBvh(readFileSync(path.join(rigs, 'bvh', file)), { unit: 1, up: 'y' });
    const names = model.joints.map(({ name }) => name);
    for (const { frame, joints } of reference.frames) {
      const positions = positionsAt(model, frame * reference.frameTime);
      for (const [name, expected] of Object.entries(joints)) {
        const at = positions[names.indexOf(name)]!;
        const off = Math.hypot(...expected.map((value, axis) => value - at[axis]!));
        expect(off, `${name} in frame ${frame}`).toBeLessThan(1e-4);
      }
      expect(Object.keys(joints)).toHaveLength(names.length);
    }
  });

  it.each([
    ['cmu-12-01-walk.bvh', 0.0254 / 0.45],
    ['bandai-dash.bvh', 0.01],
    ['mixamo-names.bvh', 0.01],
    ['mocapbank.bvh', 0.01],
    ['motionbuilder-walk01.bvh', 0.01],
    ['biovision-two-frames.bvh', 0.0254],
    ['spine3-75frames.bvh', 0.0254],
  ])('%s has its unit found, and says so', (file, unit) => {
    const source = readFileSync(path.join(rigs, 'bvh', file));
    const [guessed, given] = [importBvh(source), importBvh(source, { unit })];
    expect(guessed.joints).toEqual(given.joints);
    const codes = (model: CharacterModel) => model.issues.map(({ code }) => code);
    const turned = file === 'spine3-75frames.bvh' ? ['BVH_UP_GUESSED'] : [];
    expect(codes(guessed)).toEqual(['BVH_UNIT_GUESSED', ...turned]);
    expect(codes(given)).toEqual(turned);
  });

  it('turns a skeleton that is upright along Z', () => {
    const source = readFileSync(path.join(rigs, 'bvh/spine3-75frames.bvh'));
    const [turned, plain] = [importBvh(source, { unit: 1 }), importBvh(source, { unit: 1, up: 'y' })];
    const at = positionsAt(plain, 1);
    positionsAt(turned, 1).forEach((position, i) => {
      const [x, y, z] = at[i]!;
      [x!, z!, -y!].forEach((value, axis) => expect(position[axis]).toBeCloseTo(value, 4));
    });
  });
});

/** A root with one joint. */
const small = (
  frames: readonly string[],
  { root = '3 Zrotation Xrotation Yrotation', time = '0.5', count = `${frames.length}` } = {},
): string => `HIERARCHY
ROOT Hips
{
  OFFSET 0 90 0
  CHANNELS ${root}
  JOINT Left Leg {
    OFFSET 0 -80 0
    CHANNELS 0
    End Site
    {
      OFFSET 0 -10 0
    }
  }
}
MOTION
Frames: ${count}
Frame Time: ${time}
${frames.join('\n')}
`;

describe('a file', () => {
  const read = (text: string, options?: BvhOptions) => importBvh(bytesOf(text), { unit: 1, ...options });

  it('has joints, End Sites as joints, and a clip called like the file', () => {
    const model = read(small(['0 0 0', '90 0 0', '0 0 0']), { name: 'walk' });
    expect(model.joints.map(({ name, parentIndex }) => [name, parentIndex])).toEqual([
      ['Hips', -1],
      ['Left Leg', 0],
      ['Left Leg_end', 1],
    ]);
    expect(model.clips).toMatchObject([{ name: 'walk', duration: 1 }]);
    expect(positionsAt(model, 0.5)[2]!.map((value) => Math.round(1e4 * value) / 1e4)).toEqual([90, 90, 0]);
  });

  it.each(['XYZ', 'XZY', 'YXZ', 'YZX', 'ZXY', 'ZYX'])('turns about %s, the first outermost', (order) => {
    const channels = `3 ${Array.from(order, (axis) => `${axis}rotation`).join(' ')}`;
    const track = read(small(['10 20 30'], { root: channels })).clips[0]!.tracks[0]!;
    // independent: the matrix of each axis, multiplied in the order of the channels
    const columns = [0, 1, 2].map((column) => {
      let v: number[] = [0, 1, 2].map((axis) => (axis === column ? 1 : 0));
      for (const [i, axis] of Array.from(order, (axis, i) => [i, axis] as const).reverse()) {
        const angle = ((i + 1) * 10 * Math.PI) / 180;
        const [a, b] = axis === 'X' ? [1, 2] : axis === 'Y' ? [2, 0] : [0, 1];
        const turned = [...v];
        turned[a!] = Math.cos(angle) * v[a!]! - Math.sin(angle) * v[b!]!;
        turned[b!] = Math.sin(angle) * v[a!]! + Math.cos(angle) * v[b!]!;
        v = turned;
      }
      return v;
    });
    const [x, y, z, w] = track.values as unknown as [number, number, number, number];
    expect(1 - 2 * (y * y + z * z)).toBeCloseTo(columns[0]![0]!, 6);
    expect(2 * (x * y + z * w)).toBeCloseTo(columns[0]![1]!, 6);
    expect(2 * (x * y - z * w)).toBeCloseTo(columns[1]![0]!, 6);
    expect(2 * (y * z + x * w)).toBeCloseTo(columns[1]![2]!, 6);
    expect(2 * (x * z + y * w)).toBeCloseTo(columns[2]![0]!, 6);
  });

  it('goes the short way from key to key', () => {
    const { values } = read(small(['179 0 0', '181 0 0', '-179 0 0', '539 0 0'])).clips[0]!.tracks[0]!;
    for (let key = 1; key < 4; key++) {
      const dot = [0, 1, 2, 3].reduce((sum, c) => sum + values[4 * key + c]! * values[4 * key - 4 + c]!, 0);
      expect(dot).toBeGreaterThan(0.999);
    }
  });

  it('replaces only the axes of the offset that have channels', () => {
    const model = read(small(['1', '2'], { root: '1 Xposition' }));
    expect([...model.clips[0]!.tracks[0]!.values]).toEqual([1, 90, 0, 2, 90, 0]);
    // channels that repeat the offset move nothing
    expect(read(small(['0 90 0', '0 90 0'], { root: '3 Xposition Yposition Zposition' })).clips[0]!.tracks).toEqual([]);
  });

  it('may be UTF-16, have CRLF, capitals and a byte order mark', () => {
    const text = small(['10 20 30'], { root: '3 ZROTATION xrotation YRotation' }).replaceAll('\n', '\r\n');
    const { joints } = read(text);
    expect(importBvh(bytesOf(`\ufeff${text}`), { unit: 1 }).joints).toEqual(joints);
    const wide = new Uint8Array(2 * text.length + 2);
    wide.set([0xff, 0xfe]);
    for (let i = 0; i < text.length; i++) wide[2 * i + 2] = text.charCodeAt(i);
    expect(importBvh(wide, { unit: 1 }).joints).toEqual(joints);
  });

  it('of one frame is a pose, of none a skeleton', () => {
    expect(read(small(['1 2 3'])).clips[0]).toMatchObject({ duration: 0 });
    const empty = read(small([]));
    expect([empty.clips.length, empty.issues.map(({ code }) => code)]).toEqual([0, ['BVH_REPAIRED']]);
  });

  it.each<[string, string, IssueCode, string]>([
    ['a number that is not one', small(['1 2 abc']), 'BVH_INVALID', 'line 18'],
    ['a decimal comma', small(['1 2 0,5']), 'BVH_INVALID', 'line 18'],
    ['an unknown channel', small(['1'], { root: '1 Wrotation' }), 'BVH_INVALID', 'line 5'],
    ['a negative count of frames', small(['1 2 3'], { count: '-1' }), 'BVH_INVALID', 'line 16'],
    ['frames without time', small(['1 2 3', '1 2 3'], { time: '0' }), 'BVH_INVALID', 'line 17'],
    ['no root', 'HIERARCHY MOTION', 'BVH_INVALID', 'line 1'],
    ['a second end', 'HIERARCHY ROOT a {\nOFFSET 0 0 0 CHANNELS 0 }\n}', 'BVH_INVALID', 'line 3'],
    ['half a frame', small(['1 2 3', '1 2']), 'FILE_TRUNCATED', 'line 20'],
    ['an end in the skeleton', 'HIERARCHY ROOT a { OFFSET 0 0', 'FILE_TRUNCATED', 'line 1'],
    ['channels without end', small(['1'], { root: '1000000 Xrotation' }), 'BVH_LIMIT', 'line 5'],
    ['frames without end', small(['1 2 3'], { count: '4000000000' }), 'BVH_LIMIT', 'line 17'],
    ['positions beyond all measure', small(['1e18', '-1e18'], { root: '1 Xposition' }), 'BVH_INVALID', ''],
  ])('is refused for %s', (_, text, code, place) => {
    const refusal = thrownBy(() => read(text, { unit: 10 }));
    expect([refusal.code, refusal.issues[0]!.path]).toEqual([code, place]);
  });

  it('with fewer or more frames than it says is read, and reported', () => {
    for (const count of ['1', '3']) {
      const model = read(small(['1 2 3', '4 5 6'], { count }));
      expect(model.issues.map(({ code }) => code)).toEqual(['BVH_REPAIRED']);
      expect(model.clips[0]!.tracks[0]!.times).toHaveLength(count === '1' ? 1 : 2);
    }
  });

  it('of too many joints or bytes is refused', () => {
    const deep = `HIERARCHY ROOT a { ${'OFFSET 0 0 0 CHANNELS 0 JOINT b { '.repeat(5_000)}`;
    expect(thrownBy(() => read(deep)).code).toBe('CHARACTER_TOO_MANY_JOINTS');
    expect(thrownBy(() => read(small([]), { limits: { fileBytes: 10 } })).code).toBe('FILE_TOO_LARGE');
    expect(thrownBy(() => read(small([]), { unit: -1 })).code).toBe('USAGE');
  });
});
