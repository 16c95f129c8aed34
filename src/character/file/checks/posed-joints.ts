import type { CharacterMesh } from '../../character.ts';
import type { Description } from '../description.ts';
import type { Report } from '../report.ts';

/** Proves that the joints of a level make a skeleton: they exist, rise, and lack no root and no parent. */
export function checkPosedJoints(
  { posedJoints }: Pick<CharacterMesh, 'posedJoints'>,
  { joints }: Description,
  report: Report,
): void {
  if (!posedJoints) return;
  const posed = new Set(posedJoints);
  posedJoints.forEach((joint, index) => {
    const path = `json/posedJoints/${index}`;
    if (joint >= joints.length) return report.corrupt(path, `is ${joint} of ${joints.length} joints.`);
    if (joint <= (posedJoints[index - 1] ?? -1)) return report.corrupt(path, `is ${joint}; joints rise.`);
    const { parentIndex } = joints[joint]!;
    if (parentIndex >= 0 && !posed.has(parentIndex)) {
      report.corrupt(path, `is ${joint}, and its parent ${parentIndex} is not posed.`);
    }
  });
  joints.forEach(({ parentIndex }, joint) => {
    if (parentIndex < 0 && !posed.has(joint)) report.corrupt('json/posedJoints', `lacks the root ${joint}.`);
  });
}
