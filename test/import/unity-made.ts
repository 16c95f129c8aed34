// Unity controllers made of a few parts, imported.
import type { ControllerModel, LayerModel } from '../../src/controller/model.ts';
import { ManipleError } from '../../src/errors.ts';
import { importUnityController, type UnityControllerOptions } from '../../src/import/unity/controller.ts';
import { type MachineOptions, type StateOptions, type TransitionOptions, unity } from './unity-yaml.ts';

export const PARAMETERS = { Speed: 1, Mode: 3, Grounded: 4, Attack: 9 };

/** A controller of one layer: states A (101) and B (102), and what else is given. */
export function importMade(
  parts: { readonly a?: StateOptions; readonly b?: StateOptions; readonly root?: MachineOptions },
  more: readonly string[] = [],
  options: UnityControllerOptions = {},
): { model: ControllerModel; machine: NonNullable<LayerModel['machine']>; issues: string[] } {
  const text = unity.text(
    unity.controller([{ name: 'Base', machine: 1 }], PARAMETERS),
    unity.machine(1, 'Root', { states: [101, 102], start: 101, ...parts.root }),
    unity.state(101, 'A', parts.a),
    unity.state(102, 'B', parts.b),
    ...more,
  );
  const { controller } = importUnityController(text, options);
  return { model: controller, machine: controller.layers[0]!.machine!, issues: listed(controller) };
}

export function listed({ issues = [] }: Pick<ControllerModel, 'issues'>): string[] {
  return issues.map(({ code, path }) => `${code} ${path}`.trimEnd());
}

export function refusal(run: () => unknown): string[] {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof ManipleError) {
      return thrown.issues
        .filter(({ severity }) => severity === 'error')
        .map(({ code, path }) => `${code} ${path}`.trimEnd());
    }
    throw thrown;
  }
  return [];
}

/** Transitions of A as they arrive. */
export function transitionsOf(...list: readonly TransitionOptions[]) {
  const ids = list.map((_, i) => 200 + i);
  const documents = list.map((transition, i) => unity.transition(200 + i, { to: 102, ...transition }));
  const { machine, issues } = importMade({ a: { transitions: ids } }, documents);
  return { transitions: machine.states.A!.transitions ?? [], issues };
}
