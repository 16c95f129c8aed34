import { planAnimators, type AnimatorPlan } from '../controller/eval/regions.ts';
import { crc32 } from '../character/file/crc32.ts';
import { fail } from '../errors.ts';
import { struct, View } from '../layout/index.ts';
import { joinWide } from '../math/fixed.ts';
import { Attachment, SocketJoint } from '../stages/place-sockets/layout.ts';
import { COLUMN_RECORD_WORDS } from './column-record.ts';
import { DIGEST_WORDS } from './digest.ts';

/** Header of a snapshot. The sections follow it, see `sectionsOf`. All numbers are little-endian. */
export const SnapshotHeader = /* @__PURE__ */ struct('SnapshotHeader', {
  magic: 'u32',
  version: 'u32',
  /** Bytes of the whole snapshot. */
  byteLength: 'u32',
  /** CRC-32 of the whole snapshot, with 0 in this field. */
  checksum: 'u32',
  frameLow: 'u32',
  frameHigh: 'u32',
  /** The clock: 32.32 fixed point. */
  timeLow: 'u32',
  timeHigh: 'u32',
  /** A 64-bit float. */
  timeScaleLow: 'u32',
  timeScaleHigh: 'u32',
  lostEventsLow: 'u32',
  lostEventsHigh: 'u32',
  /** SNAPSHOT_ bits. */
  flags: 'u32',
  typeCount: 'u32',
  /** Rows that have ever had a character, and those of them that are free. */
  rowCount: 'u32',
  freedCount: 'u32',
  /** Places per row. */
  playerCapacity: 'u32',
  modifierCapacity: 'u32',
  /** Largest counts that any controller has. */
  machineCapacity: 'u32',
  layerCapacity: 'u32',
  parameterCapacity: 'u32',
  /** Rows with pending commands, and the count of all pending commands. */
  runCount: 'u32',
  commandCount: 'u32',
  /** Rows of attachments that have ever been used, and those of them that are free. */
  attachmentCount: 'u32',
  freedAttachmentCount: 'u32',
  /** Height samples of the ground along x and along z. Both are 0 without ground. */
  groundColumns: 'u32',
  groundRows: 'u32',
  /** Rows of all providers, and the digest that identifies these. */
  providerRowCount: 'u32',
  providersDigest: 'u32',
  /** Provider rows per character: those that the CPU writes, and (from bit 16 on) state rows. */
  providerStrides: 'u32',
  /** Count of named columns, and the floats that all of them have per row. Version 2 ends before them. */
  columnCount: 'u32',
  columnFloats: 'u32',
});

export const MAGIC = 0x53434e4d; // MNCS
export const VERSION = 3;
/** The oldest version that can be read. Fields that it lacks are 0. */
export const OLDEST_VERSION = 2;
/** Kernels have moved characters by root motion. Their transforms are in a section of their own. */
export const SNAPSHOT_MOVED = 1;
/** Some type has a controller. */
export const SNAPSHOT_CONTROLLERS = 2;
/** Some controller has root motion. */
export const SNAPSHOT_ROOT = 4;
/** Kernels have put characters on ground. This, too, needs the section with their transforms. */
export const SNAPSHOT_GROUNDED = 8;
export const SNAPSHOT_FLAGS = 15;

/**
 * A word of `rows`: free, or the type's index with two flags. These say if a frame has stepped the character and if it
 * ignores ground.
 */
export const ROW_FREE = 0xffffffff;
export const ROW_STEPPED = 0x80000000;
export const ROW_IGNORES_GROUND = 0x40000000;
export const ROW_TYPE = 0x3fffffff;

/** A row of `looks`: row of the pose source, bits of parts (two words), bits of views (0: hidden), tint. */
export const LOOK_WORDS = 5;
export const LOOK_VIEWS = 3;

/** `world` holds 64-bit floats: three for the origin. With ground, six more follow: its origin, spacing and lean. */
const ORIGIN_WORDS = 6;
const GROUND_WORDS = 12;

export type HeaderView = View<(typeof SnapshotHeader)['fields']>;

/** Words of each section, in their order, from the sizes in the header. */
function sectionWords(header: HeaderView) {
  const of = (key: Parameters<HeaderView['get']>[1]) => header.get(0, key) as number;
  const [rowCount, flags] = [of('rowCount'), of('flags')];
  return {
    digests: DIGEST_WORDS * of('typeCount'),
    generations: rowCount,
    rows: rowCount,
    freed: of('freedCount'),
    looks: LOOK_WORDS * rowCount,
    placed: 8 * rowCount,
    moved: flags & (SNAPSHOT_MOVED | SNAPSHOT_GROUNDED) ? 8 * rowCount : 0,
    players: 8 * of('playerCapacity') * rowCount,
    modifiers: 8 * of('modifierCapacity') * rowCount,
    animators: flags & SNAPSHOT_CONTROLLERS ? 4 * animatorsOf(header).rowCount : 0,
    runs: 2 * of('runCount'),
    commands: 4 * of('commandCount'),
    attachmentGenerations: of('attachmentCount'),
    attachments: (of('attachmentCount') * Attachment.size) / 4,
    attachmentJoints: (of('attachmentCount') * SocketJoint.size) / 4,
    attachmentOrder: Math.max(0, of('attachmentCount') - of('freedAttachmentCount')),
    freedAttachments: of('freedAttachmentCount'),
    world: ORIGIN_WORDS + (of('groundColumns') > 0 ? GROUND_WORDS : 0),
    heights: of('groundColumns') * of('groundRows'),
    providerRows: 4 * of('providerRowCount'),
    providerCharacters: 4 * (of('providerStrides') & 0xffff) * rowCount,
    providerStates: 4 * (of('providerStrides') >>> 16) * rowCount,
    columns: COLUMN_RECORD_WORDS * of('columnCount'),
    columnRows: of('columnFloats') * rowCount,
  };
}

export type Sections = Readonly<Record<keyof ReturnType<typeof sectionWords>, Uint32Array<ArrayBuffer>>>;

/** Layout of the section `animators`. */
export function animatorsOf(header: HeaderView): AnimatorPlan {
  return planAnimators({
    capacity: header.get(0, 'rowCount'),
    machines: header.get(0, 'machineCapacity'),
    layers: header.get(0, 'layerCapacity'),
    parameters: header.get(0, 'parameterCapacity'),
    hasRoot: (header.get(0, 'flags') & SNAPSHOT_ROOT) !== 0,
  });
}

/** Bytes of a snapshot with this header. */
export function snapshotSize(header: HeaderView): number {
  return SnapshotHeader.size + 4 * Object.values(sectionWords(header)).reduce((sum, words) => sum + words, 0);
}

/** The sections of a snapshot, to be written or read. */
export function sectionsOf(bytes: ArrayBuffer): Sections {
  let end = SnapshotHeader.size;
  const sections = Object.entries(sectionWords(new View(SnapshotHeader, bytes, 0, 1))).map(([name, words]) => {
    const section = new Uint32Array(bytes, end, words);
    end += section.byteLength;
    return [name, section];
  });
  return Object.fromEntries(sections) as Sections;
}

/** Completes a snapshot. Its sections and the sizes in its header are written by then. */
export function madeSnapshot(bytes: ArrayBuffer): CrowdSnapshot {
  new View(SnapshotHeader, bytes, 0, 1).assign(0, { magic: MAGIC, version: VERSION, byteLength: bytes.byteLength });
  return new CrowdSnapshot(bytes);
}

/** The whole state of a crowd between two frames: made by `saveSnapshot`, or read by `readSnapshot`. */
export class CrowdSnapshot {
  /** @internal All but the checksum. */
  readonly content: ArrayBuffer;
  /** @internal */
  readonly header: HeaderView;
  #isSealed: boolean;

  /** @internal */
  constructor(bytes: ArrayBuffer, isSealed = false) {
    this.content = bytes;
    this.header = new View(SnapshotHeader, bytes, 0, 1);
    this.#isSealed = isSealed;
  }

  /** All of it, to be stored; the same state gives the same bytes. Not to be written. */
  get bytes(): ArrayBuffer {
    if (!this.#isSealed) this.header.set(0, 'checksum', checksumOf(this.content));
    this.#isSealed = true;
    return this.content;
  }

  get byteLength(): number {
    return this.content.byteLength;
  }

  /** @internal 32.32 fixed point. */
  get clock(): bigint {
    return joinWide(this.header.get(0, 'timeLow'), this.header.get(0, 'timeHigh'));
  }

  /** Frames that the crowd had encoded. */
  get frame(): number {
    return this.header.get(0, 'frameHigh') * 2 ** 32 + this.header.get(0, 'frameLow');
  }

  /** Seconds since the crowd began. */
  get time(): number {
    return Number(this.clock) * 2 ** -32;
  }

  /** Characters that lived. */
  get count(): number {
    return this.header.get(0, 'rowCount') - this.header.get(0, 'freedCount');
  }
}

/** @throws ManipleError SNAPSHOT_INVALID */
export function refuseSnapshot(at: string, message: string, suggestion = 'Save it again.'): never {
  return fail('SNAPSHOT_INVALID', `snapshot/${at}`, message, suggestion);
}

/** CRC-32 of a snapshot with 0 in the checksum's place. */
export function checksumOf(bytes: ArrayBuffer): number {
  const place = new Uint32Array(bytes, SnapshotHeader.offsets.checksum, 1);
  const known = place[0]!;
  place[0] = 0;
  const checksum = crc32(new Uint8Array(bytes));
  place[0] = known;
  return checksum;
}

const wide = new DataView(new ArrayBuffer(8));

/** A 64-bit float of two words. */
export function wideFloat(low: number, high: number): number {
  wide.setUint32(0, low, true);
  wide.setUint32(4, high, true);
  return wide.getFloat64(0, true);
}

/** 64-bit floats of their words, low and high in turns. */
export function wideFloats(words: Uint32Array): number[] {
  return Array.from({ length: words.length / 2 }, (_, i) => wideFloat(words[2 * i]!, words[2 * i + 1]!));
}

/** The words of a 64-bit float: low, high. */
export function wideWords(value: number): [number, number] {
  wide.setFloat64(0, value, true);
  return [wide.getUint32(0, true), wide.getUint32(4, true)];
}
