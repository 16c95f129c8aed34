import { expect } from 'vitest';
import { packCharacter } from '../../src/character/index.ts';
import { defineController } from '../../src/controller/index.ts';
import type { Character, CharacterEvent, Crowd, CrowdOptions } from '../../src/index.ts';
import { createCrowd } from './create-crowd.ts';
import { soldierModel } from './soldiers.ts';

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
