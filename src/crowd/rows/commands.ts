import { COMMAND_START } from '../../stages/step-controllers/layout.ts';

/** A command for one machine, as the kernel takes it: kind, target, and two more words. */
export type CommandWords = readonly [kind: number, target: number, amount: number, offset: number];

/** Returns true if the commands of one character start its controller. */
export function isStarted(commands: readonly CommandWords[] = []): boolean {
  return commands.some(([kind]) => (kind & 0xff) === COMMAND_START);
}
