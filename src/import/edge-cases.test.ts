import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type ExpectedPoints,
  importFile,
  restBounds,
  sourcePositions,
  worstDistance,
} from '../../test/import/pose-model.ts';
import { noShared, shared } from '../../test/support/setup.ts';
import { stopwatch } from '../../test/support/stopwatch.ts';
import type { CharacterModel } from '../character/model.ts';
import { validatorIssues } from '../cli/actions/inspect/validator.ts';
import { type IssueCode, ManipleError } from '../errors.ts';

const assets = path.join(shared, 'assets');
const TIME_LIMIT_MS = 5_000;

/** The model, or what it was refused with; anything else that is thrown fails the test. */
async function outcomeOf(file: string): Promise<CharacterModel | ManipleError> {
  const elapsed = stopwatch();
  const outcome = await importFile(file).catch((thrown: unknown) => {
    if (thrown instanceof ManipleError) return thrown;
    throw thrown;
  });
  expect(elapsed()).toBeLessThan(TIME_LIMIT_MS);
  return outcome;
}

interface EdgeCase {
  readonly file: string;
  readonly expect: string;
  readonly reference?: readonly ({ readonly t: number } & ExpectedPoints)[];
}

/** What each file that is not plainly valid comes to, and the pointer at what is wrong with it. */
const DECISIONS: Readonly<Record<string, { refused?: true; code: IssueCode; at: string }>> = {
  'c02-git-lfs-pointer.glb': { refused: true, code: 'FILE_NOT_A_MODEL', at: '' },
  'c03-truncated-in-bin.glb': { refused: true, code: 'FILE_TRUNCATED', at: '' },
  'c10-external-bin-missing.gltf': { refused: true, code: 'GLTF_RESOURCE_MISSING', at: '/buffers/0/uri' },
  'r01-bufferview-out-of-range.glb': { refused: true, code: 'GLTF_INVALID', at: '/accessors/0/bufferView' },
  'r02-accessor-overruns-view.glb': { refused: true, code: 'GLTF_INVALID', at: '/accessors/0' },
  'r04-unknown-required-extension.glb': { refused: true, code: 'GLTF_EXTENSION_REQUIRED', at: '/extensionsRequired/0' },
  'r05-unknown-optional-extension.glb': { code: 'GLTF_EXTENSION_IGNORED', at: '/extensionsUsed/0' },
  'r09-node-cycle.glb': { refused: true, code: 'GLTF_INVALID', at: '/nodes/3/children/0' },
  // nothing says what the vertex should follow
  's01-joint-index-out-of-range.glb': {
    refused: true,
    code: 'GLTF_JOINT_OUT_OF_RANGE',
    at: '/meshes/0/primitives/0/attributes/JOINTS_0',
  },
  // the vertices stay where they are, and the report says how many
  's04-weights-all-zero.glb': { code: 'GLTF_WEIGHTS_ZERO', at: '/meshes/0/primitives/0/attributes/WEIGHTS_0' },
  // a static mesh, as the catalogue asks
  's11-skinned-mesh-without-skin.glb': { code: 'GLTF_MESH_WITHOUT_SKIN', at: '/nodes/4' },
  // the key that goes back in time is dropped
  'a01-times-not-increasing.glb': { code: 'GLTF_KEYS_REPAIRED', at: '/animations/0/samplers/0' },
  // the keys that have both a time and a value
  'a04-output-count-mismatch.glb': { code: 'GLTF_KEYS_REPAIRED', at: '/animations/0/samplers/0' },
};

/**
 * Of the model's size. The chain of 400 joints turns by 0.02 rad per joint; the reference positions interpolate such
 * near keys linearly, which differs from slerp by 1.6e-8 rad, 400 times in a row over 40 m.
 */
const tolerance = (file: string): number => (file.startsWith('s20') ? 3e-6 : 1e-6);

describe.skipIf(noShared())('edge cases', () => {
  const folder = path.join(assets, 'malformed/edge-cases');
  const cases = noShared() ? [] : (JSON.parse(readFileSync(path.join(folder, 'index.json'), 'utf8')) as EdgeCase[]);

  it.each(cases)('$file', async ({ file, expect: expectation, reference }) => {
    const outcome = await outcomeOf(path.join(folder, file));
    const refused = outcome instanceof ManipleError;
    if (expectation.startsWith('valid')) expect(refused).toBe(false);
    if (expectation.startsWith('reject:')) expect(refused).toBe(true);
    const decision = DECISIONS[file];
    expect(refused).toBe(decision?.refused === true);
    if (decision) {
      const issue = outcome.issues.find(({ code }) => code === decision.code);
      expect(issue?.path).toBe(decision.at);
      expect(issue?.message.length).toBeGreaterThan(20);
    } else {
      expect(outcome.issues).toEqual([]);
    }
    if (refused) return;
    const { size } = restBounds(outcome);
    for (const point of reference ?? []) {
      expect(worstDistance(outcome, outcome.clips[0], point.t, [point]) / size).toBeLessThan(tolerance(file));
    }
  });

  it('knows all of them', () => {
    const names = new Set(cases.map(({ file }) => file));
    expect(Object.keys(DECISIONS).filter((name) => !names.has(name))).toEqual([]);
  });
});

/** What the wrong types come to: fatal where a vertex depends on them, else a warning at the place, some of them only of the validator. */
const WRONG: Readonly<Record<string, { refused?: true; code: IssueCode; at: string }>> = {
  'IndexOutOfRange/AllIndicesOutOfRange.gltf': {
    refused: true,
    code: 'GLTF_INDEX_OUT_OF_RANGE',
    at: '/meshes/0/primitives/0/indices',
  },
  'IndexOutOfRange/IndexOutOfRange.gltf': {
    refused: true,
    code: 'GLTF_INDEX_OUT_OF_RANGE',
    at: '/meshes/0/primitives/0/indices',
  },
  'MissingBin/BoxTextured.gltf': { refused: true, code: 'GLTF_RESOURCE_MISSING', at: '/buffers/0/uri' },
  'wrongTypes/badArray.gltf': { refused: true, code: 'GLTF_INVALID', at: '/meshes/0/primitives' },
  'wrongTypes/badExtension.gltf': {
    code: 'GLTF_VALIDATOR',
    at: '/materials/0/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform',
  },
  'wrongTypes/badNumber.gltf': { code: 'GLTF_VALIDATOR', at: '/materials/0/normalTexture' },
  'wrongTypes/badObject.gltf': { code: 'GLTF_VALIDATOR', at: '/materials/0/pbrMetallicRoughness' },
  'wrongTypes/badString.gltf': { code: 'GLTF_VALIDATOR', at: '/scenes/0/name' },
  'wrongTypes/badUint.gltf': {
    code: 'GLTF_TEXTURE_IGNORED',
    at: '/materials/0/pbrMetallicRoughness/baseColorTexture',
  },
};

describe.skipIf(noShared())('files that other importers choked on', () => {
  const folder = path.join(assets, 'malformed/assimp');

  it.each(Object.entries(WRONG))('%s', async (file, { refused, code, at }) => {
    const outcome = await outcomeOf(path.join(folder, file));
    expect(outcome instanceof ManipleError).toBe(refused === true);
    const isOfValidator = code === 'GLTF_VALIDATOR';
    const issues = isOfValidator ? await validatorIssues(readFileSync(path.join(folder, file))) : outcome.issues;
    expect(issues.find((issue) => issue.code === code)?.path).toBe(at);
  });

  it('are all listed', () => {
    const files = readdirSync(folder, { recursive: true }).map((name) => String(name).replaceAll('\\', '/'));
    expect(files.filter((name) => name.endsWith('.gltf')).toSorted()).toEqual(Object.keys(WRONG).toSorted());
  });
});

describe.skipIf(noShared())('storage formats of one animation deform alike', () => {
  const folder = path.join(assets, 'assetgen');
  const variants = noShared()
    ? []
    : ['Animation_SkinType', 'Animation_SamplerType'].map((name) => ({
        name,
        files: readdirSync(path.join(folder, name)).filter((file) => file.endsWith('.gltf')),
      }));

  // joints as 8 and 16 bits, weights as floats and normalised integers; rotations as floats and normalised integers
  it.each(variants)('$name', async ({ name, files }) => {
    expect(files.length).toBeGreaterThan(2);
    const models = await Promise.all(files.map((file) => importFile(path.join(folder, name, file))));
    const [first] = models;
    const { size } = restBounds(first!);
    for (const time of [0, 0.4, 1, 1.7]) {
      const expected = positionsOf(first!, time);
      for (const model of models) {
        expect(model.issues.filter(({ severity }) => severity === 'error')).toEqual([]);
        // 8-bit quaternions are off by half a step: 0.004 of the size
        const actual = positionsOf(model, time);
        expect(actual.length).toBe(expected.length);
        actual.forEach((value, i) => expect(Math.abs(value - expected[i]!) / size).toBeLessThan(0.01));
      }
    }
  });
});

function positionsOf(model: CharacterModel, time: number): number[] {
  return sourcePositions(model, model.clips[0], time).flatMap(({ positions }) => Array.from(positions));
}
