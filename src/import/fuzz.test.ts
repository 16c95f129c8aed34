import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { importBuilt, toGlb } from '../../test/import/build-gltf.ts';
import { brokenPromises, mutateBytes, randomFrom } from '../../test/import/model-promises.ts';
import { full, noShared, runSeed, shared } from '../../test/support/setup.ts';
import { stopwatch } from '../../test/support/stopwatch.ts';
import { ManipleError } from '../errors.ts';

const ROUNDS = full ? 3_000 : 100;
const TIME_LIMIT_MS = 5_000;

/** Values that break readers, put in place of numbers in the JSON. */
const NASTY = [
  '-1',
  '0',
  '1',
  '4294967295',
  '1e999',
  '-1e999',
  '1e-300',
  '0.5',
  'null',
  '"x"',
  '[]',
  '{}',
  'true',
  '99',
];

function mutateJson(text: string, random: () => number): string {
  const numbers = [...text.matchAll(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/g)];
  let out = text;
  for (let i = 0; i < 1 + random() * 3; i++) {
    const target = numbers[Math.floor(random() * numbers.length)]!;
    const value = NASTY[Math.floor(random() * NASTY.length)]!;
    // later ones first would be exact; a shifted place is one more kind of damage
    out = out.slice(0, target.index) + value + out.slice(target.index + target[0].length);
  }
  if (random() < 0.3) {
    const at = Math.floor(random() * out.length);
    out = out.slice(0, at) + String.fromCharCode(32 + random() * 95) + out.slice(at + 1);
  }
  return out;
}

describe.skipIf(noShared())('damaged files', () => {
  const files = [
    'malformed/edge-cases/00-baseline-valid.glb',
    'basics/RiggedSimple.glb',
    'basics/AnimatedMorphCube.glb',
    'basics/InterpolationTest-notexture.glb',
    'derived/robotexpressive-meshopt.glb',
    'characters/kenney-platformer-character.glb',
    'characters/astronaut-bee-draco.glb',
  ];

  it.each(files)('%s is refused with codes or sound', async (file) => {
    const bytes = new Uint8Array(readFileSync(path.join(shared, 'assets', file)));
    const jsonLength = new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true);
    const text = new TextDecoder().decode(bytes.subarray(20, 20 + jsonLength)).trimEnd();
    const binary = bytes.subarray(20 + jsonLength + 8);
    const random = randomFrom(runSeed);
    const rounds = bytes.length > 50_000 ? ROUNDS / 5 : ROUNDS;
    let accepted = 0;
    for (let round = 0; round < rounds; round++) {
      const kind = random();
      const damaged = toGlb(
        kind < 0.6 ? mutateJson(text, random) : text,
        kind > 0.5 ? mutateBytes(binary, random) : binary,
      );
      const elapsed = stopwatch();
      try {
        const broken = brokenPromises(await importBuilt(damaged));
        accepted++;
        expect(broken, `round ${round}`).toEqual([]);
      } catch (thrown) {
        if (!(thrown instanceof ManipleError)) throw new Error(`round ${round}`, { cause: thrown });
        expect(thrown.issues.length).toBeGreaterThan(0);
        // a reader that broke on something that no check had found
        const unforeseen = thrown.issues.find(
          ({ path, code }) => code === 'INTERNAL' || (code === 'GLTF_DECODE_FAILED' && path === ''),
        );
        expect(unforeseen, `round ${round}`).toBeUndefined();
      }
      expect(elapsed()).toBeLessThan(TIME_LIMIT_MS);
    }
    // of few rounds none may be
    if (rounds >= 100) expect(accepted).toBeGreaterThan(0);
  });
});
