import { View, type Struct } from '../layout/index.ts';
import type { Matrix4, Vector } from './camera.ts';

type Value<Field> = Field extends 'f32' | 'u32'
  ? number
  : Field extends 'vec2f' | 'vec2u'
    ? readonly [number, number]
    : Field extends 'vec3f'
      ? Vector
      : Field extends 'vec4f'
        ? readonly [number, number, number, number]
        : Matrix4;

/** The primitive fields of a struct, as twins read them. */
export type Row<S extends Struct> = {
  readonly [Key in keyof S['fields'] as S['fields'][Key] extends string ? Key : never]: Value<S['fields'][Key]>;
};

/** A row in a buffer. */
export function rowAt<S extends Struct>(struct: S, buffer: ArrayBuffer, byteOffset: number): Row<S> {
  const view = new View(struct, buffer, byteOffset, 1);
  const fields = Object.entries(struct.fields).flatMap(([name, field]) => {
    if (typeof field !== 'string') return [];
    const value: number | number[] = view.get(0, name as never);
    return [[name, typeof value === 'object' && field === 'mat4x4f' ? Float32Array.from(value) : value]];
  });
  return Object.fromEntries(fields) as Row<S>;
}
