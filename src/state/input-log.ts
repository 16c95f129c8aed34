import { crc32 } from '../character/file/crc32.ts';
import { fail } from '../errors.ts';
import { View } from '../layout/index.ts';
import { splitSeconds } from '../math/fixed.ts';
import type { CommandWords } from '../crowd/rows/controller-inputs.ts';
import type { Character } from '../character/character.ts';
import { expectObject, refuseArgument } from '../crowd/arguments.ts';
import {
  CHANGES,
  type Change,
  type ChangeFields,
  type ChangeKind,
  type ChangeRow,
  type FrameViews,
} from '../crowd/changes.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { CrowdState } from '../crowd/crowd-state.ts';
import { expectCrowd, internalsOf } from '../crowd/internals.ts';
import { ByteWriter } from './byte-stream.ts';
import { ChangedRows } from './changed-rows.ts';
import { columnRecord } from './column-record.ts';
import { digestOf, DIGEST_WORDS, providersDigest } from './digest.ts';
import {
  FRAME_NEW_VIEWS,
  FRAME_SECONDS,
  FRAME_SEEN,
  FRAME_VIEWS,
  LAST_SHOWN,
  LOG_HEAD_BYTES,
  LOG_MAGIC,
  LogHead,
  LOG_VERSION,
  RECORD_FRAME,
  RECORD_INPUTS,
  viewNumbers,
  writeViews,
  renderLimitNumbers,
} from './log-format.ts';
import type { CrowdSnapshot } from './snapshot.ts';
import { writeChange } from './change-codec.ts';

/** A moment between two frames that a log can be read from. */
export interface LogMark {
  readonly place: number;
  /** Header that describes the crowd at this moment. */
  readonly header: Uint8Array<ArrayBuffer>;
}

/** How much an input log keeps. */
export interface InputLogOptions {
  /** Bytes that the log may take; default 64 MiB. Beyond that it ends, until it is rotated or the crowd is saved. */
  readonly maxLogBytes?: number;
}

export const DEFAULT_LOG_BYTES: number = 2 ** 26;

/**
 * A record of everything that the application does to a crowd, in the order in which frames receive it. Calls are
 * recorded by what they change, callbacks by their results. `replayInputs` does it again. Made by `recordInputs`.
 *
 * Holds a copy of the CPU-side columns, to find words that differ, and its records. A frame without changes takes 2
 * bytes, a view that has moved some 75. Changes take the words that differ.
 */
export class InputLog {
  readonly #host: CrowdState;
  readonly #maxLogBytes: number;
  /** @internal All characters that it names. */
  readonly characters: Set<Character>;
  readonly #out = new ByteWriter();
  readonly #marks = new WeakMap<object, LogMark>();
  #columns: ChangedRows[] = [];
  /** Changes since the last record. */
  #changes = new ByteWriter();
  #changeCount = 0;
  #dt = NaN;
  #timeScale = NaN;
  /** Views of the last frame that had some. */
  #views: readonly number[] = [];
  /** Places of the last frames that were shown. */
  #shown: readonly number[] = Array<number>(LAST_SHOWN).fill(0);
  #first: LogMark | undefined;
  #unwatch: (() => void) | undefined;

  /** @internal */
  constructor(host: CrowdState, options: InputLogOptions = {}) {
    expectObject('options', options);
    const { maxLogBytes = DEFAULT_LOG_BYTES } = options;
    if (!(typeof maxLogBytes === 'number' && maxLogBytes >= 1024))
      refuseArgument('maxLogBytes', maxLogBytes, '1024 or more');
    this.#host = host;
    this.#maxLogBytes = maxLogBytes;
    this.characters = new Set(host.shape.tables.types.map(({ character }) => character));
    this.#unwatch = host.watch(this);
    this.rotate();
  }

  /** True if it holds everything since it began or was rotated. */
  get isComplete(): boolean {
    return this.#first !== undefined;
  }

  /** Bytes that it keeps now. */
  get byteLength(): number {
    return this.#out.byteLength + this.#changes.byteLength;
  }

  /**
   * All that was done since a snapshot that was taken while this log ran. Without one: since the log began or was
   * rotated.
   * @throws ManipleError LOG_OVERFLOW (it has not kept that), CROWD_BAD_ARGUMENT (a snapshot from before the log, or of
   *   another crowd)
   */
  since(snapshot?: CrowdSnapshot): Uint8Array<ArrayBuffer> {
    const mark = snapshot === undefined ? this.#first : this.markOf(snapshot);
    if (!mark || !this.reaches(mark)) this.#refuse();
    return this.bytesSince(mark);
  }

  /**
   * Drops what was done before a snapshot was taken; without one, before now. A log that exceeded its limit begins
   * again. Errors as `since`.
   */
  rotate(snapshot?: CrowdSnapshot): void {
    const mark = snapshot === undefined ? this.mark() : this.markOf(snapshot);
    if (!this.reaches(mark)) this.#refuse();
    this.dropBefore(mark);
  }

  /** Ends the log; what it holds stays. */
  stop(): void {
    this.#flush();
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  /** @internal The present moment. A log can be read from here on. */
  mark(): LogMark {
    if (this.#first) this.#flush();
    else this.#forget();
    this.#dt = NaN;
    this.#views = [];
    const mark = { place: this.#out.end, header: this.#header() };
    this.#first ??= mark;
    return mark;
  }

  /** @internal Returns true if it still has everything since a mark, the current change included. */
  reaches({ place }: LogMark): boolean {
    this.#flush();
    return this.#first !== undefined && place >= this.#first.place;
  }

  /** @internal */
  dropBefore(mark: LogMark): void {
    this.#out.drop(mark.place);
    this.#first = mark;
  }

  /** @internal Returns the log since a mark that it reaches back to. */
  bytesSince(mark: LogMark): Uint8Array<ArrayBuffer> {
    const records = this.#out.since(mark.place);
    const first = LOG_HEAD_BYTES + mark.header.length;
    const out = new Uint8Array(first + records.length);
    out.set(mark.header, LOG_HEAD_BYTES);
    out.set(records, first);
    const head = new View(LogHead, out.buffer, 0, 1);
    const shownFrom = Math.max(0, this.#shown[0]! - mark.place);
    head.assign(0, { magic: LOG_MAGIC, version: LOG_VERSION, byteLength: out.length, shownFrom });
    head.set(0, 'checksum', crc32(out));
    return out;
  }

  /** @internal */
  columnChanged(column: number, from: number, to: number): void {
    if (this.#first) this.#columns[column]!.changed(from, to);
  }

  /** @internal */
  before(kind: ChangeKind): void {
    const { closesRecord }: ChangeRow = CHANGES[kind];
    if (closesRecord) this.#flush();
  }

  /** @internal */
  after(change: Change): void {
    if (change.kind === 'addCharacter') this.characters.add(change.fields.character);
    if (!this.#first) return;
    this.#write(change);
    const { rewrites }: ChangeRow = CHANGES[change.kind];
    if (rewrites === 'columns') this.#forgetColumns();
    // replay rewrites these as well
    if (rewrites === 'transforms') this.#columns[0]!.know(0, this.#host.ids.used);
    if (rewrites === 'row') this.#knowRow((change.fields as ChangeFields['despawn']).row);
  }

  /** @internal */
  frame(dt: number, seenBy: FrameViews): void {
    this.#flush();
    if (!this.#first) return;
    const isNew = !Object.is(dt, this.#dt);
    const views = typeof seenBy === 'string' ? undefined : viewNumbers(seenBy);
    const hasNewViews = views !== undefined && !isSame(views, this.#views);
    const place = this.#out.end;
    this.#out.byte(RECORD_FRAME);
    this.#out.byte(
      (seenBy === 'none' ? 0 : FRAME_SEEN) |
        (isNew ? FRAME_SECONDS : 0) |
        (views ? FRAME_VIEWS : 0) |
        (hasNewViews ? FRAME_NEW_VIEWS : 0),
    );
    if (isNew) this.#out.float(dt);
    this.#dt = dt;
    if (hasNewViews) {
      writeViews(this.#out, views);
      this.#views = views;
    }
    if (seenBy !== 'none') this.#shown = [...this.#shown.slice(1), place];
  }

  /** @internal */
  saving(): (snapshot: object) => void {
    const mark = this.mark();
    return (snapshot) => this.#marks.set(snapshot, mark);
  }

  /** @internal The moment of a snapshot. @throws ManipleError CROWD_BAD_ARGUMENT */
  markOf(snapshot: CrowdSnapshot): LogMark {
    const suggestion = 'Take the snapshot while the log runs.';
    return (
      this.#marks.get(snapshot) ??
      fail('CROWD_BAD_ARGUMENT', 'snapshot', 'The snapshot is older than the log, or of another crowd.', suggestion)
    );
  }

  #refuse(): never {
    const suggestion = 'Rotate it, or save the crowd, more often; or give it more `maxLogBytes`.';
    const message = `The log does not reach back that far: it keeps ${this.#maxLogBytes} bytes.`;
    fail('LOG_OVERFLOW', 'log', message, suggestion);
  }

  #write(change: Change): void {
    writeChange(this.#changes, change);
    this.#changeCount++;
  }

  #knowRow(row: number): void {
    this.#columns.forEach((column, index) => {
      const perRow = this.#host.rowsPerCharacter(index);
      column.know(row * perRow, (row + 1) * perRow);
    });
  }

  /** Writes what was done and is not part of a frame yet. */
  #flush(): void {
    if (!this.#unwatch || !this.#first) return;
    const { timeScale } = this.#host;
    if (timeScale !== this.#timeScale) {
      this.#write({ kind: 'timeScale', fields: { scale: timeScale } });
      this.#timeScale = timeScale;
    }
    const columns = new ByteWriter();
    let columnCount = 0;
    this.#columns.forEach((column, index) => (columnCount += Number(!column.isEmpty && column.write(columns, index))));
    const { commands } = this.#host.inputs;
    if (this.#changeCount === 0 && columnCount === 0 && commands.size === 0) return;
    const out = this.#out;
    out.byte(RECORD_INPUTS);
    out.count(this.#changeCount);
    out.append(this.#changes);
    out.count(columnCount);
    out.append(columns);
    writeCommands(out, commands);
    this.#forgetChanges();
    if (out.byteLength > this.#maxLogBytes) this.#end();
  }

  /** Ends a log that exceeds its limit, because a log with a gap is of no use. */
  #end(): void {
    this.#out.drop(this.#out.end);
    this.#first = undefined;
  }

  /** Continues from the current state. */
  #forget(): void {
    this.#forgetChanges();
    this.#timeScale = this.#host.timeScale;
    this.#forgetColumns();
  }

  #forgetChanges(): void {
    this.#changes = new ByteWriter();
    this.#changeCount = 0;
  }

  #forgetColumns(): void {
    // placing a character where it was placed before undoes root motion, so equal rows count, too
    this.#columns = this.#host.columns.map(({ view }, index) => new ChangedRows(view, index === 0));
  }

  #header(): Uint8Array<ArrayBuffer> {
    const { frame, time, timeScale, shape, looks, named } = this.#host;
    const out = new ByteWriter();
    out.count(frame);
    for (const word of splitSeconds(time)) out.word(word);
    out.float(timeScale);
    out.count(shape.playerCapacity);
    out.count(shape.modifierCapacity);
    out.word(providersDigest(shape.providers));
    for (const value of renderLimitNumbers(looks)) out.float(value);
    out.count(shape.tables.types.length);
    for (const { character } of shape.tables.types) {
      for (let i = 0; i < DIGEST_WORDS; i++) out.word(digestOf(character)[i]!);
    }
    out.count(named.list.length);
    for (const column of named.list) for (const word of columnRecord(column)) out.word(word);
    return out.since(0);
  }
}

/**
 * Records everything that is done to a crowd from now on, until `stop()`.
 * @throws ManipleError CROWD_DESTROYED, CROWD_BAD_ARGUMENT
 */
export function recordInputs(crowd: Crowd, options?: InputLogOptions): InputLog {
  expectCrowd(crowd);
  const { host } = internalsOf(crowd);
  host.checkAlive();
  return new InputLog(host, options);
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, i) => Object.is(value, b[i]));
}

type Commands = ReadonlyMap<number, readonly CommandWords[]>;

/** Writes all commands of the next frame. They replace those of an earlier record of the same frame. */
function writeCommands(out: ByteWriter, commands: Commands): void {
  out.count(commands.size);
  for (const [row, list] of commands) {
    out.count(row);
    out.count(list.length);
    for (const [kind, target, amount, offset] of list) {
      out.count(kind);
      out.count(target);
      out.word(amount);
      out.word(offset);
    }
  }
}
