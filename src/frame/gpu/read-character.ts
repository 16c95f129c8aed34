import { fail } from '../../errors.ts';
import { ROW_NONE } from '../../stages/layout.ts';
import type { CharacterReadback } from '../backend.ts';
import { placeOf } from '../tables/cull-results.ts';
import { MOST_COPIES } from '../tables/cull-tables.ts';
import { VERTEX_ROW_BYTES } from '../tables/memory.ts';
import type { ShownFrame } from './parts.ts';
import type { GpuReads } from './reads.ts';
import { slotRows } from '../tables/crowd-types.ts';

/** Assumed location of a character's vertices. */
interface Guess {
  readonly place: ReturnType<typeof placeOf>;
  /** First rows of the known copies of its slot, in its page. */
  readonly rows: readonly number[];
}

/** Maximum submissions for one read. Two are enough unless frames move the vertices meanwhile. */
const ATTEMPTS = 16;

/**
 * Reads a character with the data of one frame, while other frames may be submitted. Each submission copies the vertices from
 * the location that the one before found. It also reads the current location, which shows if they are still there.
 *
 * @param shown Returns the last submitted frame; undefined once the crowd is destroyed.
 * @returns undefined when the last frame did not list it
 * @throws ManipleError CROWD_LIMIT, CROWD_DESTROYED, DEVICE_LOST
 */
export async function readCharacter(
  reads: GpuReads,
  shown: () => ShownFrame | undefined,
  character: number,
): Promise<CharacterReadback | undefined> {
  let guess: Guess | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const now = shown();
    if (!now) fail('CROWD_DESTROYED', 'readVertices', 'The crowd was destroyed during the read.');
    if (now.frame === 0) return undefined;
    const copies = guess ? copiesOf(now, guess) : [];
    const { frame, value } = await reads.character(now.crowd, now.poses.palettes, character, {
      paletteRows: guess?.place.type.paletteStride ?? 0,
      ranges: copies,
    });
    // a newer frame is submitted, but `shown` does not return it yet
    if (frame !== now.frame) continue;
    const { slot, row, palette, ranges } = value;
    if (slot.get(0, 'frame') !== frame || slot.get(0, 'visibleRow') === ROW_NONE) return undefined;
    const place = placeOf(now.types, row);
    const [current, previous] = [row.get(0, 'currentVertexOffset'), row.get(0, 'previousVertexOffset')];
    const known = guess && samePlace(guess.place, place) ? copies.map(({ row }) => row) : [];
    const [currentRange, previousRange] = [known.indexOf(current), known.indexOf(previous)];
    if (currentRange >= 0 && previousRange >= 0) {
      const { type, level } = place;
      // the twin for types that draws skin: loaded only here, because few callers need it
      const skin = type.skin === 'vertex' ? (await import('../tables/read-vertices.ts')).verticesOf : undefined;
      const verticesIn = (range: number): Uint32Array<ArrayBuffer> => {
        const slot = new Uint32Array(ranges[range]!);
        return skin ? skin(type, level, slot, now.code) : slot;
      };
      return {
        row,
        palette: row.get(0, 'paletteRow') === ROW_NONE ? undefined : palette,
        get vertices() {
          return verticesIn(currentRange);
        },
        get previousVertices() {
          return verticesIn(previousRange);
        },
      };
    }
    guess = { place, rows: [...new Set([current, previous, ...known])].slice(0, MOST_COPIES) };
  }
  const message = `The vertices have moved with each of ${ATTEMPTS} frames that were submitted meanwhile.`;
  return fail('CROWD_LIMIT', 'readVertices', message, 'Await the answer before the next frame.');
}

/** Copies that can still exist: pages may have been removed or replaced since. */
function copiesOf({ pages }: ShownFrame, { place: { type, level, pageIndex }, rows }: Guess) {
  const source = pages[pageIndex]?.vertices;
  const byteLength = slotRows(type, level) * VERTEX_ROW_BYTES;
  return rows.flatMap((row) => {
    const byteOffset = row * VERTEX_ROW_BYTES;
    return source && byteOffset + byteLength <= source.size ? [{ row, source, byteOffset, byteLength }] : [];
  });
}

function samePlace(a: Guess['place'], b: Guess['place']): boolean {
  return a.type === b.type && a.level === b.level && a.pageIndex === b.pageIndex;
}
