// Characters with controllers as their users drive them, on the CPU backend.
import { describe, expect, test } from 'vitest';
import type { CharacterId, Crowd, CrowdOptions } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { coded } from '../support/crowd-truth.ts';
import { marcher, recruit, soldier } from '../support/soldiers.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const fighter = soldier();
const other = marcher();
const plain = recruit();

function newCrowd(options: Partial<CrowdOptions> = {}): Crowd {
  return createCrowd(undefined, { characters: [fighter, other, plain], capacity: 16, backend: 'cpu', ...options });
}

/** State of the first layer, or of each. */
async function states(crowd: Crowd, ids: readonly CharacterId[], layer = 0): Promise<(string | null)[]> {
  return (await crowd.readControllers(ids)).map(({ layers }) => layers[layer]!.state);
}

/** Clock of the first layer's state. */
async function clock(crowd: Crowd, id: CharacterId): Promise<number> {
  const [state] = await crowd.readControllers(id);
  return state!.layers[0]!.cycles + state!.layers[0]!.phase;
}

/** Code, message and suggestion of what is thrown. */
function thrownBy(run: () => void): { code: string; message: string; suggestion?: string } {
  try {
    run();
  } catch (thrown) {
    return (thrown as { issues: [{ code: string; message: string; suggestion?: string }] }).issues[0];
  }
  throw new Error('nothing was thrown');
}

describe('parameters', () => {
  test('begin at their defaults, are set for one, for all, and by a column of values', async () => {
    const crowd = newCrowd();
    const army = crowd.spawn(fighter, { count: 4 });
    const speed = army.parameter('speed');
    expect([0, 1, 2, 3].map((i) => speed.get(i))).toEqual([0, 0, 0, 0]);
    expect(army.parameter('level').get(2)).toBe(3);
    speed.fill(2);
    speed.set(1, 0.25);
    expect([0, 1, 2, 3].map((i) => speed.get(i))).toEqual([2, 0.25, 2, 2]);
    await updateAndWait(crowd, { dt: 0.1 });
    expect(await states(crowd, army.ids)).toEqual(['Walk', 'Idle', 'Walk', 'Walk']);

    expect(Array.from(speed.values)).toEqual([2, 0.25, 2, 2]);
    speed.values.set([0, 2, 0, 0]);
    await updateAndWait(crowd, { dt: 0.1 });
    expect(await states(crowd, army.ids)).toEqual(['Walk', 'Idle', 'Walk', 'Walk']); // nobody said it had changed
    speed.changed(1, 3);
    await updateAndWait(crowd, { dt: 0.1 });
    expect(await states(crowd, army.ids)).toEqual(['Walk', 'Walk', 'Idle', 'Walk']);
    speed.changed();
    await updateAndWait(crowd, { dt: 0.1 });
    expect(await states(crowd, army.ids)).toEqual(['Idle', 'Walk', 'Idle', 'Idle']);
  });

  test('of scattered groups, some of them despawned, reach the living characters', async () => {
    const crowd = newCrowd();
    const spawn = (count: number) => crowd.spawn(fighter, { count });
    const [a, b, c] = [spawn(2), spawn(3), spawn(2)];
    b.despawn();
    const d = crowd.spawn(fighter, { count: 5 }); // three old rows and two new ones
    d.despawn([1]);
    for (const group of [a, c, d]) group.parameter('speed').values.fill(2);
    const column = d.parameter('speed');
    column.values.set([2, 9, 0, 2, 0]);
    column.changed();
    a.parameter('speed').set(1, 2);
    await updateAndWait(crowd, { dt: 0.1 });
    expect(await states(crowd, a.ids)).toEqual(['Idle', 'Walk']);
    expect(await states(crowd, c.ids)).toEqual(['Idle', 'Idle']);
    const living = d.ids.filter((id) => crowd.isAlive(id));
    expect(await states(crowd, living)).toEqual(['Walk', 'Idle', 'Walk', 'Idle']);
    expect(() => b.parameter('speed').set(0, 1)).toThrow(coded('CROWD_BAD_ID'));
    b.parameter('speed').fill(1); // none are left: nothing happens
  });

  test('of types: bools are 0 or 1, ints are cut', () => {
    const crowd = newCrowd();
    const id = crowd.spawn(fighter).id(0);
    for (const [name, value, held] of [
      ['armed', true, 1],
      ['armed', 0, 0],
      ['armed', 7, 1],
      ['level', -2.9, -2],
      ['level', 4, 4],
      ['speed', true, 1],
      ['speed', 0.5, 0.5],
    ] as const) {
      crowd.setParameter(id, name, value);
      expect(crowd.getParameter(id, name), `${name} ${value}`).toBe(held);
    }
  });

  test('that do not exist are refused, with a list of those that do', async () => {
    const crowd = newCrowd();
    const id = crowd.spawn(fighter).id(0);
    const both = [id, crowd.spawn(other).id(0)];
    expect(thrownBy(() => crowd.setParameter(id, 'sped', 1))).toMatchObject({
      code: 'CROWD_BAD_ARGUMENT',
      message: expect.stringContaining('sped'),
      suggestion: 'It has speed, level, armed.',
    });
    expect(thrownBy(() => crowd.trigger(id, 'speed'))).toMatchObject({ suggestion: 'It has attack, wave.' });
    expect(thrownBy(() => crowd.setParameter(id, 'attack', 1)).message).toContain('"attack" is of type trigger');
    for (const value of [NaN, Infinity, 1e39, undefined as unknown as number]) {
      expect(() => crowd.setParameter(id, 'speed', value), `${value}`).toThrow(coded('CROWD_BAD_ARGUMENT'));
    }
    expect(() => crowd.setParameter(id, 'level', 2 ** 31)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(() => crowd.setParameters([id], 'speed', [NaN])).toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(() => crowd.getParameter(id, 'nothing')).toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(() => crowd.spawn(fighter).parameter('nothing')).toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(() => crowd.spawn(plain).parameter('speed')).toThrow(coded('CROWD_BAD_ARGUMENT'));
    // on all or none
    expect(() => crowd.setParameter(both, 'speed', 2)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(crowd.getParameter(id, 'speed')).toBe(0);
  });

  test('are written for a range, as far as there are characters', () => {
    const crowd = newCrowd();
    const { ids } = crowd.spawn(fighter, { count: 3 });
    const all = () => ids.map((id) => crowd.getParameter(id, 'speed'));
    crowd.setParameters(ids, 'speed', [1, 2, 3], 1, 2);
    expect(all()).toEqual([0, 2, 0]);
    crowd.setParameters(ids, 'speed', [4, 5, 6], 0, Infinity);
    expect(all()).toEqual([4, 5, 6]);
    for (const from of [-3, NaN]) {
      expect(() => crowd.setParameters(ids, 'speed', [7, 8, 9], from, 1)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    }
    expect(all()).toEqual([4, 5, 6]);
  });
});

describe('commands', () => {
  test('triggers wait until a transition uses them, and can be taken back', async () => {
    const crowd = newCrowd();
    const { ids } = crowd.spawn(fighter, { count: 4 });
    const [a, b, c, d] = ids as [number, number, number, number];
    crowd.trigger([a, b, c], 'attack');
    crowd.resetTrigger(b, 'attack');
    crowd.resetTrigger(c, 'attack');
    crowd.trigger(c, 'attack');
    crowd.trigger([d], 'wave');
    await updateAndWait(crowd, { dt: 0.1 });
    expect(await states(crowd, ids)).toEqual(['Attack', 'Idle', 'Attack', 'Idle']);
    const told = await crowd.readControllers(ids);
    expect(told.map(({ triggers }) => triggers)).toEqual([[], [], [], ['wave']]);
    crowd.setParameter(d, 'armed', true);
    await updateAndWait(crowd, { dt: 0.1 });
    expect(await states(crowd, [d], 1)).toEqual(['Rest']); // its level is 3, not above
    crowd.setParameter(d, 'level', 4);
    await updateAndWait(crowd, { dt: 0.1 });
    expect(await states(crowd, [d], 1)).toEqual(['Wave']);
  });

  test('run in the order in which they were given', async () => {
    const crowd = newCrowd();
    const { ids } = crowd.spawn(fighter, { count: 3 });
    await updateAndWait(crowd, { dt: 0 });
    crowd.playState(ids[0]!, 'Walk', { phase: 0.5 });
    crowd.crossFade(ids[0]!, 'Attack', { duration: 1 });
    crowd.crossFade(ids[1]!, 'Attack', { duration: 1 });
    crowd.playState(ids[1]!, 'Walk', { phase: 0.5 });
    crowd.playState(ids[2]!, 'Walk');
    crowd.playState(ids[2]!, 'Attack', { phase: 1.25 });
    crowd.setParameter(ids, 'speed', 1); // neither above nor below
    await updateAndWait(crowd, { dt: 0.25 });
    const [first, second, third] = (await crowd.readControllers(ids)).map(({ layers }) => layers[0]!);
    expect(first).toMatchObject({ state: 'Walk', phase: 0.625, next: 'Attack', nextPhase: 0.5, progress: 0.25 });
    expect(second).toMatchObject({ state: 'Walk', phase: 0.625, next: null });
    expect(third).toMatchObject({ state: 'Attack', cycles: 1, phase: 0.75, next: null });
  });

  test('name states by path and layers by name or index, on several types at once', async () => {
    const crowd = newCrowd();
    const group = crowd.spawn(fighter, { count: 2 });
    group.playState('Wave', { layer: 'upper' }, [1]);
    group.crossFade('Wave', { layer: 1, duration: 0 }, [0]);
    crowd.setParameter(group.ids, 'armed', true);
    const marching = crowd.spawn(other).id(0);
    crowd.trigger([...group.ids, marching], 'attack'); // both types know it, at different bits
    await updateAndWait(crowd, { dt: 0.1 });
    expect(await states(crowd, group.ids, 1)).toEqual(['Wave', 'Wave']);
    expect(await states(crowd, [...group.ids, marching])).toEqual(['Attack', 'Attack', 'March']);
    expect((await crowd.readControllers(marching))[0]!.triggers).toEqual(['attack']);

    expect(thrownBy(() => group.playState('Run')).suggestion).toBe('It has Idle, Walk, Attack.');
    expect(thrownBy(() => group.playState('Wave', { layer: 'top' })).suggestion).toBe('It has base, upper.');
    // one of the types lacks the state: none of them changes
    expect(() => crowd.playState([group.id(0), marching], 'Idle')).toThrow(coded('CROWD_BAD_ARGUMENT'));
    for (const wrong of [
      () => group.playState('Idle', { phase: NaN }),
      () => group.crossFade('Idle', { duration: -1 }),
      () => group.crossFade('Idle', { duration: Infinity }),
      () => group.crossFade('Idle', { phase: NaN }),
      () => group.crossFade('Idle', { layer: 7 }),
    ]) {
      expect(wrong).toThrow(coded('CROWD_BAD_ARGUMENT'));
    }
    await updateAndWait(crowd, { dt: 0.1 });
    expect(await states(crowd, [...group.ids, marching])).toEqual(['Attack', 'Attack', 'March']);
  });

  test('never reach the next character: a row that is freed and reused within a frame starts again', async () => {
    const crowd = newCrowd({ capacity: 1 });
    const first = crowd.spawn(fighter).id(0);
    await updateAndWait(crowd, { dt: 0.25 });
    crowd.setParameter(first, 'speed', 2);
    crowd.setSpeed(first, 3);
    crowd.trigger(first, 'attack');
    crowd.playState(first, 'Walk', { phase: 0.5 });
    crowd.crossFade(first, 'Wave', { layer: 1 });
    crowd.despawn(first);
    const second = crowd.spawn(fighter).id(0);
    await updateAndWait(crowd, { dt: 0.25 });
    expect(await clock(crowd, second)).toBe(0.25);
    const [state] = await crowd.readControllers(second);
    expect(state).toMatchObject({
      triggers: [],
      layers: [
        { state: 'Idle', next: null },
        { state: 'Rest', next: null },
      ],
    });

    // nor does anything of a type with a controller reach one without, and back
    crowd.trigger(second, 'attack');
    crowd.despawn(second);
    const third = crowd.spawn(plain).id(0);
    crowd.play(third, 'walk');
    await updateAndWait(crowd, { dt: 0.5 });
    expect((await crowd.readVertices(third))[1]).toBeCloseTo(0.5, 6); // up by half a metre
    crowd.despawn(third);
    const fourth = crowd.spawn(other).id(0);
    await updateAndWait(crowd, { dt: 0.5 });
    expect(await states(crowd, [fourth])).toEqual(['March']);
    expect(await clock(crowd, fourth)).toBe(0.25);
    for (const id of [first, second, third]) {
      expect(() => crowd.setParameter(id, 'speed', 1)).toThrow(coded('CROWD_BAD_ID'));
      await expect(crowd.readControllers(id)).rejects.toThrow(coded('CROWD_BAD_ID'));
    }
  });
});

describe('time', () => {
  test('uses each character’s speed and the crowd’s time scale; 0 stops it', async () => {
    const crowd = newCrowd();
    const { ids } = crowd.spawn(fighter, { count: 3 });
    crowd.setSpeed(ids[1]!, 2);
    crowd.setSpeed(ids[2]!, 0);
    await updateAndWait(crowd, { dt: 0.125 });
    crowd.timeScale = 0.5;
    await updateAndWait(crowd, { dt: 0.25 });
    crowd.timeScale = 0;
    await updateAndWait(crowd, { dt: 100 });
    await updateAndWait(crowd, { dt: 0 });
    expect(await Promise.all(ids.map((id) => clock(crowd, id)))).toEqual([0.25, 0.5, 0]);
    for (const speed of [-1, NaN, Infinity, 1e39]) {
      expect(() => crowd.setSpeed(ids, speed), `${speed}`).toThrow(coded('CROWD_BAD_ARGUMENT'));
    }
    for (const timeScale of [-1, NaN, 2e6]) {
      expect(() => (crowd.timeScale = timeScale), `${timeScale}`).toThrow(coded('CROWD_BAD_ARGUMENT'));
    }
    crowd.timeScale = 1000;
    await expect(updateAndWait(crowd, { dt: 2 ** 30 })).rejects.toThrow(coded('CROWD_BAD_ARGUMENT'));
  });

  test('stops during a pause, while conditions are still tested', async () => {
    const crowd = newCrowd();
    const id = crowd.spawn(fighter).id(0);
    await updateAndWait(crowd, { dt: 0.25 });
    crowd.setParameter(id, 'speed', 2);
    await updateAndWait(crowd, { dt: 0 });
    expect(await states(crowd, [id])).toEqual(['Walk']);
    expect(await clock(crowd, id)).toBe(0);
  });

  test('runs without views, and shows its progress afterwards', async () => {
    const crowd = newCrowd();
    const id = crowd.spawn(fighter).id(0);
    await updateAndWait(crowd, { dt: 0.25, views: [] });
    await expect(crowd.readVertices(id)).rejects.toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(await clock(crowd, id)).toBe(0.25);
    await updateAndWait(crowd, { dt: 0.5, views: [] });
    const late = crowd.spawn(fighter).id(0);
    await updateAndWait(crowd, { dt: 0.125 });
    expect((await crowd.readVertices(id))[0]).toBeCloseTo(1 + 0.875, 6);
    expect((await crowd.readVertices(late))[0]).toBeCloseTo(1 + 0.125, 6);
  });
});

describe('one crowd', () => {
  test('has types with different controllers and without any', async () => {
    const crowd = newCrowd();
    const [fighting, marching, resting] = [fighter, other, plain].map((c) => crowd.spawn(c, { count: 2 }));
    resting!.play('attack');
    fighting!.parameter('speed').set(1, 2);
    await updateAndWait(crowd, { dt: 0.25 });
    const first = async (id: CharacterId) => Array.from((await crowd.readVertices(id)).slice(0, 3));
    const expected = [
      [1.25, 0, 0],
      [1, 0.25, 0],
      [1, 0.25, 0],
      [1, 0.25, 0],
      [1, 0, 0.25],
      [1, 0, 0.25],
    ];
    for (const [i, id] of [...fighting!.ids, ...marching!.ids, ...resting!.ids].entries()) {
      (await first(id)).forEach((value, c) => expect(value, `${i}`).toBeCloseTo(expected[i]![c]!, 6));
    }
  });

  test('does not play clips of the host where a controller plays', async () => {
    const crowd = newCrowd();
    const group = crowd.spawn(fighter);
    for (const wrong of [
      () => group.play('walk'),
      () => group.setClips(() => [{ clip: 0 }]),
      () => group.setClips(() => []),
      () => crowd.play([crowd.spawn(plain).id(0), group.id(0)], 'walk'),
    ]) {
      expect(wrong).toThrow(coded('CROWD_BAD_ARGUMENT'));
    }
    const unled = crowd.spawn(plain);
    for (const wrong of [
      () => unled.playState('Idle'),
      () => unled.crossFade('Idle'),
      () => unled.trigger('attack'),
      () => crowd.setSpeed(unled.ids, 1),
    ]) {
      expect(thrownBy(wrong)).toMatchObject({
        code: 'CROWD_BAD_ARGUMENT',
        message: expect.stringContaining('no controller'),
      });
    }
    await expect(crowd.readControllers(unled.ids)).rejects.toThrow(coded('CROWD_BAD_ARGUMENT'));
  });

  test('reports no state for a character before its first frame, at its first transform', async () => {
    const crowd = newCrowd({ capacity: 1 });
    const place = (_: number, at: { position: { set(x: number, y: number, z: number): void } }) =>
      at.position.set(3, 2, 1);
    const old = crowd.spawn(fighter).id(0);
    await updateAndWait(crowd, { dt: 0.25 });
    crowd.despawn(old);
    const id = crowd.spawn(fighter, { place }).id(0);
    const [state] = await crowd.readControllers(id);
    expect(state!.layers.map((layer) => [layer.name, layer.state, layer.motions])).toEqual([
      ['base', null, []],
      ['upper', null, []],
    ]);
    expect(state!.root).toEqual({ position: [0, 0, 0], rotation: [0, 0, 0, 1] });
    const [at] = await crowd.readTransforms(id);
    expect([at!.position.x, at!.position.y, at!.position.z]).toEqual([3, 2, 1]);
    await updateAndWait(crowd, { dt: 0 });
    expect(await states(crowd, [id])).toEqual(['Idle']);
  });
});
