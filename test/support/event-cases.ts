import { expect } from 'vitest';
import { packCharacter } from '../../src/character/index.ts';
import { defineController } from '../../src/controller/index.ts';
import type { Character, CharacterEvent, Crowd, CrowdOptions } from '../../src/index.ts';
import { createCrowd } from './create-crowd.ts';
import { Random } from './random.ts';
import { soldierModel } from './soldiers.ts';
import { updateAndWait } from './update-and-wait.ts';

/** Fractions of the clip that its events lie at. */
const MOMENTS = [0, 0.25, 0.75];

/** Marches for ever: a clip of one second with three events. All numbers are dyadic, so floats are exact. */
function stepper(): Character {
  const march = defineController({
    name: 'stepper',
    parameters: {},
    clips: {
      idle: {
        events: MOMENTS.map((time, i) => ({ name: `beat ${i}`, time, number: 10 * i, integer: i, text: `${time}` })),
      },
    },
    layers: [{ name: 'feet', machine: { default: 'March', states: { March: { motion: 'idle' } } } }],
  });
  return packCharacter(soldierModel(), { errorBudget: 0, controller: march });
}

/** Moments within a step come out of a division. */
const rounded = (time: number) => Math.round(time * 2 ** 16) / 2 ** 16;

/** What a listener is told of, as far as the tests here compare it. */
type Told = Pick<CharacterEvent, 'character' | 'name' | 'frame' | 'time'>;

/** Characters of one speed each, and by hand what they pass in a step. */
export class Parade {
  readonly crowd: Crowd;
  readonly heard: Told[] = [];
  readonly expected: Told[] = [];
  readonly #clocks = new Map<number, { speed: number; clock: number }>();
  readonly #character = stepper();

  constructor(device: GPUDevice | undefined, options: Partial<CrowdOptions> = {}) {
    const backend = device ? 'gpu' : 'cpu';
    this.crowd = createCrowd(device, { characters: [this.#character], capacity: 64, backend, ...options });
    this.crowd.on('event', ({ character, name, frame, time, ...rest }) => {
      this.heard.push({ character, name, frame, time: rounded(time) });
      const i = Number(name.slice(5));
      expect(rest).toEqual({
        layer: 'feet',
        clip: 'idle',
        phase: MOMENTS[i],
        weight: 1,
        number: 10 * i,
        integer: i,
        text: `${MOMENTS[i]}`,
      });
    });
  }

  spawn(count: number, speedOf: (index: number) => number = () => 1): readonly number[] {
    const { ids } = this.crowd.spawn(this.#character, { count });
    ids.forEach((id, i) => {
      this.#clocks.set(id, { speed: speedOf(i), clock: 0 });
      this.crowd.setSpeed(id, speedOf(i));
    });
    return ids;
  }

  despawn(id: number): void {
    this.crowd.despawn(id);
    this.#clocks.delete(id);
  }

  /** Notes what the next frame will bring: at most four of each event and character. */
  foresee(dt: number): void {
    const frame = this.crowd.frame + 1;
    const rowOf = (id: number) => id % 2 ** 24;
    for (const [id, state] of [...this.#clocks].sort(([a], [b]) => rowOf(a) - rowOf(b))) {
      const from = state.clock; // the clip takes a second: cycles are seconds of the character's own time
      state.clock += dt * state.speed;
      const passed = MOMENTS.flatMap((at, i) => {
        const told: Told[] = [];
        // what is passed lies in (from, to]; the very begin counts as well
        for (let cycle = Math.floor(from) - 1; cycle <= state.clock; cycle++) {
          const moment = cycle + at;
          if (!((moment > from || (moment === 0 && from === 0)) && moment <= state.clock && dt > 0)) continue;
          told.push({ character: id, name: `beat ${i}`, frame, time: rounded(moment - from) });
        }
        return told.slice(0, 4);
      });
      this.expected.push(...passed.sort((a, b) => a.time - b.time));
    }
  }
}

const STEPS = [0, 1 / 64, 1 / 16, 1 / 2, 1, 2.25];

/** Thousands of character-frames: what is heard is what is worked out by hand, in that order. */
export async function checkEvents(device: GPUDevice | undefined, inFlight: number): Promise<void> {
  const random = new Random(11);
  const parade = new Parade(device);
  const { crowd } = parade;
  parade.spawn(40, (i) => [0.5, 1, 1.5][i % 3]!);
  for (let round = 0; round < 60 / inFlight; round++) {
    const pending = Array.from({ length: inFlight }, () => {
      const dt = random.pick(STEPS);
      parade.foresee(dt);
      return updateAndWait(crowd, { dt, views: [] });
    });
    await Promise.all(pending);
  }
  await updateAndWait(crowd, { dt: 0, views: [] }); // brings what is still in the ring
  expect(parade.heard.length).toBeGreaterThan(1000);
  expect(parade.heard).toEqual(parade.expected);
  expect(crowd.droppedEventCount).toBe(0);
  crowd.destroy();
}

/** More events than there is room for: kept and lost ones are all. */
export async function checkOverflow(device: GPUDevice | undefined): Promise<void> {
  const parade = new Parade(device, { capacity: 600, maxEvents: 1024 });
  const { crowd } = parade;
  const lost: number[] = [];
  crowd.on('eventsDropped', (count) => lost.push(count));
  parade.spawn(600);
  for (const dt of [0.5, 1, 0.125]) {
    parade.foresee(dt);
    await updateAndWait(crowd, { dt, views: [] });
  }
  // 0 and ¼; then ¾, 1, 1¼ of 600 characters; then none
  expect(parade.expected).toHaveLength(1200 + 1800);
  expect(lost).toEqual([1200 - 1024, 1800 - 1024]);
  expect(parade.heard).toHaveLength(2 * 1024);
  expect(crowd.droppedEventCount).toBe(1200 + 1800 - 2 * 1024);
  const all = new Set(parade.expected.map((told) => JSON.stringify(told)));
  for (const told of parade.heard) expect(all.delete(JSON.stringify(told))).toBe(true);
  crowd.destroy();
}

/** A step so long that an event would fire eight times: four are kept, the others counted. */
export async function checkRepeats(device: GPUDevice | undefined): Promise<void> {
  const parade = new Parade(device);
  const { crowd } = parade;
  parade.spawn(2);
  await updateAndWait(crowd, { dt: 0.5, views: [] });
  parade.heard.length = 0;
  await updateAndWait(crowd, { dt: 8, views: [] });
  expect(parade.heard).toHaveLength(2 * 3 * 4);
  expect(crowd.droppedEventCount).toBe(2 * 3 * 4);
  crowd.destroy();
}

/** Events of who has left since, and of who has come in his place, whatever order frames come back in. */
export async function checkLeavers(device: GPUDevice | undefined, order: readonly number[]): Promise<void> {
  const parade = new Parade(device, { capacity: 2 });
  const { crowd } = parade;
  const frame = (dt: number) => {
    parade.foresee(dt);
    const encoder = device?.createCommandEncoder();
    const encoded = crowd.encode(encoder, { dt, views: [] });
    if (encoder) device!.queue.submit([encoder.finish()]);
    return encoded;
  };
  const [first, neighbour] = parade.spawn(2) as [number, number];
  const frames = [frame(0.5)];
  parade.despawn(first);
  const [second] = parade.spawn(1) as [number];
  frames.push(frame(0.5));
  parade.despawn(second);
  parade.despawn(parade.spawn(1)[0]!); // one that no frame has seen
  const [third] = parade.spawn(1) as [number];
  frames.push(frame(0.25));
  const arrived = order.map((i) => frames[i]!.submitted());
  await Promise.all(arrived);
  expect(parade.heard).toEqual(parade.expected);
  expect(new Set(parade.heard.map(({ character }) => character))).toEqual(new Set([first, neighbour, second, third]));
  crowd.destroy();
}
