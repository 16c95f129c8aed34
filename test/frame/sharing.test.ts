// Far characters that share poses, on the twins.
import { describe, expect, test } from 'vitest';
import { placeOf } from '../../src/frame/tables/cull-results.ts';
import { addSockets, type Crowd, type PoseSharingOptions } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { coded, smallActor } from '../support/crowd-truth.ts';
import { Random } from '../support/random.ts';
import { checkRebuild } from '../support/rebuild-scene.ts';
import { doSomething, stateCrowd } from '../support/state-scene.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

/** Planes without a direction hold everything, wherever the origin goes; nobody takes a pixel. */
const EVERYWHERE = { clipFromWorld: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], height: 500 };

/** Who shows a shared pose in the last frame, of those who live. */
async function sharersOf(crowd: Crowd): Promise<number[]> {
  const { ids, shape } = internalsOf(crowd).host;
  const rows = await Promise.all(
    crowd.ids.map(async (id) => (await internalsOf(crowd).host.backend.read(ids.index(id)))?.row),
  );
  const shown = rows.filter((row) => row !== undefined);
  const places = new Map(
    shown.map((row) => [
      row.get(0, 'character'),
      `${placeOf(internalsOf(crowd).host.tables.types, row).pageIndex} ${row.get(0, 'currentVertexOffset')}`,
    ]),
  );
  const own = (row: number) => internalsOf(crowd).host.residents.leader(row) === row;
  const counts = new Map<string, number>();
  for (const [row, place] of places) if (own(row)) counts.set(place, (counts.get(place) ?? 0) + 1);
  expect(shape.capacity).toBeGreaterThan(ids.capacity);
  return [...places].filter(([row, place]) => own(row) && counts.get(place)! > 1).map(([row]) => row);
}

describe('sharing', () => {
  test('whatever happens to characters, each has a pose, and one with attachments has its own', async () => {
    const crowd = stateCrowd(undefined, { poseSharing: { belowPx: 1e9, phases: 2, minWeight: 0.51 } });
    const seed = 5;
    let shared = 0;
    for (let frame = 0; frame < 60; frame++) {
      const random = new Random(1000 * seed + frame);
      for (let i = 0; i < 2; i++) doSomething(crowd, random);
      await updateAndWait(crowd, { dt: 0.1, views: [EVERYWHERE] });
      const { undrawn } = await crowd.readStats();
      expect(undrawn, `seed ${seed}, frame ${frame}`).toBe(0);
      const sharers = await sharersOf(crowd);
      for (const row of sharers) {
        const { residents, sockets } = internalsOf(crowd).host;
        expect(residents.isFollowed(row) || sockets.carries(row), `seed ${seed}, frame ${frame}, row ${row}`).toBe(
          false,
        );
      }
      shared += sharers.length;
    }
    console.log(`${shared} times somebody shared`);
    expect(shared).toBeGreaterThan(20);
    crowd.destroy();
  });

  test('a shared pose is read in the frame that makes it, and kept, not posed, in later ones', async () => {
    const character = addSockets(smallActor().character, 'all');
    const sharing = { belowPx: 1e9, phases: 2 };
    const crowd = createCrowd(undefined, {
      characters: [character],
      capacity: 4,
      backend: 'cpu',
      updateRates: false,
      poseSharing: sharing,
    });
    const group = crowd.spawn(character, { count: 2 });
    const { duration } = character.clips[0]!;
    group.play(0, { time: 0.15 * duration });
    const posed: boolean[] = [];
    // a tenth of the clip at a time: the second half begins in the fifth frame
    for (let frame = 0; frame < 7; frame++) {
      await updateAndWait(crowd, { dt: frame === 0 ? 0 : 0.1 * duration, views: [EVERYWHERE] });
      expect((await sharersOf(crowd)).length).toBe(2);
      const poses = await crowd.readPose(group.ids);
      expect(poses.map((pose) => pose !== undefined)).toEqual([poses[1] !== undefined, poses[0] !== undefined]);
      posed.push(poses[0] !== undefined);
      if (!poses[0]) await expect(crowd.readPose(group.id(0))).rejects.toThrow(coded('CROWD_BAD_ARGUMENT'));
    }
    expect(posed).toEqual([true, false, false, false, true, false, false]);
    crowd.destroy();
  });

  test('goes on in crowds that are rebuilt', async () => {
    const sharing = { belowPx: 1e9, phases: 2 };
    await checkRebuild({ keep: { intervalSeconds: 1 }, poseSharing: sharing }, 401, {});
  });

  test('refuses what makes no sense, and more than there is room for', () => {
    const { character } = smallActor();
    const create = (sharing: PoseSharingOptions) =>
      createCrowd(undefined, { characters: [character], capacity: 4, backend: 'cpu', poseSharing: sharing });
    const wrong: PoseSharingOptions[] = [
      { belowPx: -1 },
      { belowPx: NaN },
      { belowPx: 9, phases: 0 },
      { belowPx: 9, phases: 1.5 },
      { belowPx: 9, phases: 257 },
      { belowPx: 9, minWeight: 0.5 },
      { belowPx: 9, minWeight: 1.1 },
    ];
    for (const sharing of wrong) expect(() => create(sharing)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    // three clips of 256 parts each
    const characters = Array.from({ length: 86 }, () => ({ ...character }));
    const many = () =>
      createCrowd(undefined, { characters, capacity: 4, backend: 'cpu', poseSharing: { belowPx: 9, phases: 256 } });
    expect(many).toThrow(coded('CROWD_LIMIT'));
    expect(create({ belowPx: 9, phases: 256, minWeight: 1 }).capacity).toBe(4);
  });
});
