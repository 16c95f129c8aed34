// What a crowd refuses before a frame, or its memory, could come to harm; on the CPU backend.
import { describe, expect, test } from 'vitest';
import { NOTHING_DROPPED } from '../../src/frame/tables/cull-results.ts';
import { packCharacter } from '../../src/character/index.ts';
import type { CrowdOptions, CrowdView, VertexProvider } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { coded, offPose, smallActor } from '../support/crowd-truth.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

const small = smallActor();
const newCrowd = (options: Partial<CrowdOptions> = {}) =>
  createCrowd(undefined, { characters: [small.character], capacity: 4, backend: 'cpu', ...options });
const view: CrowdView = { clipFromWorld: clipFromWorld({ eye: [0, 0, 9], target: [0, 0, 0] }, 1), height: 100 };

describe('a crowd refuses', () => {
  test('more types than runs of its lists can distinguish', () => {
    const characters = (count: number) => Array.from({ length: count }, () => small.character);
    expect(() => newCrowd({ characters: characters(1023) }).destroy()).not.toThrow();
    expect(() => newCrowd({ characters: characters(1024) })).toThrow(coded('CROWD_LIMIT'));
  });

  test('more than 32 views, and views with invalid numbers, and continues as without the call', async () => {
    const crowd = newCrowd();
    const { ids } = crowd.spawn(small.character, { count: 2 });
    const bad = { ...view, height: NaN };
    for (const views of [Array.from({ length: 33 }, () => view), [view, bad]]) {
      await expect(updateAndWait(crowd, { dt: 0.1, views })).rejects.toThrow(coded('CROWD_BAD_ARGUMENT'));
    }
    expect([crowd.frame, crowd.time]).toEqual([0, 0]);
    await updateAndWait(crowd, { dt: 0, views: [view] });
    expect(await crowd.readStats()).toEqual({
      listed: 2,
      posed: 2,
      unposed: 0,
      undrawn: 0,
      ...NOTHING_DROPPED,
      dropped: 0,
    });
    for (const id of ids) expect(await offPose(crowd, small, id)).toBeLessThan(1e-6);
    crowd.destroy();
  });

  test('to pose more in a frame than it has room for, and counts them', async () => {
    const crowd = newCrowd({ maxPoses: 1, updateRates: false });
    crowd.spawn(small.character, { count: 3 });
    // two who have never been posed are left, then one: they take turns
    for (const unposed of [2, 1]) {
      await updateAndWait(crowd, { dt: 0, views: [view] });
      expect(await crowd.readStats()).toMatchObject({ listed: 3, posed: 1, unposed, undrawn: 0 });
    }
    crowd.destroy();
  });

  test.each([NaN, -Infinity, 1e39, -3.5e38])('a place at %d', (value) => {
    const crowd = newCrowd();
    const [id] = crowd.spawn(small.character).ids;
    expect(() => crowd.setTransform(id!, (at) => at.position.set(0, value, 0))).toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(() => crowd.setTransform(id!, (at) => (at.scale = value))).toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(() => crowd.spawn(small.character, { place: (_, at) => at.position.set(value, 0, 0) })).toThrow(
      coded('CROWD_BAD_ARGUMENT'),
    );
    expect(crowd.count).toBe(1);
    crowd.destroy();
  });

  test('to skin in draws with more rows of providers than a slot keeps, and anywhere else than it can', () => {
    const character = packCharacter(small.model, { providers: () => 1 });
    const wind = (rowCount: number): VertexProvider => ({
      name: 'wind',
      space: 'model',
      rowCount,
      code: 'fn wind() {}',
      twin: (_, surface) => surface,
    });
    // two rows of its own, two of masks, and one per character
    const options = (rowCount: number) => ({ characters: [small.character, character], providers: [wind(rowCount)] });
    const refused = coded('CROWD_LIMIT');
    expect(() => newCrowd({ ...options(508), skin: 'vertex' })).toThrow(refused);
    expect(() => newCrowd({ skin: 'pixel' as never })).toThrow(coded('CROWD_BAD_ARGUMENT'));
    newCrowd({ ...options(507), skin: 'vertex' }).destroy();
    const crowd = newCrowd({ ...options(508), skin: (own) => (own === character ? 'compute' : 'vertex') });
    const other = packCharacter(small.model, { providers: () => 1 });
    expect(() => crowd.addCharacter(other)).toThrow(refused);
    expect(internalsOf(crowd).host.tables.types.map(({ skin }) => skin)).toEqual(['vertex', 'compute']);
    crowd.destroy();
  });

  test('no place that a float holds', () => {
    const crowd = newCrowd();
    const place = (x: number) => () =>
      crowd.spawn(small.character, { place: (_, at) => (at.position.set(x, 0, 0), at.rotation.set(0, 1e-40, 0, 0)) });
    for (const x of [3.4e38, -1e30, 0]) expect(place(x)).not.toThrow();
    crowd.destroy();
  });
});
