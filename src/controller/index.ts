// Controllers as data: from code, from JSON, compiled. No GPU.
export { blend1d, blend2d, defineController, param, when } from './builder.ts';
export type { ControllerDefinition } from './builder.ts';
export {
  type ClipFacts,
  type ConditionModel,
  CONTROLLER_FORMAT,
  CONTROLLER_VERSION,
  type ControllerModel,
  type EventModel,
  type LayerModel,
  type MachineModel,
  type MaskModel,
  type MotionModel,
  type ParameterModel,
  type StateModel,
  type TransitionModel,
  type TreeModel,
} from './model.ts';
export { compileController, type CompiledController, type CompileOptions } from './compile.ts';
export { controllerJson, parseController } from './parse.ts';
