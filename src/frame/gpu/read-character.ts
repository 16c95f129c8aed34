import { fail } from '../../errors.ts';
import { ROW_NONE, VERTEX_ROW_BYTES, VISIBLE_WORDS, VISIBLE_WORDS_SHIFT } from '../../stages/layout.ts';
import type { CharacterReadback } from '../backend.ts';
import { placeOf } from '../tables/cull-results.ts';
import { MOST_COPIES } from '../tables/cull-tables.ts';
import type { ShownFrame } from './parts.ts';
import type { GpuReads } from './reads.ts';
import { slotRows } from '../tables/crowd-types.ts';
import { unpackVertices } from '../tables/unpack-vertices.ts';

/** Assumed location of a character's vertices. */
interface Guess {
  readonly place: ReturnType<typeof placeOf>;
  /** First rows of the known copies of its slot, in its page. */
  readonly rows: readonly number[];
  /** First word of its attributes, and words per vertex. */
  readonly attributeWord: number;
  readonly attributeWords: number;
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
      ranges: guess ? [...copies, attributesOf(now, guess)] : [],
    });
    // a newer frame is submitted, but `shown` does not return it yet
    if (frame !== now.frame) continue;
    const { slot, row, palette, ranges } = value;
    if (slot.get(0, 'frame') !== frame || slot.get(0, 'visibleRow') === ROW_NONE) return undefined;
    const place = placeOf(now.types, row);
    const [current, previous] = [row.get(0, 'currentVertexOffset'), row.get(0, 'previousVertexOffset')];
    const attributeWord = row.get(0, 'attributeWord');
    const isKnown = guess && samePlace(guess.place, place) && guess.attributeWord === attributeWord;
    const known = isKnown ? copies.map(({ row }) => row) : [];
    const [currentRange, previousRange] = [known.indexOf(current), known.indexOf(previous)];
    if (currentRange >= 0 && previousRange >= 0) {
      const { type, level } = place;
      // the twin for types that draws skin: loaded only here, because few callers need it
      const skin = type.skin === 'vertex' ? (await import('../tables/read-vertices.ts')).verticesOf : undefined;
      const attributes = new Uint32Array(ranges[copies.length]!);
      const verticesIn = (range: number): Uint32Array<ArrayBuffer> => {
        const slot = new Uint32Array(ranges[range]!);
        if (skin) return skin(type, level, slot, now.code);
        return unpackVertices(slot, range === currentRange ? attributes : undefined, guess!.attributeWords);
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
    const attributeWords = (row.get(0, 'detail') >>> VISIBLE_WORDS_SHIFT) & VISIBLE_WORDS;
    const rows = [...new Set([current, previous, ...known])].slice(0, MOST_COPIES);
    guess = { place, rows, attributeWord, attributeWords };
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

/** The attributes of its vertices. A slot of a type that draws skin has none. */
function attributesOf({ pages }: ShownFrame, { place, attributeWord, attributeWords }: Guess) {
  const { type, level, pageIndex } = place;
  const source = pages[pageIndex]!.vertices;
  const byteLength = type.skin === 'vertex' ? 0 : 4 * attributeWords * level.vertexCount;
  return { row: NaN, source, byteOffset: 4 * attributeWord, byteLength };
}

function samePlace(a: Guess['place'], b: Guess['place']): boolean {
  return a.type === b.type && a.level === b.level && a.pageIndex === b.pageIndex;
}
