// Crowds that grow and take on characters, on the twins.
import { describe, expect, test } from 'vitest';
import { rebuildCrowd, saveSnapshot } from '../../src/state/index.ts';
import { createReferenceRenderer } from '../../src/render/index.ts';
import { coded } from '../support/crowd-truth.ts';
import { checkCast, checkGrowth } from '../support/grow-scene.ts';
import { someSeeds } from '../support/setup.ts';
import { contents, fighter, mote, randomFrame, rover, stateCrowd } from '../support/state-scene.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const SEEDS = someSeeds(1, 20, 600);

describe('a crowd', () => {
  test.each(SEEDS)('grows with nothing lost: seed %i', (seed) => checkGrowth(undefined, seed));
  test.each(SEEDS)('takes on characters and gives them up: seed %i', (seed) => checkCast(undefined, seed));

  test('that has grown and changed its cast is rebuilt as it was', async () => {
    const crowd = stateCrowd(undefined, { characters: [fighter, mote], keep: { intervalSeconds: 1e6 } });
    crowd.spawn(fighter, { count: 40 });
    crowd.grow(70);
    crowd.addCharacter(rover);
    await updateAndWait(crowd, { dt: 0.1 });
    crowd.removeCharacter(mote); // neither the first snapshot nor the crowd has both
    for (let i = 0; i < 5; i++) await randomFrame(crowd, i, true, [fighter, rover]);
    const before = contents(await saveSnapshot(crowd));
    const { crowd: rebuilt, from } = await rebuildCrowd(crowd, undefined);
    expect([from, rebuilt.capacity]).toEqual(['snapshot', 70]);
    expect(contents(await saveSnapshot(rebuilt))).toEqual(before);
  });

  test('shows its last frame until the next one: in reads and in pictures', async () => {
    const crowd = stateCrowd(undefined, { characters: [fighter, mote] });
    const { ids } = crowd.spawn(mote, { count: 3, place: (i, at) => at.position.set(i, 0, 0) });
    await updateAndWait(crowd, { dt: 0.1 });
    const shown = async () => {
      const renderer = await createReferenceRenderer(crowd, { shadowResolution: 16 });
      const camera = { eye: [1, 1, 4], target: [1, 0.5, 0], fovY: 1 } as const;
      const bounds = { min: [-1, 0, -1], max: [3, 2, 1] } as const;
      const { color, ids: drawnIds } = await renderer.render({ camera, bounds, width: 32, height: 16 });
      const vertices = await Promise.all(ids.map((id) => crowd.readVertices(id)));
      return { color, drawnIds, vertices, poses: await crowd.readPose(ids), stats: await crowd.readStats() };
    };
    const last = await shown();
    expect([...last.drawnIds]).toContain(1);
    expect(last.stats.posed).toBe(3);
    for (const capacity of [70, 90]) {
      crowd.grow(capacity);
      expect(await shown()).toEqual(last);
    }
    await updateAndWait(crowd, { dt: 0.1, views: [] }); // it poses nothing
    expect((await shown()).vertices).toEqual(last.vertices);
    await updateAndWait(crowd, { dt: 0.1 });
    expect((await shown()).poses.frame).toBe(crowd.frame);
    crowd.destroy();
  });

  test('refuses what cannot be, and stays as it was', async () => {
    const crowd = stateCrowd(undefined, { characters: [fighter, mote] });
    const group = crowd.spawn(mote, { count: 2 });
    for (const capacity of [39, 0, NaN, 40.5, 2 ** 24 + 1]) {
      expect(() => crowd.grow(capacity), String(capacity)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    }
    crowd.grow(40); // as it is
    expect(() => crowd.addCharacter(mote)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(() => crowd.removeCharacter(mote)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(() => crowd.removeCharacter(rover)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    const frame = crowd.encode(undefined, { dt: 0.1 });
    expect(() => crowd.grow(50)).toThrow(coded('CROWD_FRAME_OPEN'));
    expect(() => crowd.addCharacter(rover)).toThrow(coded('CROWD_FRAME_OPEN'));
    await expect(saveSnapshot(crowd)).rejects.toThrow(coded('CROWD_FRAME_OPEN'));
    await frame.submitted();
    crowd.removeCharacter(fighter);
    group.despawn();
    expect(() => crowd.removeCharacter(mote)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    crowd.destroy();
    expect(() => crowd.grow(50)).toThrow(coded('CROWD_DESTROYED'));
  });
});
