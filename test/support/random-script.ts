import {
  COMMAND_CROSS_FADE,
  COMMAND_PLAY,
  COMMAND_START,
  COMMAND_TRIGGERS,
} from '../../src/stages/step-controllers/layout.ts';
import type { AnimatorScene, SceneCommand } from './animator-scene.ts';
import type { Random } from './random.ts';

/** What some characters are told before a step; on the first one all of them start. */
export function randomCommands(scene: AnimatorScene, random: Random, first: boolean): Map<number, SceneCommand[]> {
  const commands = new Map<number, SceneCommand[]>();
  for (let character = 0; character < scene.count; character++) {
    const index = scene.of[character]!;
    const controller = scene.controllers[index]!;
    const list: SceneCommand[] = [];
    if (first || random.chance(0.005)) list.push({ kind: COMMAND_START, target: scene.rows[index]! });
    const triggers = controller.parameters.filter(({ type }) => type === 'trigger').length;
    if (random.chance(0.3)) {
      const bits = () => random.integer(0, 2 ** triggers - 1);
      list.push({ kind: COMMAND_TRIGGERS, target: bits(), clear: random.chance(0.2) ? bits() : 0 });
    }
    const machine = random.integer(0, controller.machines.length - 1);
    const target = random.integer(0, controller.machines[machine]!.states.length - 1);
    if (random.chance(0.03)) {
      const amount = random.pick([NaN, 0, 0.5, 1.25]);
      list.push({ kind: COMMAND_PLAY, machine, target, amount });
    }
    if (random.chance(0.05)) {
      const fixed = random.chance(0.5);
      list.push({
        kind: COMMAND_CROSS_FADE,
        machine,
        target,
        fixed,
        amount: random.pick([0, 0.2, 1]),
        offset: random.next(),
      });
    }
    if (list.length > 0) commands.set(character, list);
  }
  return commands;
}

/** Changes some parameters of some characters. */
export function writeParameters(scene: AnimatorScene, random: Random): void {
  const memory = scene.memory;
  for (let character = 0; character < scene.count; character++) {
    if (random.chance(0.02)) memory.floats[memory.columnWord(0, character)] = random.pick([0, 0.5, 1, 2]);
    const { parameters } = scene.controllers[scene.of[character]!]!;
    parameters.forEach(({ type }, p) => {
      if (!random.chance(0.3)) return;
      const at = memory.columnWord(1 + p, character);
      if (type === 'float') memory.floats[at] = random.chance(0.02) ? NaN : random.range(-1.2, 1.2);
      else if (type === 'int') memory.ints[at] = random.integer(-2, 2);
      else if (type === 'bool') memory.words[at] = random.integer(0, 1);
    });
  }
}
