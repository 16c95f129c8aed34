import type { ChildModel, ControllerModel, MachineModel, MotionModel } from './model.ts';

/** References of clips in the states that a controller begins in: of each layer, and of machines inside. */
export function startReferences({ layers }: ControllerModel): Set<string> {
  const found = new Set<string>();
  const startIn = ({ default: path, states, machines = {} }: MachineModel): void => {
    if (path === undefined) return;
    if (Object.hasOwn(states, path)) return addReferences(states[path]!.motion, found);
    const dot = path.indexOf('.');
    const name = dot < 0 ? path : path.slice(0, dot);
    const inner = Object.hasOwn(machines, name) ? machines[name]! : undefined;
    if (inner) startIn(dot < 0 ? inner : { ...inner, default: path.slice(dot + 1) });
  };
  for (const { machine } of layers) if (machine) startIn(machine);
  return found;
}

function addReferences(motion: MotionModel | undefined, found: Set<string>): void {
  if (typeof motion === 'string') found.add(motion);
  else motion?.children.forEach((child: ChildModel) => addReferences(child.motion, found));
}

/** References of all clips that a controller plays, each once, in the order of its layers. */
export function clipReferences({ layers }: ControllerModel): Set<string> {
  const found = new Set<string>();

  const addMotion = (motion: MotionModel | undefined) => addReferences(motion, found);

  function addMachine({ states, machines = {} }: MachineModel): void {
    for (const { motion } of Object.values(states)) addMotion(motion);
    Object.values(machines).forEach(addMachine);
  }

  for (const { machine, sync } of layers) {
    if (machine) addMachine(machine);
    Object.values(sync?.motions ?? {}).forEach(addMotion);
  }
  return found;
}

/** Names of the clips that a controller plays, and of the clips that provide their reference poses. */
export function neededClips(model: ControllerModel): ReadonlySet<string> {
  const played = [...clipReferences(model)];
  const facts = (name: string) => (Object.hasOwn(model.clips ?? {}, name) ? model.clips?.[name] : undefined);
  return new Set([...played, ...played.flatMap((name) => facts(name)?.reference?.clip ?? [])]);
}
