// The table of changes: logs of earlier versions have its codes.
import { expect, test } from 'vitest';
import { CHANGES } from '../../src/crowd/changes.ts';

test('changes keep their codes and the order of their fields', () => {
  const rows = Object.entries(CHANGES).map(
    ([kind, { code, fields }]) => `${code} ${kind} ${Object.values(fields).join(' ')}`,
  );
  expect(rows).toEqual([
    '1 spawn count count',
    '2 despawn row',
    '3 hideParts row twoWords',
    '4 showParts row twoWords',
    '5 timeScale float',
    '6 grow count',
    '7 addCharacter character',
    '8 removeCharacter count',
    '9 poseSource row row',
    '10 resetHistory row',
    '11 tint row word',
    '12 ground ground',
    '13 followGround row flag',
    '14 origin origin',
    '15 attach row count flag matrix',
    '16 attachmentOffset attachment matrix',
    '17 detach attachment',
    '18 addColumn column',
    '19 hidden row flag',
  ]);
});
