import { controller, is, trigger } from '../../src/index.ts';

/** Waits, and throws on the trigger `throw`. The event `release` fires when the arm is stretched. */
export const thrower = controller({
  name: 'thrower',
  parameters: { throw: trigger() },
  layers: [
    {
      name: 'Body',
      machine: {
        default: 'Wait',
        states: {
          Wait: { motion: 'idle', transitions: [{ to: 'Throw', when: [is('throw')], duration: 0.15 }] },
          Throw: { motion: 'attack_1', transitions: [{ to: 'Wait', exitTime: 0.9, duration: 0.3 }] },
        },
      },
    },
  ],
  clips: { attack_1: { events: [{ name: 'release', time: 0.36 }] } },
});
/** Advances until the trigger `hit`. */
export const raider = controller({
  name: 'raider',
  parameters: { hit: trigger() },
  layers: [
    {
      name: 'Body',
      machine: {
        default: 'Come',
        states: { Come: { motion: 'walk' }, Fall: { motion: 'fall' } },
        any: [{ to: 'Fall', when: [is('hit')], duration: 0.1, toSelf: false }],
      },
    },
  ],
  clips: { fall: { loops: false } },
});
