import type { ConditionModel, ControllerModel, MachineModel, MotionModel } from '../../src/controller/index.ts';

type Range = readonly [least: number, most: number];

/** Ranges of parameter sliders: the values in a controller's blend trees and conditions, with a margin. */
export function rangesOf(model: ControllerModel): ReadonlyMap<string, Range> {
  const seen = new Map<string, number[]>();
  const note = (name: string | undefined, ...values: number[]) => {
    if (name !== undefined) seen.set(name, [...(seen.get(name) ?? []), ...values]);
  };
  for (const layer of model.layers) {
    note(layer.weightParameter, 0, 1);
    if (layer.machine) machine(layer.machine);
    for (const motion of Object.values(layer.sync?.motions ?? {})) tree(motion);
  }
  return new Map(
    Object.entries(model.parameters).map(([name, { default: initial }]) => {
      const values = [0, Number(initial ?? 0), ...(seen.get(name) ?? [])].filter(Number.isFinite);
      const [least, most] = [Math.min(...values), Math.max(...values)];
      return [name, least < most ? [least < 0 ? 1.2 * least : least, 1.2 * most] : [-1, 1]];
    }),
  );

  function machine({ states, machines = {}, any = [] }: MachineModel): void {
    for (const state of Object.values(states)) {
      tree(state.motion);
      note(state.speedParameter, 0, 2);
      note(state.timeParameter, 0, 1);
      note(state.cycleOffsetParameter, 0, 1);
      for (const { when = [] } of state.transitions ?? []) when.forEach(condition);
    }
    for (const { when = [] } of any) when.forEach(condition);
    for (const inner of Object.values(machines)) machine(inner);
  }

  function tree(motion: MotionModel | undefined): void {
    if (motion === undefined || typeof motion === 'string') return;
    for (const child of motion.children) tree(child.motion);
    if (motion.blend === '1d') for (const { at } of motion.children) note(motion.parameter, at);
    else if (motion.blend === 'direct') for (const { weightParameter } of motion.children) note(weightParameter, 0, 1);
    else {
      for (const { at } of motion.children) motion.parameters.forEach((name, axis) => note(name, at[axis]!));
    }
  }

  function condition(wanted: ConditionModel): void {
    const { parameter, ...compared } = wanted;
    for (const value of Object.values(compared)) if (typeof value === 'number') note(parameter, value, 2 * value);
  }
}
