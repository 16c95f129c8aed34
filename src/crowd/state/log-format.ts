import { struct } from '../../layout/index.ts';

/**
 * An input log: a head and a header, then records. A record of inputs holds what the host did in order (who came and left, parts),
 * what its columns hold after that, and all that controllers are told in the coming frame; a record of a frame ends what
 * came before it. Numbers are little-endian; counts take seven bits to a byte.
 *
 *     head     `LogHead`
 *     header   frame (count), clock (2 words), time scale (float), places of players and of modifiers (counts)
 *              digest of providers (word); what looks go by (6 floats); types (count), digests (4 words each);
 *              named columns (count), a record each, see `column-record.ts`; version 2 has none
 *     INPUTS   deeds (count), each a byte and what it needs; columns (count), see `ChangedRows`;
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

/** Deeds: type and row, row, row with parts, a float; a capacity, a digest, a type; row and leader, row; row with tint; */
export const DEED_SETTLED = 1;
export const DEED_LEFT = 2;
export const DEED_SHOWED = 3;
export const DEED_SHOWED_FRESH = 4;
export const DEED_TIME_SCALE = 5;
export const DEED_GROWN = 6;
export const DEED_ADDED = 7;
export const DEED_REMOVED = 8;
export const DEED_FOLLOWED = 9;
export const DEED_FORGOT_PAST = 10;
export const DEED_TINTED = 11;
/** columns and rows, and if there are some origin, spacing, lean (6 floats) and heights (words); row and a byte; 3 floats; */
export const DEED_GROUND = 12;
export const DEED_GROUNDED = 13;
export const DEED_ORIGIN = 14;
/** row, row of its palette, a byte, offset (12 words); index and offset; index; */
export const DEED_ATTACHED = 15;
export const DEED_OFFSET = 16;
export const DEED_DETACHED = 17;
/** the record of a named column. */
export const DEED_COLUMN = 18;
/** row and a byte. */
export const DEED_HID = 19;

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
