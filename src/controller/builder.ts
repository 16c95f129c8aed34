import {
  type ConditionModel,
  CONTROLLER_FORMAT,
  CONTROLLER_VERSION,
  type ControllerModel,
  type LayerModel,
  type MotionModel,
  type ParameterModel,
  type TreeModel,
} from './model.ts';

/** Argument of `defineController`: the JSON form (docs/controllers.md) without its format and version. */
export interface ControllerDefinition<P extends string> extends Omit<
  ControllerModel<P>,
  'format' | 'version' | 'parameters' | 'layers' | 'issues'
> {
  readonly parameters: Readonly<Record<P, ParameterModel>>;
  /** Bottom-up. The compiler rejects parameters that `parameters` does not declare. */
  readonly layers: readonly LayerModel<NoInfer<P>>[];
}

/**
 * A controller from code. TypeScript checks names of parameters. Everything else is checked when it is compiled, as for
 * a controller from a file.
 */
export function defineController<const P extends string>(definition: ControllerDefinition<P>): ControllerModel<P> {
  return { format: CONTROLLER_FORMAT, version: CONTROLLER_VERSION, ...definition };
}

/** Parameters of `defineController`. */
export const param = {
  /** A number, `initial` at start. */
  float: (initial = 0): ParameterModel => ({ type: 'float', default: initial }),
  /** A whole number, `initial` at start. */
  int: (initial = 0): ParameterModel => ({ type: 'int', default: initial }),
  /** True or false, `initial` at start. */
  bool: (initial = false): ParameterModel => ({ type: 'bool', default: initial }),
  /** Set by the application, cleared by the transition that uses it. */
  trigger: (): ParameterModel => ({ type: 'trigger' }),
} as const;

/** Conditions of transitions. */
export const when = {
  /** Holds while a parameter is above a number. */
  above: <const P extends string>(parameter: P, greater: number): ConditionModel<P> => ({ parameter, greater }),
  /** Holds while a parameter is below a number. */
  below: <const P extends string>(parameter: P, less: number): ConditionModel<P> => ({ parameter, less }),
  /** Holds while a parameter is true (set, other than 0). With a value: while it is exactly that number. */
  is: <const P extends string>(parameter: P, equals?: number): ConditionModel<P> =>
    equals === undefined ? { parameter } : { parameter, equals },
  /** Holds while a parameter is false (not set, 0). With a value: while it is any other number. */
  not: <const P extends string>(parameter: P, notEquals?: number): ConditionModel<P> =>
    notEquals === undefined ? { parameter, is: false } : { parameter, notEquals },
} as const;

/** A blend along one parameter: motions, each at the value where it has all the weight. */
export function blend1d<const P extends string>(
  parameter: P,
  ...children: readonly (readonly [at: number, motion: MotionModel<P>])[]
): TreeModel<P> {
  return { blend: '1d', parameter, children: children.map(([at, motion]) => ({ at, motion })) };
}

/** A blend in the plane of two parameters; `directional` needs one motion per direction. */
export function blend2d<const P extends string>(
  blend: 'directional' | 'freeformDirectional' | 'freeformCartesian',
  parameters: readonly [P, P],
  ...children: readonly (readonly [at: readonly [number, number], motion: MotionModel<P>])[]
): TreeModel<P> {
  return { blend, parameters, children: children.map(([at, motion]) => ({ at, motion })) };
}
