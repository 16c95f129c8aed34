// What controllers show, against an evaluation of layers in doubles, on both backends.
import { expect, test } from 'vitest';
import { packCharacter } from '../../src/character/index.ts';
import { addSockets, type CharacterId, type Crowd } from '../../src/index.ts';
import { blend1d, type ControllerModel, defineController, param } from '../../src/controller/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import type { LayerModel } from '../../src/controller/model.ts';
import { farthest, smallActor, type Actor } from '../support/crowd-truth.ts';
import { below, durationOf, layeredJoints, layeredVertices, type TrueLayer } from '../support/layer-truth.ts';
import { describeBackends } from '../support/backends.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const actor = smallActor();
const length = (clip: number) => durationOf(actor.model, clip);
const wrapped = (clip: number, seconds: number) => seconds - length(clip) * Math.floor(seconds / length(clip));

/** The joint that masks name, and all below it. */
const TOP = 2;
const isMasked = below(actor.model, TOP);

interface Case {
  readonly name: string;
  readonly definition: ControllerModel;
  /** What happens before frame 0 (0.25 s), frame 1 (0.25 s) and frame 2 (0.125 s). */
  readonly act?: (crowd: Crowd, id: CharacterId, frame: number) => void;
  readonly expected: readonly TrueLayer[];
}

const FRAMES = [0.25, 0.25, 0.125] as const;
const END = 0.625;

function machine(states: LayerModel['machine'] extends infer M ? (M extends { states: infer S } ? S : never) : never) {
  return { default: Object.keys(states)[0]!, states };
}

function withLayers(layers: readonly LayerModel[], more: Partial<ControllerModel> = {}): ControllerModel {
  // an event, so that the kernels are those that other tests have built already
  const clips = { 'clip 0': { events: [{ name: 'beat', time: 0 }] } };
  return defineController({
    name: 'test',
    parameters: { half: param.float(0.5), third: param.float(1 / 3) },
    layers,
    clips,
    ...more,
  });
}

const playing = (clip: number): LayerModel => ({
  name: `base ${clip}`,
  machine: machine({ play: { motion: `clip ${clip}` } }),
});
const base = playing(0);
const baseTruth: TrueLayer = { clips: [{ clip: 0, time: wrapped(0, END) }] };

const CASES: readonly Case[] = [
  { name: 'one state', definition: withLayers([base]), expected: [baseTruth] },
  {
    name: 'speed and cycle offset',
    definition: withLayers([
      { name: 'base', machine: machine({ play: { motion: 'clip 1', speed: 1.5, cycleOffset: 0.25 } }) },
    ]),
    expected: [{ clips: [{ clip: 1, time: wrapped(1, 1.5 * END + 0.25 * length(1)) }] }],
  },
  {
    name: 'a time parameter in place of the clock',
    definition: withLayers([
      { name: 'base', machine: machine({ play: { motion: 'clip 0', timeParameter: 'third' } }) },
    ]),
    expected: [{ clips: [{ clip: 0, time: length(0) / 3 }] }],
  },
  {
    name: 'a tree: one phase for both, lengths averaged',
    definition: withLayers([
      { name: 'base', machine: machine({ play: { motion: blend1d('third', [0, 'clip 0'], [1, 'clip 1']) } }) },
    ]),
    expected: [
      {
        clips: [0, 1].map((clip) => {
          const cycles = END / ((2 / 3) * length(0) + (1 / 3) * length(1));
          return { clip, time: (cycles % 1) * length(clip), weight: clip === 0 ? 2 / 3 : 1 / 3 };
        }),
      },
    ],
  },
  {
    name: 'an override layer with mask and weight',
    definition: withLayers([base, { ...playing(1), weight: 0.6, mask: { [`joint ${TOP}/**`]: 1, 'joint 0': 0.2 } }]),
    expected: [
      baseTruth,
      {
        weight: 0.6,
        mask: (joint) => (isMasked(joint) ? 1 : joint === 0 ? 0.2 : 0),
        clips: [{ clip: 1, time: wrapped(1, END) }],
      },
    ],
  },
  {
    name: 'a layer weight that is a parameter',
    definition: withLayers([base, { ...playing(1), weight: 1, weightParameter: 'third' }]),
    expected: [baseTruth, { weight: 1 / 3, clips: [{ clip: 1, time: wrapped(1, END) }] }],
  },
  {
    name: 'an additive layer, seen from its own first frame',
    definition: withLayers([base, { ...playing(1), blend: 'additive', weight: 0.7 }]),
    expected: [baseTruth, { additive: true, weight: 0.7, clips: [{ clip: 1, time: wrapped(1, END) }] }],
  },
  {
    name: 'an additive layer, seen from another clip, under a mask',
    definition: withLayers([base, { ...playing(1), blend: 'additive', mask: { [`joint ${TOP}/**`]: 1 } }], {
      clips: { 'clip 1': { reference: { clip: 'clip 2', time: 0.1 } } },
    }),
    expected: [
      baseTruth,
      {
        additive: true,
        mask: (joint) => Number(isMasked(joint)),
        clips: [{ clip: 1, time: wrapped(1, END), reference: { clip: 2, time: 0.1 } }],
      },
    ],
  },
  {
    name: 'empty states above, which let through',
    definition: withLayers([base, { name: 'empty', machine: machine({ nothing: {} }) }]),
    expected: [baseTruth],
  },
  {
    name: 'an empty state at the bottom: the rest pose, with a layer over it',
    definition: withLayers([
      { name: 'empty', machine: machine({ nothing: {} }) },
      { ...playing(0), weight: 0.5 },
    ]),
    expected: [{ weight: 0.5, clips: [{ clip: 0, time: wrapped(0, END) }] }],
  },
  {
    name: 'a fade to an empty state on an upper layer, half way',
    definition: withLayers([base, { name: 'upper', machine: machine({ play: { motion: 'clip 1' }, nothing: {} }) }]),
    act: (crowd, id, frame) => {
      if (frame === 2) crowd.crossFade(id, 'nothing', { layer: 'upper', duration: 0.25 });
    },
    expected: [baseTruth, { clips: [{ clip: 1, time: wrapped(1, END), weight: 0.5 }] }],
  },
  {
    name: 'a transition, half way',
    definition: withLayers([
      {
        name: 'base',
        machine: machine({
          one: {
            motion: 'clip 0',
            transitions: [{ to: 'two', duration: 1.25, when: [{ parameter: 'half', less: 1 }] }],
          },
          two: { motion: 'clip 1' },
        }),
      },
    ]),
    expected: [
      {
        clips: [
          { clip: 0, time: wrapped(0, END), weight: 0.5 },
          { clip: 1, time: wrapped(1, END), weight: 0.5 },
        ],
      },
    ],
  },
  {
    name: 'an interrupted blend, which stands still under the next',
    definition: withLayers([
      {
        name: 'base',
        machine: machine({ one: { motion: 'clip 0' }, two: { motion: 'clip 1' }, three: { motion: 'clip 2' } }),
      },
    ]),
    act: (crowd, id, frame) => {
      if (frame === 1) crowd.crossFade(id, 'two', { duration: 0.5, phase: 0.25 });
      if (frame === 2) crowd.crossFade(id, 'three', { duration: 0.5 });
    },
    expected: [
      {
        clips: [
          { clip: 0, time: wrapped(0, 0.5), weight: 0.375 },
          { clip: 1, time: wrapped(1, 0.25 + 0.25 * length(1)), weight: 0.375 },
          { clip: 2, time: 0.125, weight: 0.25 },
        ],
      },
    ],
  },
  {
    name: 'a synced layer, with motions of its own under a mask',
    definition: withLayers([
      base,
      {
        name: 'synced',
        sync: { layer: 'base 0', motions: { play: 'clip 1' } },
        mask: { [`joint ${TOP}/**`]: 1 },
        weight: 0.5,
      },
    ]),
    expected: [
      baseTruth,
      {
        weight: 0.5,
        mask: (joint) => Number(isMasked(joint)),
        clips: [{ clip: 1, time: ((END / length(0)) % 1) * length(1) }],
      },
    ],
  },
];

describeBackends('controllers', (backend) => {
  test('layers, masks, trees, transitions and what is frozen of them pose as the evaluator says', async () => {
    const { device } = backend;
    const characters = CASES.map(({ definition }) => {
      const character = packCharacter(actor.model, { errorBudget: 0, controller: definition });
      expect(character.issues.filter(({ code }) => code.startsWith('CONTROLLER'))).toEqual([]);
      return addSockets(character, 'all');
    });
    const crowd = createCrowd(device, { characters, capacity: 64, backend: device ? 'gpu' : 'cpu' });
    const ids = characters.map((character) => crowd.spawn(character, { count: 2 }).id(1));
    for (const [frame, dt] of FRAMES.entries()) {
      CASES.forEach(({ act }, i) => act?.(crowd, ids[i]!, frame));
      await updateAndWait(crowd, { dt });
    }
    for (const [i, { name, expected }] of CASES.entries()) {
      const who: Actor = { model: actor.model, character: characters[i]! };
      const vertices = await crowd.readVertices(ids[i]!);
      expect(farthest(who, vertices, layeredVertices(who, expected)), name).toBeLessThan(2e-5);
      const { jointIndices, modelFromJoint } = await crowd.readPose(ids[i]!);
      const truth = layeredJoints(actor.model, expected);
      for (const [s, joint] of jointIndices.entries()) {
        modelFromJoint[s]!.forEach((value, c) => expect(value, name).toBeCloseTo(truth[12 * joint + c]!, 4));
      }
    }
    crowd.destroy();
  });
});
