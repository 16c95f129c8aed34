import { View } from '../../src/layout/index.ts';
import { ROW_NONE, SlotState, Transform, VisibleCharacter } from '../../src/stages/layout.ts';
import {
  Attachment,
  ATTACHMENT_HIDES,
  ATTACHMENT_NONE,
  PreviousLocal,
  SocketJoint,
} from '../../src/stages/place-sockets/layout.ts';
import { AskedJoint } from '../../src/stages/read-joints/layout.ts';
import type { Random } from './random.ts';

/** Rows of one palette. */
const STRIDE = 12;
const LAST_FRAME = 10;

/** A crowd of which some are listed, some of those posed, some follow others; list entries of earlier frames among them. */
export function socketScene(random: Random, characterCount: number, attachmentCount: number) {
  const slots = new View(SlotState, characterCount);
  const visible = new View(VisibleCharacter, characterCount);
  const [transforms, previousTransforms] = [new View(Transform, characterCount), new View(Transform, characterCount)];
  let [visibleCount, paletteRow] = [0, 0];
  const listed: number[] = [];
  const list = (character: number, isPosed: boolean) => {
    const views = random.pick([0, 1, 0x80000000, 0xffffffff]);
    visible.assign(visibleCount, { character, paletteRow: isPosed ? paletteRow : ROW_NONE, views });
    slots.set(character, 'visibleRow', visibleCount++);
    if (isPosed) paletteRow += STRIDE;
  };
  for (let i = 0; i < characterCount; i++) {
    const reach = random.pick([1, 100, 5000]);
    const scale = random.pick([1, 0.01, -2, random.range(0.5, 3)]);
    for (const column of [transforms, previousTransforms]) {
      column.assign(i, { position: random.vector(reach), rotation: random.quaternion(Math.PI), scale });
    }
    // where it stood in some earlier frame
    slots.assign(i, { visibleRow: random.integer(0, characterCount - 1), slot: random.integer(0, 3) });
    if (slots.get(i, 'slot') !== 0) slots.set(i, 'held', random.integer(0, 9));
    if (!random.chance(0.6)) continue;
    if (listed.length > 0 && random.chance(0.3)) {
      slots.assign(i, { slot: 0, held: 1 + random.pick(listed) });
      list(i, false);
    } else {
      slots.assign(i, { slot: random.integer(1, 1000), held: random.integer(0, 0xffff) });
      list(i, random.chance(0.7));
      listed.push(i);
    }
  }
  // what is left of a longer list
  for (let row = visibleCount; row < characterCount; row++) {
    visible.assign(row, { character: random.integer(0, characterCount - 1), paletteRow: 0, views: 1 });
  }
  const palettes = Float32Array.from({ length: 4 * (paletteRow + STRIDE) }, () => random.range(-2, 2));
  const attachments = new View(Attachment, attachmentCount);
  const joints = new View(SocketJoint, attachmentCount);
  const previousLocals = new View(PreviousLocal, attachmentCount);
  const matrix = () => Array.from({ length: 3 }, () => [...random.vector(1), random.range(-3, 3)]).flat();
  const jointRow = () => 3 * random.integer(0, STRIDE / 3 - 1);
  for (let i = 0; i < attachmentCount; i++) {
    const jointFromLocal = matrix();
    attachments.assign(i, {
      character: random.chance(0.1) ? ATTACHMENT_NONE : random.integer(0, characterCount - 1),
      jointRow: jointRow(),
      flags: random.chance(0.3) ? ATTACHMENT_HIDES : 0,
      freshFrame: random.integer(1, 2 * LAST_FRAME),
      jointFromLocal,
    });
    joints.assign(i, { modelFromJoint: matrix() });
    // others were not listed in the last frame
    if (random.chance(0.6)) previousLocals.assign(i, { modelFromLocal: matrix() });
  }
  const asked = new View(AskedJoint, attachmentCount);
  for (let i = 0; i < attachmentCount; i++) {
    asked.assign(i, { character: random.integer(0, characterCount - 1), jointRow: jointRow() });
  }
  const history = { previousTransforms, previousLocals, lastFrame: LAST_FRAME };
  return { slots, visible, visibleCount, transforms, palettes, attachments, joints, asked, history };
}
