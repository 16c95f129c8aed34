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

/** Argument of `controller()`: the JSON form (docs/controllers.md) without its format and version. */
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
export function controller<const P extends string>(definition: ControllerDefinition<P>): ControllerModel<P> {
  return { format: CONTROLLER_FORMAT, version: CONTROLLER_VERSION, ...definition };
}

/** A number, `initial` at start. */
export function float(initial = 0): ParameterModel {
  return { type: 'float', default: initial };
}

/** A whole number, `initial` at start. */
export function int(initial = 0): ParameterModel {
  return { type: 'int', default: initial };
}

/** True or false, `initial` at start. */
export function bool(initial = false): ParameterModel {
  return { type: 'bool', default: initial };
}

/** Set by the application, cleared by the transition that uses it. */
export function trigger(): ParameterModel {
  return { type: 'trigger' };
}

/** Holds while a parameter is above a number. */
export function above<const P extends string>(parameter: P, greater: number): ConditionModel<P> {
  return { parameter, greater };
}

/** Holds while a parameter is below a number. */
export function below<const P extends string>(parameter: P, less: number): ConditionModel<P> {
  return { parameter, less };
}

/** Holds while a parameter is true (set, other than 0); without a value, or else at exactly that number. */
export function is<const P extends string>(parameter: P, equals?: number): ConditionModel<P> {
  return equals === undefined ? { parameter } : { parameter, equals };
}

/** Holds while a parameter is false (not set, 0), or, with a value, at any other number. */
export function not<const P extends string>(parameter: P, notEquals?: number): ConditionModel<P> {
  return notEquals === undefined ? { parameter, is: false } : { parameter, notEquals };
}

/** A blend along one parameter: motions, each at the value where it has all the weight. */
export function tree1d<const P extends string>(
  parameter: P,
  ...children: readonly (readonly [at: number, motion: MotionModel<P>])[]
): TreeModel<P> {
  return { blend: '1d', parameter, children: children.map(([at, motion]) => ({ at, motion })) };
}

/** A blend in the plane of two parameters; `directional` needs one motion per direction. */
export function tree2d<const P extends string>(
  blend: 'directional' | 'freeformDirectional' | 'freeformCartesian',
  parameters: readonly [P, P],
  ...children: readonly (readonly [at: readonly [number, number], motion: MotionModel<P>])[]
): TreeModel<P> {
  return { blend, parameters, children: children.map(([at, motion]) => ({ at, motion })) };
}
