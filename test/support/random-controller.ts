import type {
  ChildModel,
  ClipFacts,
  ConditionModel,
  ControllerModel,
  EntryModel,
  LayerModel,
  MachineModel,
  MotionModel,
  ParameterModel,
  StateModel,
  TransitionModel,
  TreeModel,
} from '../../src/controller/model.ts';
import type { ResolvedClip } from '../../src/controller/clip-table.ts';
import type { RootMotionModel } from '../../src/character/model.ts';
import type { Random } from './random.ts';

/** Most of what a random controller may have, in all its layers. One in five has as much as that. */
export interface RandomControllerShape {
  readonly layers: number;
  readonly states: number;
  readonly transitions: number;
  /** Conditions of a transition of large controllers. */
  readonly conditions: number;
  readonly latched: boolean;
  /** Trees inside each other, and their types. */
  readonly treeDepth: number;
  readonly blends: readonly TreeModel['blend'][];
  /** Thresholds of one tree are not the same. */
  readonly distinct: boolean;
  /** Children of one that is not inside another. */
  readonly children: number;
  /** Synced layers may have lengths that count. */
  readonly timing: boolean;
  /** Some clips move the character. */
  readonly root: boolean;
}

export const RANDOM_CONTROLLER: RandomControllerShape = {
  layers: 6,
  states: 24,
  transitions: 80,
  conditions: 2,
  latched: true,
  treeDepth: 3,
  blends: ['1d', 'directional', 'freeformDirectional', 'freeformCartesian', 'direct'],
  distinct: false,
  children: 9,
  timing: true,
  root: true,
};

/** What kernels have quick ways for, and where not much happens. */
export const CALM_CONTROLLER: RandomControllerShape = {
  layers: 3,
  states: 24,
  transitions: 160,
  conditions: 8,
  latched: true,
  treeDepth: 1,
  blends: ['1d', 'freeformDirectional', 'freeformCartesian'],
  distinct: true,
  children: 6,
  timing: false,
  root: false,
};

const CLIPS = 9;

/**
 * A controller of any shape that the form allows: nested machines, every tree and interruption, clips of all kinds. Speeds
 * and lengths stay where a step is a few cycles at most, so that floats compare.
 */
export function randomController(random: Random, shape: RandomControllerShape = RANDOM_CONTROLLER): ControllerModel {
  const chance = (p: number) => random.chance(p);
  const parameters: Record<string, ParameterModel> = {};
  const named = (prefix: string, count: number, make: () => ParameterModel): string[] =>
    Array.from({ length: count }, (_, i) => {
      parameters[`${prefix}${i}`] = make();
      return `${prefix}${i}`;
    });
  const floats = named('f', random.integer(1, 5), () => ({ type: 'float', default: random.range(-1, 1) }));
  const ints = named('i', random.integer(1, 2), () => ({ type: 'int', default: random.integer(-2, 2) }));
  const bools = named('b', random.integer(1, 2), () => ({ type: 'bool', default: chance(0.5) }));
  const triggers = named('t', random.integer(1, 4), () => ({ type: 'trigger', default: chance(0.2) }));
  const float = () => random.pick(floats);
  const clips = Object.fromEntries(Array.from({ length: CLIPS }, (_, c) => [`clip ${c}`, randomClip(random)]));
  const isLarge = chance(0.2);
  const upTo = (most: number, least: number): number => (isLarge ? most : random.integer(least, most));
  const layerCount = upTo(shape.layers, 1);
  let transitionsLeft = upTo(shape.transitions, 0);
  const sources = Array.from({ length: layerCount }, (_, l) => (l > 0 && chance(0.25) ? random.integer(0, l - 1) : -1));
  const machineCount = sources.filter((source) => source < 0).length;
  const statesOf = shares(random, upTo(shape.states, machineCount), machineCount);
  const layers: LayerModel[] = [];
  const machinePaths: string[][] = [];
  for (let l = 0; l < layerCount; l++) {
    const common = {
      name: `layer ${l}`,
      blend: chance(0.3) ? ('additive' as const) : ('override' as const),
      weight: random.pick([0, 0.5, 1]),
      ...(chance(0.3) ? { weightParameter: float() } : {}),
    };
    const source = sources[l]!;
    if (source < 0) {
      const { machine, paths } = randomMachine(statesOf.pop()!);
      machinePaths.push(paths);
      layers.push({ ...common, machine });
    } else {
      const paths = machinePaths[source]!;
      machinePaths.push(paths);
      const motions = Object.fromEntries(
        paths.flatMap((path) => (chance(0.7) ? [[path, randomMotion(0)]] : [])),
      ) as Record<string, MotionModel>;
      layers.push({ ...common, sync: { layer: `layer ${source}`, timing: chance(0.5) && shape.timing, motions } });
    }
  }
  return {
    format: 'maniple-controller',
    version: 1,
    name: `random ${random.seed}`,
    parameters,
    clips,
    layers,
    ...(chance(0.2) ? { triggerScope: 'first' as const } : {}),
    ...(shape.latched && chance(0.1) ? { latchedExit: true } : {}),
    ...(chance(0.3) ? { blendedEvents: 'heaviest' as const } : {}),
  };

  function randomMachine(stateCount: number): { machine: MachineModel; paths: string[] } {
    const inner = random.integer(0, 2);
    const homes = ['', ...Array.from({ length: inner }, (_, m) => (m > 0 && chance(0.4) ? `m0.m${m}` : `m${m}`))];
    const paths = Array.from({ length: stateCount }, (_, s) => {
      const home = random.pick(homes);
      return home === '' ? `s${s}` : `${home}.s${s}`;
    });
    const machineOf = (path: string): MachineModel => {
      const own = paths.filter((state) => parentOf(state) === path);
      const below = homes.filter((home) => home !== '' && parentOf(home) === path);
      return {
        ...(own.length > 0 && chance(0.85) ? { default: random.pick(chance(0.9) ? own : paths) } : {}),
        ...(chance(0.4) ? { entry: randomEntries(path !== '') } : {}),
        states: Object.fromEntries(own.map((state) => [lastOf(state), randomState(path)])),
        machines: Object.fromEntries(below.map((home) => [lastOf(home), machineOf(home)])),
        ...(path === '' ? { any: randomTransitions(random.integer(0, 3)) } : {}),
        ...(path !== '' && chance(0.5) ? { exits: randomEntries(true) } : {}),
      };
    };
    const randomEntries = (mayExit: boolean): EntryModel[] =>
      Array.from({ length: random.integer(1, 3) }, () => ({ ...destination(mayExit), when: randomConditions(1) }));
    const destination = (mayExit: boolean) => {
      if (homes.length > 1 && chance(0.15)) return { toMachine: random.pick(homes.slice(1)) };
      return mayExit && chance(0.15) ? { toExit: true as const } : { to: random.pick(paths) };
    };
    const randomTransitions = (count: number): TransitionModel[] => {
      const wanted = Math.min(count, transitionsLeft);
      transitionsLeft -= wanted;
      return Array.from({ length: wanted }, () => ({ ...destination(true), ...randomTransition() }));
    };
    const randomState = (_home: string): StateModel => ({
      ...(chance(0.9) ? { motion: randomMotion(0) } : {}),
      ...(chance(0.5) ? { speed: random.pick([0, 0.5, 1, 2, -1, random.range(-2, 2)]) } : {}),
      ...(chance(0.2) ? { speedParameter: float() } : {}),
      ...(chance(0.1) ? { timeParameter: float() } : {}),
      ...(chance(0.2) ? { cycleOffset: random.next() } : {}),
      ...(chance(0.1) ? { cycleOffsetParameter: float() } : {}),
      ...(chance(0.2) ? { mirror: true } : {}),
      ...(chance(0.1) ? { mirrorParameter: random.pick(bools) } : {}),
      transitions: randomTransitions(random.integer(isLarge ? 2 : 0, 6)),
    });
    return { machine: machineOf(''), paths };
  }

  function randomTransition(): Omit<TransitionModel, 'to' | 'toMachine' | 'toExit'> {
    const exits = chance(0.5);
    return {
      when: randomConditions(exits ? 0 : 1),
      ...(exits ? { exitTime: random.pick([-0.5, 0, 0.25, 0.5, 0.9, 1, 1.5, 2.5, random.range(0, 2)]) } : {}),
      duration: random.pick([0, 0.1, 0.25, 1, random.range(0, 1)]),
      fixed: chance(0.5),
      offset: random.pick([0, 0, 0.3, random.next()]),
      interruption: random.pick(['none', 'current', 'next', 'currentThenNext', 'nextThenCurrent'] as const),
      ordered: chance(0.5),
      toSelf: chance(0.5),
    };
  }

  function randomConditions(least: number): ConditionModel[] {
    return Array.from({ length: random.integer(least, isLarge ? shape.conditions : 2) }, (): ConditionModel => {
      const kind = random.integer(0, 3);
      const compare = (value: number) =>
        random.pick([
          { greater: value },
          { less: value },
          { equals: value },
          { notEquals: value },
          { atLeast: value },
          { atMost: value },
        ]);
      if (kind === 0) return { parameter: float(), ...compare(random.range(-1, 1)) };
      if (kind === 1) return { parameter: random.pick(ints), ...compare(random.integer(-2, 2)) };
      if (kind === 2) return { parameter: random.pick(bools), is: chance(0.5) };
      return { parameter: random.pick(triggers), ...(chance(0.1) ? { is: false } : {}) };
    });
  }

  function randomMotion(depth: number): MotionModel {
    return depth < shape.treeDepth && chance(depth === 0 ? 0.45 : 0.25)
      ? randomTree(depth)
      : `clip ${random.integer(0, CLIPS - 1)}`;
  }

  function randomTree(depth: number): TreeModel {
    const child = (): ChildModel => ({
      ...(chance(0.95) ? { motion: randomMotion(depth + 1) } : {}),
      ...(chance(0.4) ? { timeScale: random.pick([0, 0.5, 1, 2, -1]) } : {}),
      ...(chance(0.3) ? { cycleOffset: random.next() } : {}),
      ...(chance(0.2) ? { mirror: true } : {}),
    });
    const children = Array.from({ length: random.integer(1, depth === 0 ? shape.children : 3) }, child);
    const grid = () => random.pick([-1, -0.5, 0, 0.5, 1, random.range(-1, 1)]);
    const blend = random.pick(shape.blends);
    if (blend === '1d') {
      const turn = random.integer(0, 4);
      const apart = (i: number) => (i < 5 ? (((i + turn) % 5) - 2) / 2 : random.range(-1, 1));
      const at = (i: number) => (shape.distinct ? apart(i) : grid());
      return { blend, parameter: float(), children: children.map((one, i) => ({ ...one, at: at(i) })) };
    }
    if (blend === 'direct') {
      const weighted = children.map((one) => ({ ...one, weightParameter: float() }));
      return { blend, normalized: chance(0.5), children: weighted };
    }
    const placed = children.map((one) => ({ ...one, at: [grid(), grid()] as const }));
    return { blend, parameters: [float(), float()], children: placed };
  }
}

/** A number cut into so many parts of at least 1. */
function shares(random: Random, total: number, count: number): number[] {
  const parts = Array<number>(count).fill(1);
  for (let left = total - count; left > 0; left--) parts[random.integer(0, count - 1)]!++;
  return parts;
}

/** What the clips of a random controller stand for: some of them move the character. */
export function randomClips(
  random: Random,
  { clips = {} }: ControllerModel,
  { root: mayMove }: RandomControllerShape = RANDOM_CONTROLLER,
): (reference: string) => ResolvedClip {
  const resolved = new Map(
    Object.entries(clips).map(([reference, { length }], rigClip): [string, ResolvedClip] => {
      const root = mayMove && random.chance(0.4) ? randomRoot(random, length || 1) : undefined;
      return [reference, { rigClip, ...(root && { root }) }];
    }),
  );
  return (reference) => resolved.get(reference)!;
}

/** Less than half a turn in all, so that there is one way to go. */
function randomRoot(random: Random, seconds: number): RootMotionModel {
  const count = random.integer(2, 5);
  const times = Float32Array.from({ length: count }, (_, k) => (seconds * k) / (count - 1));
  const positions = Float32Array.from({ length: 3 * count }, (_, i) => (i < 3 ? 0 : random.range(-1, 1)));
  const rotations = new Float32Array(4 * count);
  for (let k = 0; k < count; k++) rotations.set(k === 0 ? [0, 0, 0, 1] : random.quaternion(1), 4 * k);
  return { times, positions, rotations };
}

function randomClip(random: Random): ClipFacts {
  const length = random.pick([0, 0.5, 1, 1.5, random.range(0.3, 3)]);
  const seconds = length || 1;
  const times = Array.from({ length: random.integer(0, 3) }, () => random.pick([0, seconds, random.next() * seconds]));
  return {
    length,
    loops: random.chance(0.6),
    ...(random.chance(0.3) ? { cycleOffset: random.next() } : {}),
    ...(random.chance(0.2) ? { mirror: true } : {}),
    events: times.map((time, e) => ({ name: `event ${e}`, time })),
  };
}

function parentOf(path: string): string {
  return path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : '';
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
