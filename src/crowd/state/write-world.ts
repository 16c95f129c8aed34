import { Attachment, ATTACHMENT_NONE, SocketJoint } from '../../stages/place-sockets/layout.ts';
import type { Host } from '../host.ts';
import { providersDigest } from './digest.ts';
import { type Sections, wideWords } from './snapshot.ts';

export const JOINT_WORDS: number = SocketJoint.size / 4;
const FRESH_WORD: number = Attachment.offsets.freshFrame / 4;
export const ATTACHMENT_WORDS: number = Attachment.size / 4;

/** What the header says of origin, ground, attachments and providers. */
export function worldCounts({ places, sockets, providers, shape }: Host): Readonly<Record<string, number>> {
  return {
    attachmentCount: sockets.used,
    freedAttachmentCount: sockets.freed.length,
    groundColumns: places.ground?.columns ?? 0,
    groundRows: places.ground?.rows ?? 0,
    providerRowCount: providers.rows.view.count,
    providersDigest: providersDigest(shape.providers),
  };
}

export function writeWorld({ places, providers }: Host, sections: Sections): void {
  const { origin, ground } = places;
  const numbers = [...origin, ...(ground ? [...ground.origin, ...ground.spacing, ground.lean] : [])];
  sections.world.set(numbers.flatMap(wideWords));
  if (ground) new Float32Array(sections.heights.buffer, sections.heights.byteOffset).set(ground.heights);
  sections.providerRows.set(providers.rows.view.words);
}

/**
 * Writes down what is carried; of free rows only their generations are kept.
 * @param restarts Joints stand where the host knows them, since kernels are lost.
 * @returns What is to be called with the joints as kernels have them.
 */
export function writeAttachments(
  { sockets }: Host,
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
  const told = new Set<number>();
  for (const index of living) {
    copy(sections.attachments, attachments.view.words, index, ATTACHMENT_WORDS);
    // where it goes on nothing has a history
    sections.attachments[index * ATTACHMENT_WORDS + FRESH_WORD] = 0;
    if (!restarts && !joints.isChanged(index)) continue;
    told.add(index);
    copy(sections.attachmentJoints, joints.view.words, index, JOINT_WORDS);
  }
  return (kept) => {
    for (const index of living) if (!told.has(index)) copy(sections.attachmentJoints, kept, index, JOINT_WORDS);
  };
}
