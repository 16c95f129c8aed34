// Characters with controllers on the GPU: what their twins do, whatever the host does in between.
import { beforeAll, describe, expect, test } from 'vitest';
import type { CharacterEvent, CharacterId, Crowd } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { Random } from '../support/random.ts';
import { walker } from '../support/companions.ts';
import { someSeeds } from '../support/setup.ts';
import { marcher, recruit, soldier } from '../support/soldiers.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const characters = [soldier(), marcher(), walker(), recruit()];
const STATES = [
  ['Idle', 'Walk', 'Attack'],
  ['March', 'Halt'],
  ['Walk', 'Stand'],
];

/** One thing that a host may do, done to a crowd; made once, so that two crowds are told the same. */
type Deed = (crowd: Crowd, lives: Map<CharacterId, number>) => void;

/**
 * Numbers are dyadic, and powers of two where clocks and blends divide by them: whatever is decided falls on the same
 * moment without rounding.
 */
function randomDeed(random: Random): Deed {
  const type = random.integer(0, 3);
  const [share, which] = [random.pick([0.1, 0.5, 1]), random.integer(0, 6)];
  const picks = new Random(random.integer(1, 1e6)).seed;
  const [value, flag] = [random.integer(-8, 24) / 8, random.chance(0.5)];
  const power = random.pick([0.25, 0.5, 1, 2]);
  const state = type < 3 ? random.pick(STATES[type]!) : '';
  const [count, phase] = [random.integer(1, 6), random.integer(0, 16) / 8];
  return (crowd, lives) => {
    const choose = new Random(picks);
    const some = (wanted: number) =>
      [...lives].filter(([, is]) => is === wanted && choose.chance(share)).map(([id]) => id);
    const ids = some(type);
    if (which === 0) {
      const room = Math.min(count, crowd.capacity - crowd.count);
      const place = (i: number, at: { position: { set(x: number, y: number, z: number): void } }) =>
        at.position.set(i, 0, value);
      for (const id of crowd.spawn(characters[type]!, { count: room, place }).ids) lives.set(id, type);
    } else if (which === 1) {
      const leaving = ids.slice(0, 4);
      crowd.despawn(leaving);
      for (const id of leaving) lives.delete(id);
    } else if (type === 3) crowd.play(ids, 'walk', { phase: phase % 1, fade: flag ? 0.5 : 0 });
    else if (which === 2) crowd.crossFade(ids, state, { duration: power, phase });
    else if (which === 3) crowd.playState(ids, state, flag ? { phase } : {});
    else if (which === 4) crowd.setSpeed(ids, value > 0 ? power : 0);
    else if (type === 0) {
      if (which === 5) {
        crowd.trigger(ids, flag ? 'attack' : 'wave');
        if (count > 4) crowd.resetTrigger(ids, 'attack');
      } else {
        crowd.setParameter(ids, 'speed', value < 0 ? -power : power);
        crowd.setParameter(ids, 'armed', flag);
        crowd.setParameter(ids, 'level', count);
      }
    } else for (const id of ids) crowd.setTransform(id, (at) => at.position.set(value, count, 0));
  };
}

describe.skipIf(noGpu())('controllers on the GPU', () => {
  let device: GPUDevice;
  beforeAll(async () => {
    ({ device } = await testDevice());
  });

  /** What two crowds tell of the same characters. */
  async function compare(
    gpu: Crowd,
    cpu: Crowd,
    lives: ReadonlyMap<CharacterId, number>,
    label: string,
  ): Promise<void> {
    const controlled = [...lives].filter(([, type]) => type < 3).map(([id]) => id);
    const [actual, expected] = await Promise.all([gpu.readControllers(controlled), cpu.readControllers(controlled)]);
    actual.forEach((state, i) => {
      const wanted = expected[i]!;
      expect(state.triggers, label).toEqual(wanted.triggers);
      state.layers.forEach((layer, l) => {
        const other = wanted.layers[l]!;
        const { name, state: at, next, frozen } = other;
        expect(layer, label).toMatchObject({ name, state: at, next, frozen });
        for (const [a, b] of [
          [layer.cycles + layer.phase, other.cycles + other.phase],
          [layer.nextCycles + layer.nextPhase, other.nextCycles + other.nextPhase],
          [layer.progress, other.progress],
        ] as const) {
          expect(a, label).toBeCloseTo(b, 5);
        }
        expect(layer.motions, label).toHaveLength(other.motions.length);
      });
      state.root.position.forEach((value, c) => expect(value, label).toBeCloseTo(wanted.root.position[c]!, 4));
    });
    const all = [...lives.keys()];
    const [places, others] = await Promise.all([gpu.readTransforms(all), cpu.readTransforms(all)]);
    places.forEach(({ position, rotation }, i) => {
      const { position: p, rotation: r } = others[i]!;
      // q and −q turn alike
      const sign = Math.sign(rotation.y * r.y + rotation.w * r.w);
      for (const [a, b] of [
        [position.x, p.x],
        [position.y, p.y],
        [position.z, p.z],
        [sign * rotation.y, r.y],
        [sign * rotation.w, r.w],
      ] as const) {
        expect(a, label).toBeCloseTo(b, 4);
      }
    });
    for (const id of all.filter((_, i) => i % 5 === 0)) {
      const vertices = await cpu.readVertices(id);
      (await gpu.readVertices(id)).forEach((value, v) => expect(value, label).toBeCloseTo(vertices[v]!, 4));
    }
  }

  test.each(someSeeds(1, 24))('do what the twins do, for any spawns, despawns and commands: seed %i', async (seed) => {
    const random = new Random(seed);
    const sides = (['gpu', 'cpu'] as const).map((backend) => {
      const crowd = createCrowd(device, { characters, capacity: 40, backend });
      const heard: string[] = [];
      const told = ({ character, name, frame, layer, time }: CharacterEvent) =>
        void heard.push(`${frame} ${character} ${layer} ${name} ${time.toFixed(4)}`);
      crowd.on('event', told);
      return { crowd, heard, lives: new Map<CharacterId, number>() };
    });
    const [gpu, cpu] = sides as [(typeof sides)[0], (typeof sides)[0]];
    for (const { crowd, lives } of sides) {
      characters.forEach((character, type) => {
        for (const id of crowd.spawn(character, { count: 6 }).ids) lives.set(id, type);
      });
    }
    for (let round = 0; round < 8; round++) {
      // some frames are recorded in a row, and submitted late
      const frames = Array.from({ length: random.integer(1, 3) }, () => ({
        deeds: Array.from({ length: random.integer(0, 6) }, () => randomDeed(random)),
        dt: random.pick([0, 1 / 32, 1 / 8, 1 / 2, 1]),
        ...(random.chance(0.8) ? {} : { views: [] }),
      }));
      frames.push({ deeds: [], dt: 1 / 64 });
      const encoder = device.createCommandEncoder();
      const encoded = frames.map(({ deeds, ...frame }) => {
        for (const deed of deeds) deed(gpu.crowd, gpu.lives);
        return gpu.crowd.encode(encoder, frame);
      });
      for (const { deeds, ...frame } of frames) {
        for (const deed of deeds) deed(cpu.crowd, cpu.lives);
        await updateAndWait(cpu.crowd, frame);
      }
      device.queue.submit([encoder.finish()]);
      await Promise.all(encoded.map((frame) => frame.submitted()));
      expect([...gpu.lives]).toEqual([...cpu.lives]);
      await compare(gpu.crowd, cpu.crowd, gpu.lives, `seed ${seed}, round ${round}`);
    }
    for (const { crowd } of sides) await updateAndWait(crowd, { dt: 0, views: [] });
    expect(gpu.heard.length).toBeGreaterThan(5);
    expect(gpu.heard).toEqual(cpu.heard);
    for (const { crowd } of sides) crowd.destroy();
  });

  test('take more commands than ever before, while frames with fewer are under way', async () => {
    const crowd = createCrowd(device, { characters, capacity: 300 });
    const few = crowd.spawn(characters[0]!, { count: 4 });
    const first = device.createCommandEncoder();
    const frames = [crowd.encode(first, { dt: 0.125 })];
    const many = crowd.spawn(characters[0]!, { count: 250 });
    for (const [i, id] of many.ids.entries()) {
      crowd.playState(id, 'Attack');
      crowd.playState(id, i % 2 === 0 ? 'Walk' : 'Idle', { phase: 0.5 });
    }
    many.parameter('speed').fill(1);
    const second = device.createCommandEncoder();
    frames.push(crowd.encode(second, { dt: 0.25 }));
    crowd.playState(few.ids, 'Attack');
    frames.push(crowd.encode(second, { dt: 0.125 }));
    const before = crowd.byteLength;
    device.queue.submit([first.finish(), second.finish()]);
    await Promise.all(frames.map((frame) => frame.submitted()));
    const layers = (await crowd.readControllers(many.ids)).map(({ layers: [base] }) => base!);
    layers.forEach(({ state, phase }, i) => {
      expect([state, phase]).toEqual(i % 2 === 0 ? ['Walk', 0.6875] : ['Idle', 0.875]);
    });
    expect((await crowd.readControllers(few.ids)).map(({ layers: [base] }) => [base!.state, base!.phase])).toEqual(
      few.ids.map(() => ['Attack', 0.25]),
    );
    // and nothing more is taken for as many again
    for (let frame = 0; frame < 5; frame++) {
      crowd.playState(many.ids, 'Idle');
      crowd.playState(many.ids, 'Walk');
      await updateAndWait(crowd, { dt: 0.125, views: [] });
    }
    expect(crowd.byteLength).toBe(before);
    crowd.destroy();
  });

  test('are the only ones of a crowd without players and modifiers', async () => {
    const crowd = createCrowd(device, { characters: [characters[0]!], capacity: 1 });
    const id = crowd.spawn(characters[0]!).id(0);
    await updateAndWait(crowd, { dt: 0.5 });
    expect((await crowd.readVertices(id))[0]).toBeCloseTo(1.5, 5);
    crowd.destroy();
  });
});
