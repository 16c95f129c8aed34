import { AnimComponent, AnimStateGraph, AnimTrack, type Entity, GraphNode, version } from 'playcanvas';
import { View } from '../../src/layout/index.ts';
import {
  COMMAND_TRIGGERS,
  EVENT_FIRST_WORD,
  EVENT_WORDS,
  StepParams,
} from '../../src/stages/step-controllers/layout.ts';
import { AnimatorMemory } from '../../src/controller/eval/memory.ts';
import { Transform } from '../../src/stages/layout.ts';
import { stepControllers } from '../../src/stages/step-controllers/reference.ts';
import { SeededRandom } from '../../src/math/seeded-random.ts';
import { COMMAND_EVERY, createSoldiers, runDispatches, type GpuSoldiers } from './controllers-crowd.ts';
import { readWords } from './controllers-read.ts';
import type { SoldierScene } from './controllers-scene.ts';
import { median } from './gpu-timer.ts';

/** Milliseconds per step of `machines` state machines, two per character. */
export interface PeerTimes {
  readonly machines: number;
  readonly kernel: number;
  readonly twin: number;
  /** Scaled to `machines`, from a measurement with `playcanvasMachines`. */
  readonly playcanvas: number;
  readonly playcanvasMachines: number;
}

const DT = 1 / 60;
/** Seconds that one side may take to be measured. */
const PATIENCE = 20;

/**
 * Steps the same soldiers on the kernel, on its twin, and on PlayCanvas's animator with the nearest graph that it can
 * express, in turn and in one process.
 */
export async function benchPeers(
  device: GPUDevice,
  scene: SoldierScene,
  characters: number,
  say: (text: string) => void,
): Promise<PeerTimes> {
  const machines = 2 * characters;
  const crowd = await createSoldiers(device, scene, characters);
  const step = crowd.step({});
  const times: number[] = [];
  for (let round = 0; round < 40; round++) {
    await runDispatches(device, crowd.drive);
    const start = performance.now();
    await runDispatches(device, step);
    if (round >= 30) times.push(performance.now() - start);
  }
  const kernel = median(times);
  say(`  kernel     ${kernel.toFixed(1)} ms a step`);
  const twin = await timeTwin(device, scene, crowd);
  say(`  twin       ${twin.toFixed(1)} ms`);
  crowd.destroy();
  const theirs = timePlayCanvas(scene, characters);
  const playcanvas = (theirs.milliseconds * machines) / theirs.machines;
  say(
    `  PlayCanvas ${version}: ${theirs.milliseconds.toFixed(1)} ms for ${theirs.machines} of them` +
      (theirs.machines < machines ? `, ${playcanvas.toFixed(1)} ms for as many` : ''),
  );
  say(`             they are in ${theirs.states} states at the end, ${(100 * theirs.blending).toFixed(1)} % blend`);
  say(`  PlayCanvas ÷ kernel ${(playcanvas / kernel).toFixed(2)}, PlayCanvas ÷ twin ${(playcanvas / twin).toFixed(2)}`);
  return { machines, kernel, twin, playcanvas, playcanvasMachines: theirs.machines };
}

/** Random changes of one step for one character: parameters once a second each, a trigger for one in COMMAND_EVERY. */
interface Change {
  readonly set: Record<string, number | boolean>;
  readonly trigger: 'attack' | 'hit' | undefined;
}

function draw(random: SeededRandom, all = false): Change {
  const set: Record<string, number | boolean> = {};
  const now = () => all || random.chance(1 / 60);
  if (now()) set.side = random.range(-0.9, 0.9);
  if (now()) set.forward = random.range(-0.9, 3.4);
  if (now()) set.alertness = random.next();
  if (now()) set.heavy = random.chance(0.3);
  if (now()) set.guard = random.chance(0.25);
  if (now()) set.cheer = random.chance(0.1);
  if (now()) set.dead = random.chance(0.05);
  const trigger = random.chance(1 / COMMAND_EVERY) ? (random.chance(0.4) ? 'hit' : 'attack') : undefined;
  return { set, trigger };
}

/** From where the kernel has brought the crowd. */
async function timeTwin(device: GPUDevice, { tables }: SoldierScene, crowd: GpuSoldiers): Promise<number> {
  const animators = await readWords(device, crowd.animators, 0, crowd.animators.size);
  const { regions } = crowd.plan;
  const memory = new AnimatorMemory(animators, regions);
  const { parameters } = tables.types[0]!.character.controller!;
  const columns = new Map(parameters.map(({ name, type, trigger }, index) => [name, { index, type, trigger }]));
  const eventCapacity = 65536;
  const events = new Uint32Array(EVENT_FIRST_WORD + EVENT_WORDS * eventCapacity);
  const stepParams = new View(StepParams, 1);
  const transforms = new View(Transform, 1);
  const random = new SeededRandom(5);
  let commands = new Uint32Array(4);
  return timeRounds(
    () => {
      const runs: [character: number, bits: number][] = [];
      for (let c = 0; c < crowd.count; c++) {
        const { set, trigger } = draw(random);
        for (const [name, value] of Object.entries(set)) {
          const { index, type } = columns.get(name)!;
          const numbers = type === 'float' ? memory.floats : memory.ints;
          numbers[memory.columnWord(1 + index, c)] = Number(value);
        }
        if (trigger) runs.push([c, 1 << columns.get(trigger)!.trigger]);
      }
      commands = new Uint32Array(8 * Math.max(1, runs.length));
      runs.forEach(([character, bits], r) => {
        commands.set([character, r, 1, 0], 4 * r);
        commands.set([COMMAND_TRIGGERS, bits, 0, 0], 4 * (runs.length + r));
      });
      stepParams.assign(0, { dt: DT, frame: 1, characterCount: crowd.count, runCount: runs.length, eventCapacity });
      events.fill(0, 0, EVENT_FIRST_WORD);
    },
    () => {
      const rig = tables.rig;
      stepControllers({ stepParams, regions, animators, rig, commands, events, transforms, movesTransforms: false });
    },
  );
}

/** The median over ten steps after thirty, or over as many as patience allows. */
function timeRounds(prepare: () => void, step: () => void): number {
  const times: number[] = [];
  const begin = performance.now();
  while (times.length < 40 && performance.now() - begin < 1000 * PATIENCE) {
    prepare();
    const start = performance.now();
    step();
    times.push(performance.now() - start);
  }
  return median(times.slice(-10));
}

interface PlayCanvasTime {
  readonly milliseconds: number;
  readonly machines: number;
  /** States that some soldier is in at the end, and the share of soldiers in a transition. */
  readonly states: number;
  readonly blending: number;
}

/** Milliseconds of a step of as many machines as were made before patience ended. */
function timePlayCanvas(scene: SoldierScene, characters: number): PlayCanvasTime {
  const { clips } = scene.characters[0]!;
  const tracks = new Map(clips.map(({ name, duration }) => [name, new AnimTrack(name, duration, [], [], [])]));
  const graph = soldierGraph();
  const begin = performance.now();
  const random = new SeededRandom(5);
  const soldiers: AnimComponent[] = [];
  while (soldiers.length < characters && performance.now() - begin < 1000 * PATIENCE) {
    const soldier = mixer(graph, tracks);
    change(soldier, draw(random, true));
    soldiers.push(soldier);
  }
  const milliseconds = timeRounds(
    () => soldiers.forEach((soldier) => change(soldier, draw(random))),
    () => soldiers.forEach((soldier) => soldier.update(DT)),
  );
  // graphs that are loaded but do not play would be fast
  const states = new Set(soldiers.flatMap(({ layers }) => layers.map(({ activeState }) => activeState)));
  const blending = soldiers.filter(({ layers }) => layers.some(({ transitioning }) => transitioning)).length;
  return { milliseconds, machines: 2 * soldiers.length, states: states.size, blending: blending / soldiers.length };
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
