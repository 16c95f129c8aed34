import { struct } from '../layout/index.ts';
import { MOST_VIEWS, type CrowdView } from '../frame/tables/crowd-view.ts';
import type { RenderLimits } from '../crowd/options.ts';
import type { ByteReader, ByteWriter } from './byte-stream.ts';

/**
 * An input log: a head and a header, then records. A record of inputs holds changes in their order. Values of columns
 * follow, then all commands of the next frame. A record of a frame ends the inputs before it. Numbers are
 * little-endian; counts take seven bits to a byte.
 *
 *     head     `LogHead`
 *     header   frame (count), clock (2 words), time scale (float), players and modifiers per character (counts);
 *              digest of providers (word); `renderLimitNumbers` (9 floats); types (count), digests (4 words each);
 *              named columns (count), a record each, see `column-record.ts`; version 2 has none
 *     INPUTS   changes (count), each a code and fields, see `changes.ts`; columns (count), see `ChangedRows`;
 *              runs (count) of commands: row, count, 4 words per command
 *     FRAME    a byte of FRAME_ bits; seconds (float) if they differ from the previous frame's; if its views do, their count,
 *              and for each view a byte (words or floats) and 18 of those: a matrix, height and detail
 */
export const LOG_MAGIC = 0x4c434e4d; // MNCL
export const LOG_VERSION = 3;
/** The oldest version that can be read. */
export const OLDEST_LOG_VERSION = 2;
export const LogHead = /* @__PURE__ */ struct('LogHead', {
  magic: 'u32',
  version: 'u32',
  /** Bytes of the whole log. */
  byteLength: 'u32',
  /** CRC-32 of the whole log, with 0 in this field. */
  checksum: 'u32',
  /**
   * Offset of a frame's record from the first record: the frame that begins the last `LAST_SHOWN` shown ones. Skins
   * depend only on these frames.
   */
  shownFrom: 'u32',
});
export const LOG_HEAD_BYTES: number = LogHead.size;

export const RECORD_INPUTS = 1;
export const RECORD_FRAME = 2;

/**
 * Rendered frames to replay so that every character is skinned again: the slowest rate is 1 in 8, plus one for
 * velocity.
 */
export const LAST_SHOWN = 9;

export const FRAME_SEEN = 1;
/** Seconds follow. */
export const FRAME_SECONDS = 2;
/** The frame has views. Otherwise every character counts as visible. */
export const FRAME_VIEWS = 4;
/** The views follow. Otherwise they are those of the last frame that had some. */
export const FRAME_NEW_VIEWS = 8;
export const FRAME_BITS = 15;
/** Number format of a view: 32-bit floats as words, or 64-bit floats. */
export const VIEW_WORDS = 1;
export const VIEW_FLOATS = 2;

/** The numbers of views, one after the other: matrix, height, detail. */
const NUMBERS = 18;

/** Numbers that a log stores for views. */
export function viewNumbers(views: readonly CrowdView[]): number[] {
  return views.flatMap(({ clipFromWorld, height, detail = 1 }) => [...Array.from(clipFromWorld), height, detail]);
}

export function writeViews(out: ByteWriter, numbers: readonly number[]): void {
  out.count(numbers.length / NUMBERS);
  for (let first = 0; first < numbers.length; first += NUMBERS) {
    const view = numbers.slice(first, first + NUMBERS);
    const isNarrow = view.every((value) => Object.is(Math.fround(value), value));
    out.byte(isNarrow ? VIEW_WORDS : VIEW_FLOATS);
    if (isNarrow) for (const word of new Uint32Array(Float32Array.from(view).buffer)) out.word(word);
    else for (const value of view) out.float(value);
  }
}

/** Reads what `writeViews` wrote. `checkViews` checks the values. */
export function readViews(input: ByteReader, refuse: (message: string) => never): CrowdView[] {
  const count = input.length();
  if (count === 0 || count > MOST_VIEWS) refuse(`a frame has ${count} views`);
  return Array.from({ length: count }, (): CrowdView => {
    const numbers = readNumbers(input, refuse);
    return { clipFromWorld: numbers.slice(0, 16), height: numbers[16]!, detail: numbers[17]! };
  });
}

function readNumbers(input: ByteReader, refuse: (message: string) => never): number[] {
  const form = input.byte();
  if (form === VIEW_FLOATS) return Array.from({ length: NUMBERS }, () => input.float());
  if (form !== VIEW_WORDS) refuse(`a view is of form ${form}`);
  const words = Uint32Array.from({ length: NUMBERS }, () => input.word());
  return [...new Float32Array(words.buffer)];
}

/** Numbers that a log stores for render limits. */
export function renderLimitNumbers(limits: RenderLimits): number[] {
  const { vertexMemory, copies, poses, levelTolerance, rates, sharing } = limits;
  // what counts is for how many two copies suffice: logs of crowds with two say the memory itself
  return [(vertexMemory * 2) / copies, poses, levelTolerance, ...rates, ...sharing];
}
