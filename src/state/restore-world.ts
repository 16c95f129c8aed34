import { View } from '../layout/index.ts';
import { Attachment, ATTACHMENT_FLAGS, ATTACHMENT_HIDDEN, ATTACHMENT_NONE } from '../stages/place-sockets/layout.ts';
import { quoted, reasonOf } from '../errors.ts';
import { floatsBefore } from '../frame/tables/named-columns.ts';
import type { CrowdType } from '../frame/tables/crowd-types.ts';
import { socketAt } from '../crowd/rows/find-socket.ts';
import { checkGround } from '../crowd/ground.ts';
import type { CrowdState } from '../crowd/crowd-state.ts';
import type { Origin } from '../crowd/placement.ts';
import { isColumnName, NAME_LENGTH, type ColumnPlan } from '../crowd/rows/column-plan.ts';
import { wrongOffset } from './check-rows.ts';
import { COLUMN_RECORD_WORDS, DEFAULT_WORD, NAME_WORD } from './column-record.ts';
import { providersDigest } from './digest.ts';
import { type HeaderView, LOOK_VIEWS, LOOK_WORDS, type Sections, wideFloats } from './snapshot.ts';
import { ATTACHMENT_WORDS, JOINT_WORDS } from './write-world.ts';

type Refuse = (at: string, message: string) => never;

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

/** Checks attachments, as far as kernels rely on them. @param types The character type in each row. */
export function checkAttachments(
  { shape }: CrowdState,
  sections: Sections,
  types: readonly (CrowdType | undefined)[],
  refuse: Refuse,
): void {
  const { attachments, attachmentJoints, attachmentOrder, freedAttachments, looks } = sections;
  const rows = new View(Attachment, attachments.buffer, attachments.byteOffset, attachments.length / ATTACHMENT_WORDS);
  for (const index of freedAttachments) {
    if (rows.get(index, 'character') !== ATTACHMENT_NONE) refuse('attachments', `${index} is free, and carried.`);
  }
  for (const index of attachmentOrder) {
    const row = rows.get(index, 'character');
    const type = types[row];
    if (!type) refuse('attachments', `${index} has no carrier.`);
    const jointRow = rows.get(index, 'jointRow');
    if (!socketAt(shape.tables, type, jointRow)) refuse('attachments', `${index} hangs on ${jointRow}: no socket.`);
    const flags = rows.get(index, 'flags');
    const isHidden = looks[LOOK_WORDS * row + LOOK_VIEWS] === 0;
    const isWrong = flags > ATTACHMENT_FLAGS || ((flags & ATTACHMENT_HIDDEN) !== 0) !== isHidden;
    if (isWrong || rows.get(index, 'freshFrame') !== 0) refuse('attachments', `${index} has flags ${flags}.`);
    const wrong = wrongOffset(floatsAt(attachments, (index + 1) * ATTACHMENT_WORDS - 12, 12));
    if (wrong) refuse('attachments', `${index} ${wrong}.`);
    const strayed = wrongOffset(floatsAt(attachmentJoints, index * JOINT_WORDS, JOINT_WORDS));
    if (strayed) refuse('attachments', `the joint of ${index} ${strayed}.`);
  }
}

/** Restores origin, ground and providers' rows in a new host. @throws ManipleError DEVICE_LIMIT */
export function restoreWorld(
  { places, providers, backend }: CrowdState,
  header: HeaderView,
  sections: Sections,
  refuse: Refuse,
): void {
  const [x, y, z, gx, gy, gz, along, across, lean] = wideFloats(sections.world) as [
    number,
    number,
    number,
    ...number[],
  ];
  if (![x, y, z].every(Number.isFinite)) refuse('world', `the origin is ${x}, ${y}, ${z}.`);
  const origin: Origin = [x, y, z];
  places.restoreOrigin(origin);
  const [columns, rows] = [header.get(0, 'groundColumns'), header.get(0, 'groundRows')];
  if (columns > 0) {
    const heights = floatsAt(sections.heights, 0, columns * rows);
    const ground = {
      heights,
      columns,
      rows,
      origin: [gx!, gy!, gz!],
      spacing: [along!, across!],
      lean: lean!,
    } as const;
    if (heights.byteLength <= backend.limits.bindingBytes) {
      try {
        places.ground = checkGround(ground, backend.limits.bindingBytes);
      } catch (thrown) {
        refuse('heights', reasonOf(thrown));
      }
    } else checkGround(ground, backend.limits.bindingBytes);
  }
  providers.rows.view.words.set(sections.providerRows);
  providers.rows.changed(0, sections.providerRows.length / 4);
}

/** Restores the providers' rows per character. All rows have their characters by then. */
export function restoreProviders({ providers }: CrowdState, { providerCharacters }: Sections): void {
  providers.characters.view.words.set(providerCharacters);
  providers.characters.changed(0, providerCharacters.length / 4);
}

/** Restores attachments. All rows have their characters by then. @throws ManipleError CROWD_LIMIT */
export function restoreAttachments({ sockets, frame }: CrowdState, sections: Sections): void {
  const { attachmentGenerations, attachments, attachmentJoints, attachmentOrder, freedAttachments } = sections;
  const saved = {
    generations: attachmentGenerations,
    freed: freedAttachments,
    order: attachmentOrder,
    attachments,
    joints: attachmentJoints,
  };
  sockets.restore(saved, frame + 1);
}

function floatsAt(
  { buffer, byteOffset }: Uint32Array<ArrayBuffer>,
  word: number,
  count: number,
): Float32Array<ArrayBuffer> {
  return new Float32Array(buffer, byteOffset + 4 * word, count);
}

type RefuseColumn = (message: string) => never;

/** Reads an untrusted record. */
export function readColumnRecord(words: ArrayLike<number>, refuse: RefuseColumn): ColumnPlan {
  const own = Uint32Array.from(words);
  const [size, length] = [own[0]! & 0xff, own[0]! >>> 8];
  if (size < 1 || size > 4 || length > NAME_LENGTH)
    refuse(`a column has ${size} floats and a name of ${length} letters`);
  const name = new TextDecoder().decode(new Uint8Array(own.buffer, 4 * NAME_WORD, length));
  if (!isColumnName(name)) refuse(`a column has the name ${quoted(name)}`);
  const initial = Array.from(new Float32Array(own.buffer, 4 * DEFAULT_WORD, size));
  if (!initial.every(Number.isFinite)) refuse(`the column ${quoted(name)} begins with ${initial.join(', ')}`);
  return { name, size, initial };
}

/** Named columns of a snapshot. Its header is checked by then. */
export function readNamedColumns({ columns }: Sections, columnFloats: number, refuse: RefuseColumn): ColumnPlan[] {
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
