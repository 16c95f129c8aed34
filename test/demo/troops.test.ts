import { expect, test } from 'vitest';
import { joinCrowd, mustered } from '../../demo/field/troops.ts';
import { packCharacter } from '../../src/character/index.ts';
import { createCrowd } from '../../src/index.ts';
import { importGltf } from '../../src/import/index.ts';
import { GltfBuilder } from '../import/build-gltf.ts';

/** A triangle with clips of these names. */
async function character(...clips: string[]) {
  const made = new GltfBuilder();
  const node = made.meshNode([made.triangle()], { name: 'Root' });
  made.scenes.push({ nodes: [node] });
  for (const name of clips) {
    const values = name === 'Dance' ? [0, 0, 0, 0, 1, 0] : [0, 0, 0, 1, 0, 0];
    made.clip([{ node, path: 'translation', times: [0, 1], values, type: 'VEC3' }], name);
  }
  return packCharacter(await importGltf({ name: 'made', bytes: made.glb() }));
}

test('a troop gets a character with more clips, at its own place, and plays those', async () => {
  const [soldier, before, after] = await Promise.all([
    character('Idle'),
    character('Walk'),
    character('Walk', 'Dance'),
  ]);
  const bounds = { min: [0, 0, 0], max: [10, 2, 10] } as const;
  const crowd = await createCrowd(undefined, { characters: [soldier], capacity: 4, backend: 'cpu' });
  crowd.spawn(soldier, { count: 2 });
  const troop = mustered({ name: 'made', key: 3, character: before }, bounds, []);
  const group = joinCrowd(crowd, troop);
  crowd.update({ dt: 0.1 });
  const replaced = { ids: group.ids, character: before };
  const next = joinCrowd(crowd, { ...troop, character: after, plays: ['Dance'] }, replaced);
  crowd.update({ dt: 0.1 });
  await crowd.workDone();
  expect(crowd.count).toBe(2 + troop.count);
  expect(next.count).toBe(troop.count);
  const [place] = await crowd.readTransforms(next.ids[0]!);
  expect(place!.position.x).toBeLessThan(troop.middle[0]);
  // Walk moves it along x, Dance along y
  const vertices = await crowd.readVertices(next.ids[1]!);
  const least = (axis: number) => Math.min(...vertices.filter((_, i) => i % 3 === axis));
  expect(least(0)).toBeCloseTo(0, 3);
  expect(least(1)).toBeGreaterThan(0.3);
  // the old character is gone
  expect(() => crowd.removeCharacter(before)).toThrow(/does not have this character/);
  crowd.destroy();
});
