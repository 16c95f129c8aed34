import { expect } from 'vitest';
import type { CompiledController } from '../../src/controller/compile.ts';
import { fromCycles } from '../../src/math/cycles.ts';
import type { Machine } from '../../src/controller/eval/memory.ts';
import { LIST_LAYER_SHIFT, listRows } from '../../src/stages/gather-motions/layout.ts';
import { listMotions } from '../../src/stages/gather-motions/list-reference.ts';
import {
  sceneEvents,
  type AnimatorScene,
  type GpuStep,
  type SceneEvent,
  type SceneState,
  type TwinStep,
} from './animator-scene.ts';

/** How far clocks (cycles), shares, weights and seconds may be apart. */
const TOLERANCE = 1e-4;
/** How close (in cycles, shares of a transition, or weights) a decision is a near-tie. */
export const NEAR_TIE = 2e-5;

export interface Comparison {
  readonly problems: readonly string[];
  readonly counts: { machines: number; events: number; nearTies: number };
}

/**
 * Compares what kernels left with what the twin left: states, flags, triggers and events exactly, numbers to TOLERANCE.
 * Characters whose decisions were too close to tell are counted instead.
 */
export function compareStates(
  scene: AnimatorScene,
  { state: expected, margins }: TwinStep,
  actual: SceneState,
  dt: number,
): Comparison {
  const [want, have] = [scene.memoryOf(expected), scene.memoryOf(actual)];
  const [wantEvents, haveEvents] = [byCharacter(sceneEvents(expected)), byCharacter(sceneEvents(actual))];
  const problems: string[] = [];
  const counts = { machines: 0, events: 0, nearTies: 0 };
  for (let character = 0; character < scene.count; character++) {
    const controller = scene.controllers[scene.of[character]!]!;
    const found: string[] = [];
    const note = (what: string, a: unknown, b: unknown) =>
      found.push(
        `${controller.name}, character ${character}, ${what}: ${JSON.stringify(b)} instead of ${JSON.stringify(a)}`,
      );
    for (const key of ['controllerRow', 'triggers', 'commandRun', 'counters'] as const) {
      const [a, b] = [want.head(character, key), have.head(character, key)];
      if (a !== b) note(key, a, b);
    }
    controller.machines.forEach((_, m) => {
      const [a, b] = [want.machine(m, character), have.machine(m, character)];
      counts.machines++;
      const difference = differs(a, b);
      if (difference) note(`machine ${m}, ${difference}`, a, b);
      controller.layers.forEach((layer, l) => {
        if (layer.machine !== m || !a.frozen || !b.frozen) return;
        const [f, g] = [want, have].map((memory) =>
          memory.frozen(l, character).map((sample) => ({ ...sample, phase: sample.phase / 65535 })),
        ) as [Sampled[], Sampled[]];
        if (!sameSamples(controller, f, g)) note(`frozen of layer ${l}`, f, g);
      });
    });
    if (want.hasRoot) {
      const [a, b] = [expected, actual].map(({ animators, transforms }) => {
        const at = want.rootWord(character);
        const words = new Float32Array(animators.buffer, 4 * at, 8);
        const position = transforms.get(character, 'position');
        return [[...words.subarray(0, 3), ...position], [...words.subarray(4)], transforms.get(character, 'rotation')];
      }) as [number[][], number[][]];
      const slack = Math.max(1, dt); // in long steps many cycles are composed
      const far = a[0]!.some((p, c) => !near(p, b[0]![c]!, slack));
      if (far || !sameTurn(a[1]!, b[1]!, slack) || !sameTurn(a[2]!, b[2]!, slack)) note('root motion', a, b);
    }
    const [a, b] = [wantEvents.get(character) ?? [], haveEvents.get(character) ?? []];
    counts.events += a.length;
    const unmatched = unmatchedEvents(a, b);
    const tells = unmatched.filter(({ weight }) => weight > NEAR_TIE);
    if (tells.length > 0) note('events', a, b);
    else if (unmatched.length > 0) counts.nearTies++;
    if (found.length === 0) continue;
    if (margins[character]! < NEAR_TIE) counts.nearTies++;
    else problems.push(...found.map((text) => `${text} (margin ${margins[character]})`));
  }
  if (expected.events[1] !== actual.events[1] && counts.nearTies === 0) {
    problems.push(`lost events: ${actual.events[1]} instead of ${expected.events[1]}`);
  }
  return { problems, counts };
}

const FLAGS = ['started', 'current', 'transition', 'inTransition', 'frozen', 'fresh', 'entered'] as const;
const NEXT_FLAGS = ['next', 'nextFresh', 'nextEntered', 'fixed'] as const;

function differs(a: Machine, b: Machine): string | undefined {
  for (const key of FLAGS) if (a[key] !== b[key]) return key;
  if (!nearClock(fromCycles(a.currentClock), fromCycles(b.currentClock))) return 'clock';
  if (!a.inTransition) return undefined;
  for (const key of NEXT_FLAGS) if (a[key] !== b[key]) return key;
  if (!nearClock(fromCycles(a.nextClock), fromCycles(b.nextClock))) return 'next clock';
  return near(a.progress * 2 ** -32, b.progress * 2 ** -32) && near(a.duration, b.duration) ? undefined : 'progress';
}

function near(a: number, b: number, slack = 1): boolean {
  return Math.abs(a - b) <= TOLERANCE * slack;
}

/** Beyond ten cycles f32 itself has no such digits: 1e-5 of the clock. */
function nearClock(a: number, b: number): boolean {
  return near(a, b, Math.max(1, Math.abs(a) / 10));
}

/** q and −q are one rotation. */
function sameTurn(a: readonly number[], b: readonly number[], slack: number): boolean {
  const sign = Math.sign(a.reduce((dot, q, c) => dot + q * b[c]!, 0));
  return a.every((q, c) => near(q, sign * b[c]!, slack));
}

interface Sampled {
  readonly clip: number;
  readonly mirror: boolean;
  /** In cycles. */
  readonly phase: number;
  readonly weight: number;
}

/** Equal as sets, with samples at nearly one phase as one. */
function sameSamples({ clips }: CompiledController, a: readonly Sampled[], b: readonly Sampled[]): boolean {
  const isBeside = (one: Sampled, other: Sampled): boolean => {
    const apart = Math.abs(one.phase - other.phase);
    return Math.min(apart, clips[one.clip]!.loops ? 1 - apart : 1) <= TOLERANCE;
  };
  const shareOf = (list: readonly Sampled[], sample: Sampled): number =>
    list
      .filter((one) => one.clip === sample.clip && one.mirror === sample.mirror && isBeside(one, sample))
      .reduce((sum, { weight }) => sum + weight, 0);
  return [...a, ...b].every((sample) => near(shareOf(a, sample), shareOf(b, sample)));
}

function byCharacter(events: readonly SceneEvent[]): Map<number, SceneEvent[]> {
  const map = new Map<number, SceneEvent[]>();
  for (const event of events) {
    const list = map.get(event.character);
    if (list) list.push(event);
    else map.set(event.character, [event]);
  }
  return map;
}

/** Events of one side that the other does not have at that time and weight: none where counts and order agree. */
function unmatchedEvents(a: readonly SceneEvent[], b: readonly SceneEvent[]): SceneEvent[] {
  const left = [...b];
  const missing = a.filter((event) => {
    const at = left.findIndex(
      (other) =>
        event.layer === other.layer &&
        event.id === other.id &&
        event.fromNext === other.fromNext &&
        near(event.time, other.time) &&
        near(event.weight, other.weight),
    );
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return [...missing, ...left];
}

/** What freezes dropped, as kernels counted it and as the twin told: weights to what sums of many floats leave of them. */
export function expectSameDrops({ dropped }: GpuStep, { truncated }: TwinStep, label: string): void {
  const samples = truncated.reduce((sum, each) => sum + each.samples, 0);
  const weight = truncated.reduce((sum, each) => sum + each.weight, 0);
  expect([dropped.freezes, dropped.samples], label).toEqual([truncated.length, samples]);
  expect(Math.abs(dropped.weight - weight), label).toBeLessThanOrEqual(NEAR_TIE * (1 + truncated.length));
}

/** Compares what the kernel lists of the scene's present state with what its twin does. */
export function compareLists(
  scene: AnimatorScene,
  actual: Uint32Array<ArrayBuffer>,
): { problems: string[]; samples: number } {
  const { regions } = scene.plan;
  const machines = regions.get(0, 'machineCapacity');
  const rows = listRows(machines, regions.get(0, 'layerCapacity'), scene.traits.large);
  const characters = Array.from(scene.of, (_, c) => c);
  const expected = listMotions(scene.rig, regions, scene.state.animators, characters, scene.traits.large);
  const problems: string[] = [];
  let samples = 0;
  for (const character of characters) {
    const controller = scene.controllers[scene.of[character]!]!;
    const at = 4 * rows * character;
    // everything before the samples is copied; the count of samples may differ by such that weigh next to nothing
    const head = 4 * (1 + 2 * machines + 2);
    if (expected.subarray(at + 1, at + head).some((word, i) => word !== actual[at + 1 + i])) {
      problems.push(`${controller.name}, character ${character}: what is copied differs`);
    }
    const [a, b] = [expected, actual].map((lists) => samplesOf(lists, at, at + head)) as [LayerSample[], LayerSample[]];
    samples += a.length;
    controller.layers.forEach((_, layer) => {
      const [f, g] = [a, b].map((list) => list.filter((sample) => sample.layer === layer)) as [
        LayerSample[],
        LayerSample[],
      ];
      if (sameSamples(controller, f, g)) return;
      problems.push(
        `${controller.name}, character ${character}, layer ${layer}: ${JSON.stringify(g)} instead of ${JSON.stringify(f)}`,
      );
    });
  }
  return { problems, samples };
}

interface LayerSample extends Sampled {
  readonly layer: number;
}

function samplesOf(lists: Uint32Array<ArrayBuffer>, countWord: number, first: number): LayerSample[] {
  const floats = new Float32Array(lists.buffer);
  return Array.from({ length: lists[countWord]! }, (_, s): LayerSample => {
    const at = first + 4 * s;
    const place = lists[at]!;
    return {
      clip: place & 0xffff,
      mirror: (place & 0x10000) !== 0,
      layer: place >>> LIST_LAYER_SHIFT,
      phase: lists[at + 2]! / 2 ** 32,
      weight: floats[at + 3]!,
    };
  });
}
