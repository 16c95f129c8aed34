// Controllers, scripts, and what comes out after each step, computed by hand from the rules of docs/controllers.md.
import type { ControllerModel, LayerModel, MachineModel } from '../../src/controller/model.ts';
import type { ScriptStep } from '../../src/cli/script.ts';

export interface Motion {
  readonly clip: string;
  readonly phase: number;
  readonly weight: number;
}

export interface LayerAnswer {
  readonly name: string;
  readonly state: string;
  readonly cycles: number;
  readonly phase: number;
  readonly next: string | null;
  readonly nextCycles: number;
  readonly nextPhase: number;
  readonly progress: number;
  readonly frozen: boolean;
  readonly motions: readonly Motion[];
}

export interface StepAnswer {
  readonly time: number;
  readonly layers: readonly LayerAnswer[];
  readonly events: readonly (Motion & { readonly name: string; readonly time: number; readonly layer: string })[];
  readonly root: { readonly position: readonly number[]; readonly rotation: readonly number[] };
  readonly parameters: Readonly<Record<string, number | boolean>>;
}

export interface SimulateAnswer {
  readonly steps: readonly StepAnswer[];
  readonly issues: readonly { readonly code: string; readonly path: string; readonly message: string }[];
}

/** What a step is expected to be; what is left out is that of a layer that is in no transition, and of a step that is quiet. */
export interface ExpectedStep {
  readonly layers: readonly (Partial<LayerAnswer> & Pick<LayerAnswer, 'state' | 'phase' | 'motions'>)[];
  readonly events?: readonly object[];
  readonly root?: readonly number[];
  readonly parameters?: object;
}

export interface SimulateCase {
  readonly controller: ControllerModel;
  readonly script: readonly ScriptStep[];
  readonly expected: readonly ExpectedStep[];
  /** Files beside the controller, and the map of them. */
  readonly files?: Readonly<Record<string, string>>;
}

const motion = (clip: string, phase: number, weight = 1): Motion => ({ clip, phase, weight });

const TWELVE = 'abcdefghijkl'.split('');

function controller(
  machine: MachineModel,
  more: Partial<ControllerModel> = {},
  layers: readonly LayerModel[] = [],
): ControllerModel {
  const base = { format: 'maniple-controller', version: 1, name: 'case', parameters: {} } as const;
  return { ...base, ...more, layers: [{ name: 'Base', machine }, ...layers] };
}

/** A held pose keeps phases in 65535 parts: 0.25 is 16383.75 of them. */
const HELD_QUARTER = 16384 / 65535;

export const SIMULATE_CASES: Readonly<Record<string, SimulateCase>> = {
  'exit time, fixed duration, events of both sides': {
    controller: controller(
      {
        default: 'A',
        states: { A: { motion: 'a', transitions: [{ to: 'B', exitTime: 0.75, duration: 0.5 }] }, B: { motion: 'b' } },
      },
      {
        clips: {
          a: { length: 2, events: [{ name: 'half', time: 1 }] },
          b: { length: 1, events: [{ name: 'quarter', time: 0.25, integer: 3, text: 'left' }] },
        },
      },
    ),
    script: [{ dt: 1 }, { dt: 0.75 }, { dt: 0.25 }, { dt: 0 }],
    expected: [
      {
        layers: [{ state: 'A', phase: 0.5, motions: [motion('a', 0.5)] }],
        events: [{ name: 'half', clip: 'a', phase: 0.5, weight: 1, layer: 'Base', time: 1 }],
      },
      {
        // crossed after 0.5 s; what is left, 0.25 s, is half of the transition
        layers: [
          {
            state: 'A',
            phase: 0.875,
            next: 'B',
            nextPhase: 0.25,
            progress: 0.5,
            motions: [motion('a', 0.875, 0.5), motion('b', 0.25, 0.5)],
          },
        ],
        events: [
          { name: 'quarter', clip: 'b', phase: 0.25, weight: 0.5, layer: 'Base', time: 0.75, integer: 3, text: 'left' },
        ],
      },
      { layers: [{ state: 'B', phase: 0.5, motions: [motion('b', 0.5)] }] },
      { layers: [{ state: 'B', phase: 0.5, motions: [motion('b', 0.5)] }] },
    ],
  },

  'crossFade over a running crossFade holds the blend': {
    controller: controller(
      { default: 'A', states: { A: { motion: 'a' }, B: { motion: 'b' }, C: { motion: 'c' } } },
      { clips: { a: { length: 1 }, b: { length: 1 }, c: { length: 1, loops: false } } },
    ),
    script: [
      { dt: 0.25, crossFade: { state: 'B', duration: 0.5 } },
      { dt: 0.125, crossFade: { state: 'C', layer: 'Base', duration: 0.25, offset: 0.5 } },
      { dt: 0.125 },
      { dt: 1 },
    ],
    expected: [
      {
        layers: [
          {
            state: 'A',
            phase: 0.25,
            next: 'B',
            nextPhase: 0.25,
            progress: 0.5,
            motions: [motion('a', 0.25, 0.5), motion('b', 0.25, 0.5)],
          },
        ],
      },
      {
        // half of the held halves is left; the clock of A stands still
        layers: [
          {
            state: 'A',
            phase: 0.25,
            next: 'C',
            nextPhase: 0.625,
            progress: 0.5,
            frozen: true,
            motions: [motion('c', 0.625, 0.5), motion('a', HELD_QUARTER, 0.25), motion('b', HELD_QUARTER, 0.25)],
          },
        ],
      },
      { layers: [{ state: 'C', phase: 0.75, motions: [motion('c', 0.75)] }] },
      // its clock counts on, the clip stays on its last frame
      { layers: [{ state: 'C', cycles: 1, phase: 0.75, motions: [motion('c', 1)] }] },
    ],
  },

  'play, clocks that run backwards, triggers by set, ints that truncate': {
    controller: controller(
      {
        default: 'A',
        states: {
          A: { motion: 'a', transitions: [{ to: 'B', when: [{ parameter: 'go' }] }] },
          B: { motion: 'b', transitions: [{ to: 'A', when: [{ parameter: 'n', equals: 2 }] }] },
          Back: { motion: 'a', speed: -1 },
        },
      },
      {
        parameters: { go: { type: 'trigger' }, n: { type: 'int' } },
        clips: { a: { length: 1 }, b: { length: 0.5 } },
      },
    ),
    script: [
      { dt: 0.125, set: { go: true } },
      { dt: 0.125, set: { n: 2.9 } },
      { dt: 0.125, set: { n: -1.5, go: true }, reset: ['go'] },
      { dt: 0.125, play: { state: 'B', phase: 1.25 } },
      { dt: 0.25, play: { state: 'Back', layer: 0 } },
      { dt: 1 },
    ],
    expected: [
      { layers: [{ state: 'B', phase: 0.25, motions: [motion('b', 0.25)] }], parameters: { go: false, n: 0 } },
      { layers: [{ state: 'A', phase: 0.125, motions: [motion('a', 0.125)] }], parameters: { go: false, n: 2 } },
      { layers: [{ state: 'A', phase: 0.25, motions: [motion('a', 0.25)] }], parameters: { go: false, n: -1 } },
      { layers: [{ state: 'B', cycles: 1, phase: 0.5, motions: [motion('b', 0.5)] }] },
      { layers: [{ state: 'Back', phase: 0.75, motions: [motion('a', 0.75)] }] },
      { layers: [{ state: 'Back', cycles: -1, phase: 0.75, motions: [motion('a', 0.75)] }] },
    ],
  },

  'machines inside machines: entry, exit, names': {
    controller: controller(
      {
        default: 'Idle',
        states: {
          Idle: { motion: 'a', transitions: [{ toMachine: 'Combat', when: [{ parameter: 'fight' }], duration: 0.25 }] },
          Rest: { motion: 'rest' },
        },
        machines: {
          Combat: {
            default: 'Combat.Punch',
            entry: [{ to: 'Combat.Low.Kick', when: [{ parameter: 'kick' }] }],
            states: { Punch: { motion: 'a' } },
            machines: {
              Low: {
                states: { Kick: { motion: 'a', transitions: [{ toExit: true, exitTime: 0.5 }] } },
                exits: [{ toExit: true }],
              },
            },
            exits: [{ to: 'Rest', when: [{ parameter: 'tired' }] }],
          },
        },
      },
      {
        parameters: { fight: { type: 'bool' }, kick: { type: 'bool' }, tired: { type: 'bool' } },
        clips: { a: { length: 1 }, rest: { length: 2 } },
      },
    ),
    script: [
      { dt: 0.125, set: { fight: true, kick: true } },
      { dt: 0.125, set: { fight: false } },
      { dt: 0.5, set: { tired: true } },
      { dt: 0.125, play: { state: 'Combat.Low.Kick', phase: 0.25 }, set: { tired: false } },
      { dt: 0.25 },
      { dt: 0.5, set: { fight: true, kick: false } },
    ],
    expected: [
      {
        layers: [
          {
            state: 'Idle',
            phase: 0.125,
            next: 'Combat.Low.Kick',
            nextPhase: 0.125,
            progress: 0.5,
            motions: [motion('a', 0.125, 0.5), motion('a', 0.125, 0.5)],
          },
        ],
      },
      { layers: [{ state: 'Combat.Low.Kick', phase: 0.25, motions: [motion('a', 0.25)] }] },
      // left after 0.25 s, out of both machines at once
      { layers: [{ state: 'Rest', phase: 0.125, motions: [motion('rest', 0.125)] }] },
      { layers: [{ state: 'Combat.Low.Kick', phase: 0.375, motions: [motion('a', 0.375)] }] },
      // no exit holds: the outer machine begins anew
      { layers: [{ state: 'Idle', phase: 0.125, motions: [motion('a', 0.125)] }] },
      { layers: [{ state: 'Combat.Punch', phase: 0.5, motions: [motion('a', 0.5)] }] },
    ],
  },

  'parameters as time, speed and offset': {
    controller: controller(
      {
        default: 'Scrub',
        states: {
          Scrub: { motion: 'loop', timeParameter: 'at', cycleOffset: 0.5 },
          Clamp: { motion: 'once', timeParameter: 'at' },
          Paced: { motion: 'loop', speed: 2, speedParameter: 'pace', cycleOffsetParameter: 'offset' },
        },
      },
      {
        parameters: { at: { type: 'float' }, pace: { type: 'float', default: 0.5 }, offset: { type: 'float' } },
        clips: { loop: { length: 1 }, once: { length: 1, loops: false } },
      },
    ),
    script: [
      { dt: 0.25, set: { at: 1.25 } },
      { dt: 0.25, play: { state: 'Clamp' } },
      { dt: 0.25, play: { state: 'Paced' }, set: { offset: 0.125 } },
      { dt: 0.25, set: { pace: 0 } },
    ],
    expected: [
      { layers: [{ state: 'Scrub', phase: 0.25, motions: [motion('loop', 0.25)] }] },
      { layers: [{ state: 'Clamp', phase: 0.25, motions: [motion('once', 1)] }] },
      { layers: [{ state: 'Paced', phase: 0.25, motions: [motion('loop', 0.375)] }] },
      { layers: [{ state: 'Paced', phase: 0.25, motions: [motion('loop', 0.375)] }] },
    ],
  },

  'a synced layer that counts in the clock': {
    controller: controller(
      { default: 'A', states: { A: { motion: 'fast' }, B: { motion: 'fast' } } },
      { clips: { fast: { length: 1 }, slow: { length: 3, events: [{ name: 'late', time: 0.75 }] } } },
      [{ name: 'Hurt', weight: 0.5, sync: { layer: 'Base', timing: true, motions: { A: 'slow' } } }],
    ),
    script: [{ dt: 1 }, { dt: 0.5, play: { state: 'B', layer: 1 } }],
    expected: [
      {
        // 1 s and 3 s at 0.5: a cycle takes 2 s; the weight of an event counts the layer's, that of a motion does not
        layers: [
          { name: 'Base', state: 'A', phase: 0.5, motions: [motion('fast', 0.5)] },
          { name: 'Hurt', state: 'A', phase: 0.5, motions: [motion('slow', 0.5)] },
        ],
        events: [{ name: 'late', clip: 'slow', phase: 0.25, weight: 0.5, layer: 'Hurt', time: 0.5 }],
      },
      {
        // without a motion the layer's state is 1 s long
        layers: [
          { name: 'Base', state: 'B', phase: 0.5, motions: [motion('fast', 0.5)] },
          { name: 'Hurt', state: 'B', phase: 0.5, motions: [] },
        ],
      },
    ],
  },

  'trees: twelve of equal weight are all listed, and a light one beside them': {
    controller: controller(
      {
        default: 'Move',
        states: {
          Move: {
            motion: {
              blend: 'direct',
              normalized: true,
              children: TWELVE.map((name) => ({ motion: name, weightParameter: 'each' })),
            },
          },
          Stand: {
            motion: {
              blend: 'direct',
              children: [...TWELVE, 'light'].map((name) => ({
                motion: name,
                weightParameter: name === 'light' ? 'light' : 'each',
              })),
            },
          },
        },
      },
      {
        parameters: { each: { type: 'float', default: 0.0625 }, light: { type: 'float', default: 0.015625 } },
        clips: Object.fromEntries([...TWELVE, 'light'].map((name) => [name, { length: 1 }])),
      },
    ),
    script: [{ dt: 0.25 }, { dt: 0.25, play: { state: 'Stand', phase: 0 } }],
    expected: [
      { layers: [{ state: 'Move', phase: 0.25, motions: TWELVE.map((name) => motion(name, 0.25, 1 / 12)) }] },
      {
        // direct weights that make less than 1 are shown as they are
        layers: [
          {
            state: 'Stand',
            phase: 0.25,
            motions: [...TWELVE.map((name) => motion(name, 0.25, 0.0625)), motion('light', 0.25, 0.015625)],
          },
        ],
      },
    ],
  },

  'trees: the heaviest first, equal ones by name, none of weight 0; a clip that is missing; order of events': {
    controller: controller(
      {
        default: 'Move',
        states: {
          Move: {
            motion: {
              blend: '1d',
              parameter: 'speed',
              children: [
                { at: 0, motion: 'zeta' },
                { at: 1, motion: 'alpha' },
                { at: 2, motion: 'missing' },
              ],
            },
          },
        },
      },
      {
        parameters: { speed: { type: 'float', default: 0.25 } },
        clips: {
          zeta: {
            length: 1,
            events: [
              { name: 'x', time: 0.75 },
              { name: 'y', time: 0.25 },
            ],
          },
          alpha: { length: 2 },
        },
      },
    ),
    script: [{ dt: 1.5 }, { dt: 0, set: { speed: 0.5 } }, { dt: 0, set: { speed: 3 } }, { dt: 0.25 }],
    expected: [
      {
        // 0.75 × 1 s + 0.25 × 2 s
        layers: [
          {
            state: 'Move',
            cycles: 1,
            phase: 0.2,
            motions: [motion('zeta', 0.2, 0.75), motion('alpha', 0.2, 0.25)],
          },
        ],
        events: [
          { name: 'y', clip: 'zeta', phase: 0.25, weight: 0.75, layer: 'Base', time: 0.3125 },
          { name: 'x', clip: 'zeta', phase: 0.75, weight: 0.75, layer: 'Base', time: 0.9375 },
        ],
      },
      {
        layers: [
          { state: 'Move', cycles: 1, phase: 0.2, motions: [motion('alpha', 0.2, 0.5), motion('zeta', 0.2, 0.5)] },
        ],
      },
      { layers: [{ state: 'Move', cycles: 1, phase: 0.2, motions: [motion('missing', 0.2)] }] },
      { layers: [{ state: 'Move', cycles: 1, phase: 0.45, motions: [motion('missing', 0.45)] }] },
    ],
  },

  'root motion adds up, turned by what came before': {
    controller: controller({ default: 'Walk', states: { Walk: { motion: 'walk' }, Turn: { motion: 'turn' } } }),
    files: {
      'map.json': JSON.stringify({ walk: 'walk.json', turn: 'turn.json' }),
      // 2 m forwards in a second, most of it in its first half
      'walk.json': clip('walk', [0, 0.5, 1], [0, 0, 0, 0, 0, 1.5, 0, 0, 2], [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]),
      // a quarter turn to the left: forwards is then +x
      'turn.json': clip('turn', [0, 1], [0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, Math.SQRT1_2, 0, Math.SQRT1_2]),
    },
    script: [
      { dt: 1.25 },
      { dt: 0.75 },
      { dt: 1, play: { state: 'Turn', phase: 0 } },
      { dt: 0.5, play: { state: 'Walk', phase: 0 } },
    ],
    expected: [
      { layers: [{ state: 'Walk', cycles: 1, phase: 0.25, motions: [motion('walk', 0.25)] }], root: [0, 0, 2.75] },
      { layers: [{ state: 'Walk', cycles: 2, phase: 0, motions: [motion('walk', 0)] }], root: [0, 0, 4] },
      {
        layers: [{ state: 'Turn', cycles: 1, phase: 0, motions: [motion('turn', 0)] }],
        root: [0, 0, 4, 0, Math.SQRT1_2, 0, Math.SQRT1_2],
      },
      {
        layers: [{ state: 'Walk', phase: 0.5, motions: [motion('walk', 0.5)] }],
        root: [1.5, 0, 4, 0, Math.SQRT1_2, 0, Math.SQRT1_2],
      },
    ],
  },
};

/** A clip of a second that loops and moves nothing but the character as a whole. */
function clip(name: string, times: number[], positions: number[], rotations: number[]): string {
  const root = { times, positions, rotations };
  const form = { format: 'maniple-clip', version: 1, name, duration: 1, loops: true };
  return JSON.stringify({ ...form, facts: { length: 1, loops: true }, tracks: [], root });
}
