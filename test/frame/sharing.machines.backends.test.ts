// Far characters that share poses, on both backends.
import { NOTHING_DROPPED } from '../../src/frame/tables/cull-results.ts';
import { expect } from 'vitest';
import { addSockets } from '../../src/character/sockets.ts';
import type { CharacterId, Crowd, CrowdOptions, CrowdView } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { farthest, largeActor, offPose, smallActor, trueVertices } from '../support/crowd-truth.ts';
import { Random } from '../support/random.ts';
import { companions } from '../support/companions.ts';
import { soldier } from '../support/soldiers.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';
import { saveSnapshot } from '../../src/state/index.ts';
import { describeBackends, testCases, testShipped, type BackendCases, type Device } from '../support/backends.ts';

const small = (() => {
  const actor = smallActor();
  return { ...actor, character: addSockets(actor.character, [0]) };
})();
const large = largeActor();
const fighter = soldier();
/** Share of a character's size: a position has 19 bits. */
const EXACT = 5e-6;
const PHASES = 8;
const { duration } = small.model.clips[0]!;

const VIEW_ANGLE = 1;
const VIEW: CrowdView = {
  clipFromWorld: clipFromWorld({ eye: [0, 0, 0], target: [0, 0, -1], fovY: VIEW_ANGLE, near: 0.1 }, 1),
  height: 1000,
};
const views = [VIEW];
/** Where a small character takes less than 100 pixels, and where more. */
const [FAR, NEAR] = [-200, -6];
const sharing = { belowPx: 100, phases: PHASES };

function newCrowd(device: Device, options: Partial<CrowdOptions> = {}): Crowd {
  const characters = [small.character, large.character, fighter, ...companions()];
  const backend = device ? 'gpu' : 'cpu';
  return createCrowd(device, {
    characters,
    capacity: 128,
    maxModifiers: 1,
    updateRates: false,
    backend,
    poseSharing: sharing,
    ...options,
  });
}

function stand(crowd: Crowd, id: CharacterId, z: number): void {
  crowd.setTransform(id, (at) => at.position.set(0, 0, z));
}

/** Seconds of a clip, in the middle of the part that a phase is in. */
const middle = (phase: number) => ((Math.floor((phase % 1) * PHASES) + 0.5) / PHASES) * duration;

/** A frame that the view looks at; what it lists, poses and does not draw. */
async function look(crowd: Crowd, dt = 0) {
  await updateAndWait(crowd, { dt, views });
  return crowd.readStats();
}

/** Whether what moves in a character's picture is its place alone. */
async function isRigid(crowd: Crowd, id: CharacterId): Promise<boolean> {
  const { row } = (await internalsOf(crowd).host.backend.read(internalsOf(crowd).host.ids.index(id)))!;
  return row.get(0, 'currentVertexOffset') === row.get(0, 'previousVertexOffset');
}

const isExact = async (crowd: Crowd, id: CharacterId, time: number) =>
  (await offPose(crowd, small, id, { clip: 0, time })) < EXACT;

/** Plays clip 0 from a phase on, at its own pace. */
function march(crowd: Crowd, phases: readonly number[], z: (i: number) => number = () => FAR): readonly CharacterId[] {
  const { ids } = crowd.spawn(small.character, {
    count: phases.length,
    place: (i, at) => at.position.set(0, 0, z(i)),
  });
  ids.forEach((id, i) => crowd.play(id, 0, { phase: phases[i]!, loops: true }));
  return ids;
}

/** What far characters that share poses promise, on either backend. */
const SHARING_CASES: BackendCases = {
  'a hundred that are far take eight poses at most, and stand in the middle of their parts; near ones are exact':
    async (device) => {
      const seed = 11;
      const random = new Random(seed);
      const phases = Array.from({ length: 104 }, () => random.next());
      const crowd = newCrowd(device);
      const ids = march(crowd, phases, (i) => (i < 100 ? FAR - i : NEAR));
      const posed = [];
      for (let frame = 0; frame < 3; frame++) {
        const stats = await look(crowd, duration / 50);
        expect(stats.undrawn).toBe(0);
        // those that are near are posed in every frame, and what is shared only once
        posed.push(stats.posed - 4);
      }
      expect(posed[0], `seed ${seed}`).toBeLessThanOrEqual(PHASES);
      expect(posed.slice(1)).toEqual([0, 0]);
      const truth = Array.from({ length: PHASES }, (_, bin) =>
        trueVertices(small, [{ clip: 0, time: middle((bin + 0.5) / PHASES) }]),
      );
      for (const [i, id] of ids.entries()) {
        const phase = (phases[i]! + 3 / 50) % 1;
        const expected = i < 100 ? truth[Math.floor(phase * PHASES)]! : trueVertices(small, [{ clip: 0, time: phase * duration }]); // prettier-ignore
        expect(farthest(small, await crowd.readVertices(id), expected), `${i}`).toBeLessThan(EXACT);
      }
      expect(crowd.count).toBe(104);
      crowd.destroy();
    },

  'who comes first does not matter': async (device) => {
    const random = new Random(3);
    const phases = Array.from({ length: 12 }, () => random.next());
    const order = phases.map((_, i) => i).sort((a, b) => ((a * 7) % 12) - ((b * 7) % 12));
    const shown = async (turns: readonly number[]) => {
      const crowd = newCrowd(device);
      const ids = march(crowd, turns.map((i) => phases[i]!)); // prettier-ignore
      await look(crowd, 0.01);
      const vertices = await Promise.all(phases.map((_, i) => crowd.readVertices(ids[turns.indexOf(i)]!)));
      crowd.destroy();
      return vertices.map((list) => Array.from(list));
    };
    expect(await shown(order)).toEqual(await shown(phases.map((_, i) => i)));
  },

  'comes to a shared pose below 0.85 of the size at which it leaves it': async (device) => {
    const crowd = newCrowd(device);
    const [id] = march(crowd, [0.3]) as [CharacterId];
    const { center, radius } = small.character.reach!;
    const shares = [0.95, 0.87, 0.83, 0.95, 0.99, 1.01, 0.95, 0.83];
    const own = [];
    for (const share of shares) {
      // 2 r takes so many pixels at its nearest depth, of a view that is 1000 pixels high
      const depth = radius + (2 * radius * 500) / Math.tan(VIEW_ANGLE / 2) / (share * sharing.belowPx);
      crowd.setTransform(id, (at) => at.position.set(-center[0]!, -center[1]!, -depth - center[2]!));
      await look(crowd);
      own.push(await isExact(crowd, id, 0.3 * duration));
    }
    expect(own).toEqual([true, true, false, false, false, true, true, false]);
    expect(await isExact(crowd, id, middle(0.3))).toBe(true);
    crowd.destroy();
  },

  'coming to a shared pose, changing it and leaving it are no motion': async (device) => {
    const crowd = newCrowd(device);
    const [id] = march(crowd, [0.01]) as [CharacterId];
    stand(crowd, id, NEAR);
    const frames = [];
    // near, near, far, far (another part), near, near
    for (const z of [NEAR, NEAR, FAR, FAR, NEAR, NEAR]) {
      stand(crowd, id, z);
      await look(crowd, duration / 20);
      frames.push(await isRigid(crowd, id));
    }
    expect(frames).toEqual([true, false, true, true, true, false]);
    expect(await isExact(crowd, id, (0.01 + 6 / 20) * duration)).toBe(true);
    crowd.destroy();
  },

  'who is modified, carries something, is followed or shows two clips is exact': async (device) => {
    const crowd = newCrowd(device);
    const ids = march(crowd, [0.1, 0.1, 0.1, 0.1, 0.1, 0.1]) as CharacterId[];
    const [plain, modified, carrier, leader, follower, both] = ids as [CharacterId, CharacterId, CharacterId, CharacterId, CharacterId, CharacterId]; // prettier-ignore
    crowd.modifyJoint(modified, 0, { rotation: [0, 0, 0, 1], weight: 0.5 });
    const attachment = crowd.attach(carrier, 0);
    crowd.setPoseSource(follower, leader);
    const half = { clip: 0, time: 0.1 * duration, speed: 0, weight: 0.5 };
    crowd.setClips(both, [half, { ...half, clip: 1, time: 0 }]);
    await look(crowd);
    expect(await isExact(crowd, plain, middle(0.1))).toBe(true);
    for (const id of [carrier, leader, follower]) expect(await isExact(crowd, id, 0.1 * duration), `${id}`).toBe(true);
    expect(await isExact(crowd, modified, middle(0.1))).toBe(false);
    expect(await isExact(crowd, both, middle(0.1))).toBe(false);
    // nothing binds them any more
    crowd.clearModifiers(modified);
    attachment.detach();
    crowd.despawn(leader);
    await look(crowd);
    const { posed } = await look(crowd);
    for (const id of [plain, modified, carrier, follower]) {
      expect(await isExact(crowd, id, middle(0.1)), `${id}`).toBe(true);
    }
    expect(posed).toBe(1); // the one that shows two clips
    crowd.destroy();
  },

  'parts are each one’s own': async (device) => {
    const crowd = newCrowd(device);
    const [all, some] = march(crowd, [0.6, 0.6]) as [CharacterId, CharacterId];
    crowd.hideParts(some, 'node 0');
    expect(await look(crowd)).toEqual({ listed: 3, posed: 1, unposed: 0, undrawn: 0, ...NOTHING_DROPPED, dropped: 0 });
    const rows = await Promise.all(
      [all, some].map((id) => internalsOf(crowd).host.backend.read(internalsOf(crowd).host.ids.index(id))),
    );
    expect(rows[0]!.row.get(0, 'currentVertexOffset')).toBe(rows[1]!.row.get(0, 'currentVertexOffset'));
    expect(rows[0]!.row.get(0, 'parts')).not.toEqual(rows[1]!.row.get(0, 'parts'));
    crowd.destroy();
  },

  'goes on through growth, other types and snapshots': async (device) => {
    const crowd = newCrowd(device, { characters: [small.character], capacity: 8 });
    const ids = march(crowd, [0.1, 0.05, 0.9]);
    await look(crowd);
    const expectShared = async (of: Crowd, posed: number) => {
      expect(await look(of)).toEqual({
        listed: 3 + posed,
        posed,
        unposed: 0,
        undrawn: 0,
        ...NOTHING_DROPPED,
        dropped: 0,
      });
      for (const [i, phase] of [0.1, 0.05, 0.9].entries()) {
        expect(await isExact(of, ids[i]!, middle(phase)), `${i}`).toBe(true);
      }
    };
    await expectShared(crowd, 0);
    crowd.grow(20);
    expect(crowd.capacity).toBe(20);
    await expectShared(crowd, 2);
    crowd.addCharacter(large.character);
    await expectShared(crowd, 2);
    crowd.spawn(large.character, { count: 17 });
    expect(() => crowd.spawn(large.character)).toThrow('places are free');
    const backend = device ? ('gpu' as const) : ('cpu' as const);
    const characters = [small.character, large.character];
    const from = await saveSnapshot(crowd);
    crowd.destroy();
    const common = { characters, capacity: 20, maxModifiers: 1, updateRates: false, backend, from } as const;
    const again = createCrowd(device, { ...common, poseSharing: sharing });
    again.despawn(again.ids.filter((id) => !ids.includes(id)));
    await expectShared(again, 2);
    again.destroy();
    const exact = createCrowd(device, common);
    await look(exact);
    expect(await isExact(exact, ids[0]!, 0.1 * duration)).toBe(true);
    exact.destroy();
  },
};

/** The same of characters that controllers play. */
const CONTROLLER_SHARING_CASES: BackendCases = {
  'characters in the same part of a state share, those between two states do not': async (device) => {
    const crowd = newCrowd(device, { characters: [fighter, ...companions()], maxModifiers: 0 });
    const { ids } = crowd.spawn(fighter, { count: 6, place: (_, at) => at.position.set(0, 0, -900) });
    crowd.setSpeed(ids, 0);
    [0.05, 0.1, 0.3, 0.3, 0.1, 0.1].forEach((phase, i) => {
      crowd.playState(ids[i]!, i < 3 ? 'Idle' : 'Walk', { phase });
    });
    crowd.setParameter(ids.slice(3), 'speed', 2);
    await look(crowd, 0.01);
    const { posed, undrawn } = await look(crowd, 0.01);
    expect([posed, undrawn]).toEqual([0, 0]);
    // Idle moves along x, a metre in a second; Walk along y, two metres in two
    const at = async (i: number) => {
      const [x, y] = await crowd.readVertices(ids[i]!);
      return [x, y].map((value) => Math.round(value! * 10_000) / 10_000);
    };
    const places = await Promise.all(ids.map((_, i) => at(i)));
    const rest = [1, 0];
    const moved = (x: number, y: number) => [rest[0]! + x, rest[1]! + y];
    expect(places).toEqual([
      moved(0.5 / 8, 0),
      moved(0.5 / 8, 0),
      moved(2.5 / 8, 0),
      moved(0, 2 * (2.5 / 8)),
      moved(0, 2 * (0.5 / 8)),
      moved(0, 2 * (0.5 / 8)),
    ]);
    crowd.setSpeed(ids[0]!, 1);
    crowd.crossFade(ids[0]!, 'Walk', { duration: 1 });
    const between = await look(crowd, 0.5);
    expect(between.posed).toBe(1);
    crowd.destroy();
  },
};

describeBackends('sharing', (backend) => {
  testCases(backend, { ...SHARING_CASES, ...CONTROLLER_SHARING_CASES });
  testShipped(backend, { ...SHARING_CASES, ...CONTROLLER_SHARING_CASES }, 1);
});
