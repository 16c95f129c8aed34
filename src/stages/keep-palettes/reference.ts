import type { View } from '../../layout/index.ts';
import { ROW_NONE, type VisibleCharacter } from '../layout.ts';

/** What {@link keepPalettes} reads and writes, as the kernel binds it: a page's visible list and its memory. */
export interface KeepPalettesViews {
  /** A row per visible character; only the first `visibleCount` are looked at. */
  readonly visible: View<(typeof VisibleCharacter)['fields']>;
  readonly visibleCount: number;
  /** Rows that are kept, by the row of a level's geometry header; of others none are. */
  readonly rowCounts: ReadonlyMap<number, number>;
  /** Rows of four floats, from `paletteRow` on. */
  readonly palettes: Float32Array<ArrayBuffer>;
  /** Written: the page's rows of four words, from `currentVertexOffset` on. */
  readonly kept: Uint32Array<ArrayBuffer>;
}

/** Twin of keep-palettes: the palettes of all who are posed, bit by bit. */
export function keepPalettes({ visible, visibleCount, rowCounts, palettes, kept }: KeepPalettesViews): void {
  const words = new Uint32Array(palettes.buffer, palettes.byteOffset, palettes.length);
  for (let i = 0; i < visibleCount; i++) {
    const first = visible.get(i, 'paletteRow');
    if (first === ROW_NONE) continue;
    const rowCount = rowCounts.get(visible.get(i, 'geometryRow')) ?? 0;
    kept.set(words.subarray(4 * first, 4 * (first + rowCount)), 4 * visible.get(i, 'currentVertexOffset'));
  }
}
