import { fail } from '../errors.ts';
import { ROW_NONE } from '../stages/layout.ts';
import type { CharacterReadback } from './backend.ts';
import { placeOf } from './cull-inputs.ts';
import { MOST_COPIES } from './cull-tables.ts';
import { VERTEX_ROW_BYTES, type CrowdMemory, type PageMemory, type PoseMemory } from './gpu-memory.ts';
import type { GpuReads } from './gpu-reads.ts';
import type { VertexCode } from './read-vertices.ts';
import { slotRows, type CrowdType } from './types.ts';

/** What a frame that somebody looked at ran on. */
export interface ReadableFrame {
  /** 0: there was none. */
  readonly frame: number;
  readonly types: readonly CrowdType[];
  readonly code: VertexCode;
  readonly crowd: CrowdMemory;
  readonly poses: PoseMemory;
  readonly pages: readonly PageMemory[];
}

/** Where a character's vertices are thought to be. */
interface Guess {
  readonly place: ReturnType<typeof placeOf>;
  /** Rows of its page where copies begin: those of its slot that are known. */
  readonly rows: readonly number[];
}

/** Submissions until a slot that changes all the time is given up: two do unless frames move the vertices meanwhile. */
const ATTEMPTS = 16;

/**
 * A character as one frame left it, while others go on being submitted: each submission copies the vertices from where the one
 * before has found them, together with what tells whether they still are there.
 *
 * @param shown The last frame that was submitted, at each moment; undefined once the crowd is gone.
 * @returns undefined when the last frame did not list it
 * @throws ManipleError CROWD_LIMIT, CROWD_DESTROYED, DEVICE_LOST
 */
export async function readCharacter(
  reads: GpuReads,
  shown: () => ReadableFrame | undefined,
  character: number,
): Promise<CharacterReadback | undefined> {
  let guess: Guess | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const now = shown();
    if (!now) fail('CROWD_DESTROYED', 'readVertices', 'the crowd was destroyed before the answer came.');
    if (now.frame === 0) return undefined;
    const copies = guess ? copiesOf(now, guess) : [];
    const { frame, value } = await reads.character(now.crowd, now.poses.palettes, character, {
      paletteRows: guess?.place.type.paletteStride ?? 0,
      ranges: copies,
    });
    // one is submitted, but its buffers are not known yet
    if (frame !== now.frame) continue;
    const { slot, row, palette, ranges } = value;
    if (slot.get(0, 'frame') !== frame || slot.get(0, 'visibleRow') === ROW_NONE) return undefined;
    const place = placeOf(now.types, row);
    const [current, previous] = [row.get(0, 'currentVertexOffset'), row.get(0, 'previousVertexOffset')];
    const known = guess && samePlace(guess.place, place) ? copies.map(({ row }) => row) : [];
    const [currentRange, previousRange] = [known.indexOf(current), known.indexOf(previous)];
    if (currentRange >= 0 && previousRange >= 0) {
      const { type, level } = place;
      // a twin, where draws skin: few ask for that
      const skin = type.skin === 'vertex' ? (await import('./read-vertices.ts')).verticesOf : undefined;
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
  const message = `its vertices have moved with each of ${ATTEMPTS} frames that were submitted meanwhile.`;
  return fail('CROWD_LIMIT', 'readVertices', message, 'Await the answer before the next frame.');
}

/** Copies that can still be there: pages may have gone since, or have become others. */
function copiesOf({ pages }: ReadableFrame, { place: { type, level, pageIndex }, rows }: Guess) {
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
