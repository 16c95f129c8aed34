import { ANIMATOR_NONE, AnimatorHead } from '../controller/eval/layout.ts';
import { CharacterType } from '../character/format/rig-layout.ts';
import { firstSharedRow } from '../frame/tables/sharing.ts';
import { View } from '../layout/index.ts';
import { CullParams, ShareParams, SHARES_NONE } from '../stages/cull-characters/layout.ts';
import { Player, PLAYER_LOOPS, PLAYER_NONE } from '../stages/gather-motions/layout.ts';
import { Resident, RESIDENT_NONE } from '../stages/layout.ts';
import type { CapturedSpace } from './arrays.ts';
import type { CapturedArrays } from './capture.ts';
import type { CaptureReport } from './form.ts';

/**
 * Checks that all living characters have types of the crowd, have pose sources within its capacity, and share poses of
 * their type.
 */
export function checkResidents(inputs: CapturedArrays, { shape }: CapturedSpace, report: CaptureReport): void {
  const { tables, capacity, sharing } = shape;
  const residents = new View(Resident, inputs.residents!.slice().buffer);
  const count = new View(CullParams, inputs.params!.slice().buffer).get(0, 'characterCount');
  const share = sharing && new View(ShareParams, inputs.shareParams!.slice().buffer);
  const sharers = share ? share.get(0, 'characterCount') : 0;
  const checkClips = clipCheck(inputs, shape, report);
  for (let i = 0; i < count; i++) {
    const type = residents.get(i, 'typeIndex');
    if (type === RESIDENT_NONE) continue;
    const path = `residents/${i}`;
    if (type >= tables.types.length) report.corrupt(path, `is of type ${type} of ${tables.types.length}.`);
    else if (residents.get(i, 'leader') >= capacity) report.corrupt(path, 'follows nobody that there is.');
    else {
      checkClips(i, tables.types[type]!.typeRow);
      const [value, first] = [inputs.sharers?.[i] ?? SHARES_NONE, firstSharedRow(shape, type)];
      if (i < sharers && value !== SHARES_NONE && value !== first) {
        report.corrupt(`sharers/${i}`, `is ${value}, not ${first}.`);
      }
    }
  }
}

/** Returns a check for characters with clip players: their type has the clips. */
export function clipCheck(
  { players, animators }: CapturedArrays,
  { tables: { rig, types }, controllers, playerCapacity }: CapturedSpace['shape'],
  report: CaptureReport,
): (character: number, typeRow: number) => void {
  const played = new View(Player, players!.slice().buffer);
  const heads = controllers && new View(AnimatorHead, animators!.slice().buffer);
  const { buffer, byteOffset } = rig.words;
  const countOf = new Map(
    types.map(({ typeRow }) => [
      typeRow,
      new View(CharacterType, buffer, byteOffset + 16 * typeRow, 1).get(0, 'clipCount'),
    ]),
  );
  return (character, typeRow) => {
    if (heads && heads.get(character, 'controllerRow') !== ANIMATOR_NONE) return;
    for (let row = character * playerCapacity; row < (character + 1) * playerCapacity; row++) {
      const clip = played.get(row, 'clip');
      if (clip === PLAYER_NONE || (clip & ~PLAYER_LOOPS) >>> 0 < countOf.get(typeRow)!) continue;
      report.corrupt(`players/${row}`, `plays clip ${clip}, which its type does not have.`);
    }
  };
}
