import type { View } from '../../layout/index.ts';
import { paletteRowOf, visibleRowOf, type VisibleRows } from '../visible-row.ts';
import { JOINT_KEPT, JOINT_POSED, JOINT_UNSEEN, type AskedJoint, type JointAnswer } from './layout.ts';

export interface ReadJointsViews {
  readonly rows: VisibleRows;
  readonly palettes: Float32Array;
  readonly asked: View<(typeof AskedJoint)['fields']>;
  readonly answers: View<(typeof JointAnswer)['fields']>;
}

/** Reads joints as they were posed in the last frame with views. */
export function readJoints({ rows, palettes, asked, answers }: ReadJointsViews): void {
  for (let i = 0; i < asked.count; i++) {
    const character = asked.get(i, 'character');
    const isListed = visibleRowOf(rows, character) !== undefined;
    const paletteRow = isListed ? paletteRowOf(rows, character) : undefined;
    const status = paletteRow !== undefined ? JOINT_POSED : isListed ? JOINT_KEPT : JOINT_UNSEEN;
    answers.set(i, 'status', status);
    const at = 4 * ((paletteRow ?? 0) + asked.get(i, 'jointRow'));
    const isPosed = paletteRow !== undefined;
    answers.set(i, 'modelFromJoint', isPosed ? palettes.subarray(at, at + 12) : new Float32Array(12));
  }
}
