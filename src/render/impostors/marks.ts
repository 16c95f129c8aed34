import { FIRST_MARK, SET_TILES } from './layout.ts';

/** Words of `marks`, and where each part begins: see `marks.wesl`. */
export function marksOf(setCount: number, rowCapacity: number) {
  const bitWords = rowCapacity / 32 + 1;
  const meshes = FIRST_MARK + (1 + SET_TILES) * setCount;
  return {
    requests: FIRST_MARK,
    used: FIRST_MARK + setCount,
    /** Bits of rows that are drawn as meshes, and of impostors; then how many bits are set before each word of either. */
    meshes,
    impostors: meshes + bitWords,
    meshRanks: meshes + 2 * bitWords,
    impostorRanks: meshes + 3 * bitWords,
    bitWords,
    length: meshes + 4 * bitWords,
  };
}
