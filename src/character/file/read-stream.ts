import { type ArrivedClip, ArrivingClips } from '../clip-arrivals.ts';
import type { Character } from '../character.ts';
import { error, ManipleError } from '../../errors.ts';
import {
  checkChecksum,
  checkPadding,
  HEADER_BYTES,
  readTable,
  type SectionEntry,
  tableEnd,
  versionOf,
} from './container.ts';
import { crc32 } from './crc32.ts';
import { readBaked, readHead } from './read.ts';
import { Report } from './report.ts';
import { HEADER_WORDS, type StreamedClips } from './streamed-clips.ts';

/** The next bytes of a file; undefined at its end. */
type NextBytes = () => Promise<Uint8Array | undefined>;

/** The first size of the memory for a file's head, which then doubles: a hostile header does not choose it. */
const FIRST_BYTES = 2 ** 16;

/**
 * Reads a baked character as its bytes arrive. Its promise is fulfilled once all sections but those of streamed clips are there;
 * `arrivals` has the rest. Files without streamed clips are read whole. Checks are those of `readBaked`. With streamed
 * clips, the memory of the rig is what the table says: at most the length of the file.
 *
 * @param limit Bytes that the file may declare.
 * @throws ManipleError As `readBaked`, `FILE_TOO_LARGE`, and what `next` throws; those of streamed clips reject `arrivals.ready`
 */
export async function readBakedStream(next: NextBytes, limit: number, name?: string): Promise<Character> {
  const queue = new ByteQueue(next);
  const report = new Report(name);
  const start = await queue.upTo(HEADER_BYTES);
  const table = await queue.upTo(tableEnd(start));
  // what is not a baked character is refused before anything else is awaited
  const entries = readTable(table, undefined, report);
  report.throwIfFailed();
  const isClip = ({ kind }: { readonly kind: string }) => kind === 'CLIP';
  const fileEnd = new DataView(table.buffer, table.byteOffset).getUint32(12, true);
  if (fileEnd > limit) throw tooLarge(name, limit);
  const firstClip = entries.findIndex((_, index) => entries.slice(index).every(isClip));
  if (firstClip < 0) {
    const whole = await queue.upTo(fileEnd);
    return readBaked((await queue.next()) ? await queue.upTo(fileEnd + 1) : whole, name);
  }
  const head = entries.slice(0, firstClip);
  const headEnd = Math.max(table.length, ...head.map(({ byteOffset, byteLength }) => byteOffset + byteLength));
  const bytes = await queue.upTo(headEnd);
  if (bytes.length < headEnd) throw truncated(report, bytes.length, fileEnd);
  let end = table.length;
  const sections = head.map((entry, index) => {
    checkPadding(bytes.subarray(end, entry.byteOffset), index, report);
    end = entry.byteOffset + entry.byteLength;
    const section = { kind: entry.kind, bytes: bytes.subarray(entry.byteOffset, end) };
    checkChecksum(crc32(section.bytes), entry, index, report);
    return section;
  });
  report.throwIfFailed();
  const lengths = entries.filter(isClip).map(({ byteLength }) => byteLength);
  const { character, streamed } = readHead(sections, lengths, { version: versionOf(bytes), report, rests: true });
  const early = head.filter(isClip).length;
  sections.filter(isClip).forEach((section, index) => {
    streamed.bytesOf(index).set(section.bytes);
    streamed.accept(index);
  });
  const coming = streamed.regions.slice(early).map(({ clip }) => ({ name: character.clips[clip]!.name, index: clip }));
  const rest = { queue, streamed, entries: entries.slice(firstClip), firstClip, headEnd, fileEnd };
  const arrivals = new ArrivingClips(character.rig, coming, (arrive) => readClips(rest, arrive));
  return { ...character, arrivals };
}

interface StreamedRest {
  readonly queue: ByteQueue;
  readonly streamed: StreamedClips;
  /** CLIP sections that follow the head, and the index of the first among all sections. */
  readonly entries: readonly SectionEntry[];
  readonly firstClip: number;
  readonly headEnd: number;
  readonly fileEnd: number;
}

/** Reads sections of clips, and lets each clip play as soon as its section was checked. */
async function readClips(
  { queue, streamed, entries, firstClip, headEnd, fileEnd }: StreamedRest,
  arrive: (clip: ArrivedClip) => void,
): Promise<void> {
  const { report } = streamed;
  const early = streamed.regions.length - entries.length;
  let at = headEnd;
  for (const [i, entry] of entries.entries()) {
    const padding = new Uint8Array(entry.byteOffset - at);
    const into = streamed.bytesOf(early + i);
    const received = (await queue.readInto(padding)) + (await queue.readInto(into));
    if (received < padding.length + into.length) throw truncated(report, at + received, fileEnd);
    checkPadding(padding, firstClip + i, report);
    checkChecksum(crc32(into), entry, firstClip + i, report);
    report.throwIfFailed();
    streamed.accept(early + i);
    arrive(placeOf(streamed, early + i));
    at += received;
  }
  if (!(await queue.next())) return;
  report.corrupt('header+12', `bytes follow the file's end at ${fileEnd}.`);
  report.throwIfFailed();
}

function placeOf(streamed: StreamedClips, index: number) {
  const { clip, rows } = streamed.regions[index]!;
  const header = streamed.headerWord(clip);
  return { header: [header, header + HEADER_WORDS], tables: [4 * rows[0], 4 * rows[1]] } as const;
}

function truncated(report: Report, length: number, fileEnd: number): ManipleError {
  const message = `the file ends after ${length} bytes; it was written with ${fileEnd}.`;
  report.add('BAKED_TRUNCATED', `header+${length}`, message, 'Download or copy it again.');
  try {
    report.throwIfFailed();
  } catch (thrown) {
    return thrown as ManipleError;
  }
  throw new Error('unreachable');
}

function tooLarge(name: string | undefined, limit: number): ManipleError {
  return new ManipleError(error('FILE_TOO_LARGE', name ?? '', `The file has more than ${limit} bytes.`));
}

/** Bytes in the order in which they arrive. */
class ByteQueue {
  readonly #next: NextBytes;
  /** All bytes that `upTo` has collected. */
  #head = new Uint8Array(FIRST_BYTES);
  #length = 0;
  /** Bytes that arrived and were not taken. */
  #left: Uint8Array = new Uint8Array();

  constructor(next: NextBytes) {
    this.#next = next;
  }

  /** Returns true if more bytes are there, which stay to be taken. */
  async next(): Promise<boolean> {
    while (this.#left.length === 0) {
      const chunk = await this.#next();
      if (!chunk) return false;
      this.#left = chunk;
    }
    return true;
  }

  /** Bytes from the first one up to `end`, or to the end of the file. Only while `readInto` was not called. */
  async upTo(end: number): Promise<Uint8Array<ArrayBuffer>> {
    while (this.#length < end) {
      if (this.#length === this.#head.length) {
        const grown = new Uint8Array(2 * this.#head.length);
        grown.set(this.#head);
        this.#head = grown;
      }
      const room = this.#head.subarray(this.#length, Math.min(end, this.#head.length));
      const count = await this.readInto(room);
      this.#length += count;
      if (count < room.length) break;
    }
    return this.#head.subarray(0, Math.min(end, this.#length));
  }

  /** Fills `target`; less only at the end of the file. Returns the bytes that were filled. */
  async readInto(target: Uint8Array): Promise<number> {
    let at = 0;
    while (at < target.length && (await this.next())) {
      const part = this.#left.subarray(0, target.length - at);
      target.set(part, at);
      this.#left = this.#left.subarray(part.length);
      at += part.length;
    }
    return at;
  }
}
