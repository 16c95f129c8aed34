import { describe, expect, it } from 'vitest';
import { poseByList, type WriteRecord } from '../../../test/support/pose-list.ts';
import {
  HALF_TURN,
  QUARTER_TURN,
  clipOf,
  heldAt,
  jointAt,
  smallModel,
  trackOf,
} from '../../../test/support/small-model.ts';
import { resolveMotion } from '../../character/format/clip-format.ts';
import { View } from '../../layout/index.ts';
import {
  LAYER_ADDITIVE,
  LAYER_OVERRIDE,
  LAYER_SET,
  LAYER_TURN,
  MASK_NONE,
  MOTION_LAYER,
  MOTION_ROWS,
  Motion,
} from '../layout.ts';
import { readModifier, writeModifier, writeMotion, type LaneModifier } from '../motion-record.ts';

const motion =
  (clip: number, weight = 1): WriteRecord =>
  (motions, row, { rig, typeRow }) =>
    writeMotion(motions, row, resolveMotion(rig, typeRow, clip, 0), weight);

const layer =
  (mode: number): WriteRecord =>
  (motions, row) =>
    new View(Motion, motions.buffer, row * 16, 1).assign(0, {
      kind: MOTION_LAYER,
      value0: mode,
      weight: 1,
      trackPair: MASK_NONE,
    });

const modifier =
  (modifier: LaneModifier): WriteRecord =>
  (motions, row) =>
    writeModifier(motions, row, modifier);

/** A joint at (4, 0, 0) and one at (2, 0, 0) of it; the first clip moves the second to (8, 4, 2) and turns it by 90°. */
const model = smallModel({
  joints: [jointAt([4, 0, 0]), jointAt([2, 0, 0], { parentIndex: 0 })],
  clips: [
    clipOf(0, heldAt('translation', 1, [8, 4, 2]), heldAt('rotation', 1, QUARTER_TURN)),
    clipOf(0, heldAt('translation', 1, [0, 0, 2])),
  ],
});

const pose = (...records: WriteRecord[]) => poseByList(model, records).entries;

/** Rows of a turn about Z and a shift. */
function turned(degrees: number, [x, y, z]: readonly [number, number, number]): number[] {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return [cos, -sin, 0, x, sin, cos, 0, y, 0, 0, 1, z];
}

function expectEntry(actual: readonly number[] | undefined, expected: readonly number[]): void {
  expected.forEach((value, c) => expect(actual?.[c], `number ${c}`).toBeCloseTo(value, 6));
}

const about = (degrees: number) =>
  [0, 0, Math.sin((degrees * Math.PI) / 360), Math.cos((degrees * Math.PI) / 360)] as const;

describe('a modifier that sets a joint', () => {
  const set = (parts: Partial<LaneModifier>) => modifier({ mode: LAYER_SET, lane: 1, weight: 1, ...parts });

  it('replaces the clips’ values, in its own parts only', () => {
    const onlyTurn = pose(motion(0), set({ rotation: [...about(30)] }));
    expectEntry(onlyTurn[0], turned(0, [4, 0, 0]));
    expectEntry(onlyTurn[1], turned(30, [12, 4, 2]));
    const onlyHeight = pose(motion(0), set({ translation: [undefined, 1, undefined] }));
    expectEntry(onlyHeight[1], turned(90, [12, 1, 2]));
    const place = pose(motion(0), set({ translation: [-1, undefined, -3] }));
    expectEntry(place[1], turned(90, [3, 4, -3]));
  });

  it('is mixed in by its weight', () => {
    const posed = pose(motion(0), set({ weight: 0.25, translation: [0, 0, 0], rotation: [0, 0, 0, 1] }));
    // ¾ of (0, 0, √½, √½) and ¼ of (0, 0, 0, 1)
    const half = Math.atan2(0.75 * Math.SQRT1_2, 0.75 * Math.SQRT1_2 + 0.25);
    expectEntry(posed[1], turned((2 * half * 180) / Math.PI, [10, 3, 1.5]));
  });

  it('takes the short way between q and −q', () => {
    const opposite = about(0).map((c) => -c) as [number, number, number, number];
    expectEntry(pose(motion(0), set({ weight: 0.5, rotation: opposite }))[1], turned(45, [12, 4, 2]));
  });

  it('works where nothing plays, and carries the joints below', () => {
    const posed = pose(set({ lane: 0, rotation: [...QUARTER_TURN] }));
    expectEntry(posed[0], turned(90, [4, 0, 0]));
    expectEntry(posed[1], turned(90, [4, 2, 0]));
  });

  it('does nothing with a weight of 0', () => {
    expectEntry(
      pose(motion(0), set({ weight: 0, translation: [9, 9, 9], rotation: [...HALF_TURN] }))[1],
      turned(90, [12, 4, 2]),
    );
  });
});

describe('a modifier that turns a joint', () => {
  const turn = (parts: Partial<LaneModifier>) => modifier({ mode: LAYER_TURN, lane: 1, weight: 1, ...parts });

  it('appends its rotation, and adds its translation', () => {
    const posed = pose(motion(0), turn({ rotation: [...about(20)], translation: [1, undefined, -1] }));
    expectEntry(posed[1], turned(110, [13, 4, 1]));
  });

  it('turns in the space of the joint', () => {
    // about X first, then the clip's quarter turn about Z: x goes to y, y to z, z to x
    const posed = pose(motion(0), turn({ rotation: [Math.SQRT1_2, 0, 0, Math.SQRT1_2] }));
    expectEntry(posed[1], [0, 0, 1, 12, 1, 0, 0, 4, 0, 1, 0, 2]);
  });

  it('goes a share of the way by its weight', () => {
    const posed = pose(motion(0), turn({ weight: 0.5, rotation: [...QUARTER_TURN], translation: [2, 4, 8] }));
    expectEntry(posed[1], turned(135, [13, 6, 6]));
  });

  it('may come many times', () => {
    const ten = Array.from({ length: 10 }, () => turn({ rotation: [...about(9)], translation: [0.5, 0, 0] }));
    expectEntry(pose(motion(0), ...ten)[1], turned(180, [17, 4, 2]));
  });
});

describe('the place of a modifier in the list', () => {
  const set = modifier({ mode: LAYER_SET, lane: 1, weight: 1, translation: [1, 1, 1] });

  it('is applied over earlier records, and under later ones', () => {
    expectEntry(pose(motion(0), set, layer(LAYER_ADDITIVE), motion(1))[1], turned(90, [5, 1, 3]));
    expectEntry(pose(motion(0), layer(LAYER_ADDITIVE), motion(1), set)[1], turned(90, [5, 1, 1]));
    expectEntry(pose(motion(0), set, layer(LAYER_OVERRIDE), motion(1))[1], turned(90, [4, 0, 2]));
  });

  it('leaves motions that follow it without a layer', () => {
    expectEntry(pose(motion(0), set, motion(1))[1], turned(90, [5, 1, 1]));
  });
});

describe('a modifier of morph weights', () => {
  const morphSets = [{ nodeIndex: 0, names: ['a', 'b', 'c', 'd'], weights: [0.5, 0, 0.25, 1] }];
  const clips = [clipOf(0, trackOf('weights', 0, 'LINEAR', [0, 0.1, 0.2, 0.3, 0.4]))];
  const face = smallModel({ morphSets, clips });
  const weights = (...records: WriteRecord[]) => poseByList(face, records).morphs;
  const expectWeights = (actual: readonly number[], expected: readonly number[]) =>
    expected.forEach((weight, w) => expect(actual[w], `weight ${w}`).toBeCloseTo(weight, 6));

  it('sets three at a time, those that it names', () => {
    const first = modifier({ mode: LAYER_SET, lane: 1, weight: 1, translation: [undefined, 0.75, 0] });
    expectWeights(weights(motion(0), first), [0.1, 0.75, 0, 0.4, 0, 0]);
    const second = modifier({ mode: LAYER_SET, lane: 2, weight: 0.5, translation: [0, undefined, undefined] });
    expectWeights(weights(motion(0), second), [0.1, 0.2, 0.3, 0.2, 0, 0]);
  });

  it('adds to them', () => {
    const record = modifier({ mode: LAYER_TURN, lane: 1, weight: 0.5, translation: [1, undefined, -1] });
    expectWeights(weights(motion(0), record), [0.6, 0.2, -0.2, 0.4, 0, 0]);
  });
});

describe('the record of a modifier', () => {
  it('is read as it was written, and takes nothing from the record that stood there', () => {
    const motions = new Uint32Array(3 * MOTION_ROWS * 4).fill(0xabababab);
    const written: LaneModifier = {
      mode: LAYER_TURN,
      lane: 7,
      weight: 0.5,
      rotation: [0.5, -0.5, 0.5, 0.5],
      translation: [undefined, -2.5, 0],
    };
    writeModifier(motions, MOTION_ROWS, written);
    expect(readModifier(motions, MOTION_ROWS)).toEqual(written);
    const others = [...motions.subarray(0, MOTION_ROWS * 4), ...motions.subarray(2 * MOTION_ROWS * 4)];
    expect(new Set(others)).toEqual(new Set([0xabababab]));
    writeModifier(motions, MOTION_ROWS, { mode: LAYER_SET, lane: 0, weight: 1, translation: [1, 2, 3] });
    expect(readModifier(motions, MOTION_ROWS)).toEqual({ mode: LAYER_SET, lane: 0, weight: 1, translation: [1, 2, 3] });
  });
});
