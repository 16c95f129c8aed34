import { View } from '../layout/index.ts';
import { CullParams, SlotExtent, SlotMove } from '../stages/cull-characters/layout.ts';
import { SLOT_UNIT } from '../stages/layout.ts';
import type { CapturedSpace } from './arrays.ts';
import type { CapturedArrays } from './capture.ts';
import type { CaptureReport } from './form.ts';

/** Checks extents and moves of slots, because twins use them as counts. */
export function checkMoves(inputs: CapturedArrays, { shape, numbers }: CapturedSpace, report: CaptureReport): void {
  const { capacities, copies: known, parkCapacity } = shape.classes;
  if (!inputs.extents) return;
  const extents = new View(SlotExtent, inputs.extents.slice().buffer);
  const moves = new View(SlotMove, inputs.moves!.slice().buffer);
  const params = new View(CullParams, inputs.params!.slice().buffer);
  const count = params.get(0, 'extentCount');
  const most = Math.max(0, ...numbers.pageVertices);
  const copies = params.get(0, 'copyCount');
  if (copies !== known) report.corrupt('params', `has ${copies} copies, not ${known}.`);
  if (count > extents.count) return report.corrupt('params', `has ${count} extents of ${extents.count}.`);
  if (params.get(0, 'parkCapacity') > parkCapacity) report.corrupt('params', `parks more than ${parkCapacity} slots.`);
  for (let e = 0; e < extents.count; e++) {
    const classes = Math.max(extents.get(e, 'slotClass'), extents.get(e, 'homeClass'));
    if (classes >= capacities.length) report.corrupt(`extents/${e}`, `is of class ${classes} of ${capacities.length}.`);
    if (extents.get(e, 'unitCount') * SLOT_UNIT > most) report.corrupt(`extents/${e}`, 'is larger than a page.');
  }
  const moving = moves.get(0, 'extentCount');
  const end = moves.get(0, 'firstExtent') + moving;
  if (moving > 0 && end > count) report.corrupt('moves', `ends at extent ${end} of ${count}.`);
  const classes = Math.max(moves.get(0, 'fromClass'), moves.get(0, 'toClass'));
  if (classes >= capacities.length) report.corrupt('moves', `is of class ${classes} of ${capacities.length}.`);
  const parked = moves.get(0, 'parkedCount');
  if (parked > parkCapacity)
    report.corrupt('moves', `has ${parked} slots that wait; there is room for ${parkCapacity}.`);
}
