import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { posedTriangles, randomPose, sampledDistance } from '../../../test/support/lod-truth.ts';
import { randomModel } from '../../../test/support/random-model.ts';
import { Random } from '../../../test/support/random.ts';
import { full, hasTurn, noShared, runSeed, shared, some } from '../../../test/support/setup.ts';
import { bindingOf, clipOf, jointAt, meshOf, smallModel, trackOf } from '../../../test/support/small-model.ts';
import { readBaked, writeBaked } from '../../character/file/index.ts';
import type { Character } from '../../character/character.ts';
import type { CharacterModel, LodModel, MeshModel } from '../../character/model.ts';
import { packCharacter } from '../../character/pack/index.ts';
import { addLods, importGltf } from '../index.ts';

const QUARTER = Math.SQRT1_2;

/** A tube along X, from 0 to 8, eight-sided; the half beyond x = 4 bends with the second joint, blended over two units. */
function tube(rings = 33): CharacterModel {
  const sides = 8;
  const positions = Array.from({ length: rings * sides }, (_, v) => {
    const angle = (2 * Math.PI * (v % sides)) / sides;
    return [Math.floor(v / sides) / 4, Math.cos(angle), Math.sin(angle)];
  });
  const indices = Array.from({ length: (rings - 1) * sides }, (_, q) => {
    const [ring, side] = [Math.floor(q / sides), q % sides];
    const [a, b] = [ring * sides + side, ring * sides + ((side + 1) % sides)];
    return [a, b, a + sides, b, b + sides, a + sides];
  }).flat();
  const share = (v: number) => Math.max(0, Math.min(1, (positions[v]![0]! - 3) / 2));
  const mesh = meshOf(
    positions,
    (v) => {
      const weights = [[0, 1 - share(v)], [1, share(v)]] as const; // prettier-ignore
      return weights.filter(([, weight]) => weight > 0).toSorted((a, b) => b[1] - a[1]);
    },
    { indices: Uint32Array.from(indices), normals: Float32Array.from(positions.flatMap(([, y, z]) => [0, y!, z!])) },
  );
  return smallModel({
    joints: [jointAt([0, 0, 0]), jointAt([4, 0, 0], { parentIndex: 0 })],
    bindings: [bindingOf(0, [0, 0, 0]), bindingOf(1, [4, 0, 0])],
    meshes: [mesh],
    clips: [clipOf(1, trackOf('rotation', 1, 'LINEAR', [0, 0, 0, 0, 1], [1, 0, 0, QUARTER, QUARTER]))],
  });
}

const trianglesOf = (meshes: readonly MeshModel[]) => meshes.reduce((sum, { indices }) => sum + indices.length / 3, 0);
const verticesOf = (meshes: readonly MeshModel[]) => meshes.reduce((sum, { vertexCount }) => sum + vertexCount, 0);

/** All that is stored of a vertex. */
function vertexKey(
  { positions, normals, tangents, texcoords, colors, influences, targets }: MeshModel,
  v: number,
): string {
  const [from, to] = [influences.offsets[v], influences.offsets[v + 1]];
  const streams = [
    positions.subarray(3 * v, 3 * v + 3),
    normals.subarray(3 * v, 3 * v + 3),
    tangents?.subarray(4 * v, 4 * v + 4) ?? [],
    texcoords?.subarray(2 * v, 2 * v + 2) ?? [],
    colors?.subarray(4 * v, 4 * v + 4) ?? [],
    influences.bindings.subarray(from, to),
    influences.weights.subarray(from, to),
    ...targets.map((target) => target.positions.subarray(3 * v, 3 * v + 3)),
  ];
  return streams.map((stream) => stream.join()).join(';');
}

/** What holds of every LOD that was made, whatever the model. */
function expectSound(model: CharacterModel, { meshes }: LodModel): void {
  expect(meshes.map(({ nodeIndex, primitiveIndex }) => [nodeIndex, primitiveIndex])).toEqual(
    model.meshes.map(({ nodeIndex, primitiveIndex }) => [nodeIndex, primitiveIndex]),
  );
  meshes.forEach((mesh, m) => {
    const finest = model.meshes[m]!;
    const known = new Set(Array.from({ length: finest.vertexCount }, (_, v) => vertexKey(finest, v)));
    const used = new Set(mesh.indices);
    // every vertex is one of the finest, and used; nothing else is named
    expect([...used].every((v) => v < mesh.vertexCount)).toBe(true);
    expect(used.size).toBe(mesh.vertexCount);
    for (let v = 0; v < mesh.vertexCount; v++) expect(known.has(vertexKey(mesh, v))).toBe(true);
    expect(mesh.vertexOfSource).toHaveLength(0);
    for (let t = 0; t < mesh.indices.length; t += 3) {
      expect(new Set(mesh.indices.subarray(t, t + 3)).size).toBe(3);
    }
  });
}

/** Triangles fall, errors rise and hold in poses and at points that nobody looked at before. */
function expectErrors(
  model: CharacterModel,
  character: Character,
  random: Random,
  poses: number,
  points: number,
): void {
  let before: { triangles: number; error: number } = { triangles: trianglesOf(model.meshes), error: 0 };
  model.lods!.forEach(({ meshes }, index) => {
    const { error, indices, vertexCount, primitives, posedJoints } = character.lods[index]!;
    expect(indices.length / 3).toBe(trianglesOf(meshes));
    expect(vertexCount).toBe(verticesOf(meshes));
    expect(primitives.map(({ part, materialIndex }) => [part, materialIndex])).toEqual(
      character.primitives.map(({ part, materialIndex }) => [part, materialIndex]),
    );
    expect(indices.length / 3).toBeLessThanOrEqual(0.9 * before.triangles);
    expect(error).toBeGreaterThanOrEqual(before.error);
    for (let p = 0; p < poses; p++) {
      const pose = randomPose(random, model);
      const fine = posedTriangles(model, model.meshes, pose);
      const coarse = posedTriangles(model, meshes, pose, posedJoints);
      for (const [from, to] of [
        [fine, coarse],
        [coarse, fine],
      ] as const) {
        // prettier-ignore
        expect(sampledDistance(random, from, to, points)).toBeLessThanOrEqual(error);
      }
    }
    before = { triangles: indices.length / 3, error };
  });
}

describe.runIf(hasTurn(2))('a tube with a bend', () => {
  test('loses the rings that do nothing, and keeps those of the bend', async () => {
    const model = tube();
    const coarse = await addLods(model, { errors: [0.05] });
    const [lod] = coarse.lods!;
    expectSound(model, lod!);
    const rings = new Set(lod!.meshes[0]!.positions.filter((_, i) => i % 3 === 0));
    const at = (low: number, high: number) => [...rings].filter((x) => x > low && x < high).length;
    // from 3 to 5 influences change, elsewhere a straight line would do: twice as many there, for a length, at least
    expect(at(3, 5) / 2).toBeGreaterThan((2 * (at(0, 3) + at(5, 8))) / 6);
    expect([...rings]).toEqual(expect.arrayContaining([0, 8]));
    expectErrors(coarse, packCharacter(coarse), new Random(1), 3, 100);
  });

  test('gets coarser with larger errors, within each', async () => {
    const model = tube(full ? 25 : 19);
    const size = packCharacter(model).size;
    const errors = [0.01, 0.03, 0.1];
    const { lods } = packCharacter(await addLods(model, { errors }));
    expect(lods).toHaveLength(3);
    lods.forEach(({ error }, i) => expect(error).toBeLessThanOrEqual((errors[i]! * size) / 1.8));
  });

  test('keeps within both, triangles and errors, whichever limit is reached first', async () => {
    const model = tube(full ? 17 : 11);
    const finest = trianglesOf(model.meshes);
    const [loose] = packCharacter(await addLods(model, { ratios: [0.5], errors: [1] })).lods;
    expect(loose!.indices.length / 3).toBeGreaterThan(0.4 * finest);
    expect(loose!.indices.length / 3).toBeLessThan(0.53 * finest);
    const tight = packCharacter(await addLods(model, { ratios: [0.05], errors: [0.02] }));
    expect(tight.lods[0]!.error).toBeLessThanOrEqual((0.02 * tight.size) / 1.8);
    expect(tight.lods[0]!.indices.length / 3).toBeGreaterThan(0.05 * finest);
  });

  test('is kept where nothing can be removed, and an issue says so', async () => {
    const model = tube(full ? 17 : 7);
    const { lods, issues } = await addLods(model, { errors: [1e-7] });
    expect(lods).toEqual([]);
    expect(issues).toMatchObject([{ code: 'CHARACTER_LOD_DROPPED', severity: 'info', path: 'small/lods/0' }]);
  });

  test('is the same every time', async () => {
    expect(await addLods(tube(9), { ratios: [0.3] })).toEqual(await addLods(tube(9), { ratios: [0.3] }));
  });
});

describe.runIf(hasTurn(2))('seams', () => {
  /** A sheet of two meshes, or two halves of a texture, that meet at x = 0.5; its edge has a bump. */
  function sheet(where: 'meshes' | 'texture'): CharacterModel {
    const n = 9;
    const half = (from: number) => {
      const positions = Array.from({ length: n * n }, (_, v) => {
        const [x, y] = [from + (v % n) / (2 * (n - 1)), Math.floor(v / n) / (n - 1)];
        return [x, y, 0.02 * Math.sin(9 * x) * Math.sin(7 * y)];
      });
      const indices = Array.from({ length: (n - 1) * (n - 1) }, (_, q) => {
        const a = Math.floor(q / (n - 1)) * n + (q % (n - 1));
        return [a, a + 1, a + n, a + 1, a + n + 1, a + n];
      }).flat();
      const texcoords = positions.flatMap(([x, y]) => [x! + (from > 0 ? 3 : 0), y!]);
      return { positions, indices, texcoords };
    };
    const [left, right] = [half(0), half(0.5)];
    const mesh = ({ positions, indices, texcoords }: typeof left, nodeIndex: number) =>
      meshOf(positions, () => [[0, 1]], {
        indices: Uint32Array.from(indices),
        texcoords: Float32Array.from(texcoords),
        nodeIndex,
      });
    if (where === 'meshes') return smallModel({ meshes: [mesh(left, 0), mesh(right, 1)] });
    const joined = {
      positions: [...left.positions, ...right.positions],
      indices: [...left.indices, ...right.indices.map((i) => i + n * n)],
      texcoords: [...left.texcoords, ...right.texcoords],
    };
    return smallModel({ meshes: [mesh(joined, 0)] });
  }

  test.each(['meshes', 'texture'] as const)('of %s stay closed, and on their texture', async (where) => {
    const model = sheet(where);
    const { lods } = await addLods(model, { ratios: [0.2] });
    expectSound(model, lods![0]!);
    const sides: [Set<number>, Set<number>] = [new Set(), new Set()];
    for (const { positions, texcoords, indices } of lods![0]!.meshes) {
      for (let t = 0; t < indices.length; t += 3) {
        // no triangle spans the texture's two halves
        const us = Array.from(indices.subarray(t, t + 3), (v) => texcoords![2 * v]!);
        expect(Math.max(...us) - Math.min(...us)).toBeLessThan(1);
      }
      for (const v of indices) {
        if (Math.abs(positions[3 * v]! - 0.5) < 1e-6) sides[texcoords![2 * v]! > 2 ? 1 : 0].add(positions[3 * v + 1]!);
      }
    }
    const byNumber = (a: number, b: number) => a - b;
    expect([...sides[0]].toSorted(byNumber)).toEqual([...sides[1]].toSorted(byNumber));
    expect(sides[0].size).toBeLessThan(9);
  });
});

test('flat-shaded meshes, with triangles that share no vertex, get coarser; normals follow the triangles', async () => {
  const smooth = tube(full ? 33 : 13);
  const { positions, influences, indices } = smooth.meshes[0]!;
  const faces = Array.from(indices, (_, i) => i - (i % 3));
  const normal = (t: number) => {
    const [a, b, c] = Array.from(indices.subarray(t, t + 3), (v) => [...positions.subarray(3 * v, 3 * v + 3)]);
    const [u, v] = [b!, c!].map((p) => p.map((x, k) => x - a![k]!)) as [number[], number[]];
    const n = [u[1]! * v[2]! - u[2]! * v[1]!, u[2]! * v[0]! - u[0]! * v[2]!, u[0]! * v[1]! - u[1]! * v[0]!];
    return n.map((x) => x / Math.hypot(...n));
  };
  const flat = meshOf(
    Array.from(indices, (v) => [...positions.subarray(3 * v, 3 * v + 3)]),
    (i) => {
      const v = indices[i]!;
      const range = Array.from({ length: influences.offsets[v + 1]! - influences.offsets[v]! }, (_, k) => k);
      return range.map((k) => [influences.bindings[influences.offsets[v]! + k]!, influences.weights[influences.offsets[v]! + k]!]);
    },
    { indices: Uint32Array.from(faces.keys()), normals: Float32Array.from(faces.flatMap((t) => normal(t))) },
  ); // prettier-ignore
  const model = { ...smooth, meshes: [flat] };
  const { lods } = await addLods(model, { ratios: [0.3] });
  expectSound(model, lods![0]!);
  const [mesh] = lods![0]!.meshes;
  expect(mesh!.indices.length / 3).toBeLessThan(0.4 * trianglesOf(smooth.meshes));
  for (let v = 0; v < mesh!.vertexCount; v++) {
    const [, y, z] = mesh!.positions.subarray(3 * v, 3 * v + 3);
    // they point outwards, within the half angle of a side
    const [, ny, nz] = mesh!.normals.subarray(3 * v, 3 * v + 3);
    expect(y! * ny! + z! * nz!).toBeGreaterThan(0.9);
  }
});

describe.runIf(hasTurn(2))('random models', () => {
  it.each(some([0, 1, 2], 1))('%i: whatever is in them, LODs are sound and bake', async (n) => {
    const random = new Random(runSeed + n);
    const model = randomModel(random, {
      joints: 9,
      depth: 5,
      influences: [3, 6, 2][n]!,
      morphs: [0, 2, 3][n]!,
      clips: 2,
      vertices: full ? 300 : 100,
      scales: n === 1,
      meshes: 3,
      keys: 3,
      interpolations: ['LINEAR'],
    });
    const coarse = await addLods(model, { ratios: [0.6, 0.3] });
    for (const lod of coarse.lods!) expectSound(model, lod);
    const character = packCharacter(coarse);
    expectErrors(coarse, character, random, 2, 50);
    expect(readBaked(writeBaked(character))).toEqual(character);
  });
});

test.each([
  [{ ratios: [0.5, 0.5] }, /ratios: 0.5, 0.5 do not fall/],
  [{ ratios: [1] }, /do not fall/],
  [{ ratios: [0.5, 0] }, /do not fall/],
  [{ ratios: [Number.NaN] }, /do not fall/],
  [{ errors: [0.02, 0.01] }, /errors: 0.02, 0.01 do not rise/],
  [{ errors: [Infinity] }, /do not rise/],
  [{ ratios: [0.5], errors: [0.01, 0.02] }, /1 ratios and 2 errors/],
  [{ ratios: [8, 7, 6, 5, 4, 3, 2, 1].map((n) => n / 10) }, /8 LODs; the limit is 7/],
])('%j is refused', async (options, message) => {
  await expect(addLods(tube(), options)).rejects.toThrow(message);
});

test('a model without triangles stays without LODs', async () => {
  expect((await addLods(smallModel({ meshes: [] }))).lods).toEqual([]);
});

const OWN = ['legionary', 'raider'].map((name) => path.join('characters', `${name}.glb`));
const FOREIGN = [
  'creatures/khronos-fox.glb',
  'characters/cesium-man.glb',
  'characters/robot-expressive.glb',
  'creatures/wolf.glb',
  'basics/MorphStressTest.glb',
].map((name) => path.join(shared, 'assets', name));

/** Most take ten seconds: full runs have them, short ones the models above. */
const FILES = noShared() ? OWN : [...FOREIGN, ...OWN];

test.each(full ? FILES : [])('%s: LODs hold what they state', { timeout: 240_000 }, async (file) => {
  const model = await importGltf({ name: file, bytes: readFileSync(file) });
  const coarse = await addLods(model, { ratios: [0.5, 0.2] });
  expect(coarse.lods!.length).toBeGreaterThan(0);
  for (const lod of coarse.lods!) expectSound(model, lod);
  const character = packCharacter(coarse);
  expectErrors(coarse, character, new Random(17), 4, 250);
  // bounds are those of the finest: vertices of LODs are among its own
  const { reach, clips, bounds } = packCharacter(model);
  expect([character.reach, character.bounds, character.clips]).toEqual([reach, bounds, clips]);
  expect(readBaked(writeBaked(character)).lods).toEqual(character.lods);
});
