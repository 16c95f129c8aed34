import { fail } from '../errors.ts';
import { refuseArgument } from '../crowd/arguments.ts';
import { View } from '../layout/index.ts';
import { FLOAT_LIMIT } from '../frame/tables/named-columns.ts';
import {
  checksumOf,
  CrowdSnapshot,
  type HeaderView,
  MAGIC,
  madeSnapshot,
  OLDEST_VERSION,
  refuseSnapshot,
  ROW_FREE,
  ROW_TYPE,
  type Sections,
  sectionsOf,
  SNAPSHOT_CONTROLLERS,
  SNAPSHOT_FLAGS,
  SNAPSHOT_MOVED,
  SNAPSHOT_ROOT,
  SnapshotHeader,
  snapshotSize,
  VERSION,
  wideFloat,
} from './snapshot.ts';

/**
 * Reads a snapshot from the stored bytes of `snapshot.bytes`. The bytes are untrusted: they are copied and checked to
 * the end. References are checked when a crowd is created from the snapshot. Time and memory grow only with the
 * number of bytes.
 *
 * @throws ManipleError SNAPSHOT_INVALID, SNAPSHOT_VERSION
 */
export function readSnapshot(stored: ArrayBuffer | Uint8Array): CrowdSnapshot {
  if (!(stored instanceof ArrayBuffer) && !ArrayBuffer.isView(stored)) {
    refuseArgument('stored', stored, 'an ArrayBuffer or a Uint8Array');
  }
  const source = stored instanceof Uint8Array ? stored : new Uint8Array(stored);
  const least = SnapshotHeader.offsets.columnCount;
  if (source.byteLength < least) {
    refuse('header', `${source.byteLength} bytes; a snapshot has ${least} at least.`);
  }
  const copy = new Uint8Array(source).buffer; // the caller may overwrite the original
  const [magic, version, byteLength, checksum] = new Uint32Array(copy, 0, 4);
  if (magic !== MAGIC) refuse('header', 'these bytes do not begin as a snapshot does.');
  if (version! < OLDEST_VERSION || version! > VERSION) {
    const message = `is of version ${version}; this Maniple reads ${OLDEST_VERSION} to ${VERSION}.`;
    fail('SNAPSHOT_VERSION', 'snapshot/header', message, 'Use the Maniple that saved it, or save again.');
  }
  if (byteLength !== copy.byteLength) refuse('header', `says ${byteLength} bytes; there are ${copy.byteLength}.`);
  if (checksumOf(copy) !== checksum) refuse('header', 'the checksum does not fit: some bytes have changed.');
  const bytes = version === VERSION ? copy : brought(copy);
  if (bytes.byteLength < SnapshotHeader.size) refuse('header', `${bytes.byteLength} bytes are less than a header has.`);
  const header = new View(SnapshotHeader, bytes, 0, 1);
  checkHeader(header);
  if (snapshotSize(header) !== bytes.byteLength) {
    refuse('header', `its counts need ${snapshotSize(header)} bytes; there are ${bytes.byteLength}.`);
  }
  checkRows(header, sectionsOf(bytes));
  return new CrowdSnapshot(bytes, version === VERSION);
}

/** Converts a snapshot of version 2 to the current version. Its header has no columns. */
function brought(bytes: ArrayBuffer): ArrayBuffer {
  const known = SnapshotHeader.offsets.columnCount;
  const all = new Uint8Array(bytes.byteLength + SnapshotHeader.size - known);
  all.set(new Uint8Array(bytes, 0, known));
  all.set(new Uint8Array(bytes, known), SnapshotHeader.size);
  return madeSnapshot(all.buffer).content;
}

function refuse(at: string, message: string): never {
  refuseSnapshot(at, message, 'Save it again; copy all of its bytes.');
}

/** Upper limit of each count. Sums of such counts stay exact numbers. */
const LIMITS = {
  flags: SNAPSHOT_FLAGS,
  typeCount: 0xffff,
  rowCount: 2 ** 24,
  playerCapacity: 64,
  modifierCapacity: 64,
  machineCapacity: 0xff,
  layerCapacity: 0xff,
  parameterCapacity: 0xffff,
  runCount: 2 ** 24,
  attachmentCount: 2 ** 24,
  freedAttachmentCount: 2 ** 24,
  groundColumns: 2 ** 24,
  groundRows: 2 ** 24,
  columnCount: FLOAT_LIMIT,
  columnFloats: FLOAT_LIMIT,
} as const;

function checkHeader(header: HeaderView): void {
  for (const [key, limit] of Object.entries(LIMITS)) {
    const value = header.get(0, key as keyof typeof LIMITS);
    if (value > limit) refuse('header', `${key} is ${value}; ${limit} at most.`);
  }
  const flags = header.get(0, 'flags');
  if ((flags & (SNAPSHOT_MOVED | SNAPSHOT_ROOT)) !== 0 && (flags & SNAPSHOT_CONTROLLERS) === 0) {
    refuse('header', `flags are ${flags}: root motion without controllers.`);
  }
  for (const [part, whole] of [
    ['freedCount', 'rowCount'],
    ['freedAttachmentCount', 'attachmentCount'],
  ] as const) {
    if (header.get(0, part) > header.get(0, whole)) refuse('header', `${part} is ${header.get(0, part)}.`);
  }
  if (header.get(0, 'groundColumns') > 0 !== header.get(0, 'groundRows') > 0)
    refuse('header', 'has a ground without rows or columns.');
  const strides = header.get(0, 'providerStrides');
  // a character has at most 16 rows of each of 8 providers
  if ((strides & 0xffff) > 1 + 8 * 16 || strides >>> 16 > 8 * 17) refuse('header', `providerStrides is ${strides}.`);
  const scale = wideFloat(header.get(0, 'timeScaleLow'), header.get(0, 'timeScaleHigh'));
  if (!(scale >= 0 && scale <= 1e6)) refuse('header', `timeScale is ${scale}.`);
  for (const key of ['frameHigh', 'lostEventsHigh'] as const) {
    if (header.get(0, key) >= 2 ** 21) refuse('header', `${key} is ${header.get(0, key)}.`);
  }
}

/** Checks that rows, generations and free rows agree with each other. */
function checkRows(
  header: HeaderView,
  { generations, rows, freed, attachmentOrder, freedAttachments }: Sections,
): void {
  const [rowCount, typeCount] = [header.get(0, 'rowCount'), header.get(0, 'typeCount')];
  const isFree = new Uint8Array(rowCount);
  for (const row of freed) {
    if (row >= rowCount || isFree[row]) refuse('freed', `free row ${row} is out of range or duplicated.`);
    isFree[row] = 1;
  }
  for (let row = 0; row < rowCount; row++) {
    // 2⁵³ ids, 24 bits of which are the row
    if (generations[row]! >= 2 ** 29) refuse('generations', `of row ${row} is ${generations[row]}.`);
    const word = rows[row]!;
    if ((word === ROW_FREE) !== (isFree[row] === 1)) refuse('rows', `row ${row} is free here and not there.`);
    if (word !== ROW_FREE && (word & ROW_TYPE) >= typeCount) {
      refuse('rows', `row ${row} is of type ${word & ROW_TYPE}; there are ${typeCount}.`);
    }
  }
  const isKnown = new Uint8Array(header.get(0, 'attachmentCount'));
  for (const index of [...attachmentOrder, ...freedAttachments]) {
    if (index >= isKnown.length || isKnown[index]) refuse('attachments', `${index} is out of range or duplicated.`);
    isKnown[index] = 1;
  }
}
