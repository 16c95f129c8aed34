import { View } from '../../layout/index.ts';
import { CLIP_LOOPS, ClipHeader, INTERVAL_HOLD, TRACK_NONE } from '../format/rig-layout.ts';
import type { CheckedRig, ClipRegion } from './checks/rig.ts';
import type { Description } from './description.ts';
import type { Report } from './report.ts';

/** Words of a clip's header. */
export const HEADER_WORDS: number = ClipHeader.size / 4;

/**
 * Rows of streamed clips in the rig blob: as the description places them, as many as their sections have.
 * @param rigRows Rows of the RIG section, which has all other rows of the blob.
 * @throws ManipleError BAKED_CORRUPT
 */
export function clipRegions(
  { streamedClips = [], clips }: Pick<Description, 'streamedClips' | 'clips'>,
  byteLengths: readonly number[],
  rigRows: number,
  report: Report,
): ClipRegion[] {
  if (streamedClips.length !== byteLengths.length) {
    report.corrupt(
      'json/streamedClips',
      `has ${streamedClips.length} entries for ${byteLengths.length} CLIP sections.`,
    );
  }
  report.throwIfFailed();
  const end = rigRows + byteLengths.reduce((sum, length) => sum + length, 0) / 16;
  const regions = streamedClips.map(({ clip, row }, index): ClipRegion => {
    const rows = byteLengths[index]! / 16;
    const path = `json/streamedClips/${index}`;
    if (!Number.isInteger(rows)) report.corrupt(path, `has a section of ${16 * rows} bytes; sections are whole rows.`);
    if (clip >= clips.length) report.corrupt(path, `names clip ${clip} of ${clips.length}.`);
    if (row + rows > end) report.corrupt(path, `ends at row ${row + rows} of ${end}.`);
    return { clip, rows: [row, row + rows] };
  });
  if (new Set(regions.map(({ clip }) => clip)).size < regions.length) {
    report.corrupt('json/streamedClips', 'names a clip twice.');
  }
  const sorted = regions.toSorted((a, b) => a.rows[0] - b.rows[0]);
  const overlap = sorted.find(({ rows: [first] }, i) => i > 0 && first < sorted[i - 1]!.rows[1]);
  if (overlap) report.corrupt('json/streamedClips', `has clip ${overlap.clip} in rows of another one.`);
  report.throwIfFailed();
  return regions;
}

/** The rig blob without the rows of streamed clips, which are 0. @param spareRows More rows, after the blob. */
export function spreadRig(
  rig: Uint32Array<ArrayBuffer>,
  regions: readonly ClipRegion[],
  spareRows: number,
): Uint32Array<ArrayBuffer> {
  const streamed = regions.reduce((sum, { rows: [first, end] }) => sum + end - first, 0);
  const out = new Uint32Array(rig.length + 4 * (streamed + spareRows));
  let [from, to] = [0, 0];
  for (const { rows } of regions.toSorted((a, b) => a.rows[0] - b.rows[0])) {
    const count = 4 * rows[0] - to;
    out.set(rig.subarray(from, from + count), to);
    from += count;
    to = 4 * rows[1];
  }
  out.set(rig.subarray(from), to);
  return out;
}

/** Rows of the rest clip of a rig: an interval, hints, two pairs to fetch, tracks. */
export const restClipRows = (laneCount: number): number => 3 + Math.ceil(laneCount / 2);

/** Streamed clips of a rig blob. Their bytes may not have arrived. */
export class StreamedClips {
  readonly #rig: Uint32Array<ArrayBuffer>;
  readonly #checked: CheckedRig;
  readonly #headers: Uint32Array<ArrayBuffer>;

  constructor(
    rig: Uint32Array<ArrayBuffer>,
    checked: CheckedRig,
    readonly regions: readonly ClipRegion[],
    readonly report: Report,
  ) {
    this.#rig = rig;
    this.#checked = checked;
    this.#headers = new Uint32Array(
      regions.flatMap(({ clip }) =>
        Array.from(rig.subarray(this.headerWord(clip), this.headerWord(clip) + HEADER_WORDS)),
      ),
    );
  }

  headerWord(clip: number): number {
    return this.#checked.clipWord + HEADER_WORDS * clip;
  }

  /** Bytes of the blob that a section fills. */
  bytesOf(index: number): Uint8Array<ArrayBuffer> {
    const [first, end] = this.regions[index]!.rows;
    return new Uint8Array(this.#rig.buffer, this.#rig.byteOffset + 16 * first, 16 * (end - first));
  }

  /**
   * Lets all streamed clips hold the rest pose, for as long as they last: a clip without channels.
   * @param row The first of `restClipRows` rows of the rig.
   */
  rest(row: number, laneCount: number): void {
    const words = this.#rig.subarray(4 * row, 4 * (row + restClipRows(laneCount)));
    const floats = new Float32Array(words.buffer, words.byteOffset, words.length);
    [floats[1], words[3]] = [2 ** -32, INTERVAL_HOLD];
    for (let lane = 0; lane < laneCount; lane++) {
      words.set([((TRACK_NONE << 16) | TRACK_NONE) >>> 0, TRACK_NONE], 12 + 2 * lane);
    }
    for (const [index, { clip }] of this.regions.entries()) {
      const own = new View(ClipHeader, this.#headers.buffer, index * ClipHeader.size, 1);
      const [duration, flags] = [own.get(0, 'duration'), own.get(0, 'flags') & CLIP_LOOPS];
      const header = new View(ClipHeader, 1);
      const pairs = {
        hintPair: 2 * row + 2,
        valuePair: 2 * row + 4,
        tangentPair: 2 * row + 4,
        constantPair: 2 * row + 4,
      };
      const units = { rotationRateUnit: 1, translationUnit: 1, translationRateUnit: 1, scaleUnit: 1, scaleRateUnit: 1 };
      const trackPair = 2 * row + 6;
      header.assign(0, {
        intervalCount: 1,
        intervalRow: row,
        hintShift: 31,
        trackPair,
        duration,
        flags,
        ...pairs,
        ...units,
      });
      this.#rig.set(header.words, this.headerWord(clip));
    }
  }

  /** Checks a clip once its bytes are in the blob, and lets it play. @throws ManipleError BAKED_CORRUPT; it rests then */
  accept(index: number): void {
    const { clip } = this.regions[index]!;
    const at = this.headerWord(clip);
    const resting = this.#rig.slice(at, at + HEADER_WORDS);
    this.#rig.set(this.#headers.subarray(HEADER_WORDS * index, HEADER_WORDS * (index + 1)), at);
    this.#checked.checkStreamed(this.regions[index]!);
    if (!this.report.failed) return;
    this.#rig.set(resting, at);
    this.report.throwIfFailed();
  }
}
