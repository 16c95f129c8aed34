import { error, type Issue } from '../errors.ts';
import { pointer } from '../forms/rules.ts';
import type { ControllerModel, MachineModel, MotionModel } from './model.ts';
import { CHILD_LIMIT, CONDITION_LIMIT, INDEX_LIMIT, LAYER_LIMIT, TREE_DEPTH_LIMIT } from './tables.ts';

/** Limits of the written form of a controller. Files are not trusted, so time and memory are bounded. */
export const CONTROLLER_LIMITS = {
  /** Characters or bytes of JSON. */
  text: 16 * 2 ** 20,
  /** Values, objects and lists, all together. */
  values: 2 ** 20,
  /** Names in one object. */
  names: 4096,
  /** Nesting of objects and lists: machines take two levels, trees three. */
  nesting: 64,
  /** Characters of a name, and of a clip's reference. */
  name: 256,
  /** Characters of a path of states or joints, and of an event's text. */
  path: 4096,
  parameters: 1024,
  layers: LAYER_LIMIT,
  /** In all layers together. */
  states: 4096,
  /** In all layers together, entries and exits of machines included. */
  transitions: INDEX_LIMIT,
  conditions: CONDITION_LIMIT,
  /** Nesting of machines, including the layer's own. */
  machines: 16,
  trees: TREE_DEPTH_LIMIT,
  children: CHILD_LIMIT,
  clips: 4096,
  /** Events of one clip. */
  events: 1024,
  /** Entries of one mask. */
  mask: 4096,
} as const;

const SPLIT = 'Split the controller.';

/** Issues for limits that the whole form exceeds. Its shape has been checked, and its nesting is bounded. */
export function limitIssues({ parameters, clips = {}, layers }: Omit<ControllerModel, 'issues'>): Issue[] {
  const issues: Issue[] = [];
  let [states, transitions] = [0, 0];

  const check = (pointer: string, count: number, limit: number, what: string, suggestion = SPLIT): boolean => {
    if (count > limit) {
      const message = `${count} ${what}; the limit is ${limit}.`;
      issues.push(error('CONTROLLER_LIMIT', pointer, message, suggestion));
    }
    return count <= limit;
  };

  function addMachine(machine: MachineModel, pointer: string, level: number): void {
    if (!check(pointer, level, CONTROLLER_LIMITS.machines, 'machines inside each other')) return;
    transitions += (machine.any?.length ?? 0) + (machine.entry?.length ?? 0) + (machine.exits?.length ?? 0);
    for (const [name, { motion, transitions: own }] of Object.entries(machine.states)) {
      states++;
      transitions += own?.length ?? 0;
      addMotion(motion, join(pointer, 'states', name, 'motion'), 1);
    }
    for (const [name, inner] of Object.entries(machine.machines ?? {})) {
      addMachine(inner, join(pointer, 'machines', name), level + 1);
    }
  }

  function addMotion(motion: MotionModel | undefined, pointer: string, level: number): void {
    if (motion === undefined || typeof motion === 'string') return;
    const suggestion = 'Split the tree into states of their own.';
    if (!check(pointer, level, CONTROLLER_LIMITS.trees, 'trees inside each other', suggestion)) return;
    motion.children.forEach((child, i) => addMotion(child.motion, join(pointer, 'children', i, 'motion'), level + 1));
  }

  layers.forEach(({ machine, sync, mask = {} }, i) => {
    const place = join('', 'layers', i);
    if (machine) addMachine(machine, join(place, 'machine'), 1);
    const motions = Object.entries<MotionModel>(sync?.motions ?? {});
    const motionsPlace = join(place, 'sync', 'motions');
    check(motionsPlace, motions.length, CONTROLLER_LIMITS.states, 'motions');
    for (const [path, motion] of motions) addMotion(motion, join(motionsPlace, path), 1);
    const suggestion = 'Name a joint and all below it: Spine/**.';
    check(join(place, 'mask'), Object.keys(mask).length, CONTROLLER_LIMITS.mask, 'joints', suggestion);
  });
  check('/layers', states, CONTROLLER_LIMITS.states, 'states');
  check('/layers', transitions, CONTROLLER_LIMITS.transitions, 'transitions');
  check('/parameters', Object.keys(parameters).length, CONTROLLER_LIMITS.parameters, 'parameters');
  check('/clips', Object.keys(clips).length, CONTROLLER_LIMITS.clips, 'clips');
  return issues;
}

/** Appends steps to a JSON pointer. */
export function join(path: string, ...steps: readonly PropertyKey[]): string {
  return path + pointer(...steps);
}
