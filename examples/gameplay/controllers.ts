import { defineController, param, when } from '../../src/controller/index.ts';

/** Waits, and throws on the trigger `throw`. The event `release` fires when the arm is stretched. */
export const thrower = defineController({
  name: 'thrower',
  parameters: { throw: param.trigger() },
  layers: [
    {
      name: 'Body',
      machine: {
        default: 'Wait',
        states: {
          Wait: { motion: 'idle', transitions: [{ to: 'Throw', when: [when.is('throw')], duration: 0.15 }] },
          Throw: { motion: 'attack_1', transitions: [{ to: 'Wait', exitTime: 0.9, duration: 0.3 }] },
        },
      },
    },
  ],
  clips: { attack_1: { events: [{ name: 'release', time: 0.36 }] } },
});
/** Advances until the trigger `hit`. */
export const raider = defineController({
  name: 'raider',
  parameters: { hit: param.trigger() },
  layers: [
    {
      name: 'Body',
      machine: {
        default: 'Come',
        states: { Come: { motion: 'walk' }, Fall: { motion: 'fall' } },
        any: [{ to: 'Fall', when: [when.is('hit')], duration: 0.1, toSelf: false }],
      },
    },
  ],
  clips: { fall: { loops: false } },
});
