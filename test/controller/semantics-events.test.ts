import { describe, expect, test } from 'vitest';
import { param, defineController, blend1d } from '../../src/controller/builder.ts';
import type {
  ChildModel,
  ClipFacts,
  ControllerModel,
  LayerModel,
  MachineModel,
  MotionModel,
  StateModel,
} from '../../src/controller/model.ts';
import { OneAnimator, type FiredEvent } from '../support/one-animator.ts';

const PARAMETERS = { go: param.trigger(), on: param.bool(), x: param.float(), rate: param.float(1) };
const events = (...times: number[]): ClipFacts => ({ events: times.map((time) => ({ name: `at ${time}`, time })) });

function animator(
  machine: MachineModel,
  clips: Readonly<Record<string, ClipFacts>>,
  layers: readonly LayerModel[] = [],
  options: Pick<ControllerModel, 'blendedEvents'> = {},
): OneAnimator {
  return new OneAnimator(
    defineController({
      name: 'test',
      parameters: PARAMETERS,
      clips,
      ...options,
      layers: [{ name: 'Base', machine }, ...layers] as never,
    }),
  );
}

/** One state that plays a clip of 1 s. */
const playing = (facts: ClipFacts, state: StateModel = {}, motion: MotionModel = 'c'): OneAnimator =>
  animator({ default: 'A', states: { A: { motion, ...state } } }, { c: facts });

const times = (fired: readonly FiredEvent[]): [string, number][] =>
  fired.map(({ name, time }) => [name, Math.round(time * 1e5) / 1e5]);

describe('when events fire', () => {
  test('once per crossing, with the moment inside the step', () => {
    const one = playing(events(0.25, 0.5));
    expect(times(one.step(0.125))).toEqual([]);
    expect(times(one.step(0.125))).toEqual([['at 0.25', 0.125]]); // at the very end: here, and not again
    expect(times(one.step(0.5))).toEqual([['at 0.5', 0.25]]);
    expect(times(one.step(1))).toEqual([
      ['at 0.25', 0.5],
      ['at 0.5', 0.75],
    ]);
  });

  test('at 0: when the state is entered there, and every cycle', () => {
    const one = playing(events(0));
    expect(times(one.step(0))).toEqual([]); // no time has passed yet
    expect(times(one.step(0.25))).toEqual([['at 0', 0]]);
    expect(times(one.step(0.5))).toEqual([]);
    expect(times(one.step(0.25))).toEqual([['at 0', 0.25]]);
    expect(times(one.step(0.25))).toEqual([]);
    one.play('A', 0.5);
    expect(times(one.step(0.25))).toEqual([]);
    one.play('A', 0);
    expect(times(one.step(0.25))).toEqual([['at 0', 0]]);
  });

  test('at the end: where the clip ends, and every cycle', () => {
    const one = playing(events(1));
    expect(times(one.step(0.75))).toEqual([]);
    expect(times(one.step(0.5))).toEqual([['at 1', 0.25]]);
    expect(times(one.step(1))).toEqual([['at 1', 0.75]]);
  });

  test('a clip that does not loop fires each once', () => {
    const one = playing({ ...events(0, 0.5, 1), loops: false });
    expect(times(one.step(0.75))).toEqual([
      ['at 0', 0],
      ['at 0.5', 0.5],
    ]);
    expect(times(one.step(0.5))).toEqual([['at 1', 0.25]]);
    expect(times(one.step(5))).toEqual([]);
    one.play('A', 2);
    expect(times(one.step(5))).toEqual([]);
  });

  test('backwards: in falling order, without the moment that it begins at', () => {
    const one = playing(events(0, 0.25, 0.5, 1), { speed: -1 });
    expect(times(one.step(1))).toEqual([
      ['at 0.5', 0.5],
      ['at 0.25', 0.75],
      ['at 0', 1],
      ['at 1', 1],
    ]);
    const once = playing({ ...events(0, 0.25, 1), loops: false }, { speed: -1 });
    expect(times(once.step(3))).toEqual([
      ['at 0.25', 0.75],
      ['at 0', 1],
    ]);
  });

  test('by the leaf’s own phase: with the state’s, the child’s and the clip’s offsets', () => {
    const tree: MotionModel = { blend: '1d', parameter: 'x', children: [{ at: 0, motion: 'c', cycleOffset: 0.25 }] };
    const one = playing({ ...events(0, 0.75), cycleOffset: 0.125 }, { cycleOffset: 0.125 }, tree);
    expect(times(one.step(1))).toEqual([
      ['at 0.75', 0.25], // from phase 0.5
      ['at 0', 0.5],
    ]);
    const whole = playing(events(0), { cycleOffset: 0.75 });
    whole.play('A', 0.25); // stands on 0 by its own phase
    expect(times(whole.step(0.5))).toEqual([['at 0', 0]]);
    const once = playing({ ...events(0.5), loops: false, cycleOffset: 0.25 }, { cycleOffset: 0.125 });
    expect(times(once.step(1))).toEqual([['at 0.5', 0.5]]);
  });

  test('mirrored in time, by the mirrored phase; held clips fire nothing', () => {
    const tree = (timeScale: number): MotionModel => ({
      blend: '1d',
      parameter: 'x',
      children: [{ at: 0, motion: 'c', timeScale }],
    });
    expect(times(playing(events(0.25), {}, tree(-1)).step(1))).toEqual([['at 0.25', 0.75]]);
    expect(times(playing({ ...events(0.25), loops: false }, {}, tree(-1)).step(1))).toEqual([['at 0.25', 0.75]]);
    expect(times(playing(events(0, 0.25), {}, tree(0)).step(3))).toEqual([]);
    expect(times(playing(events(0.25), { speed: -1 }, tree(-1)).step(1))).toEqual([['at 0.25', 0.25]]);
  });
});

describe('how often', () => {
  test('four times in an update; what is more is counted', () => {
    const one = playing(events(0.5));
    expect(times(one.step(10))).toEqual([
      ['at 0.5', 0.5],
      ['at 0.5', 1.5],
      ['at 0.5', 2.5],
      ['at 0.5', 3.5],
    ]);
    expect(one.lost).toBe(6);
    const begun = playing(events(0));
    expect(times(begun.step(10)).map(([, time]) => time)).toEqual([0, 1, 2, 3]);
    expect(begun.lost).toBe(7); // 0 … 10 are eleven
  });

  test('four in all, also when a transition divides the update', () => {
    const one = animator(
      {
        default: 'A',
        states: {
          A: { motion: 'c', transitions: [{ to: 'B', exitTime: 2.75, duration: 4 }] },
          B: { motion: 'b' },
        },
      },
      { c: events(0.5), b: events(0.5) },
    );
    one.step(0);
    const fired = one.step(6.5); // A passes 0.5, 1.5, 2.5 before the transition, 3.5 and three more in it
    expect(fired.filter(({ fromNext }) => !fromNext).map(({ time }) => time)).toEqual([0.5, 1.5, 2.5, 3.5]);
    expect(fired.filter(({ fromNext }) => fromNext).map(({ time }) => time)).toEqual([3.25, 4.25, 5.25, 6.25]);
    expect(one.lost).toBe(3); // A at 4.5, 5.5 and 6.5, which is after 3.75 s of 4
  });

  test('entering at 0 counts once, also when an update has several parts', () => {
    const one = animator(
      {
        default: 'A',
        states: {
          A: { motion: 'a', transitions: [{ to: 'B', duration: 0.5, when: [{ parameter: 'go' }] }] },
          B: { motion: 'b' },
        },
      },
      { b: events(0) },
    );
    one.set({ go: true });
    expect(times(one.step(2))).toEqual([
      ['at 0', 0],
      ['at 0', 1],
      ['at 0', 2],
    ]);
  });
});

describe('clips that fire', () => {
  const both = (): OneAnimator =>
    animator(
      {
        default: 'A',
        states: {
          A: { motion: 'a', transitions: [{ to: 'B', duration: 1, when: [{ parameter: 'go' }] }] },
          B: { motion: 'b', transitions: [{ to: 'A', duration: 1, when: [{ parameter: 'on' }] }] },
        },
      },
      { a: events(0.5), b: { events: [{ name: 'b', time: 0.5 }] } },
    );

  test('both sides of a transition, with their weights at the end of the step; the source first', () => {
    const one = both();
    one.set({ go: true });
    expect(one.step(0.75)).toEqual([
      { name: 'at 0.5', layer: 0, time: 0.5, weight: 0.25, fromNext: false },
      { name: 'b', layer: 0, time: 0.5, weight: 0.75, fromNext: true },
    ]);
  });

  test('the source weighs nothing when its transition ends, and is silent', () => {
    const one = both();
    one.set({ go: true });
    expect(one.step(1)).toEqual([{ name: 'b', layer: 0, time: 0.5, weight: 1, fromNext: true }]);
  });

  test('what was interrupted away and what is frozen is silent', () => {
    const one = both();
    one.set({ go: true }).step(0.25);
    one.crossFade('A', 4, { offset: 0.25 });
    const fired = one.step(0.5); // A, frozen, would pass 0.5; B as well
    expect(fired).toEqual([{ name: 'at 0.5', layer: 0, time: 0.25, weight: 0.125, fromNext: true }]);
  });

  test('leaves by their weight in the tree, those of none not at all', () => {
    const tree: MotionModel = {
      blend: '1d',
      parameter: 'x',
      children: [
        { at: 0, motion: 'a' },
        { at: 1, motion: 'b' },
      ],
    };
    const clips = { a: events(0.5), b: { events: [{ name: 'b', time: 0.5 }] } };
    const one = animator({ default: 'A', states: { A: { motion: tree } } }, clips);
    expect(
      one
        .set({ x: 0 })
        .step(1)
        .map(({ name, weight }) => [name, weight]),
    ).toEqual([['at 0.5', 1]]);
    expect(
      one
        .set({ x: 0.25 })
        .step(1)
        .map(({ name, weight }) => [name, weight]),
    ).toEqual([
      ['at 0.5', 0.75],
      ['b', 0.25],
    ]);
  });

  describe('of synchronised clips with an event of one name', () => {
    const step = (time: number, facts: ClipFacts = {}): ClipFacts => ({ ...facts, events: [{ name: 'step', time }] });
    const line = (...motions: (string | ChildModel)[]): MotionModel => ({
      blend: '1d',
      parameter: 'x',
      children: motions.map((motion, at) => ({ at, ...(typeof motion === 'string' ? { motion } : motion) })),
    });
    const firedAt = (
      x: number,
      clips: Readonly<Record<string, ClipFacts>>,
      motion: MotionModel = line('a', 'b'),
      options: Pick<ControllerModel, 'blendedEvents'> = { blendedEvents: 'heaviest' },
    ) => {
      const one = animator({ default: 'A', states: { A: { motion } } }, clips, [], options);
      one.step(0);
      return times(one.set({ x }).step(1));
    };
    const walkAndRun = { a: step(0.5), b: step(0.625) };

    test('all fire by default', () => {
      const both = [
        ['step', 0.5],
        ['step', 0.625],
      ];
      expect(firedAt(0.25, walkAndRun, line('a', 'b'), { blendedEvents: 'all' })).toEqual(both);
      expect(firedAt(0.25, walkAndRun, line('a', 'b'), {})).toEqual(both);
    });

    test('the heaviest fires, of equal ones the first', () => {
      expect(firedAt(0.25, walkAndRun)).toEqual([['step', 0.5]]);
      expect(firedAt(0.75, walkAndRun)).toEqual([['step', 0.625]]);
      expect(firedAt(0.5, walkAndRun)).toEqual([['step', 0.5]]);
      expect(firedAt(1, walkAndRun)).toEqual([['step', 0.625]]);
    });

    test('the heaviest fires as often as its clip has the event', () => {
      const often = (...at: number[]): ClipFacts => ({ events: at.map((time) => ({ name: 'step', time })) });
      const clips = { a: often(0.125, 0.5, 0.75), b: often(0.25) };
      expect(firedAt(0.25, clips).map(([, time]) => time)).toEqual([0.125, 0.5, 0.75]);
      expect(firedAt(0.75, clips).map(([, time]) => time)).toEqual([0.25]);
    });

    test('clips with other events, that do not loop alike, go the other way or are held, silence none', () => {
      const fired = (clips: Readonly<Record<string, ClipFacts>>, motion?: MotionModel) =>
        firedAt(0.25, clips, motion).map(([name]) => name);
      expect(fired({ a: step(0.5), b: { events: [{ name: 'breath', time: 0.75 }] } })).toEqual(['step', 'breath']);
      expect(fired({ a: step(0.5), b: step(0.75, { loops: false }) })).toEqual(['step', 'step']);
      expect(fired(walkAndRun, line('a', { motion: 'b', timeScale: -1 }))).toEqual(['step', 'step']);
      expect(firedAt(0.25, walkAndRun, line({ motion: 'a', timeScale: 0 }, 'b'))).toEqual([['step', 0.625]]);
    });

    test('also of nested trees, by the product of weights', () => {
      const inner = blend1d('rate', [0.5, 'b'], [2.5, 'c']); // b has three quarters
      const clips = { a: step(0.25), b: step(0.5), c: step(0.75) };
      expect(firedAt(0.55, clips, line('a', { motion: inner }))).toEqual([['step', 0.25]]); // 0.45 to 0.41 and 0.14
      expect(firedAt(0.65, clips, line('a', { motion: inner }))).toEqual([['step', 0.5]]); // 0.35 to 0.49 and 0.16
    });

    test('states of a transition and layers fire each for themselves', () => {
      const machine: MachineModel = {
        default: 'A',
        states: {
          A: { motion: line('a', 'b'), transitions: [{ to: 'B', duration: 4, when: [{ parameter: 'go' }] }] },
          B: { motion: 'a' },
        },
      };
      const top: LayerModel = { name: 'Top', weight: 0.5, machine: { default: 'A', states: { A: { motion: 'b' } } } };
      const one = animator(machine, walkAndRun, [top], { blendedEvents: 'heaviest' });
      const fired = one.set({ x: 0.25, go: true }).step(1);
      expect(fired.map(({ layer, time, fromNext }) => [layer, time, fromNext])).toEqual([
        [0, 0.5, false],
        [0, 0.5, true],
        [1, 0.625, false],
      ]);
    });
  });

  test('layers by their weight, synced ones with their own clips', () => {
    const machine: MachineModel = { default: 'A', states: { A: { motion: 'a' } } };
    const layers: LayerModel[] = [
      { name: 'Top', weight: 0.5, machine },
      { name: 'Synced', weight: 0.25, weightParameter: 'x', sync: { layer: 'Base', motions: { A: 'b' } } },
      { name: 'None', weight: 0, machine },
    ];
    const clips = { a: events(0.5), b: { events: [{ name: 'b', time: 0.25 }] } };
    const one = animator(machine, clips, layers);
    const list = (fired: FiredEvent[]) => fired.map(({ name, layer, weight }) => [name, layer, weight]);
    expect(list(one.set({ x: 0.75 }).step(1))).toEqual([
      ['at 0.5', 0, 1],
      ['at 0.5', 1, 0.5],
      ['b', 2, 0.75],
    ]);
    expect(list(one.set({ x: -1 }).step(1))).toEqual([
      ['at 0.5', 0, 1],
      ['at 0.5', 1, 0.5],
    ]);
    expect(list(one.set({ x: 7 }).step(1)).at(-1)).toEqual(['b', 2, 1]);
  });

  test('a state without speed fires what it is entered on, once', () => {
    const one = playing(events(0, 0.5), { speed: 0 });
    expect(times(one.step(1))).toEqual([['at 0', 0]]);
    expect(times(one.step(1))).toEqual([]);
  });

  test('no crossing is lost or doubled over many uneven steps', () => {
    const one = playing({ ...events(0.1, 0.7), length: 1.3 }, { speedParameter: 'rate' });
    let count = 0;
    for (let step = 0; step < 2000; step++) {
      count += one.set({ rate: 0.2 + (step % 7) / 5 }).step(0.01 + (step % 11) / 60).length;
    }
    const { clock } = one.machine();
    const passed = (at: number): number => Math.floor(clock - at / 1.3) + 1;
    expect(count).toBe(passed(0.1) + passed(0.7));
    expect(count).toBeGreaterThan(200);
  });
});
