import type { ChildModel, ControllerModel, MachineModel, MotionModel } from '../asset/controller/model.ts';

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

/** Guid and fileID of a clip of Unity that nothing has resolved; undefined for other references. */
export function unityReference(reference: string): { readonly guid: string; readonly fileID: string } | undefined {
  const [, guid, fileID] = /^([0-9a-f]{32}):(-?\d+)$/.exec(reference) ?? [];
  return guid === undefined || fileID === undefined ? undefined : { guid, fileID };
}
