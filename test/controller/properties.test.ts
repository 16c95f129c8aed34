import { describe, expect, test } from 'vitest';
import { treeWeights } from '../../src/controller/eval/tree-weights.ts';
import { AnimatorScene } from '../support/animator-scene.ts';
import { compileController } from '../../src/controller/compile.ts';
import { CONDITION_CONSUMES, TRANSITION_EXIT } from '../../src/controller/tables.ts';
import {
  TREE_1D,
  TREE_DIRECT,
  TREE_DIRECTIONAL,
  TREE_FREEFORM_CARTESIAN,
  TREE_FREEFORM_DIRECTIONAL,
} from '../../src/controller/tables.ts';
import { controllerView } from '../../src/controller/eval/controller-view.ts';
import { fromCycles } from '../../src/math/cycles.ts';
import { holds } from '../../src/stages/step-controllers/conditions.ts';
import { randomController } from '../support/random-controller.ts';
import { randomCommands, writeParameters } from '../support/random-script.ts';
import { Random } from '../support/random.ts';
import { full, hasTurn, runSeed } from '../support/setup.ts';

const f = Math.fround;

/** Children at random places, as the tree's records hold them, and the same in the plane. */
function randomPlaces(
  random: Random,
  type: number,
): { children: { x: number; y: number }[]; places: [number, number][] } {
  const count = random.integer(1, 16);
  const coordinate = (): number => (random.chance(0.3) ? random.integer(-1, 1) : random.range(-2, 2));
  const places = Array.from({ length: count }, (): [number, number] => [f(coordinate()), f(coordinate())]);
  if (type === TREE_1D) places.sort((a, b) => a[0] - b[0]);
  const polar = type === TREE_FREEFORM_DIRECTIONAL;
  const children = places.map(([x, y]) => (polar ? { x: f(Math.hypot(x, y)), y: f(Math.atan2(y, x)) } : { x, y }));
  return { children, places };
}

/**
 * Whether a sample of a simple directional tree has neighbours less than half a turn away, as such trees are meant to be
 * built: where there is a wider gap, what lies beyond it shares by its projection, also at the sample.
 */
function hasBothSides(places: readonly [number, number][], at: number): boolean {
  const [x, y] = places[at]!;
  if (x === 0 && y === 0) return true;
  const crosses = places.map(([px, py]) => x * py - y * px);
  return crosses.some((cross) => cross > 1e-3) && crosses.some((cross) => cross < -1e-3);
}

const KINDS = [
  ['1D', TREE_1D],
  ['directional', TREE_DIRECTIONAL],
  ['freeform directional', TREE_FREEFORM_DIRECTIONAL],
  ['freeform Cartesian', TREE_FREEFORM_CARTESIAN],
] as const;
const TREES = full ? 20000 : 1000;

describe.runIf(hasTurn(0)).each(KINDS)('weights of %s trees', (_name, type) => {
  test('are not negative and sum to 1', () => {
    const random = new Random(runSeed);
    for (let n = 0; n < TREES; n++) {
      const { children } = randomPlaces(random, type);
      const [x, y] = [f(random.range(-3, 3)), f(random.range(-3, 3))];
      const weights = treeWeights(type, children, x, y, [], false);
      const label = `case ${n}: ${JSON.stringify({ children, x, y, weights })}`;
      expect(
        weights.every((weight) => weight >= 0 && weight <= 1),
        label,
      ).toBe(true);
      expect(Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1), label).toBeLessThan(2e-6);
    }
  });

  test('are one-hot at samples', () => {
    const random = new Random(runSeed);
    let tried = 0;
    for (let n = 0; n < TREES; n++) {
      const { children, places } = randomPlaces(random, type);
      const at = random.integer(0, places.length - 1);
      const [x, y] = places[at]!;
      // where several samples share a place (a threshold, a direction), there is no one that it is
      const isAlone = places.every(([px, py], i) => {
        if (i === at || type === TREE_FREEFORM_CARTESIAN) return i === at || px !== x || py !== y;
        if (type === TREE_1D) return px !== x;
        if (Math.hypot(px - x, py - y) < 1e-3) return false;
        const [cross, along] = [px * y - py * x, px * x + py * y];
        if (type === TREE_DIRECTIONAL && Math.hypot(x, y) > 0 && along > 0 && Math.abs(cross) < 1e-3) return false;
        return true;
      });
      if (!isAlone || (type === TREE_DIRECTIONAL && !hasBothSides(places, at))) continue;
      tried++;
      const weights = treeWeights(type, children, x, y, [], false);
      const label = `case ${n}: ${JSON.stringify({ children, at, weights })}`;
      // f32 places a few units of rounding (some 1e-6 here) off are that much of the way to the nearest sample
      const others = places.filter((_, i) => i !== at).map(([px, py]) => Math.hypot(px - x, py - y));
      const tolerance = Math.max(2e-5, 1e-6 / Math.min(...others));
      weights.forEach((weight, i) => expect(Math.abs(weight - Number(i === at)), label).toBeLessThan(tolerance));
    }
    expect(tried).toBeGreaterThan(TREES / 4);
  });
});

test('weights of directional trees do not jump where several children have one direction', () => {
  const random = new Random(runSeed);
  for (let n = 0; n < TREES; n++) {
    const { children } = randomPlaces(random, TREE_DIRECTIONAL);
    // powers of two leave a direction as it is; others do but for rounding
    const repeated = Array.from({ length: random.integer(1, 4) }, () => {
      const { x, y } = random.pick(children);
      const scale = random.pick([0.25, 0.5, 2, random.range(0.2, 3)]);
      return { x: f(scale * x), y: f(scale * y) };
    });
    const all = [...children, ...repeated];
    const { x, y } = random.pick(repeated);
    const directions = all.map((child): [number, number] => [child.x, child.y]);
    // between directions that are close, but not one, weights change fast; beside a child at the centre as well
    const length = Math.hypot(x, y);
    const isClose = directions.some(([px, py]) => {
      const beside = Math.abs(px * y - py * x) / length; // from the ray through the place
      const sine = beside / Math.hypot(px, py);
      return sine > 1e-6 && (sine < 1e-2 || beside < 1e-3 * length);
    });
    if (isClose) continue;
    if (
      !hasBothSides(
        directions,
        all.findIndex((child) => child.x === x && child.y === y),
      )
    )
      continue;
    const weights = treeWeights(TREE_DIRECTIONAL, all, x, y, [], false);
    for (const turn of [-2e-7, 2e-7]) {
      const turned = treeWeights(TREE_DIRECTIONAL, all, f(x - turn * y), f(y + turn * x), [], false);
      const label = `case ${n}: ${JSON.stringify({ all, x, y, weights, turned })}`;
      weights.forEach((weight, i) => expect(Math.abs(weight - turned[i]!), label).toBeLessThan(1e-3));
    }
  }
});

test('weights of direct trees are not negative, and sum to what was asked for, or to 1', () => {
  const random = new Random(runSeed);
  for (let n = 0; n < TREES; n++) {
    const asked = Array.from({ length: random.integer(1, 16) }, () => f(random.range(-0.5, random.pick([0.1, 1]))));
    const normalized = random.chance(0.5);
    const weights = treeWeights(
      TREE_DIRECT,
      asked.map(() => ({ x: 0, y: 0 })),
      0,
      0,
      asked,
      normalized,
    );
    const positive = asked.reduce((sum, weight) => sum + Math.max(0, weight), 0);
    const expected = normalized ? Number(positive > 0) : Math.min(1, positive);
    expect(weights.every((weight, i) => weight >= 0 && (asked[i]! > 0 || weight === 0))).toBe(true);
    expect(
      weights.reduce((sum, weight) => sum + weight, 0),
      `case ${n}`,
    ).toBeCloseTo(expected, 5);
  }
});

/** A crowd of random controllers, one character each. */
function crowd(firstSeed: number, count: number): AnimatorScene {
  const controllers = Array.from({ length: count }, (_, i) =>
    compileController(randomController(new Random(firstSeed + i))),
  );
  return new AnimatorScene(
    controllers,
    controllers.map((_, i) => i),
    1 << 10,
  );
}

const CONTROLLERS = full ? 200 : 20;
const STEPS = full ? 100 : 30;
/** Triggers are seldom. */
const TRIGGER_STEPS = full ? 100 : 45;

test('a step and the same step in parts lead to the same machines', () => {
  const [scene, random] = [crowd(runSeed, CONTROLLERS), new Random(runSeed)];
  let [compared, moved] = [0, 0];
  for (let step = 0; step < STEPS; step++) {
    const commands = randomCommands(scene, random, step === 0);
    writeParameters(scene, random);
    // commands and what parameters cause come first, in a step of no time; of what then remains, nothing may begin
    scene.state = scene.onTwin(0, commands).state;
    scene.state = scene.onTwin(0, new Map()).state;
    const dt = f(random.range(0.01, 1));
    const parts = random.integer(2, 7);
    const started = new Set<string>();
    const whole = scene.onTwin(dt, new Map(), (character, machine) => started.add(`${character} ${machine}`));
    const before = scene.state;
    const margins = [...whole.margins];
    for (let part = 0; part < parts; part++) {
      const piece = scene.onTwin(f(dt / parts), new Map(), (character, machine) =>
        started.add(`${character} ${machine}`),
      );
      scene.state = piece.state;
      piece.margins.forEach((margin, character) => (margins[character] = Math.min(margins[character]!, margin)));
    }
    const [a, b] = [scene.memoryOf(whole.state), scene.memory];
    scene.controllers.forEach(({ machines, name }, character) => {
      if (margins[character]! < 1e-4) return; // what is decided at the seam may fall on either side of it
      machines.forEach((_, m) => {
        if (started.has(`${character} ${m}`)) return;
        // triggers are shared: what another machine uses up changes nothing here, since nothing began
        const [one, other] = [a.machine(m, character), b.machine(m, character)];
        const label = `${name}, step ${step}, machine ${m}, dt ${dt} in ${parts}`;
        expect([other.current, other.inTransition, other.next], label).toEqual([
          one.current,
          one.inTransition,
          one.next,
        ]);
        const [t, u] = [one, other].map(({ currentClock }) => fromCycles(currentClock)) as [number, number];
        expect(Math.abs(t - u), label).toBeLessThan(1e-5 * Math.max(1, Math.abs(t)));
        expect(Math.abs(one.progress - other.progress) * 2 ** -32, label).toBeLessThan(1e-5);
        compared++;
        const from = scene.memoryOf(before).machine(m, character);
        if (fromCycles(from.currentClock) !== t || from.progress !== one.progress) moved++;
      });
    });
  }
  console.log(`split steps: ${compared} machines compared, ${moved} of them moved`);
  expect(moved).toBeGreaterThan(compared / 4);
});

test('activations in one update: 5 at most, each once; each trigger once per machine', () => {
  const [scene, random] = [crowd(runSeed, CONTROLLERS), new Random(runSeed)];
  const most = { activations: 0, ofUpdate: 0 };
  const uses = { triggers: 0 };
  for (let step = 0; step < TRIGGER_STEPS; step++) {
    const commands = randomCommands(scene, random, step === 0);
    writeParameters(scene, random);
    const taken = new Map<string, number[]>();
    const used = new Map<string, number>();
    const dt = f(random.pick([0, 1 / 60, 0.3, random.range(0, 20)]));
    const { state } = scene.onTwin(dt, commands, (character, machine, transition) => {
      const key = `${character} ${machine}`;
      const list = taken.get(key) ?? [];
      expect(list, `${key}, step ${step}`).not.toContain(transition.index);
      taken.set(key, [...list, transition.index]);
      const view = controllerView(scene.rig, scene.rows[character]!);
      const consuming = view.conditions(transition.conditions).filter(([condition]) => condition & CONDITION_CONSUMES);
      for (const trigger of new Set(consuming.map(([condition]) => condition >>> 16))) {
        const use = `${key}, trigger ${trigger}`;
        used.set(use, (used.get(use) ?? 0) + 1);
        uses.triggers++;
      }
    });
    for (const list of taken.values()) most.ofUpdate = Math.max(most.ofUpdate, list.length);
    most.activations += taken.size;
    for (const [use, times] of used) expect(times, `${use}, step ${step}`).toBe(1);
    scene.state = state;
    // what a machine used is gone for all of them
    for (const use of used.keys()) {
      const [character, , bit] = use.match(/\d+/g)!.map(Number) as [number, number, number];
      expect((scene.memory.head(character, 'triggers') >>> bit) & 1, use).toBe(0);
    }
  }
  console.log(
    `updates: ${most.activations} with activations, ${most.ofUpdate} at most in one; ${uses.triggers} triggers used`,
  );
  expect(most.ofUpdate).toBeLessThanOrEqual(5);
  expect(most.ofUpdate).toBeGreaterThan(2);
  expect(uses.triggers).toBeGreaterThan(3 * CONTROLLERS);
});

test('what is taken had its conditions hold, and no exit time fires in a step of no time', () => {
  const [scene, random] = [crowd(runSeed, CONTROLLERS), new Random(runSeed)];
  let tested = 0;
  for (let step = 0; step < STEPS; step++) {
    const commands = randomCommands(scene, random, step === 0);
    writeParameters(scene, random);
    const dt = step % 3 === 0 ? 0 : f(random.range(0, 0.5));
    const parametersOf = scene.memory;
    const all = 0xffffffff;
    scene.state = scene.onTwin(dt, commands, (character, _machine, transition) => {
      const view = controllerView(scene.rig, scene.rows[character]!);
      const conditions = view.conditions(transition.conditions).filter(([condition]) => (condition & 0xff) !== 7);
      // triggers change within the update; everything else stands as it was set
      expect(conditions.length).toBeLessThanOrEqual(view.conditions(transition.conditions).length);
      const { held } = holds({ conditions: () => conditions }, 0, parametersOf.parameters(character), all);
      expect(held).toBe(true);
      if (dt === 0) expect(transition.flags & TRANSITION_EXIT).toBe(0);
      tested++;
    }).state;
  }
  expect(tested).toBeGreaterThan(200);
});
