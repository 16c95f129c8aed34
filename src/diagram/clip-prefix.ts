import type { ControllerModel, MachineModel, MotionModel } from '../controller/model.ts';

/** Characters that are worth leaving out, and names that have to share them. */
const LEAST = { length: 5, names: 3 };
/** Characters after which a prefix may end. */
const SEPARATORS = '|@/\\_-.: ';

/**
 * The prefix that all clips of a controller share, up to a separator: `Armature|`, `Hero@`. Empty where it is short,
 * where there are few clips, and where a clip has only a guid.
 */
export function clipPrefix({ layers }: ControllerModel): string {
  const names = new Set<string>();
  const addMotion = (motion: MotionModel | undefined): void => {
    if (typeof motion === 'string') names.add(motion);
    else for (const child of motion?.children.slice(0, 64) ?? []) addMotion(child.motion);
  };
  const addMachine = ({ states, machines = {} }: MachineModel): void => {
    for (const { motion } of Object.values(states)) addMotion(motion);
    Object.values(machines).forEach(addMachine);
  };
  for (const { machine, sync } of layers) {
    if (machine) addMachine(machine);
    Object.values(sync?.motions ?? {}).forEach(addMotion);
  }
  return sharedPrefix([...names]);
}

/** The prefix that names share, up to a separator. Empty where it is short, and where there are few names. */
export function sharedPrefix(names: readonly string[]): string {
  if (names.length < LEAST.names) return '';
  const [first, last] = [names.reduce((a, b) => (a < b ? a : b)), names.reduce((a, b) => (a > b ? a : b))];
  let length = 0;
  while (length < Math.min(first.length, last.length, 200) && first[length] === last[length]) length++;
  // something has to be left of every name
  if (length === first.length) length--;
  while (length > 0 && !SEPARATORS.includes(first[length - 1]!)) length--;
  const prefix = first.slice(0, length);
  return length < LEAST.length || /^[0-9a-f]{32}:/.test(prefix) ? '' : prefix;
}
