import { createHash } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { GltfBuilder, importBuilt } from '../../test/import/build-gltf.ts';
import { sourceOf } from '../../test/import/pose-model.ts';
import { noShared, shared, some } from '../../test/support/setup.ts';
import { importGltf, type ImportProgress } from './index.ts';

describe('importing', () => {
  it('lists meshes by ascending node index, then primitive', async () => {
    const gltf = new GltfBuilder();
    gltf.nodes.push({ children: [2, 1] });
    gltf.meshNode([gltf.triangle(), gltf.triangle()], { name: 'a' });
    gltf.meshNode([gltf.triangle()], { name: 'b' });
    const { meshes } = await importBuilt(gltf);
    expect(meshes.map(({ nodeName, nodeIndex, primitiveIndex }) => [nodeName, nodeIndex, primitiveIndex])).toEqual([
      ['a', 1, 0],
      ['a', 1, 1],
      ['b', 2, 0],
    ]);
  });

  it('says how far it is', async () => {
    const gltf = new GltfBuilder();
    for (let i = 0; i < 5; i++) gltf.meshNode([gltf.triangle()]);
    const seen: ImportProgress[] = [];
    await importBuilt(gltf, { onProgress: (progress) => seen.push(progress) });
    expect(seen.map(({ done }) => done)).toEqual(seen.map(({ done }) => done).toSorted((a, b) => a - b));
    expect(seen[0]!.done).toBe(0);
    expect(seen.at(-1)!.done).toBe(1);
    expect([...new Set(seen.map(({ stage }) => stage))]).toEqual(['check', 'decode', 'meshes', 'clips']);
  });
});

describe('our own characters', () => {
  const file = (name: string): string => fileURLToPath(new URL(`../../characters/${name}`, import.meta.url));

  it.each(['legionary.glb', 'raider.glb'])('%s: blows and falls end, all else goes on', async (name) => {
    const { clips, issues } = await importGltf(await sourceOf(file(name)));
    expect(issues).toEqual([]);
    const ending = clips.filter(({ loops }) => loops === false).map((clip) => clip.name);
    expect(ending).toEqual(['block', 'attack_1', 'attack_2', 'hit', 'fall']);
  });
});

describe.skipIf(noShared())('a model', () => {
  const files = [
    'characters/robot-expressive.glb',
    'derived/knight-meshopt-c.glb',
    'characters/astronaut-bee-draco.glb',
  ];

  it.each(some(files, 1))('of %s is the same every time, and shares nothing with the file', async (file) => {
    const source = await sourceOf(path.join(shared, 'assets', file));
    const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
    const before = digest(source.bytes);
    const [first, second] = [await importGltf(source), await importGltf(source)];
    expect(digest(source.bytes)).toBe(before);
    expect(second).toEqual(first);
    const arrays = [
      ...first.meshes.flatMap(({ positions, normals, indices, influences }) => [
        positions,
        normals,
        indices,
        influences.weights,
      ]),
      ...first.clips.flatMap(({ tracks }) => tracks.flatMap(({ times, values }) => [times, values])),
      ...first.bindings.map(({ jointFromMesh }) => jointFromMesh),
      ...first.images.map(({ bytes }) => bytes),
    ];
    expect(arrays.filter(({ buffer }) => buffer === source.bytes.buffer)).toEqual([]);
  });

  it('orders triangles so that vertices are used again soon', async () => {
    const source = await sourceOf(path.join(shared, 'assets/characters/kaykit-knight.glb'));
    const { meshes } = await importGltf(source);
    for (const { indices, vertexCount } of meshes) {
      // new vertices appear in order, and a cache of 32 misses less than once per triangle
      let next = 0;
      const cache: number[] = [];
      let misses = 0;
      for (const index of indices) {
        if (index >= next) expect(index).toBe(next++);
        if (cache.includes(index)) continue;
        misses++;
        cache.push(index);
        if (cache.length > 32) cache.shift();
      }
      expect(next).toBeLessThanOrEqual(vertexCount);
      expect(misses / (indices.length / 3)).toBeLessThan(1.6);
    }
  });
});
