import { struct } from '../../layout/index.ts';

/**
 * An input log: a head and a header, then records. A record of inputs holds changes in their order, the values of columns after
 * them, and all commands of the next frame. A record of a frame ends the inputs before it. Numbers are little-endian; counts take
 * seven bits to a byte.
 *
 *     head     `LogHead`
 *     header   frame (count), clock (2 words), time scale (float), places of players and of modifiers (counts)
 *              digest of providers (word); what looks go by (6 floats); types (count), digests (4 words each);
 *              named columns (count), a record each, see `column-record.ts`; version 2 has none
 *     INPUTS   changes (count), each a code and fields, see `changes.ts`; columns (count), see `ChangedRows`;
 *              runs (count) of commands: row, count, of each 4 words
 *     FRAME    a byte of FRAME_ bits; seconds (float) if they differ from the frame's before; if its views do, their count and
 *              of each a byte, whether they are words or floats, and 18 of those: a matrix, height and detail
 */
export const LOG_MAGIC = 0x4c434e4d; // MNCL
export const LOG_VERSION = 3;
/** The oldest that is read. */
export const OLDEST_LOG_VERSION = 2;
export const LogHead = struct('LogHead', {
  magic: 'u32',
  version: 'u32',
  /** Of all. */
  byteLength: 'u32',
  /** CRC-32 of all with 0 in this place. */
  checksum: 'u32',
  /**
   * Where the record of the frame stands, from the first record on, that is `LAST_SHOWN` frames that were shown before the end: what they
   * make of skins is all that is needed of them.
   */
  shownFrom: 'u32',
});
export const LOG_HEAD_BYTES: number = LogHead.size;

export const RECORD_INPUTS = 1;
export const RECORD_FRAME = 2;

/** Frames that were shown by which all skins are made anew: who is posed most seldom is so every 8th, and the one before counts as well. */
export const LAST_SHOWN = 9;

export const FRAME_SEEN = 1;
/** Seconds follow. */
export const FRAME_SECONDS = 2;
/** It has views; else everyone is seen. */
export const FRAME_VIEWS = 4;
/** They follow; else they are those of the last frame that had some. */
export const FRAME_NEW_VIEWS = 8;
export const FRAME_BITS = 15;
/** How the numbers of a view stand. */
export const VIEW_WORDS = 1;
export const VIEW_FLOATS = 2;
