import type { Character } from '../character/character.ts';
import { when, param, defineController, blend2d } from '../controller/builder.ts';
import type {
  ClipFacts,
  ControllerModel,
  EventModel,
  LayerModel,
  MachineModel,
  TransitionModel,
} from '../controller/model.ts';

/**
 * Facts about the clips that a soldier's controller plays: clips of two characters have the same names, but another
 * pace.
 */
export interface SoldierFacts {
  readonly name: string;
  /** Speed over the ground in each clip, metres per second. */
  readonly speeds: { readonly walk: number; readonly run: number; readonly back: number; readonly side: number };
  /** Seconds into `attack_1` and `attack_2` at which the weapon lands. */
  readonly strikes: readonly [number, number];
  /** Seconds into `walk` and `run` at which the right foot lands; the left lands at 0. */
  readonly steps: { readonly walk: number; readonly run: number };
  /** Seconds into `cheer` of each shout, and into `fall` of the impact on the ground. */
  readonly shouts: readonly number[];
  readonly down: number;
}

/** Seconds into `block` at which a blow meets the shield. */
const IMPACT = 0.2667;

const BACK = { exitTime: 0.85, duration: 0.25, interruption: 'next' } as const;

const PARAMETERS = {
  side: param.float(),
  forward: param.float(),
  pace: param.float(1),
  phase: param.float(),
  alertness: param.float(0.5),
  attack: param.trigger(),
  heavy: param.bool(),
  guard: param.bool(),
  hit: param.trigger(),
  cheer: param.bool(),
  dead: param.bool(),
};

type Parameter = keyof typeof PARAMETERS;

/**
 * A foot soldier's controller: moves on the ground, fights, covers with the shield, is struck, falls and cheers.
 *
 * Parameters: `side` (to the left) and `forward` are metres per second. `pace` is a factor of tempo. `phase` is the
 * start in looping clips, so that no two soldiers sway together. `alertness`, 0 to 1, is how much the upper body
 * breathes and looks about. `attack` strikes; set again while striking, it adds a second blow. `heavy` begins with the
 * second blow at once. `guard` holds the shield up. A `hit` lands on the shield then, otherwise on the soldier. `dead`
 * fells, `cheer` cheers.
 */
export function soldierController(facts: SoldierFacts): ControllerModel<Parameter> {
  const layers: readonly LayerModel<Parameter>[] = [
    { name: 'Body', machine: body(facts) },
    {
      name: 'Watch',
      blend: 'additive',
      weightParameter: 'alertness',
      mask: { 'pelvis/spine_1/**': 1 },
      machine: WATCH,
    },
  ];
  return defineController({ name: facts.name, parameters: PARAMETERS, layers, clips: clipFacts(facts) });
}

const ATTACK: TransitionModel<Parameter> = { toMachine: 'Attack', when: [when.is('attack')], duration: 0.12 };
const COVER: TransitionModel<Parameter> = { toMachine: 'Guard', when: [when.is('guard')], duration: 0.12 };

function body({ speeds: { walk, run, back, side } }: SoldierFacts): MachineModel<Parameter> {
  return {
    default: 'Move',
    states: {
      Move: {
        motion: blend2d(
          'freeformDirectional',
          ['side', 'forward'],
          [[0, 0], 'idle'],
          [[0, walk], 'walk'],
          [[0, run], 'run'],
          [[0, -back], 'walk_back'],
          [[side, 0], 'strafe_left'],
          [[-side, 0], 'strafe_right'],
        ),
        speedParameter: 'pace',
        cycleOffsetParameter: 'phase',
        transitions: [
          ATTACK,
          COVER,
          // a soldier that has to fight does not finish raising its arms first
          { to: 'Cheer', when: [when.is('cheer')], duration: 0.25, interruption: 'current' },
        ],
      },
      Hit: {
        motion: 'hit',
        transitions: [
          { ...COVER, exitTime: 0.5 },
          { to: 'Move', ...BACK, exitTime: 0.8 },
        ],
      },
      Cheer: {
        motion: 'cheer',
        speedParameter: 'pace',
        cycleOffsetParameter: 'phase',
        transitions: [ATTACK, COVER, { to: 'Move', when: [when.not('cheer')], duration: 0.3, interruption: 'next' }],
      },
      Fall: { motion: 'fall', transitions: [{ to: 'Move', when: [when.not('dead')], duration: 0.8 }] },
    },
    machines: { Attack: ATTACK_MACHINE, Guard: GUARD_MACHINE },
    any: [
      { to: 'Fall', when: [when.is('dead')], duration: 0.12, toSelf: false },
      { to: 'Hit', when: [when.is('hit'), when.not('guard'), when.not('dead')], duration: 0.08 },
    ],
  };
}

const ATTACK_MACHINE: MachineModel<Parameter> = {
  default: 'Attack.First',
  entry: [{ to: 'Attack.Second', when: [when.is('heavy')] }],
  states: {
    First: {
      motion: 'attack_1',
      speedParameter: 'pace',
      transitions: [
        { to: 'Attack.Second', when: [when.is('attack')], exitTime: 0.7, duration: 0.15, offset: 0.1 },
        { to: 'Move', ...BACK },
      ],
    },
    Second: { motion: 'attack_2', speedParameter: 'pace', transitions: [{ to: 'Move', ...BACK }] },
  },
};

const GUARD_MACHINE: MachineModel<Parameter> = {
  default: 'Guard.Raise',
  states: {
    // the clip is a whole parry: up, the blow, back under cover; the way up ends before the blow
    Raise: { motion: 'block', transitions: [{ to: 'Guard.Hold', exitTime: 0.19, duration: 0.1 }] },
    Hold: {
      motion: 'block_idle',
      cycleOffsetParameter: 'phase',
      transitions: [
        { to: 'Guard.Parry', when: [when.is('hit')], duration: 0.05, offset: 0.28 },
        ATTACK,
        { to: 'Guard.Lower', when: [when.not('guard')], duration: 0.1, offset: 0.65 },
      ],
    },
    Parry: {
      motion: 'block',
      transitions: [
        { to: 'Guard.Parry', when: [when.is('hit')], exitTime: 0.6, duration: 0.05, offset: 0.28 },
        { to: 'Guard.Hold', exitTime: 0.9, duration: 0.1, interruption: 'next' },
      ],
    },
    Lower: {
      motion: 'block',
      speed: -1,
      transitions: [{ to: 'Move', exitTime: 0.85, duration: 0.2, interruption: 'next' }],
    },
  },
};

/** Two breaths, then a look around. */
const WATCH: MachineModel<Parameter> = {
  default: 'Breathe',
  states: {
    Breathe: {
      motion: 'idle',
      speedParameter: 'pace',
      cycleOffsetParameter: 'phase',
      transitions: [{ to: 'Look', when: [when.above('alertness', 0.1)], exitTime: 2, duration: 0.4 }],
    },
    Look: {
      motion: 'idle_variant',
      speedParameter: 'pace',
      transitions: [{ to: 'Breathe', exitTime: 0.9, duration: 0.3 }],
    },
  },
};

function clipFacts({ strikes, steps, shouts, down }: SoldierFacts): Record<string, ClipFacts> {
  const feet = (right: number): EventModel[] => [
    { name: 'step', time: 0, text: 'left' },
    { name: 'step', time: right, text: 'right' },
  ];
  return {
    walk: { events: feet(steps.walk) },
    run: { events: feet(steps.run) },
    walk_back: { events: feet(0.5) },
    strafe_left: { events: feet(0.28) },
    strafe_right: { events: feet(0.3867) },
    attack_1: { loops: false, events: [{ name: 'strike', time: strikes[0], integer: 1 }] },
    attack_2: { loops: false, events: [{ name: 'strike', time: strikes[1], integer: 2 }] },
    block: { loops: false, events: [{ name: 'parry', time: IMPACT }] },
    cheer: { events: shouts.map((time) => ({ name: 'shout', time })) },
    hit: { loops: false },
    fall: { loops: false, events: [{ name: 'down', time: down }] },
  };
}

/** Facts of characters/legionary.glb. */
export const LEGIONARY: SoldierFacts = {
  name: 'legionary',
  speeds: { walk: 1.4, run: 3.4, back: 0.95, side: 0.85 },
  strikes: [0.3667, 0.4667],
  steps: { walk: 0.4667, run: 0.3333 },
  shouts: [0.2667, 0.9333],
  down: 0.9667,
};

/** Facts of characters/raider.glb. */
export const RAIDER: SoldierFacts = {
  name: 'raider',
  speeds: { walk: 1.3, run: 3.8, back: 0.95, side: 1 },
  strikes: [0.4667, 0.4667],
  steps: { walk: 0.5, run: 0.3333 },
  shouts: [1],
  down: 1.1,
};

/** Returns true if a character was packed with a controller that has all parameters of a soldier. */
export function hasSoldierController({ controller: compiled }: Character): boolean {
  const known = new Map(compiled?.parameters.map(({ name, type }) => [name, type]));
  return Object.entries(PARAMETERS).every(([name, { type }]) => known.get(name) === type);
}
