import type { ChildModel, ControllerModel, MachineModel, MotionModel } from './model.ts';

/** References of all clips that a controller plays, each once, in the order of its layers. */
export function clipReferences({ layers }: ControllerModel): Set<string> {
  const found = new Set<string>();

  function addMotion(motion: MotionModel | undefined): void {
    if (typeof motion === 'string') found.add(motion);
    else motion?.children.forEach((child: ChildModel) => addMotion(child.motion));
  }

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
