import type { Character } from '../character/character.ts';
import type { PlacedBlob } from '../frame/tables/blob-allocator.ts';
import {
  blobsOf,
  meshesOf,
  typesAt,
  type CrowdType,
  type TableOptions,
  type TypePlace,
} from '../frame/tables/crowd-types.ts';
import type { CaptureReport } from './form.ts';

/** Limit of unused bytes in a crowd's tables, left by removed characters. Far more than applications leave. */
export const GAP_LIMIT: number = 2 ** 28;

/**
 * The types of a captured crowd at their positions in its tables, without overlaps. Does not create the tables
 * themselves yet: see `gapBytes`.
 * @throws ManipleError CAPTURE_INVALID
 */
export function typesOfPlaces(
  characters: readonly Character[],
  places: readonly TypePlace[],
  options: TableOptions,
  report: CaptureReport,
): CrowdType[] {
  if (places.length !== characters.length) {
    report.corrupt('places', `are ${places.length}; there are ${characters.length} characters.`);
    report.throwIfFailed();
  }
  characters.forEach((character, index) => {
    const { controllerRow, levels } = places[index]!;
    const path = `places/${index}`;
    const count = meshesOf(character).length;
    if (levels.length !== count) report.corrupt(path, `has ${levels.length} levels; the character has ${count}.`);
    const hasController = character.controller !== undefined;
    if (controllerRow >= 0 !== hasController) {
      report.corrupt(path, `has its controller at ${controllerRow}; it has ${hasController ? 'one' : 'none'}.`);
    }
  });
  report.throwIfFailed();
  const types = typesAt(characters, places, options);
  types.forEach(({ typeRow, levels }, index) =>
    levels.forEach(({ skeleton, skeletonRow }, level) => {
      if (skeleton || skeletonRow === typeRow) return;
      report.corrupt(`places/${index}`, `level ${level} has its skeleton at ${skeletonRow}, and has none of its own.`);
    }),
  );
  for (const [table, blobs] of Object.entries(blobsOf(types))) {
    const { overlap } = measure(blobs);
    if (overlap !== undefined) report.corrupt(table, `two of its parts overlap at word ${overlap}.`);
  }
  report.throwIfFailed();
  return types;
}

/** Unused bytes in the tables of types. */
export function gapBytes(types: readonly CrowdType[]): number {
  return Object.values(blobsOf(types)).reduce((sum, blobs) => sum + 4 * measure(blobs).gaps, 0);
}

/**
 * Unused words, and the first position where two blobs overlap. A character that a crowd contains twice is stored once.
 */
function measure(blobs: readonly PlacedBlob[]): { readonly gaps: number; readonly overlap: number | undefined } {
  const sorted = blobs.filter(({ words }) => words.length > 0).sort((a, b) => a.first - b.first);
  let [end, gaps]: [number, number] = [0, 0];
  let overlap: number | undefined;
  let last: PlacedBlob | undefined;
  for (const blob of sorted) {
    if (last && isSame(last, blob)) continue;
    if (blob.first < end) overlap ??= blob.first;
    gaps += Math.max(0, blob.first - end);
    end = Math.max(end, blob.first + blob.words.length);
    last = blob;
  }
  return { gaps, overlap };
}

function isSame(a: PlacedBlob, b: PlacedBlob): boolean {
  if (a.first !== b.first || a.words.length !== b.words.length) return false;
  const { buffer, byteOffset } = a.words;
  if (buffer === b.words.buffer && byteOffset === b.words.byteOffset) return true;
  return a.words.every((word, i) => word === b.words[i]);
}
