import { fail } from '../../errors.ts';
import type { SocketInputs } from '../../frame/backend.ts';
import { Column } from '../../frame/tables/column.ts';
import {
  Attachment,
  ATTACHMENT_HIDDEN,
  ATTACHMENT_HIDES,
  ATTACHMENT_NONE,
  SocketJoint,
} from '../../stages/place-sockets/layout.ts';
import type { Socket } from './joints.ts';

/** Attachments that there is room for from the start. */
const LEAST = 64;
const WORDS: number = Attachment.size / 4;
const FLAGS_WORD: number = Attachment.offsets.flags / 4;
const FRESH_WORD: number = Attachment.offsets.freshFrame / 4;
const FIRST_OFFSET: number = Attachment.offsets.jointFromLocal / 4;

/** A new attachment: the socket's transform, moved by `jointFromLocal` (three rows). */
export interface NewAttachment {
  readonly row: number;
  readonly socket: Socket;
  readonly jointFromLocal: ArrayLike<number>;
  readonly hides: boolean;
  readonly isHidden: boolean;
  /** The first frame that places it. */
  readonly frame: number;
}

/** Attachments as a snapshot has them: rows of the table, one after the other. */
export interface SavedAttachments {
  readonly attachmentGenerations: Uint32Array;
  readonly freedAttachments: Uint32Array;
  /** Living attachments, per character in the order of attaching. */
  readonly attachmentOrder: Uint32Array;
  /** An `Attachment` each, and a `SocketJoint`. */
  readonly attachments: Uint32Array;
  readonly attachmentJoints: Uint32Array;
}

/** Attachments by their rows of the socket matrices, and the inputs of frames. */
export class SocketTable {
  readonly #limit: number;
  readonly #onCarries: (row: number, carries: boolean) => void;
  #attachments = new Column(Attachment, LEAST, false, ATTACHMENT_NONE);
  #joints = new Column(SocketJoint, LEAST, true);
  #used = 0;
  /** Attachments that have ended so far: their rows may be another one's. */
  releases = 0;
  #free: number[] = [];
  /** Per attachment: how often its row was given back, the frame that places it first, and its neighbours in its character's list. */
  #generations = new Uint32Array(LEAST);
  #firstFrames = new Uint32Array(LEAST);
  #next = new Int32Array(LEAST);
  #previous = new Int32Array(LEAST);
  /** By character's row: the first of its attachments. */
  readonly #first = new Map<number, number>();

  /**
   * @param limit Attachments that the backend can hold.
   * @param onCarries Called when a character gets its first attachment or loses its last one.
   */
  constructor(limit: number, onCarries: (row: number, carries: boolean) => void) {
    this.#limit = limit;
    this.#onCarries = onCarries;
    this.#attachments.changed(0, LEAST);
  }

  /** The next frame uploads all attachments again, but not their joints. */
  renew(): void {
    this.#attachments.renew();
  }

  get inputs(): SocketInputs {
    return { count: this.#used, attachments: this.#attachments, joints: this.#joints };
  }

  /** Rows that have been used. */
  get used(): number {
    return this.#used;
  }

  /** Free rows among them, in the order of being freed. */
  get freed(): readonly number[] {
    return this.#free;
  }

  /** Living attachments, each character's in the order of their coming. */
  get order(): number[] {
    const rows = Array.from(this.#first.keys()).sort((a, b) => a - b);
    return rows.flatMap((row) => this.carriedBy(row).reverse());
  }

  carries(row: number): boolean {
    return this.#first.has(row);
  }

  rowOf(index: number): number {
    return this.#attachments.view.words[index * WORDS]!;
  }

  /** Row of a palette where the transform of an attachment's joint begins. */
  jointRowOf(index: number): number {
    return this.#attachments.view.words[index * WORDS + 1]!;
  }

  /** Attachments of a character, the last first. */
  carriedBy(row: number): number[] {
    const carried: number[] = [];
    for (let index = this.#first.get(row) ?? -1; index >= 0; index = this.#next[index]!) carried.push(index);
    return carried;
  }

  /** Puts attachments where others were: this one is new, and they are placed by `frame`. */
  restore(saved: SavedAttachments, frame: number): void {
    const { attachmentGenerations: generations, attachments } = saved;
    this.reserve(generations.length);
    this.#used = generations.length;
    this.#free = Array.from(saved.freedAttachments);
    this.#generations.set(generations);
    this.#attachments.view.words.set(attachments);
    this.#joints.view.words.set(saved.attachmentJoints);
    for (const index of saved.attachmentOrder) this.#link(index, attachments[index * WORDS]!);
    this.#firstFrames.fill(frame, 0, this.#used);
    for (let index = 0; index < this.#used; index++) this.#setFreshFrame(index, frame);
    this.#attachments.changed(0, this.#used);
    this.#joints.changed(0, this.#used);
  }

  get count(): number {
    return this.#used - this.#free.length;
  }

  /** @throws ManipleError CROWD_LIMIT when no buffer could hold `count` more */
  reserve(count: number): void {
    const wanted = this.#used + count - this.#free.length;
    const capacity = this.#generations.length;
    if (wanted <= capacity) return;
    if (wanted > this.#limit) {
      const message = `${count} more attachments; there are ${this.count}, and this device holds ${this.#limit}.`;
      fail('CROWD_LIMIT', 'attach', message, 'Detach some, or request the device with the limits of its adapter.');
    }
    this.#grow(Math.min(this.#limit, 2 ** Math.ceil(Math.log2(wanted))));
  }

  /** Takes a row: `reserve` has made sure that there is one. */
  take({ row, socket, jointFromLocal, hides, isHidden, frame }: NewAttachment): number {
    const index = this.#free.pop() ?? this.#used++;
    const word = index * WORDS;
    const { words } = this.#attachments.view;
    words[word] = row;
    words[word + 1] = socket.jointRow;
    words[word + FLAGS_WORD] = (hides ? ATTACHMENT_HIDES : 0) | (isHidden ? ATTACHMENT_HIDDEN : 0);
    this.#setFreshFrame(index, frame);
    this.setOffset(index, jointFromLocal);
    this.#joints.view.floats.set(socket.modelFromJoint, 12 * index);
    this.#joints.changed(index);
    this.#firstFrames[index] = frame;
    this.#link(index, row);
    return index;
  }

  isAttached(index: number): boolean {
    return index < this.#used && this.#attachments.view.words[index * WORDS] !== ATTACHMENT_NONE;
  }

  setOffset(index: number, jointFromLocal: ArrayLike<number>): void {
    this.#attachments.view.floats.set(jointFromLocal, index * WORDS + FIRST_OFFSET);
    this.#attachments.changed(index);
  }

  /** A character is hidden, with what it carries, or shows again. */
  setHidden(row: number, hidden: boolean): void {
    const { words } = this.#attachments.view;
    for (const index of this.carriedBy(row)) {
      const word = index * WORDS + FLAGS_WORD;
      words[word] = (words[word]! & ~ATTACHMENT_HIDDEN) | (hidden ? ATTACHMENT_HIDDEN : 0);
      this.#attachments.changed(index);
    }
  }

  /** In `frame` what a character carries has no history. */
  resetHistory(row: number, frame: number): void {
    for (const index of this.carriedBy(row)) this.#setFreshFrame(index, frame);
  }

  /** Gives a row back: its matrix goes with the next frame. */
  give(index: number): void {
    const row = this.#attachments.view.words[index * WORDS]!;
    const [next, previous] = [this.#next[index]!, this.#previous[index]!];
    if (next >= 0) this.#previous[next] = previous;
    if (previous >= 0) this.#next[previous] = next;
    else if (next >= 0) this.#first.set(row, next);
    else {
      this.#first.delete(row);
      this.#onCarries(row, false);
    }
    this.#attachments.view.words[index * WORDS] = ATTACHMENT_NONE;
    this.#attachments.changed(index);
    this.#generations[index]!++;
    this.#free.push(index);
    this.releases++;
  }

  /** A character has left its row: what it carried ends. */
  left(row: number): void {
    for (let index = this.#first.get(row) ?? -1; index >= 0; index = this.#first.get(row) ?? -1) this.give(index);
  }

  generation(index: number): number {
    return this.#generations[index]!;
  }

  /** The first frame that places it. */
  firstFrame(index: number): number {
    return this.#firstFrames[index]!;
  }

  #setFreshFrame(index: number, frame: number): void {
    this.#attachments.view.words[index * WORDS + FRESH_WORD] = frame;
    this.#attachments.changed(index);
  }

  #link(index: number, row: number): void {
    const first = this.#first.get(row) ?? -1;
    this.#next[index] = first;
    this.#previous[index] = -1;
    if (first >= 0) this.#previous[first] = index;
    else this.#onCarries(row, true);
    this.#first.set(row, index);
  }

  #grow(capacity: number): void {
    const before = this.#generations.length;
    this.#attachments = this.#attachments.grown(capacity);
    this.#joints = this.#joints.grown(capacity);
    const longer = <T extends Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer>>(array: T, to: T): T => {
      to.set(array);
      return to;
    };
    this.#generations = longer(this.#generations, new Uint32Array(capacity));
    this.#firstFrames = longer(this.#firstFrames, new Uint32Array(capacity));
    this.#next = longer(this.#next, new Int32Array(capacity));
    this.#previous = longer(this.#previous, new Int32Array(capacity));
    this.#attachments.changed(before, capacity);
  }
}
