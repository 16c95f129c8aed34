import type { ProviderMemoryView } from '../provider-twins.ts';
import { wordOffsets } from '../../layout/index.ts';
import { ROW_NONE, VisibleCharacter } from '../layout.ts';
import type { VisibleList } from '../visible-row.ts';

/** Rows that are kept of a level. */
export interface KeptLevel {
  readonly rowCount: number;
  /** Provider data of the character is kept before it. */
  readonly provided: boolean;
}

export interface KeepPalettesViews extends VisibleList {
  /** Levels to keep, by the row of their geometry header; nothing is kept of others. */
  readonly keptLevels: ReadonlyMap<number, KeptLevel>;
  /** Provider data of characters: kept as `linkKeeps` writes it. */
  readonly providers?: Pick<ProviderMemoryView, 'kept'> | undefined;
  /** Rows of four floats, from `paletteRow` on. */
  readonly palettes: Float32Array<ArrayBuffer>;
  /** Written: the words of a page; rows of four of them from half of `currentVertexOffset` on. */
  readonly kept: Uint32Array<ArrayBuffer>;
}

/** Twin of keep-palettes: the palettes of all posed characters, bit by bit. */
export function keepPalettes(views: KeepPalettesViews): void {
  const { visible, visibleCount, keptLevels, providers, palettes, kept } = views;
  const words = new Uint32Array(palettes.buffer, palettes.byteOffset, palettes.length);
  for (let i = 0; i < visibleCount; i++) {
    const at = VISIBLE.SIZE * i;
    const first = 4 * visible.words[at + VISIBLE.paletteRow]!;
    if (visible.words[at + VISIBLE.paletteRow] === ROW_NONE) continue;
    const level = keptLevels.get(visible.words[at + VISIBLE.geometryRow]!);
    if (!level) continue;
    let goal = 2 * visible.words[at + VISIBLE.currentVertexOffset]!;
    if (level.provided) {
      const rows = providers!.kept(visible.words[at + VISIBLE.character]!, visible.words[at + VISIBLE.views]!);
      kept.set(rows, goal);
      goal += rows.length;
    }
    for (let word = 0; word < 4 * level.rowCount; word++) kept[goal + word] = words[first + word]!;
  }
}

const VISIBLE = /* @__PURE__ */ wordOffsets(VisibleCharacter);
