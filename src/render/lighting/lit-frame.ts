import { View, type Struct } from '../../layout/index.ts';
import type { Matrix4, Vector } from '../camera.ts';
import { Cascade, FrameUniforms } from './layout.ts';

type Value<Field> = Field extends 'f32' | 'u32'
  ? number
  : Field extends 'vec2f'
    ? readonly [number, number]
    : Field extends 'vec3f'
      ? Vector
      : Field extends 'mat4x4f'
        ? Matrix4
        : never;
type Row<S extends Struct> = { readonly [Key in keyof S['fields']]: Value<S['fields'][Key]> };

/** One view and its light, as twins of this folder read them: the fields of `FrameUniforms`, and the shadow maps. */
export type LitFrame = Omit<Row<typeof FrameUniforms>, 'cascades'> & { readonly cascades: readonly LitCascade[] };

/** A cascade and its map: depths from the sun, row by row. */
export type LitCascade = Omit<Row<typeof Cascade>, 'views'> & { readonly map: Float32Array };

/**
 * @param bytes Bytes of `FrameUniforms`.
 * @param maps A shadow map per cascade.
 */
export function litFrame({ buffer, byteOffset }: Uint8Array<ArrayBuffer>, maps: readonly Float32Array[]): LitFrame {
  const frame = rowAt(FrameUniforms, buffer, byteOffset);
  const first = byteOffset + FrameUniforms.offsets.cascades;
  const cascades = Array.from({ length: frame.cascadeCount }, (_, i): LitCascade => {
    return { ...rowAt(Cascade, buffer, first + i * Cascade.size), map: maps[i]! };
  });
  return { ...frame, cascades };
}

/** The primitive fields of a struct in a buffer. */
function rowAt<S extends Struct>(struct: S, buffer: ArrayBuffer, byteOffset: number): Row<S> {
  const view = new View(struct, buffer, byteOffset, 1);
  const fields = Object.entries(struct.fields).flatMap(([name, field]) => {
    if (typeof field !== 'string') return [];
    const value: number | number[] = view.get(0, name as never);
    return [[name, typeof value === 'object' && field === 'mat4x4f' ? Float32Array.from(value) : value]];
  });
  return Object.fromEntries(fields) as Row<S>;
}
