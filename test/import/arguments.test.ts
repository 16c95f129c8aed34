// Arguments of the wrong type, as JavaScript passes them: an error with a code, and never one that asks for a report.
import { describe, expect, test } from 'vitest';
import * as character from '../../src/character/index.ts';
import { ManipleError } from '../../src/errors.ts';
import * as imports from '../../src/import/index.ts';
import { smallModel } from '../support/small-model.ts';

const BAD: Readonly<Record<string, unknown>> = {
  undefined,
  null: null,
  number: 3,
  object: {},
  list: [],
  bytes: new Uint8Array([1, 2, 3]),
  promise: Promise.resolve(1),
};

type AnyFunction = (...args: readonly unknown[]) => unknown;

const functions = Object.entries({ ...character, ...imports }).filter(
  ([name, value]) => typeof value === 'function' && /^[a-z]/.test(name),
) as [string, AnyFunction][];

async function thrownBy(run: () => unknown): Promise<unknown> {
  try {
    await run();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

function expectCoded(thrown: unknown, what: string): void {
  if (thrown === undefined) return;
  if (!(thrown instanceof ManipleError)) throw new Error(what, { cause: thrown });
  expect(thrown.message, what).not.toMatch(/defect/);
  expect(thrown.code, what).not.toBe('INTERNAL');
}

test.each(functions)('%s refuses what it does not take', async (name, call) => {
  for (const [kind, value] of Object.entries(BAD)) expectCoded(await thrownBy(() => call(value)), `${name}(${kind})`);
});

describe('messages say what to pass', () => {
  const model = smallModel();
  const call = (name: string, ...args: readonly unknown[]): Promise<unknown> =>
    thrownBy(() => (imports as unknown as Record<string, AnyFunction>)[name]!(...args));

  test.each<[name: string, args: readonly unknown[], message: RegExp]>([
    ['importGltf', [new Uint8Array(3)], /for source; .* importGltf\(\{ name: 'knight', bytes \}\)/],
    ['importGltf', [{ name: 'a', bytes: new ArrayBuffer(3) }], /for bytes; expected a Uint8Array/],
    ['importGltf', [{ name: 'a', bytes: new Uint8Array(3) }, null], /Got null for options/],
    ['importModel', [Promise.resolve(new Uint8Array(3))], /for bytes; expected a Uint8Array\. Await a promise/],
    ['importModel', ['knight.glb'], /Got "knight.glb" for bytes; .* loadModel/],
    ['importModel', [new Uint8Array(3), 'knight'], /Got "knight" for options/],
    ['loadModel', [Promise.resolve('a')], /\{\}: It is not a valid address/],
    ['bindClips', [model, model], /for sources; .* bindClips\(knight, \[dance\]\)/],
    ['bindClips', [model, [undefined]], /for model; expected a model/],
    ['bindClips', [model, [{ model, clips: 'walk' }]], /Got "walk" for clips/],
    ['bindClips', [model, [], 3], /Got 3 for options/],
    ['bindClip', [{ tracks: [] }, model, undefined], /for model/],
    ['findHumanoid', [[]], /for model/],
    ['importUnityClip', [new Uint8Array(3)], /for text; expected text\. Decode/],
    ['addLods', [3], /Got 3 for model/],
  ])('%s', async (name, args, message) => {
    const thrown = await call(name, ...args);
    expect(thrown).toBeInstanceOf(ManipleError);
    expect((thrown as ManipleError).message).toMatch(message);
  });

  test('large bytes are quoted in short, and at once', async () => {
    const thrown = (await call('importGltf', new Uint8Array(2 ** 28))) as ManipleError;
    expect(thrown.message.length).toBeLessThan(400);
  });
});
