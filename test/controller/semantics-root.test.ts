import { describe, expect, test } from 'vitest';
import { param, defineController } from '../../src/controller/builder.ts';
import type { ResolvedClip } from '../../src/controller/clip-table.ts';
import type { LayerModel, MachineModel, MotionModel, StateModel } from '../../src/controller/model.ts';
import { OneAnimator } from '../support/one-animator.ts';

const PARAMETERS = { go: param.trigger(), left: param.bool(), x: param.float() };
const half = Math.SQRT1_2;

/** Clips of 1 s: `walk` goes 2 m ahead, slower at first; `side` 1 m to +x; `turn` a quarter to the left; `arc` both. */
const CLIPS: Readonly<Record<string, ResolvedClip>> = {
  walk: moving([0, 0, 0], [0, 0, 0.5], [0, 0, 2]),
  side: moving([0, 0, 0], [0.5, 0, 0], [1, 0, 0]),
  turn: {
    length: 1,
    root: {
      times: Float32Array.of(0, 1),
      positions: new Float32Array(6),
      rotations: Float32Array.of(0, 0, 0, 1, 0, half, 0, half),
    },
  },
  arc: {
    length: 1,
    root: {
      times: Float32Array.of(0, 1),
      positions: Float32Array.of(0, 0, 0, 0, 0, 1),
      rotations: Float32Array.of(0, 0, 0, 1, 0, half, 0, half),
    },
  },
  once: { ...moving([0, 0, 0], [0, 0, 0.5], [0, 0, 2]), loops: false },
  still: { length: 1 },
};

/** Keys at 0, 0.5 and 1 s. */
function moving(...positions: [number, number, number][]): ResolvedClip {
  const rotations = Float32Array.from({ length: 12 }, (_, i) => Number(i % 4 === 3));
  return {
    length: 1,
    root: { times: Float32Array.of(0, 0.5, 1), positions: new Float32Array(positions.flat()), rotations },
  };
}

function animator(machine: MachineModel, layers: readonly LayerModel[] = []): OneAnimator {
  return new OneAnimator(
    defineController({ name: 'test', parameters: PARAMETERS, layers: [{ name: 'Base', machine }, ...layers] as never }),
    { resolve: (reference) => CLIPS[reference] },
  );
}

const playing = (motion: MotionModel, state: StateModel = {}): OneAnimator =>
  animator({ default: 'A', states: { A: { motion, ...state } } });

function expectRoot(one: OneAnimator, position: readonly number[], rotation: readonly number[] = [0, 0, 0, 1]): void {
  const { root } = one;
  const sign = Math.sign(rotation.reduce((dot, part, c) => dot + part * root[3 + c]!, 0)); // q and −q are one rotation
  const expected = [...position, ...rotation.map((part) => part * sign)];
  root.forEach((value, c) => expect(value, `component ${c} of ${root.join()}`).toBeCloseTo(expected[c]!, 5));
}

describe('root motion', () => {
  test('of one clip: straight lines between its keys, cycle after cycle', () => {
    const one = playing('walk');
    one.step(0.25);
    expectRoot(one, [0, 0, 0.25]);
    one.step(0.5); // 0.25 more of the slow half, half of the fast one
    expectRoot(one, [0, 0, 1.25]);
    one.step(2.5); // at 3.25 cycles
    expectRoot(one, [0, 0, 6.25]);
  });

  test('moves the character’s transform as well', () => {
    const one = playing('walk');
    one.scene.state.transforms.assign(0, { position: [1, 2, 3], scale: 2, rotation: [0, half, 0, half] });
    one.step(0.5);
    const position = one.scene.state.transforms.get(0, 'position');
    [2, 2, 3].forEach((value, c) => expect(position[c]).toBeCloseTo(value, 5)); // 0.5 m ahead is +x there, twice as large
  });

  test('turns compose: a square', () => {
    const one = playing('arc');
    one.step(1);
    expectRoot(one, [0, 0, 1], [0, half, 0, half]);
    one.step(1);
    expectRoot(one, [1, 0, 1], [0, 1, 0, 0]);
    one.step(2);
    expectRoot(one, [0, 0, 0], [0, 0, 0, -1]);
    const once = playing('arc');
    once.step(3);
    expectRoot(once, [1, 0, 0], [0, half, 0, -half]);
  });

  test('backwards it is undone', () => {
    const one = playing('walk', { speed: -1 });
    one.step(0.25); // the fast half first
    expectRoot(one, [0, 0, -0.75]);
    one.step(1);
    expectRoot(one, [0, 0, -2.75]);
    const arc = playing('arc', { speed: -1 });
    arc.step(1);
    expectRoot(arc, [1, 0, 0], [0, -half, 0, half]);
  });

  test('a child mirrored in time runs back over its clip', () => {
    const tree = (timeScale: number): MotionModel => ({
      blend: '1d',
      parameter: 'x',
      children: [{ at: 0, motion: 'walk', timeScale }],
    });
    const one = playing(tree(-1));
    one.step(0.25);
    expectRoot(one, [0, 0, -0.75]);
    one.step(1.5);
    expectRoot(one, [0, 0, -3.75]); // 0.75 + 2 + 0.5 + 0.5: phases 1 … 0.25
    const held = playing(tree(0));
    held.step(3);
    expectRoot(held, [0, 0, 0]);
  });

  test('a clip that does not loop stops', () => {
    const one = playing('once');
    one.step(0.75);
    expectRoot(one, [0, 0, 1.25]);
    one.step(5);
    expectRoot(one, [0, 0, 2]);
  });

  test('offsets change where it begins, not what it is', () => {
    const one = playing('walk', { cycleOffset: 0.5 });
    one.step(0.25);
    expectRoot(one, [0, 0, 0.75]);
    one.step(0.5);
    expectRoot(one, [0, 0, 1.75]);
  });

  test('is blended: positions by weight, clips without root motion count as rest', () => {
    const one = playing({
      blend: '1d',
      parameter: 'x',
      children: [
        { at: 0, motion: 'walk' },
        { at: 1, motion: 'side' },
      ],
    }).set({ x: 0.25 });
    one.step(0.5);
    expectRoot(one, [0.125, 0, 0.375]);
    const part = playing({ blend: 'direct', children: [{ motion: 'walk', weightParameter: 'x' }] }).set({ x: 0.5 });
    part.step(0.5);
    expectRoot(part, [0, 0, 0.25]);
    const none = playing({
      blend: '1d',
      parameter: 'x',
      children: [
        { at: 0, motion: 'walk' },
        { at: 1, motion: 'still' },
      ],
    }).set({ x: 0.5 });
    none.step(0.5);
    expectRoot(none, [0, 0, 0.25]);
    // half of a quarter turn, as nlerp has it: (0, sin, 0, 1 + cos) of 45°, which is 22.5° exactly
    const turn = playing({
      blend: '1d',
      parameter: 'x',
      children: [
        { at: 0, motion: 'turn' },
        { at: 1, motion: 'still' },
      ],
    }).set({ x: 0.5 });
    turn.step(1);
    expectRoot(turn, [0, 0, 0], [0, Math.sin(Math.PI / 8), 0, Math.cos(Math.PI / 8)]);
  });

  test('of a transition: weights at the end of each part, parts one after the other', () => {
    const one = animator({
      default: 'A',
      states: { A: { motion: 'side', transitions: [{ to: 'B', duration: 1, exitTime: 0.5 }] }, B: { motion: 'walk' } },
    });
    one.step(0.25);
    expectRoot(one, [0.25, 0, 0]);
    one.step(0.5); // 0.25 s alone, then 0.25 s with B at 0.25
    expectRoot(one, [0.25 + 0.25 + 0.25 * 0.75, 0, 0.25 * 0.25]);
  });

  test('frozen poses, upper layers and states with a time parameter give none', () => {
    const machine: MachineModel = {
      default: 'A',
      states: {
        A: { motion: 'side', transitions: [{ to: 'B', duration: 1, when: [{ parameter: 'go' }] }] },
        B: { motion: 'side' },
        C: { motion: 'walk' },
      },
    };
    const one = animator(machine);
    one.set({ go: true }).step(0.5);
    expectRoot(one, [0.5, 0, 0]);
    one.crossFade('C', 1).step(0.5);
    expectRoot(one, [0.5, 0, 0.25]);
    const upper = animator({ default: 'A', states: { A: { motion: 'walk' } } }, [
      { name: 'Top', machine: { default: 'A', states: { A: { motion: 'side' } } } },
    ]);
    upper.step(0.5);
    expectRoot(upper, [0, 0, 0.5]);
    const timed = playing('walk', { timeParameter: 'x' }).set({ x: 0.5 });
    timed.step(0.5);
    expectRoot(timed, [0, 0, 0]);
  });

  test('mirrored it goes to the other side', () => {
    const one = playing('side', { mirrorParameter: 'left' });
    one.step(0.5);
    one.set({ left: true }).step(0.25);
    expectRoot(one, [0.25, 0, 0]);
    const turn = playing('turn', { mirror: true });
    turn.step(1);
    expectRoot(turn, [0, 0, 0], [0, -half, 0, half]);
  });

  test('a turn too slow to change w adds up', () => {
    const angle = 1e-4;
    const slow = {
      length: 1,
      root: {
        times: Float32Array.of(0, 1),
        positions: new Float32Array(6),
        rotations: Float32Array.of(0, 0, 0, 1, 0, angle / 2, 0, 1),
      },
    };
    const one = new OneAnimator(
      defineController({
        name: 'test',
        parameters: {},
        layers: [{ name: 'Base', machine: { default: 'A', states: { A: { motion: 'slow' } } } }],
      }),
      { resolve: () => slow },
    );
    for (let step = 0; step < 600; step++) one.step(1 / 60);
    expect(one.root[4]).toBeCloseTo((10 * angle) / 2, 8);
  });
});
