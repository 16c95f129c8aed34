import { rowAt, type Row } from '../struct-row.ts';
import { Cascade, FrameUniforms } from './layout.ts';

/** One view and its light, as twins of this folder read them: the fields of `FrameUniforms`, and the shadow maps. */
export type LitFrame = Row<typeof FrameUniforms> & { readonly cascades: readonly LitCascade[] };

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
