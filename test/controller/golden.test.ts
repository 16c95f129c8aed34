import { expect, test } from 'vitest';
import { controllerView } from '../../src/controller/eval/controller-view.ts';
import { distanceToExit, reaches, shareOf, subtract } from '../../src/stages/step-controllers/machine-update.ts';
import { evaluateMotion, type Parameters } from '../../src/controller/eval/motion.ts';
import { RigTable } from '../../src/character/format/clip-format.ts';
import { compileController } from '../../src/controller/compile.ts';
import { negateCycles, toCycles, type Cycles } from '../../src/math/cycles.ts';
import { GOLDEN_EXITS, GOLDEN_TREES, goldenController } from './golden-cases.ts';

test.each(GOLDEN_TREES)('weights of $name', (golden) => {
  const view = controllerView(new RigTable(compileController(goldenController(golden)).table), 0);
  const parameters: Parameters = {
    float: (index) => Math.fround(index === 0 ? golden.x : golden.y),
    int: () => 0,
  };
  const motion = view.motion(view.machines[0]!.state(0).motionRow)!;
  const { weights, length } = evaluateMotion(motion, parameters);
  expect(weights).toHaveLength(golden.weights.length);
  weights.forEach((weight, c) => expect(weight, `child ${c}`).toBeCloseTo(golden.weights[c]!, 4.7));
  expect(length).toBeCloseTo(1, 6); // clips that nothing resolves are 1 s long
});

// 0.9 and 1, 1 and 1.1, 0.95 and 1.05 meet their exit times exactly, or not at all: clocks must not round them away
test.each(GOLDEN_EXITS)('exit time $exit of a clock from $from to $to', ({ from, to, exit, share }) => {
  const [start, end] = [toCycles(from), toCycles(to)];
  const backward = to < from;
  const move: Cycles = backward ? subtract(start, end) : subtract(end, start);
  const distance = distanceToExit({ from: start, move, backward }, toCycles(exit), exit <= 1);
  const found = distance && reaches(move, distance) ? shareOf(distance, move) : undefined;
  if (share === undefined) expect(found).toBeUndefined();
  else expect(found).toBeCloseTo(share, 5);
});

test('a clock that does not move meets no exit time', () => {
  const still = { from: toCycles(0.5), move: toCycles(0), backward: false };
  const distance = distanceToExit(still, toCycles(0.5), true)!;
  expect(distance).toEqual({ cycles: 1, phase: 0 });
  expect(reaches(still.move, distance)).toBe(false);
});

test('an exit time above 1 occurs once, in both directions of the clock', () => {
  const past = { from: toCycles(3.6), move: toCycles(50), backward: false };
  expect(distanceToExit(past, toCycles(3.5), false)).toBeUndefined();
  // played backwards from 1: after 3.5 cycles the clock stands at −2.5
  const back = { from: toCycles(1), move: toCycles(4), backward: true };
  expect(distanceToExit(back, toCycles(3.5), false)).toEqual(toCycles(3.5));
  expect(negateCycles(toCycles(2.5))).toEqual(toCycles(-2.5));
});
