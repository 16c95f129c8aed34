import { View } from '../layout/index.ts';
import { ROW_NONE, VisibleCharacter } from '../stages/layout.ts';
import type { CharacterReadback } from './backend.ts';
import type { CpuPage, DrawnColumns } from './cpu-pages.ts';
import { placeOf } from './cull-inputs.ts';
import { verticesOf, type VertexCode } from './read-vertices.ts';
import { slotRows, type CrowdType } from './types.ts';

/** What a frame on twins left. */
interface CpuShown extends Pick<DrawnColumns, 'visible'> {
  readonly types: readonly CrowdType[];
  readonly pages: readonly CpuPage[];
  readonly palettes: Float32Array;
  readonly code: VertexCode;
}

/** One character as it came out of a frame on twins: what a row of the visible list names. */
export function characterAt({ types, visible, pages, palettes, code }: CpuShown, row: number): CharacterReadback {
  const { type, level, pageIndex } = placeOf(types, visible, row);
  const { skinned } = pages[pageIndex]!;
  const slotAt = (key: 'currentVertexOffset' | 'previousVertexOffset') => {
    const first = 4 * visible.get(row, key);
    return skinned.slice(first, first + 4 * slotRows(type, level));
  };
  const [current, previous] = [slotAt('currentVertexOffset'), slotAt('previousVertexOffset')];
  const paletteRow = visible.get(row, 'paletteRow');
  const words = VisibleCharacter.size / 4;
  const paletteAt = 4 * paletteRow;
  return {
    row: new View(VisibleCharacter, visible.words.slice(row * words, (row + 1) * words).buffer),
    palette: paletteRow === ROW_NONE ? undefined : palettes.slice(paletteAt, paletteAt + 4 * type.paletteStride),
    get vertices() {
      return verticesOf(type, level, current, code);
    },
    get previousVertices() {
      return verticesOf(type, level, previous, code);
    },
  };
}
