import type { ControllerModel, MachineModel, MotionModel } from '../../src/controller/model.ts';

export interface ControllerCounts {
  states: number;
  machines: number;
  /** Of states, and from any state. */
  transitions: number;
  /** Into machines, and out of them. */
  entries: number;
  trees: number;
  clips: number;
}

/** What a controller holds, to be compared with its file. */
export function countController({ layers }: ControllerModel): ControllerCounts {
  const counts: ControllerCounts = { states: 0, machines: 0, transitions: 0, entries: 0, trees: 0, clips: 0 };
  const motion = (model: MotionModel | undefined): void => {
    if (typeof model === 'string') counts.clips++;
    if (typeof model !== 'object') return;
    counts.trees++;
    for (const child of model.children) motion(child.motion);
  };
  const machine = ({ states, machines = {}, any = [], entry = [], exits = [] }: MachineModel): void => {
    counts.machines++;
    counts.transitions += any.length;
    counts.entries += entry.length + exits.length;
    for (const state of Object.values(states)) {
      counts.states++;
      counts.transitions += state.transitions?.length ?? 0;
      motion(state.motion);
    }
    for (const inner of Object.values(machines)) machine(inner);
  };
  for (const { machine: own, sync } of layers) {
    if (own) machine(own);
    for (const model of Object.values(sync?.motions ?? {})) motion(model);
  }
  return counts;
}
