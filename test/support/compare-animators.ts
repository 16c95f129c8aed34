import { fromCycles } from '../../src/shaders/cycles.ts';
import type { Machine } from '../../src/animator/memory.ts';
import { sceneEvents, type AnimatorScene, type SceneEvent, type SceneState } from './animator-scene.ts';

/** How far floats may be apart, and how close (in cycles, or shares of a transition) a decision is a near-tie. */
const TOLERANCE = 1e-4;
export const NEAR_TIE = 2e-5;

export interface Comparison {
  readonly problems: readonly string[];
  readonly counts: { machines: number; events: number; nearTies: number; transitions: number };
}

/** Compares what kernels left with what the twin left. Characters whose decisions were too close to tell are counted. */
export function compareStates(
  scene: AnimatorScene,
  { state: expected, margins }: { state: SceneState; margins: readonly number[] },
  actual: SceneState,
): Comparison {
  const [want, have] = [scene.memoryOf(expected), scene.memoryOf(actual)];
  const [wantEvents, haveEvents] = [byCharacter(sceneEvents(expected)), byCharacter(sceneEvents(actual))];
  const problems: string[] = [];
  const counts = { machines: 0, events: 0, nearTies: 0, transitions: 0 };
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
      if (a.inTransition) counts.transitions++;
      const difference = differs(a, b);
      if (difference) note(`machine ${m}, ${difference}`, a, b);
      controller.layers.forEach((layer, l) => {
        if (layer.machine !== m || !a.frozen || !b.frozen) return;
        const [f, g] = [want.frozen(l, character), have.frozen(l, character)];
        if (!sameSamples(f, g)) note(`frozen of layer ${l}`, f, g);
      });
    });
    const [a, b] = [wantEvents.get(character) ?? [], haveEvents.get(character) ?? []];
    counts.events += a.length;
    if (!sameEvents(a, b)) note('events', a, b);
    if (found.length === 0) continue;
    if (margins[character]! < NEAR_TIE) counts.nearTies++;
    else problems.push(...found.map((text) => `${text} (margin ${margins[character]})`));
  }
  if (expected.events[1] !== actual.events[1] && counts.nearTies === 0) {
    problems.push(`lost events: ${actual.events[1]} instead of ${expected.events[1]}`);
  }
  return { problems, counts };
}

function differs(a: Machine, b: Machine): string | undefined {
  for (const key of ['started', 'current', 'transition', 'inTransition', 'frozen', 'fresh', 'entered'] as const) {
    if (a[key] !== b[key]) return key;
  }
  if (!near(fromCycles(a.currentClock), fromCycles(b.currentClock))) return 'clock';
  if (!a.inTransition) return undefined;
  for (const key of ['next', 'nextFresh', 'nextEntered', 'fixed'] as const) if (a[key] !== b[key]) return key;
  if (!near(fromCycles(a.nextClock), fromCycles(b.nextClock))) return 'next clock';
  return near(a.progress * 2 ** -32, b.progress * 2 ** -32) && near(a.duration, b.duration) ? undefined : 'progress';
}

function near(a: number, b: number): boolean {
  return Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a) / 10);
}

interface Sampled {
  readonly clip: number;
  readonly mirror: boolean;
  readonly phase: number;
  readonly weight: number;
}

/** Equal as sets, with samples at nearly one phase as one. */
function sameSamples(a: readonly Sampled[], b: readonly Sampled[]): boolean {
  const shareOf = (list: readonly Sampled[], { clip, mirror, phase }: Sampled) =>
    list
      .filter((other) => other.clip === clip && other.mirror === mirror && near(other.phase / 65535, phase / 65535))
      .reduce((sum, { weight }) => sum + weight, 0);
  return [...a, ...b].every((sample) => near(shareOf(a, sample), shareOf(b, sample)));
}

function byCharacter(events: readonly SceneEvent[]): Map<number, SceneEvent[]> {
  const map = new Map<number, SceneEvent[]>();
  for (const event of events) map.set(event.character, [...(map.get(event.character) ?? []), event]);
  return map;
}

function sameEvents(a: readonly SceneEvent[], b: readonly SceneEvent[]): boolean {
  return (
    a.length === b.length &&
    a.every((event, i) => {
      const other = b[i]!;
      return (
        event.layer === other.layer &&
        event.id === other.id &&
        event.fromNext === other.fromNext &&
        near(event.time, other.time) &&
        near(event.weight, other.weight)
      );
    })
  );
}
