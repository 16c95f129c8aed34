import { AnimComponent, AnimStateGraph, AnimTrack, type Entity, GraphNode } from 'playcanvas';
import type { Character } from '../../character/character.ts';
import { SeededRandom } from '../../math/seeded-random.ts';
import { type Change, drawChange } from './soldier-changes.ts';

const DT = 1 / 60;

/** Soldiers of the battle on PlayCanvas's animator. */
export interface PlayCanvasSoldiers {
  readonly machines: number;
  /** Changes parameters, then steps all soldiers by a sixtieth of a second. Returns the milliseconds of the steps, without those of the changes. */
  step(): number;
  /** States that some soldier is in, and the share of soldiers in a transition. Graphs that do not play would be fast. */
  report(): { readonly states: number; readonly blending: number };
}

/**
 * Creates soldiers with the nearest graph to the battle's controller that PlayCanvas can express, two machines each.
 *
 * @param character The legionary, for the lengths of its clips.
 * @param count Soldiers; fewer if their creation takes more than `seconds`.
 */
export function playCanvasSoldiers({ clips }: Character, count: number, seconds: number): PlayCanvasSoldiers {
  const tracks = new Map(clips.map(({ name, duration }) => [name, new AnimTrack(name, duration, [], [], [])]));
  const graph = soldierGraph();
  const begin = performance.now();
  const random = new SeededRandom(5);
  const soldiers: AnimComponent[] = [];
  while (soldiers.length < count && performance.now() - begin < 1000 * seconds) {
    const soldier = mixer(graph, tracks);
    change(soldier, drawChange(random, true));
    soldiers.push(soldier);
  }
  return {
    machines: 2 * soldiers.length,
    step() {
      soldiers.forEach((soldier) => change(soldier, drawChange(random)));
      const start = performance.now();
      soldiers.forEach((soldier) => soldier.update(DT));
      return performance.now() - start;
    },
    report() {
      const states = new Set(soldiers.flatMap(({ layers }) => layers.map(({ activeState }) => activeState)));
      const blending = soldiers.filter(({ layers }) => layers.some(({ transitioning }) => transitioning)).length;
      return { states: states.size, blending: blending / soldiers.length };
    },
  };
}

function change(soldier: AnimComponent, { set, trigger }: Change): void {
  for (const [name, value] of Object.entries(set)) {
    if (typeof value === 'number') soldier.setFloat(name, value);
    else soldier.setBoolean(name, value);
  }
  if (trigger) soldier.setTrigger(trigger);
}

/** Creates a separate component, as every entity of an application has one. Tracks without curves are shared. */
function mixer(graph: object, tracks: ReadonlyMap<string, AnimTrack>): AnimComponent {
  const system = { app: { assets: { get: () => null } }, schema: [], store: {} };
  const stub = system as unknown as ConstructorParameters<typeof AnimComponent>[0];
  // an Entity wants a running application; nothing here goes beyond a node
  const component = new AnimComponent(stub, new GraphNode('Root') as unknown as Entity);
  component.loadStateGraph(new AnimStateGraph(structuredClone(graph)));
  const [body, watch] = component.layers;
  for (const [, , name] of TREE) body!.assignAnimation(`Move.${name}`, tracks.get(name)!);
  for (const [state, name] of Object.entries(BODY)) body!.assignAnimation(state, tracks.get(name)!);
  for (const [state, name] of Object.entries(WATCH)) watch!.assignAnimation(state, tracks.get(name)!);
  if (!component.playable) throw new Error('PlayCanvas lacks a clip for some state');
  return component;
}

const TREE = [
  [0, 0, 'idle'],
  [0, 1.4, 'walk'],
  [0, 3.4, 'run'],
  [0, -0.95, 'walk_back'],
  [0.85, 0, 'strafe_left'],
  [-0.85, 0, 'strafe_right'],
] as const;
const BODY = {
  Hit: 'hit',
  Cheer: 'cheer',
  Fall: 'fall',
  First: 'attack_1',
  Second: 'attack_2',
  Raise: 'block',
  Hold: 'block_idle',
  Parry: 'block',
  Lower: 'block',
};
const WATCH = { Breathe: 'idle', Look: 'idle_variant' };

/**
 * The battle's controller in PlayCanvas's terms. Nested machines are flat, so a transition into them becomes two. It has no
 * cycle offsets, speed parameters or masks. Its exit times do not wait for the fades.
 */
// oxlint-disable-next-line max-lines-per-function
function soldierGraph(): object {
  const control = ['START', 'END', 'ANY'].map((name) => ({ name }));
  const when = (conditions: Readonly<Record<string, boolean>>) =>
    Object.entries(conditions).map(([parameterName, value]) => ({ parameterName, predicate: 'EQUAL_TO', value }));
  const way = (from: string, to: string, time: number, conditions: Readonly<Record<string, boolean>>, more = {}) => ({
    from,
    to,
    time,
    conditions: when(conditions),
    ...more,
  });
  const start = (to: string) => ({ from: 'START', to });
  const strike = (from: string) => [
    way(from, 'Second', 0.12, { attack: true, heavy: true }),
    way(from, 'First', 0.12, { attack: true }),
  ];
  const back = (from: string, exitTime = 0.85) =>
    way(from, 'Move', 0.25, {}, { exitTime, interruptionSource: 'NEXT_STATE' });
  const children = TREE.map(([x, y, name]) => ({ name, point: [x, y] }));
  const body = {
    name: 'Body',
    states: [
      ...control,
      {
        name: 'Move',
        loop: true,
        blendTree: {
          name: 'Move',
          type: '2D_DIRECTIONAL',
          parameters: ['side', 'forward'],
          syncAnimations: true,
          children,
        },
      },
      ...Object.keys(BODY).map((name) => ({
        name,
        speed: name === 'Lower' ? -1 : 1,
        loop: ['Cheer', 'Hold'].includes(name),
      })),
    ],
    transitions: [
      start('Move'),
      way('ANY', 'Fall', 0.12, { dead: true }),
      way('ANY', 'Hit', 0.08, { hit: true, guard: false, dead: false }),
      ...strike('Move'),
      way('Move', 'Raise', 0.12, { guard: true }),
      way('Move', 'Cheer', 0.25, { cheer: true }, { interruptionSource: 'PREV_STATE' }),
      way('Hit', 'Raise', 0.12, { guard: true }, { exitTime: 0.5 }),
      back('Hit', 0.8),
      ...strike('Cheer'),
      way('Cheer', 'Raise', 0.12, { guard: true }),
      way('Cheer', 'Move', 0.3, { cheer: false }, { interruptionSource: 'NEXT_STATE' }),
      way('Fall', 'Move', 0.8, { dead: false }),
      way('First', 'Second', 0.15, { attack: true }, { exitTime: 0.7, transitionOffset: 0.1 }),
      back('First'),
      back('Second'),
      way('Raise', 'Hold', 0.1, {}, { exitTime: 0.2 }),
      way('Hold', 'Parry', 0.05, { hit: true }, { transitionOffset: 0.28 }),
      ...strike('Hold'),
      way('Hold', 'Lower', 0.1, { guard: false }),
      way('Parry', 'Hold', 0.1, {}, { exitTime: 0.9, interruptionSource: 'NEXT_STATE' }),
      way('Lower', 'Move', 0.2, {}, { exitTime: 0.85, interruptionSource: 'NEXT_STATE' }),
    ],
  };
  const alert = [{ parameterName: 'alertness', predicate: 'GREATER_THAN', value: 0.1 }];
  const watch = {
    name: 'Watch',
    blendType: 'ADDITIVE',
    states: [...control, { name: 'Breathe', loop: true }, { name: 'Look', loop: true }],
    transitions: [
      start('Breathe'),
      { ...way('Breathe', 'Look', 0.4, {}, { exitTime: 2 }), conditions: alert },
      way('Look', 'Breathe', 0.3, {}, { exitTime: 0.9 }),
    ],
  };
  const floats = ['side', 'forward', 'alertness'].map((name) => ({ name, type: 'FLOAT', value: 0 }));
  const bools = ['heavy', 'guard', 'cheer', 'dead'].map((name) => ({ name, type: 'BOOLEAN', value: false }));
  const triggers = ['attack', 'hit'].map((name) => ({ name, type: 'TRIGGER', value: false }));
  const parameters = Object.fromEntries([...floats, ...bools, ...triggers].map((one, index) => [index, one]));
  return { layers: [body, watch], parameters };
}
