export { struct, View, roundUp, isStruct, wordOffsets } from './struct.ts';
export type { Struct, Field, Fields, Primitive } from './struct.ts';
export {
  bindings,
  uniform,
  reads,
  writes,
  texture,
  storageTexture,
  sampler,
  bindGroupEntries,
  BOUND_AS_ARRAY,
  boundGroup,
  createBindGroup,
  createBindGroupLayout,
} from './bindings.ts';
export type { Bindings } from './bindings.ts';
export { layoutModule } from './rows.ts';
export type { ModuleParts, RecordTable } from './rows.ts';
