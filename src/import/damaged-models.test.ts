import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { toGlb } from '../../test/import/build-gltf.ts';
import { Random } from '../../test/support/random.ts';
import { full, noShared, runSeed, shared } from '../../test/support/setup.ts';
import { stopwatch } from '../../test/support/stopwatch.ts';
import { composeJoints, evaluatePose } from '../character/evaluate.ts';
import type { CharacterModel } from '../character/model.ts';
import { type IssueCode, ManipleError } from '../errors.ts';
import { importModel } from './import-model.ts';

const ROUNDS = full ? 1_000 : 50;
const TIME_LIMIT_MS = 5_000;
const MEMORY_LIMIT = 2 ** 30;

/** Texts that break readers, put in place of numbers and words. */
const NASTY = [
  '-1',
  '0',
  '1',
  '4294967295',
  '1e999',
  '1e-300',
  '0.5',
  'null',
  '"x"',
  '[]',
  '{}',
  'true',
  '99',
  '}',
  'NaN',
  '',
];

/** The code of a refusal; undefined for a sound model. @throws anything else */
async function outcome(bytes: Uint8Array): Promise<IssueCode | undefined> {
  const elapsed = stopwatch();
  try {
    expectSound(await importModel(bytes));
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof ManipleError)) throw thrown;
    // a reader that broke on something that no check had found
    const unforeseen = thrown.issues.find(
      ({ code, path: place }) => code === 'INTERNAL' || (code === 'GLTF_DECODE_FAILED' && place === ''),
    );
    expect(unforeseen).toBeUndefined();
    return thrown.code;
  } finally {
    expect(elapsed()).toBeLessThan(TIME_LIMIT_MS);
    expect(process.memoryUsage().rss).toBeLessThan(MEMORY_LIMIT);
  }
}

function expectSound(model: CharacterModel): void {
  const { joints, clips, humanoid, vrm, morphSets } = model;
  joints.forEach(({ parentIndex }, i) => expect(parentIndex).toBeLessThan(i));
  const isJoint = (index: number) => Number.isInteger(index) && index >= 0 && index < joints.length;
  const named = [
    ...Object.values(humanoid ?? {}),
    ...(vrm?.springs ?? []).flatMap((spring) => spring.joints.map(({ jointIndex }) => jointIndex)),
    ...(vrm?.colliderGroups ?? []).flatMap((group) => group.map(({ jointIndex }) => jointIndex)),
  ];
  expect(named.filter((index) => !isJoint(index))).toEqual([]);
  for (const clip of clips) {
    const matrices = composeJoints(model, evaluatePose(model, clip, clip.duration / 2));
    expect(matrices.every(Number.isFinite)).toBe(true);
    for (const track of clip.tracks) {
      expect(track.targetIndex).toBeLessThan(track.path === 'weights' ? morphSets.length : joints.length);
      expect(track.times.every((time, i) => i === 0 || time > track.times[i - 1]!)).toBe(true);
      expect(track.values.every(Number.isFinite)).toBe(true);
    }
  }
}

/** Replaces one to three words or numbers of a text, and now and then a character. */
function mutate(text: string, random: Random): string {
  const words = [...text.matchAll(/[-\w.]+/g)];
  let out = text;
  for (let i = random.integer(1, 3); i > 0; i--) {
    const word = words[random.integer(0, words.length - 1)]!;
    const value = NASTY[random.integer(0, NASTY.length - 1)]!;
    out = out.slice(0, word.index) + value + out.slice(word.index + word[0].length);
  }
  if (random.next() < 0.3) {
    const at = random.integer(0, out.length - 1);
    out = out.slice(0, at) + String.fromCharCode(random.integer(32, 126)) + out.slice(at + 1);
  }
  return out;
}

describe.skipIf(noShared())('damaged models', () => {
  const read = (file: string) => new Uint8Array(readFileSync(path.join(shared, 'rigs', file)));
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const bytesOf = (content: string) => new TextEncoder().encode(content);

  it(`BVH, cut off at ${ROUNDS} places`, async () => {
    const bytes = read('bvh/bandai-dash.bvh');
    const random = new Random(runSeed);
    for (let round = 0; round < ROUNDS; round++) {
      const length = random.integer(0, bytes.length - 8);
      const code = await outcome(bytes.subarray(0, length));
      // a cut in the middle of a word or a number leaves another one
      if (code !== undefined)
        expect(['FILE_TRUNCATED', 'FILE_NOT_A_MODEL', 'BVH_INVALID'], `${length}`).toContain(code);
    }
  });

  it.each(['bvh/bandai-dash.bvh', 'bvh/biovision-two-frames.bvh'])(`%s, changed in ${ROUNDS} ways`, async (file) => {
    const content = text(read(file));
    // half of them in the skeleton
    const motion = content.indexOf('MOTION');
    const random = new Random(runSeed);
    const codes = new Set<unknown>();
    for (let round = 0; round < ROUNDS; round++) {
      const [head, rest] = [content.slice(0, motion), content.slice(motion)];
      const changed = round % 2 === 0 ? mutate(head, random) + rest : head + mutate(rest, random);
      codes.add(await outcome(bytesOf(changed)));
    }
    expect(codes).toContain(undefined);
    expect(codes).toContain('BVH_INVALID');
  });

  it(`VRM, cut off at ${ROUNDS} places`, async () => {
    const bytes = read('vrm/spring-capsule.vrm');
    const random = new Random(runSeed);
    for (let round = 0; round < ROUNDS; round++) {
      const code = await outcome(bytes.subarray(0, random.integer(0, bytes.length - 8)));
      expect(['FILE_TRUNCATED', 'FILE_NOT_A_MODEL']).toContain(code);
    }
  });

  it.each(['vrm/spring-capsule.vrm', 'vrm/godette-vrm0.vrm', 'vrm/godette-vrm1.vrm'])(
    `%s, changed in ${ROUNDS} ways`,
    async (file) => {
      const bytes = read(file);
      const jsonLength = new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true);
      const json = text(bytes.subarray(20, 20 + jsonLength)).trimEnd();
      const binary = bytes.subarray(20 + jsonLength + 8);
      // half of them in the extensions of VRM
      const { extensions, ...rest } = JSON.parse(json) as Record<string, unknown>;
      const [avatar, scene] = [JSON.stringify(extensions), JSON.stringify(rest).slice(1)];
      const random = new Random(runSeed);
      const codes = new Set<unknown>();
      const rounds = bytes.length > 200_000 ? ROUNDS / 5 : ROUNDS;
      for (let round = 0; round < rounds; round++) {
        const isAvatar = round % 2 === 0;
        const changed = `{"extensions":${isAvatar ? mutate(avatar, random) : avatar},${isAvatar ? scene : mutate(scene, random)}`;
        codes.add(await outcome(toGlb(changed, binary)));
      }
      if (rounds >= 100) expect(codes).toContain(undefined);
    },
  );
});

describe('avatars that declare too much', () => {
  const many = 200_000;
  const nodes = [{ mesh: 0, name: 'Face' }];
  const asset = { version: '2.0' };
  const glb = (extensions: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    toGlb({ asset, nodes, extensions, ...more, ...triangle }, binary);
  const binary = new Uint8Array(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer);
  const triangle = {
    buffers: [{ byteLength: 36 }],
    bufferViews: [{ buffer: 0, byteLength: 36 }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, targets: [{ POSITION: 0 }] }] }],
  };
  const morphTargetBinds = Array.from({ length: many }, () => ({ node: 0, index: 0, weight: 1 }));
  const joints = Array.from({ length: many }, () => ({ node: 0 }));

  it.each([
    ['morphs of an expression', { VRMC_vrm: { expressions: { custom: { a: { morphTargetBinds } } } } }],
    ['joints of a spring', { VRMC_vrm: {}, VRMC_springBone: { springs: [{ joints }] } }],
    [
      'colliders of groups',
      {
        VRMC_vrm: {},
        VRMC_springBone: {
          colliders: [{ node: 0, shape: { sphere: { radius: 1 } } }],
          colliderGroups: [{ colliders: Array.from({ length: many }, () => 0) }],
        },
      },
    ],
    ['roots of springs of 0.x', { VRM: { secondaryAnimation: { boneGroups: [{ bones: joints.map(() => 0) }] } } }],
  ])('are refused: %s', async (_, extensions) => {
    expect(await outcome(glb(extensions))).toBe('GLTF_LIMIT');
  });
});
