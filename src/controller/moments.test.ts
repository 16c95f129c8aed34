import { describe, expect, test } from 'vitest';
import { leafMoments, writeMoments, type LayerMoments } from './moments.ts';
import { Rows } from './rows.ts';
import { INDEX_NONE, STATE_MOMENTS_ANYTIME, STATE_MOMENTS_SHIFTED } from './tables.ts';

const QUARTER = 2 ** 30;
const STILL = { cycleOffset: 0, cycleParameter: INDEX_NONE, timeParameter: INDEX_NONE };

function leaf(loops: boolean, eventPhases: readonly number[], offset = 0, direction = 1) {
  return leafMoments({ leaf: 2, leafRow: 20, offset, direction, clip: { loops, eventRow: 10, eventPhases } });
}

const shown = (moments: LayerMoments['moments']): LayerMoments[] => [{ layer: 3, motionRow: 7, moments }];

/** Phases that a state checks, those of all its moments, and the words of their records. */
function written(moments: LayerMoments['moments'], offset: Parameters<typeof writeMoments>[2] = STILL) {
  const rows = new Rows();
  const { momentRow, momentCount, distinctRowCount, flags } = writeMoments(rows, shown(moments), offset);
  const words = [...rows.words];
  const phaseRow = momentRow + distinctRowCount;
  const recordRow = phaseRow + Math.ceil(momentCount / 4);
  return {
    distinct: words.slice(4 * momentRow, 4 * phaseRow),
    phases: words.slice(4 * phaseRow, 4 * phaseRow + momentCount),
    records: words.slice(4 * recordRow, 4 * (recordRow + momentCount)),
    flags,
  };
}

describe('moments of a clip', () => {
  const phases = (moments: LayerMoments['moments']) => moments.map(({ phase }) => phase);

  test('without an offset they are where the clip has them', () => {
    expect(leaf(true, [0, QUARTER])).toEqual([
      { phase: 0, loops: true, leaf: 2, leafRow: 20, eventRow: 10 },
      { phase: QUARTER, loops: true, leaf: 2, leafRow: 20, eventRow: 11 },
    ]);
  });

  test('an offset moves those of a looping clip only', () => {
    expect(phases(leaf(true, [0, QUARTER], QUARTER))).toEqual([3 * QUARTER, 0]);
    expect(phases(leaf(false, [0, QUARTER], QUARTER))).toEqual([0, QUARTER]);
  });

  test('mirrored in time they are counted from the other end; a clip without motion has none', () => {
    expect(phases(leaf(true, [0, QUARTER], 0, -1))).toEqual([0, 3 * QUARTER]);
    expect(leaf(true, [0, QUARTER], 0, 0)).toEqual([]);
  });
});

describe('moments of a state', () => {
  test('each phase once, the last one again until the row is full; records in the order of moments', () => {
    const { distinct, phases, records, flags } = written([...leaf(true, [5, QUARTER]), ...leaf(false, [5])]);
    expect(distinct).toEqual([5, QUARTER, QUARTER, QUARTER]);
    expect(phases).toEqual([5, QUARTER, 5]);
    expect(records).toEqual([20, 10, 7, 0x43, 20, 11, 7, 0x43, 20, 10, 7, 0x43]);
    expect(flags).toBe(0);
  });

  test('the state’s offset moves looping clips, unless a parameter replaces it or the time', () => {
    const moments = [...leaf(true, [QUARTER]), ...leaf(false, [QUARTER])];
    expect(written(moments, { ...STILL, cycleOffset: QUARTER }).phases).toEqual([0, QUARTER]);
    expect(written(moments, { ...STILL, cycleOffset: QUARTER, timeParameter: 1 }).phases).toEqual([QUARTER, QUARTER]);
    const parameter = { ...STILL, cycleOffset: QUARTER, cycleParameter: 1 };
    expect(written(leaf(true, [QUARTER]), parameter)).toMatchObject({
      phases: [QUARTER],
      flags: STATE_MOMENTS_SHIFTED,
    });
    expect(written(leaf(false, [QUARTER]), parameter)).toMatchObject({ phases: [QUARTER], flags: 0 });
    expect(written(moments, parameter).flags).toBe(STATE_MOMENTS_ANYTIME);
  });

  test('a state without events has none', () => {
    expect(written([])).toEqual({ distinct: [], phases: [], records: [], flags: 0 });
  });
});
