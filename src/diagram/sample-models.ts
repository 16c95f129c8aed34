import type { ControllerModel, StateModel } from '../asset/controller/model.ts';

/** A foot soldier: trees, transitions from any state, a machine inside, and an upper body with a mask. */
export const SOLDIER: ControllerModel = {
  format: 'maniple-controller',
  version: 1,
  name: 'Soldier',
  parameters: {
    speed: { type: 'float', default: 0 },
    strafe: { type: 'float' },
    stance: { type: 'int', default: 1 },
    grounded: { type: 'bool', default: true },
    dead: { type: 'bool' },
    attack: { type: 'trigger' },
    hit: { type: 'trigger' },
    jump: { type: 'trigger' },
    aim: { type: 'float', default: 0.5 },
  },
  layers: [
    {
      name: 'Base Layer',
      machine: {
        default: 'Idle',
        any: [
          { to: 'Dead', when: [{ parameter: 'dead' }], duration: 0.1, toSelf: false },
          { to: 'Hit', when: [{ parameter: 'hit' }, { parameter: 'dead', is: false }], duration: 0.05 },
        ],
        states: {
          Idle: {
            motion: 'Idle_Breathe',
            transitions: [
              { to: 'Locomotion', when: [{ parameter: 'speed', greater: 0.1 }], duration: 0.25 },
              { toMachine: 'Combat', when: [{ parameter: 'attack' }], duration: 0.1 },
              { to: 'Idle', exitTime: 6, duration: 0.5, offset: 0.25 },
            ],
          },
          Locomotion: {
            motion: {
              name: 'Walk & run',
              blend: '1d',
              parameter: 'speed',
              children: [
                { at: 0, motion: 'Idle_Breathe' },
                { at: 1.4, motion: 'Walk' },
                {
                  at: 3.2,
                  motion: {
                    name: 'Jog',
                    blend: 'freeformDirectional',
                    parameters: ['strafe', 'speed'],
                    children: [
                      { at: [0, 0], motion: 'Idle_Breathe' },
                      { at: [0, 3.2], motion: 'Jog_Forward' },
                      { at: [0, -2], motion: 'Jog_Back', timeScale: 0.8 },
                      { at: [-2, 0], motion: 'Jog_Left' },
                      { at: [2, 0], motion: 'Jog_Left', mirror: true },
                      { at: [1.6, 2.4], motion: 'Jog_ForwardRight' },
                      { at: [-1.6, 2.4], motion: 'Jog_ForwardLeft' },
                    ],
                  },
                },
                { at: 6, motion: 'Sprint', timeScale: 1.1 },
              ],
            },
            speedParameter: 'aim',
            transitions: [
              { to: 'Idle', when: [{ parameter: 'speed', less: 0.05 }], duration: 0.2 },
              { to: 'Jump', when: [{ parameter: 'jump' }, { parameter: 'grounded' }], duration: 0.1 },
              {
                to: 'Jump',
                when: [{ parameter: 'grounded', is: false }],
                duration: 0.3,
                interruption: 'currentThenNext',
              },
              { toMachine: 'Combat', when: [{ parameter: 'attack' }], duration: 0.15 },
            ],
          },
          Jump: {
            motion: 'Jump',
            speed: 1.25,
            transitions: [
              { to: 'Idle', when: [{ parameter: 'grounded' }], exitTime: 0.75, duration: 0.25, fixed: false },
            ],
          },
          Hit: { motion: 'Hit_Front', transitions: [{ to: 'Idle', exitTime: 0.9, duration: 0.1 }] },
          Dead: { motion: 'Death' },
        },
        machines: {
          Combat: {
            default: 'Combat.Slash',
            entry: [
              { to: 'Combat.Stab', when: [{ parameter: 'stance', equals: 2 }] },
              { to: 'Combat.Bash', when: [{ parameter: 'stance', atLeast: 3 }] },
            ],
            states: {
              Slash: {
                motion: 'Sword_Slash_01',
                transitions: [
                  { to: 'Combat.Stab', when: [{ parameter: 'attack' }], exitTime: 0.6, duration: 0.1 },
                  { toExit: true, exitTime: 0.95, duration: 0.2 },
                ],
              },
              Stab: { motion: 'Sword_Stab', transitions: [{ toExit: true, exitTime: 0.95, duration: 0.2 }] },
              Bash: { motion: 'Shield_Bash', transitions: [{ toExit: true, exitTime: 0.9, duration: 0.2 }] },
            },
            exits: [{ to: 'Locomotion', when: [{ parameter: 'speed', greater: 0.1 }] }],
          },
        },
      },
    },
    {
      name: 'Upper Body',
      weightParameter: 'aim',
      mask: { 'Hips/Spine': 0.5, 'Hips/Spine/Chest/**': 1, 'hand.r': 0 },
      machine: {
        default: 'Empty',
        states: {
          Empty: { transitions: [{ to: 'Aim', when: [{ parameter: 'aim', greater: 0.5 }], duration: 0.3 }] },
          Aim: {
            motion: {
              blend: 'direct',
              normalized: true,
              children: [
                { weightParameter: 'aim', motion: 'Aim_Up' },
                { weightParameter: 'strafe', motion: 'Aim_Side' },
              ],
            },
            transitions: [{ to: 'Empty', when: [{ parameter: 'aim', atMost: 0.5 }], duration: 0.3 }],
          },
        },
      },
    },
    {
      name: 'Wounded',
      weight: 0,
      sync: {
        layer: 'Base Layer',
        timing: true,
        motions: { Idle: 'Idle_Hurt', Jump: 'Jump_Hurt', 'Combat.Stab': 'Stab_Hurt' },
      },
    },
    {
      name: 'Breathing',
      blend: 'additive',
      weight: 0.8,
      machine: { default: 'Breathe', states: { Breathe: { motion: 'Breathe_Add', timeParameter: 'aim' } } },
    },
  ],
};

/** Layers of a chain of states with shortcuts, each with a hub that any state leads to. */
export function manyStates(layerCount: number, stateCount: number, waysPerState: number): ControllerModel {
  const layers = Array.from({ length: layerCount }, (_, l) => {
    const states: Record<string, StateModel> = {};
    for (let i = 0; i < stateCount; i++) {
      const transitions = Array.from({ length: waysPerState }, (__, k) => ({
        to: `State ${(i + 1 + k * k * 7) % stateCount}`,
        when: [{ parameter: 'speed', greater: i + k }] as const,
        duration: 0.25,
      }));
      states[`State ${i}`] = { motion: `Clip_${i}`, transitions };
    }
    return { name: `Layer ${l}`, machine: { default: 'State 0', states } };
  });
  return {
    format: 'maniple-controller',
    version: 1,
    name: 'Many',
    parameters: { speed: { type: 'float' } },
    layers,
  };
}
