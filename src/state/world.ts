import { View } from '../layout/index.ts';
import {
  Attachment,
  ATTACHMENT_FLAGS,
  ATTACHMENT_HIDDEN,
  ATTACHMENT_NONE,
  SocketJoint,
} from '../stages/place-sockets/layout.ts';
import { reasonOf } from '../errors.ts';
import { floatsBefore, type ColumnPlan } from '../frame/tables/named-columns.ts';
import type { CrowdType } from '../frame/tables/crowd-types.ts';
import { socketAt } from '../crowd/rows/joints.ts';
import { checkGround } from '../crowd/ground.ts';
import type { CrowdState } from '../crowd/crowd-state.ts';
import { wrongOffset } from './check-rows.ts';
import { COLUMN_RECORD_WORDS, columnRecord, readColumnRecord } from './column-record.ts';
import { providersDigest } from './digest.ts';
import {
  type HeaderView,
  LOOK_VIEWS,
  LOOK_WORDS,
  refuseSnapshot,
  type Sections,
  wideFloats,
  wideWords,
} from './snapshot.ts';

/** Returns true if the crowd has the same providers, or the snapshot has no rows of any. */
export function hasSameProviders({ shape, providers }: CrowdState, header: HeaderView): boolean {
  const [rowCount, strides] = [header.get(0, 'providerRowCount'), header.get(0, 'providerStrides')];
  if (rowCount === 0 && strides === 0) return true;
  const { maskRow, globalCount, characterStride, stateStride } = providers.layout;
  const isDigest = header.get(0, 'providersDigest') === providersDigest(shape.providers);
  // snapshots from before masks could change have none
  const hasRows = rowCount === globalCount || (rowCount === maskRow && strides === 0);
  return isDigest && hasRows && (strides === 0 || strides === (characterStride | (stateStride << 16)) >>> 0);
}

/**
 * Checks attachments, as far as kernels rely on them.
 * @param types The character type in each row. @throws ManipleError SNAPSHOT_INVALID
 */
export function checkAttachments(
  { shape }: CrowdState,
  sections: Sections,
  types: readonly (CrowdType | undefined)[],
): void {
  const refuse: (message: string) => never = (message) => refuseSnapshot('attachments', message);
  const { attachments, attachmentJoints, attachmentOrder, freedAttachments, looks } = sections;
  const rows = new View(Attachment, attachments.buffer, attachments.byteOffset, attachments.length / ATTACHMENT_WORDS);
  for (const index of freedAttachments) {
    if (rows.get(index, 'character') !== ATTACHMENT_NONE) refuse(`${index} is free, and carried.`);
  }
  for (const index of attachmentOrder) {
    const row = rows.get(index, 'character');
    const type = types[row];
    if (!type) refuse(`${index} has no carrier.`);
    const jointRow = rows.get(index, 'jointRow');
    if (!socketAt(shape.tables, type, jointRow)) refuse(`${index} hangs on ${jointRow}: no socket.`);
    const flags = rows.get(index, 'flags');
    const isHidden = looks[LOOK_WORDS * row + LOOK_VIEWS] === 0;
    const isWrong = flags > ATTACHMENT_FLAGS || ((flags & ATTACHMENT_HIDDEN) !== 0) !== isHidden;
    if (isWrong || rows.get(index, 'freshFrame') !== 0) refuse(`${index} has flags ${flags}.`);
    const wrong = wrongOffset(floatsAt(attachments, (index + 1) * ATTACHMENT_WORDS - 12, 12));
    if (wrong) refuse(`${index} ${wrong}.`);
    const strayed = wrongOffset(floatsAt(attachmentJoints, index * JOINT_WORDS, JOINT_WORDS));
    if (strayed) refuse(`the joint of ${index} ${strayed}.`);
  }
}

/** Restores origin, ground and providers' rows in a new host. @throws ManipleError SNAPSHOT_INVALID, DEVICE_LIMIT */
export function restoreWorld({ places, providers, backend }: CrowdState, header: HeaderView, sections: Sections): void {
  const [x = 0, y = 0, z = 0, gx, gy, gz, along, across, lean] = wideFloats(sections.world);
  if (![x, y, z].every(Number.isFinite)) refuseSnapshot('world', `the origin is ${x}, ${y}, ${z}.`);
  places.origin = [x, y, z];
  const [columns, rows] = [header.get(0, 'groundColumns'), header.get(0, 'groundRows')];
  if (columns > 0) {
    const heights = floatsAt(sections.heights, 0, columns * rows);
    const place = { origin: [gx!, gy!, gz!], spacing: [along!, across!], lean: lean! } as const;
    const ground = { heights, columns, rows, ...place };
    const { bindingBytes } = backend.limits;
    try {
      places.ground = checkGround(ground, bindingBytes);
    } catch (thrown) {
      if (heights.byteLength > bindingBytes) throw thrown;
      refuseSnapshot('heights', reasonOf(thrown));
    }
  }
  providers.rows.view.words.set(sections.providerRows);
  providers.rows.changed(0, sections.providerRows.length / 4);
}

function floatsAt(
  { buffer, byteOffset }: Uint32Array<ArrayBuffer>,
  word: number,
  count: number,
): Float32Array<ArrayBuffer> {
  return new Float32Array(buffer, byteOffset + 4 * word, count);
}

/** Named columns of a snapshot. Its header is checked by then. @throws ManipleError SNAPSHOT_INVALID */
export function readNamedColumns({ columns }: Sections, columnFloats: number): ColumnPlan[] {
  const refuse = (message: string) => refuseSnapshot('columns', `${message}.`);
  const plans = Array.from({ length: columns.length / COLUMN_RECORD_WORDS }, (_, index) =>
    readColumnRecord(columns.subarray(index * COLUMN_RECORD_WORDS, (index + 1) * COLUMN_RECORD_WORDS), refuse),
  );
  const floats = floatsBefore(plans, plans.length);
  if (new Set(plans.map(({ name }) => name)).size < plans.length) refuse('two columns have the same name');
  if (floats !== columnFloats) refuse(`columns have ${floats} floats, not ${columnFloats}`);
  return plans;
}

/**
 * Creates the named columns in a new host. All rows have their characters by then.
 * @throws ManipleError DEVICE_LIMIT
 */
export function restoreNamedColumns(
  host: CrowdState,
  plans: readonly ColumnPlan[],
  { columnRows, rows }: Sections,
): void {
  let end = 0;
  for (const plan of plans) {
    const { size, words } = host.addColumn(plan);
    for (let row = 0; row < rows.length; row++) {
      if (!host.ids.lives(row)) continue;
      words.view.words.set(columnRows.subarray(end + row * size, end + (row + 1) * size), row * size);
    }
    end += rows.length * size;
  }
  host.backend.setColumns(host.named.list);
}

const JOINT_WORDS: number = SocketJoint.size / 4;
const FRESH_WORD: number = Attachment.offsets.freshFrame / 4;
const ATTACHMENT_WORDS: number = Attachment.size / 4;

/** Header fields for ground, attachments, providers and named columns. */
export function worldCounts(host: CrowdState): Readonly<Record<string, number>> {
  const { places, sockets, providers, shape, named } = host;
  const { globalCount, characterStride, stateStride } = providers.layout;
  // providers without data need not match: any crowd can restore the snapshot, with them or without
  const isPlain = providers.isPlain(livingRows(host));
  return {
    attachmentCount: sockets.used,
    freedAttachmentCount: sockets.freed.length,
    groundColumns: places.ground?.columns ?? 0,
    groundRows: places.ground?.rows ?? 0,
    providerRowCount: isPlain ? 0 : globalCount,
    providersDigest: providersDigest(shape.providers),
    providerStrides: isPlain ? 0 : characterStride | (stateStride << 16),
    columnCount: named.list.length,
    columnFloats: floatsBefore(named.list, named.list.length),
  };
}

/** Rows that have a character, and its type. */
function livingRows(host: CrowdState): { row: number; type: CrowdType }[] {
  return Array.from({ length: host.ids.used }, (_, row) => row).flatMap((row) => {
    const type = host.typeAt(row);
    return type ? [{ row, type }] : [];
  });
}

/**
 * Writes origin, ground and providers' rows.
 * @returns A function to call with the kernels' state of providers.
 */
export function writeWorld(host: CrowdState, sections: Sections): (states: Uint32Array) => void {
  const { places, providers } = host;
  const { origin, ground } = places;
  const numbers = [...origin, ...(ground ? [...ground.origin, ...ground.spacing, ground.lean] : [])];
  sections.world.set(numbers.flatMap(wideWords));
  if (ground) new Float32Array(sections.heights.buffer, sections.heights.byteOffset).set(ground.heights);
  if (sections.providerRows.length > 0) sections.providerRows.set(providers.rows.view.words);
  const { providerCharacters, providerStates } = sections;
  providerCharacters.set(providers.characters.view.words.subarray(0, providerCharacters.length));
  const { characterStride, stateStride, states: starts } = providers.layout;
  const born = livingRows(host).map(({ row }) => ({ row, frame: providerCharacters[4 * row * characterStride + 1]! }));
  return (states) => {
    if (providerStates.length === 0) return;
    for (const { row, frame } of born) {
      starts.slice(0, -1).forEach((start, index) => {
        const [first, end] = [row * stateStride + start, row * stateStride + starts[index + 1]!];
        // skips what another character left in the row
        if (end > first && states[4 * first]! >= frame)
          providerStates.set(states.subarray(4 * first, 4 * end), 4 * first);
      });
    }
  };
}

/**
 * Writes attachments. For free rows only generations are kept.
 * @param restarts Uses the joints that the CPU side knows, because the kernels' state is lost.
 * @returns A function to call with the kernels' joints.
 */
export function writeAttachments(
  { sockets }: CrowdState,
  sections: Sections,
  restarts: boolean,
): (joints: Uint32Array) => void {
  const { attachments, joints } = sockets.inputs;
  const living = sockets.order;
  sections.attachmentOrder.set(living);
  sections.freedAttachments.set(sockets.freed);
  for (let index = 0; index < sockets.used; index++) {
    sections.attachmentGenerations[index] = sockets.generation(index);
    sections.attachments[index * ATTACHMENT_WORDS] = ATTACHMENT_NONE;
  }
  const copy = (to: Uint32Array, from: Uint32Array, index: number, count: number) =>
    to.set(from.subarray(index * count, (index + 1) * count), index * count);
  const written = new Set<number>();
  for (const index of living) {
    copy(sections.attachments, attachments.view.words, index, ATTACHMENT_WORDS);
    // a restored attachment has no history
    sections.attachments[index * ATTACHMENT_WORDS + FRESH_WORD] = 0;
    if (!restarts && !joints.isChanged(index)) continue;
    written.add(index);
    copy(sections.attachmentJoints, joints.view.words, index, JOINT_WORDS);
  }
  return (kept) => {
    for (const index of living) if (!written.has(index)) copy(sections.attachmentJoints, kept, index, JOINT_WORDS);
  };
}

/** Writes named columns: records first, then rows, column by column. Rows without a character are zeros. */
export function writeNamedColumns({ named, ids }: CrowdState, { columns, columnRows }: Sections): void {
  let end = 0;
  named.list.forEach((column, index) => {
    columns.set(columnRecord(column), index * COLUMN_RECORD_WORDS);
    const { size, words } = column;
    for (let row = 0; row < ids.used; row++) {
      if (ids.lives(row)) columnRows.set(words.view.words.subarray(row * size, (row + 1) * size), end + row * size);
    }
    end += ids.used * size;
  });
}
