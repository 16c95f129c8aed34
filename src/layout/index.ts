export { struct, View, roundUp, measureField, isStruct } from './struct.ts';
export type { Struct, Field, Fields, Primitive } from './struct.ts';
export {
  bindings,
  uniform,
  reads,
  writes,
  texture,
  sampler,
  createBindGroup,
  createBindGroupLayout,
} from './bindings.ts';
export type { Binding, Bindings } from './bindings.ts';
export { rowLoader, rowsLoader } from './rows.ts';
export { layoutModule, upperSnake } from './module.ts';
export type { ModuleParts } from './module.ts';
