// What the host is told of joints: posed, kept, not seen.
import { expect, test } from 'vitest';
import { View } from '../../layout/index.ts';
import { ROW_NONE, SlotState, VisibleCharacter } from '../layout.ts';
import { AskedJoint, JOINT_KEPT, JOINT_POSED, JOINT_UNSEEN, JointAnswer } from './layout.ts';
import { readJoints } from './reference.ts';

test('joints are reported as they were posed, and the others apart', () => {
  const [slots, visible] = [new View(SlotState, 4), new View(VisibleCharacter, 3)];
  // 0 is posed, 1 keeps its pose, 2 follows 0, 3 was listed in an earlier frame
  visible.assign(0, { character: 0, paletteRow: 0 });
  visible.assign(1, { character: 1, paletteRow: ROW_NONE });
  visible.assign(2, { character: 2, paletteRow: ROW_NONE });
  slots.assign(0, { slot: 1, visibleRow: 0 });
  slots.assign(1, { slot: 2, visibleRow: 1 });
  slots.assign(2, { slot: 0, held: 1, visibleRow: 2 });
  slots.assign(3, { slot: 4, visibleRow: 1 });
  const asked = new View(AskedJoint, 4);
  for (let i = 0; i < 4; i++) asked.assign(i, { character: i, jointRow: 3 });
  const palettes = Float32Array.from({ length: 24 }, (_, i) => i);
  const answers = new View(JointAnswer, 4);
  answers.words.fill(9);
  readJoints({ rows: { slots, visible, visibleCount: 3 }, palettes, asked, answers });
  const states = Array.from({ length: 4 }, (_, i) => answers.get(i, 'status'));
  expect(states).toEqual([JOINT_POSED, JOINT_KEPT, JOINT_POSED, JOINT_UNSEEN]);
  const rows = (i: number) => answers.get(i, 'modelFromJoint');
  expect(rows(0)).toEqual(Array.from({ length: 12 }, (_, i) => 12 + i));
  expect(rows(2)).toEqual(rows(0));
  expect(rows(1)).toEqual(Array<number>(12).fill(0));
});
