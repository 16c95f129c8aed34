import { Attachment, ATTACHMENT_NONE, SocketJoint } from '../stages/place-sockets/layout.ts';
import { floatsBefore } from '../frame/tables/named-columns.ts';
import type { CrowdType } from '../frame/tables/crowd-types.ts';
import type { CrowdState } from '../crowd/crowd-state.ts';
import { COLUMN_RECORD_WORDS, columnRecord } from './column-record.ts';
import { providersDigest } from './digest.ts';
import { type Sections, wideWords } from './snapshot.ts';

export const JOINT_WORDS: number = SocketJoint.size / 4;
const FRESH_WORD: number = Attachment.offsets.freshFrame / 4;
export const ATTACHMENT_WORDS: number = Attachment.size / 4;

/** Header fields for origin, ground, attachments and providers. */
export function worldCounts(host: CrowdState): Readonly<Record<string, number>> {
  const { places, sockets, providers, shape } = host;
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
  };
}

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

/** Header fields for named columns. */
export function columnCounts({ named }: CrowdState): { readonly columnCount: number; readonly columnFloats: number } {
  return { columnCount: named.list.length, columnFloats: floatsBefore(named.list, named.list.length) };
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
