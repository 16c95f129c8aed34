import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { importBuilt, toGlb } from '../../test/import/build-gltf.ts';
import { full, noShared, shared } from '../../test/support/setup.ts';
import type { CharacterModel } from '../asset/model.ts';
import { ManipleError } from '../errors.ts';

/** Fixed, so that a run can be trusted; MANIPLE_SEED sets another, and a full run takes a new one and says which. */
const SEED = Number(process.env.MANIPLE_SEED ?? (full ? Date.now() % 1_000_000 : 1));
const ROUNDS = full ? 3_000 : 150;
const TIME_LIMIT_MS = 5_000;

/** Small, fast, good enough for fuzzing (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

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

function mutateBytes(bytes: Uint8Array, random: () => number): Uint8Array {
  const out = bytes.slice();
  for (let i = 0; i < 1 + random() * 20; i++) {
    // whole runs of ones make NaN, and joint and vertex indices out of range
    const at = Math.floor(random() * out.length);
    if (random() < 0.5) out.fill(0xff, at, at + 4);
    else out[at] = Math.floor(random() * 256);
  }
  return out;
}

/** What every reader of a model relies on, whatever the file was. */
function expectSound(model: CharacterModel): void {
  const finite = (values: ArrayLike<number> | undefined): boolean => {
    for (let i = 0; i < (values?.length ?? 0); i++) if (!Number.isFinite(values![i])) return false;
    return true;
  };
  const below = (values: ArrayLike<number>, limit: number): boolean => {
    for (let i = 0; i < values.length; i++) if (!(values[i]! < limit)) return false;
    return true;
  };
  model.joints.forEach(({ parentIndex, translation, rotation, scale }, i) => {
    expect(parentIndex).toBeLessThan(i);
    expect(finite([...translation, ...rotation, ...scale])).toBe(true);
    expect(Math.hypot(...rotation)).toBeCloseTo(1, 5);
  });
  for (const { jointIndex, jointFromMesh } of model.bindings) {
    expect(jointIndex).toBeLessThan(model.joints.length);
    expect(finite(jointFromMesh)).toBe(true);
  }
  for (const mesh of model.meshes) {
    const { vertexCount, influences } = mesh;
    for (const values of [
      mesh.positions,
      mesh.normals,
      mesh.tangents,
      mesh.texcoords,
      mesh.colors,
      influences.weights,
    ]) {
      expect(finite(values)).toBe(true);
    }
    for (const { positions, normals, tangents } of mesh.targets) {
      expect(positions.length).toBe(3 * vertexCount);
      expect(finite(positions) && finite(normals) && finite(tangents)).toBe(true);
    }
    expect(mesh.positions.length).toBe(3 * vertexCount);
    expect(mesh.indices.length % 3).toBe(0);
    expect(below(mesh.indices, vertexCount) && below(mesh.vertexOfSource, vertexCount)).toBe(true);
    expect(below(influences.bindings, model.bindings.length)).toBe(true);
    expect(influences.offsets.length).toBe(vertexCount + 1);
    expect(influences.offsets.at(-1)).toBe(influences.weights.length);
    for (let v = 0; v < vertexCount; v++) {
      const weights = influences.weights.subarray(influences.offsets[v], influences.offsets[v + 1]);
      expect(weights.length).toBeLessThan(256);
      expect(weights.every((weight, i) => weight > 0 && (i === 0 || weight <= weights[i - 1]!))).toBe(true);
      if (weights.length > 0) expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 5);
    }
  }
  for (const { duration, tracks } of model.clips) {
    expect(Number.isFinite(duration)).toBe(true);
    for (const { path, targetIndex, times, values, interpolation } of tracks) {
      expect(targetIndex).toBeLessThan(path === 'weights' ? model.morphSets.length : model.joints.length);
      const width = path === 'rotation' ? 4 : path === 'weights' ? model.morphSets[targetIndex]!.weights.length : 3;
      expect(values.length).toBe(times.length * width * (interpolation === 'CUBICSPLINE' ? 3 : 1));
      expect(finite(values)).toBe(true);
      expect(times.every((time, i) => time >= 0 && (i === 0 || time > times[i - 1]!))).toBe(true);
    }
  }
}

describe.skipIf(noShared())(`damaged files, MANIPLE_SEED=${SEED}`, () => {
  const files = [
    'malformed/edge-cases/00-baseline-valid.glb',
    'basics/RiggedSimple.glb',
    'basics/AnimatedMorphCube.glb',
    'basics/InterpolationTest-notexture.glb',
    'derived/robotexpressive-meshopt.glb',
    'characters/kenney-platformer-character.glb',
  ];

  it.each(files)('%s is refused with codes or sound', async (file) => {
    const bytes = new Uint8Array(readFileSync(path.join(shared, 'assets', file)));
    const jsonLength = new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true);
    const text = new TextDecoder().decode(bytes.subarray(20, 20 + jsonLength)).trimEnd();
    const binary = bytes.subarray(20 + jsonLength + 8);
    const random = randomFrom(SEED);
    const rounds = bytes.length > 50_000 ? ROUNDS / 5 : ROUNDS;
    let accepted = 0;
    for (let round = 0; round < rounds; round++) {
      const kind = random();
      const damaged = toGlb(
        kind < 0.6 ? mutateJson(text, random) : text,
        kind > 0.5 ? mutateBytes(binary, random) : binary,
      );
      const start = performance.now();
      try {
        expectSound(await importBuilt(damaged));
        accepted++;
      } catch (thrown) {
        if (!(thrown instanceof ManipleError)) throw new Error(`round ${round}: ${String(thrown)}`, { cause: thrown });
        expect(thrown.issues.length).toBeGreaterThan(0);
        // a reader that broke on something that no check had found
        const unforeseen = thrown.issues.find(
          ({ path, code }) => code === 'INTERNAL' || (code === 'GLTF_DECODE_FAILED' && path === ''),
        );
        expect(unforeseen, `round ${round}`).toBeUndefined();
      }
      expect(performance.now() - start).toBeLessThan(TIME_LIMIT_MS);
    }
    expect(accepted).toBeGreaterThan(0);
  });
});
