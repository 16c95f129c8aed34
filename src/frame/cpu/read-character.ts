import { View } from '../../layout/index.ts';
import { scratchRows } from '../../stages/pose-joints/plan.ts';
import { ROW_NONE, VisibleCharacter } from '../../stages/layout.ts';
import type { VisibleRows } from '../../stages/visible-row.ts';
import type { CharacterReadback } from '../backend.ts';
import type { CpuPage } from '../backend.ts';
import { placeOf } from '../tables/cull-results.ts';
import { verticesOf, type VertexCode } from '../tables/read-vertices.ts';
import { slotRows, type CrowdType } from '../tables/crowd-types.ts';

/** The last frame with views, as twins leave it. */
export interface CpuFrame extends Pick<VisibleRows, 'slots' | 'visible'> {
  readonly types: readonly CrowdType[];
  readonly pages: readonly CpuPage[];
  readonly palettes: Float32Array;
  readonly code: VertexCode;
  /** True if palettes have the row layout of kernels that pose one character per thread. */
  readonly serialPoses: boolean;
  /** Number of the frame; 0 if there was none. */
  readonly lastFrame: number;
}

/** Reads the result of the last frame for one character; undefined if that frame did not list it. */
export function readCpuCharacter(
  character: number,
  { types, slots, visible, pages, palettes, code, serialPoses, lastFrame }: CpuFrame,
): CharacterReadback | undefined {
  if (lastFrame === 0 || slots.get(character, 'frame') !== lastFrame) return undefined;
  const row = slots.get(character, 'visibleRow');
  if (row === ROW_NONE) return undefined;
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
  // after a palette there may be scratch rows, which only kernels write
  const rows = type.paletteStride - scratchRows(type.laneCount, type.character.joints.length, serialPoses);
  return {
    row: new View(VisibleCharacter, visible.words.slice(row * words, (row + 1) * words).buffer),
    palette: paletteRow === ROW_NONE ? undefined : palettes.slice(paletteAt, paletteAt + 4 * rows),
    get vertices() {
      return verticesOf(type, level, current, code);
    },
    get previousVertices() {
      return verticesOf(type, level, previous, code);
    },
  };
}
