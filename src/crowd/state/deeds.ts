import type { GroundField } from '../../frame/backend.ts';
import type { HostAttachment, Reshaping } from '../host-watcher.ts';
import type { Origin } from '../placement.ts';
import { ByteWriter } from './byte-stream.ts';
import { columnRecord } from './column-record.ts';
import { digestOf } from './digest.ts';
import {
  DEED_ADDED,
  DEED_ATTACHED,
  DEED_COLUMN,
  DEED_DETACHED,
  DEED_FOLLOWED,
  DEED_FORGOT_PAST,
  DEED_GROUND,
  DEED_GROUNDED,
  DEED_GROWN,
  DEED_HID,
  DEED_LEFT,
  DEED_OFFSET,
  DEED_ORIGIN,
  DEED_REMOVED,
  DEED_SETTLED,
  DEED_SHOWED,
  DEED_SHOWED_FRESH,
  DEED_TIME_SCALE,
  DEED_TINTED,
} from './log-format.ts';

/** What the host did since the last record, in order, as `log-format.ts` tells; `InputsReplay` reads it. */
export class Deeds {
  readonly bytes: ByteWriter = new ByteWriter();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  settled(type: number, row: number): void {
    this.#begin(DEED_SETTLED, type, row);
  }

  left(row: number): void {
    this.#begin(DEED_LEFT, row);
  }

  showed(row: number, parts: readonly number[], isFresh: boolean): void {
    this.#begin(isFresh ? DEED_SHOWED_FRESH : DEED_SHOWED, row);
    this.#words(parts);
  }

  tinted(row: number, tint: number): void {
    this.#begin(DEED_TINTED, row);
    this.bytes.word(tint);
  }

  hid(row: number, hidden: boolean): void {
    this.#begin(DEED_HID, row);
    this.bytes.byte(Number(hidden));
  }

  followed(row: number, leader: number): void {
    this.#begin(DEED_FOLLOWED, row, leader);
  }

  forgotPast(row: number): void {
    this.#begin(DEED_FORGOT_PAST, row);
  }

  followedGround(row: number, follows: boolean): void {
    this.#begin(DEED_GROUNDED, row);
    this.bytes.byte(Number(follows));
  }

  setGround(ground: GroundField | undefined): void {
    this.#begin(DEED_GROUND, ground?.columns ?? 0, ground?.rows ?? 0);
    if (!ground) return;
    const { heights, origin, spacing, lean } = ground;
    for (const value of [...origin, ...spacing, lean]) this.bytes.float(value);
    this.#words(wordsOf(heights));
  }

  movedOrigin(to: Origin): void {
    this.#begin(DEED_ORIGIN);
    for (const value of to) this.bytes.float(value);
  }

  attached({ row, socket, jointFromLocal, hides }: HostAttachment): void {
    this.#begin(DEED_ATTACHED, row, socket.jointRow);
    this.bytes.byte(Number(hides));
    this.#words(wordsOf(jointFromLocal));
  }

  offset(index: number, jointFromLocal: ArrayLike<number>): void {
    this.#begin(DEED_OFFSET, index);
    this.#words(wordsOf(jointFromLocal));
  }

  detached(index: number): void {
    this.#begin(DEED_DETACHED, index);
  }

  timeScale(scale: number): void {
    this.#begin(DEED_TIME_SCALE);
    this.bytes.float(scale);
  }

  reshaped(change: Reshaping): void {
    if (change.kind === 'grow') this.#begin(DEED_GROWN, change.capacity);
    else if (change.kind === 'remove') this.#begin(DEED_REMOVED, change.index);
    else if (change.kind === 'column') {
      this.#begin(DEED_COLUMN);
      this.#words(columnRecord(change.plan));
    } else {
      this.#begin(DEED_ADDED);
      this.#words(digestOf(change.character));
    }
  }

  #begin(kind: number, ...counts: number[]): void {
    this.#count++;
    this.bytes.byte(kind);
    for (const value of counts) this.bytes.count(value);
  }

  #words(words: ArrayLike<number>): void {
    for (let i = 0; i < words.length; i++) this.bytes.word(words[i]!);
  }
}

function wordsOf(floats: ArrayLike<number>): Uint32Array {
  return new Uint32Array(Float32Array.from(floats).buffer);
}
