import { packCharacter, type CharacterModel } from '../../src/character/index.ts';
import { type ControllerModel, defineController, param, when } from '../../src/controller/index.ts';
import type { Character } from '../../src/index.ts';
import { clipOf, jointAt, smallModel, trackOf } from './small-model.ts';

/** Two joints; three clips of 1 s, 2 s and 0.5 s that move the first one along X, Y and Z, at 1 m/s each. */
export function soldierModel(parts: Partial<CharacterModel> = {}): CharacterModel {
  const joints = [
    { ...jointAt([0, 0, 0]), name: 'root' },
    { ...jointAt([0, 1, 0], { parentIndex: 0 }), name: 'head' },
  ];
  const along = (name: string, seconds: number, axis: 0 | 1 | 2) => {
    const end = [0, 0, 0];
    end[axis] = seconds;
    return { ...clipOf(seconds, trackOf('translation', 0, 'LINEAR', [0, 0, 0, 0], [seconds, ...end])), name };
  };
  return smallModel({
    name: 'soldier',
    joints,
    clips: [along('idle', 1, 0), along('walk', 2, 1), { ...along('attack', 0.5, 2), loops: false }],
    ...parts,
  });
}

/**
 * Idle and Walk by `speed`, at once; Attack from anywhere by the trigger `attack`, back at its end; on a second layer Rest
 * and Wave by the trigger `wave`, the bool `armed` and the int `level`.
 */
const soldierController: ControllerModel = defineController({
  name: 'soldier',
  parameters: {
    speed: param.float(),
    level: param.int(3),
    armed: param.bool(),
    attack: param.trigger(),
    wave: param.trigger(),
  },
  // so that the kernels are those that other tests have built already
  clips: { attack: { events: [{ name: 'hit', time: 0.25 }] } },
  layers: [
    {
      name: 'base',
      machine: {
        default: 'Idle',
        any: [{ to: 'Attack', when: [when.is('attack')] }],
        states: {
          Idle: { motion: 'idle', transitions: [{ to: 'Walk', when: [when.above('speed', 1)] }] },
          Walk: { motion: 'walk', transitions: [{ to: 'Idle', when: [when.below('speed', 1)] }] },
          Attack: { motion: 'attack', transitions: [{ to: 'Idle', exitTime: 2 }] },
        },
      },
    },
    {
      name: 'upper',
      weight: 0.5,
      mask: { head: 1 },
      machine: {
        default: 'Rest',
        states: {
          Rest: { transitions: [{ to: 'Wave', when: [when.is('wave'), when.is('armed'), when.above('level', 3)] }] },
          Wave: { motion: 'idle', transitions: [{ to: 'Rest', when: [when.not('armed')] }] },
        },
      },
    },
  ],
});

export function soldier(definition: ControllerModel = soldierController): Character {
  return packCharacter(soldierModel(), { errorBudget: 0, controller: definition });
}

/** The same body, whose clips the host plays. */
export function recruit(): Character {
  return packCharacter(soldierModel({ name: 'recruit' }), { errorBudget: 0 });
}

/** A controller of one state, that walks. */
export function marcher(): Character {
  const machine = { default: 'March', states: { March: { motion: 'walk' }, Halt: {} } };
  const march = defineController({
    name: 'marcher',
    parameters: { tempo: param.float(1), attack: param.trigger() },
    layers: [{ name: 'only', machine }],
  });
  return packCharacter(soldierModel({ name: 'marcher' }), { errorBudget: 0, controller: march });
}
