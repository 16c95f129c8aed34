import { describe, expect, it } from 'vitest';
import {
  HALF_TURN,
  NO_TURN,
  QUARTER_TURN,
  bindingOf,
  clipOf,
  heldAt,
  jointAt,
  smallModel,
  trackOf,
} from '../../../test/support/small-model.ts';
import { RigTable, resolveMotion } from '../../character/format/clip-format.ts';
import type { CharacterModel, TrackModel } from '../../character/model.ts';
import { packCharacter, type PackOptions } from '../../character/pack/index.ts';
import { TYPE_LARGE } from '../../character/format/rig-layout.ts';
import { joinTables } from '../../frame/tables/crowd-types.ts';
import { View } from '../../layout/index.ts';
import { writeMotion } from '../motion-record.ts';
import {
  LAYER_ADDITIVE,
  LAYER_OVERRIDE,
  MASK_NONE,
  MOTION_END,
  MOTION_LAYER,
  MOTION_ROWS,
  Motion,
  VisibleCharacter,
} from '../layout.ts';
import { poseJoints } from './reference.ts';

/** A clip of the model at a phase (0 … 1), with its weight. */
type Played = readonly [clip: number, phase: number, weight: number];

interface Layer {
  readonly mode: number;
  readonly weight: number;
  /** A byte per joint. */
  readonly mask?: readonly number[];
  readonly motions: readonly Played[];
}

const UNTOUCHED = -77;

interface Posed {
  /** Rows of a palette entry: modelFromMesh. */
  entry(index: number): number[][];
  /** Morph weights, three to a row. */
  readonly morphs: number[];
  /** How the first clip was packed. */
  readonly form: string | undefined;
}

/** Poses one character by hand-written lists. The table's first type is another one, so that no row is 0. */
function poseOf(
  model: CharacterModel,
  base: readonly Played[],
  { layers = [], ...options }: PackOptions & { readonly layers?: readonly Layer[] } = { errorBudget: 0 },
): Posed {
  const characters = [smallModel(), model].map((each) => packCharacter(each, options));
  const tables = joinTables(characters, { serialPoses: false, layers: true });
  const { typeRow, paletteCount, paletteStride, laneCount } = tables.types[1]!;
  const maskPair = tables.rig.words.length / 2;
  const rig = new RigTable(Uint32Array.from([...tables.rig.words, ...layers.flatMap(({ mask }) => maskWords(mask))]));
  const capacity = base.length + layers.reduce((sum, { motions }) => sum + 1 + motions.length, 0) + 2;
  const motions = new Uint32Array(capacity * MOTION_ROWS * 4);
  const records = new View(Motion, motions.buffer);
  let count = 0;
  const write = (list: readonly Played[]) => {
    for (const [clip, phase, weight] of list) {
      const fixed = Math.min(0xffffffff, phase * 2 ** 32);
      writeMotion(motions, MOTION_ROWS * count++, resolveMotion(rig, typeRow, clip, fixed), weight);
    }
  };
  write(base);
  layers.forEach(({ mode, weight, mask, motions: list }, index) => {
    const trackPair = mask ? maskPair + MASK_PAIRS * index : MASK_NONE;
    records.assign(count++, { kind: MOTION_LAYER, value0: mode, weight, trackPair });
    write(list);
  });
  records.set(count++, 'kind', MOTION_END);
  // behind the end stands what an earlier frame left there
  write(base.slice(0, 1));
  const paletteRow = 2;
  const visible = new View(VisibleCharacter, 1);
  visible.assign(0, { typeRow, paletteRow, motionRow: 0 });
  const palettes = new Float32Array(4 * (paletteRow + paletteStride + 1)).fill(UNTOUCHED);
  poseJoints({ visible, visibleCount: 1, motionCapacity: capacity, rig, motions, palettes });
  const row = (index: number) => Array.from(palettes.subarray(4 * index, 4 * index + 4));
  for (const outside of [0, 1, paletteRow + paletteStride]) expect(row(outside)).toEqual(row(0).fill(UNTOUCHED));
  const morphLanes = laneCount - model.joints.length;
  return {
    entry: (index) => [0, 1, 2].map((r) => row(paletteRow + 3 * index + r)),
    morphs: Array.from({ length: morphLanes }, (_, lane) =>
      row(paletteRow + 3 * paletteCount + lane).slice(0, 3),
    ).flat(),
    form: characters[1]!.clips[0]?.form,
  };
}

/** Room for eight joints. */
const MASK_PAIRS = 1;

function maskWords(mask: readonly number[] = []): number[] {
  const bytes = new Uint8Array(8 * MASK_PAIRS);
  bytes.set(mask);
  return Array.from(new Uint32Array(bytes.buffer));
}

/** Exact to what floats hold of numbers around 1. */
function expectRows(
  actual: readonly (readonly number[])[],
  expected: readonly (readonly number[])[],
  digits = 6,
): void {
  actual.forEach((row, r) =>
    row.forEach((value, c) => expect(value, `row ${r}, ${c}`).toBeCloseTo(expected[r]![c]!, digits)),
  );
}

/** Three rows of a turn about Z and a shift. */
function turned(degrees: number, [x, y, z]: readonly number[] = [0, 0, 0]): number[][] {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return [
    [cos, -sin, 0, x!],
    [sin, cos, 0, y!],
    [0, 0, 1, z!],
  ];
}

/** The same rotation, on the other side of the sphere. */
const minus = (q: readonly number[]) => q.map((c) => -c);

const shifted = (place: readonly number[]) => turned(0, place);

/** Two joints, 1 apart along X when they rest, and a mesh bound to both as they rest. */
const ARM = {
  joints: [jointAt([0, 0, 0]), jointAt([1, 0, 0], { parentIndex: 0 })],
  bindings: [bindingOf(0, [0, 0, 0]), bindingOf(1, [1, 0, 0])],
};

describe('an arm of two joints', () => {
  it('stays in its bind pose while nothing plays', () => {
    const posed = poseOf(smallModel(ARM), []);
    expectRows(posed.entry(0), shifted([0, 0, 0]));
    expectRows(posed.entry(1), shifted([0, 0, 0]));
  });

  // both joints turn by 90° until half time, and back
  const bend = [0, 1].map((joint) =>
    trackOf('rotation', joint, 'LINEAR', [0, ...NO_TURN], [1, ...QUARTER_TURN], [2, ...NO_TURN]),
  );

  it('is bent by 90° at each joint at half time', () => {
    const posed = poseOf(smallModel({ ...ARM, clips: [clipOf(2, ...bend)] }), [[0, 0.5, 1]]);
    expectRows(posed.entry(0), turned(90));
    // The elbow is at (0, 1, 0), turned by 180° in all, and the mesh's p is at p − (1, 0, 0) of it:
    // x ↦ −(x − 1), y ↦ 1 − y, so that the hand, at (2, 0, 0) in the mesh, comes to (−1, 1, 0).
    expectRows(posed.entry(1), [
      [-1, 0, 0, 1],
      [0, -1, 0, 1],
      [0, 0, 1, 0],
    ]);
  });

  it('turns at constant speed between two keys', () => {
    // a third of the way to 90°: 30°, where a normalised straight line would be at 28.6°
    const posed = poseOf(
      smallModel({
        ...ARM,
        clips: [clipOf(3, trackOf('rotation', 0, 'LINEAR', [0, ...NO_TURN], [3, ...QUARTER_TURN]))],
      }),
      [[0, 1 / 3, 1]],
    );
    expectRows(posed.entry(0), turned(30));
    // the lower arm was not moved: it hangs on
    expectRows(posed.entry(1), turned(30));
  });

  it('carries scales down to the children', () => {
    const joints = [
      jointAt([5, 0, 0], { scale: [2, 3, 4], rotation: QUARTER_TURN }),
      jointAt([1, 1, 1], { parentIndex: 0, scale: [1, 0.5, 1] }),
    ];
    const posed = poseOf(smallModel({ joints }), []);
    // scaled first, then turned: x goes to 2y, y to −3x
    expectRows(posed.entry(0), [
      [0, -3, 0, 5],
      [2, 0, 0, 0],
      [0, 0, 4, 0],
    ]);
    expectRows(posed.entry(1), [
      [0, -1.5, 0, 2],
      [2, 0, 0, 2],
      [0, 0, 4, 4],
    ]);
  });

  it('has an entry for each way in which a joint is bound', () => {
    const bindings = [bindingOf(1, [1, 0, 0]), bindingOf(0, [0, 7, 0]), bindingOf(1, [0, 0, 3])];
    const posed = poseOf(smallModel({ ...ARM, bindings }), []);
    // the joints rest at (1, 0, 0) and (0, 0, 0)
    expectRows(posed.entry(0), shifted([0, 0, 0]));
    expectRows(posed.entry(1), shifted([0, -7, 0]));
    expectRows(posed.entry(2), shifted([1, 0, -3]));
  });

  it('may have more joints than workgroup memory holds', () => {
    const joints = Array.from({ length: 300 }, (_, j) => jointAt([1, 0, 0], { parentIndex: j - 1 }));
    const model = smallModel({ joints, clips: [clipOf(0, heldAt('rotation', 149, QUARTER_TURN))] });
    const flags = joinTables([packCharacter(model)], { serialPoses: false, layers: true }).rig.type(0).flags;
    expect(flags & TYPE_LARGE).toBe(TYPE_LARGE);
    const posed = poseOf(model, [[0, 0, 1]]);
    expectRows(posed.entry(149), turned(90, [150, 0, 0]));
    expectRows(posed.entry(299), turned(90, [150, 150, 0]), 4);
  });
});

describe.each([
  ['unquantised', 0, 6],
  ['packed', 1e-4, 3],
])('curves, %s', (_, errorBudget, digits) => {
  function poseAt(phase: number, duration: number, ...tracks: TrackModel[]): number[][] {
    const posed = poseOf(smallModel({ clips: [clipOf(duration, ...tracks)] }), [[0, phase, 1]], { errorBudget });
    expect(posed.form === 'exact').toBe(errorBudget === 0);
    return posed.entry(0);
  }
  /** The joint's place at a phase of a clip of one track. */
  const placeAt = (phase: number, duration: number, ...track: Parameters<typeof trackOf>) =>
    poseAt(phase, duration, trackOf(...track)).map((row) => row[3]!);
  const expectPlace = (actual: readonly number[], expected: readonly number[]) =>
    actual.forEach((value, c) => expect(value, 'xyz'[c]).toBeCloseTo(expected[c]!, digits));

  it('runs straight between keys', () => {
    const at = (phase: number) =>
      placeAt(phase, 4, 'translation', 0, 'LINEAR', [0, 0, 0, 8], [1, 4, 0, 8], [4, 4, 6, 2]);
    expectPlace(at(0), [0, 0, 8]);
    expectPlace(at(0.125), [2, 0, 8]); // 0.5 s
    expectPlace(at(0.25), [4, 0, 8]); // exactly at the key
    expectPlace(at(0.75), [4, 4, 4]); // 3 s: two thirds from the second key to the third
    expectPlace(at(1), [4, 6, 2]);
  });

  it('holds before its first key and after its last', () => {
    const at = (phase: number) => placeAt(phase, 4, 'translation', 0, 'LINEAR', [1, 1, 2, 3], [2, 5, 2, 3]);
    expectPlace(at(0), [1, 2, 3]);
    expectPlace(at(0.125), [1, 2, 3]);
    expectPlace(at(0.375), [3, 2, 3]);
    expectPlace(at(0.625), [5, 2, 3]);
    expectPlace(at(1), [5, 2, 3]);
  });

  it('steps exactly at a key', () => {
    const at = (phase: number) => placeAt(phase, 2, 'translation', 0, 'STEP', [0, 1, 0, 0], [1, 2, 0, 0], [2, 3, 0, 0]);
    expectPlace(at(0.5 - 2 ** -32), [1, 0, 0]);
    expectPlace(at(0.5), [2, 0, 0]);
    expectPlace(at(0.5 + 2 ** -32), [2, 0, 0]);
    expectPlace(at(1), [3, 0, 0]);
  });

  it('follows a cubic by the tangents inside it', () => {
    // From (0, 0, 0) with 4 per second along X to (8, 0, 0) with −4 along X and 2 along Y, in 2 s. The tangents at the
    // outer sides mean nothing.
    const first = [9, 9, 9, 0, 0, 0, 4, 0, 0];
    const second = [-4, 2, 0, 8, 0, 0, 9, 9, 9];
    const at = (phase: number) => placeAt(phase, 2, 'translation', 0, 'CUBICSPLINE', [0, ...first], [2, ...second]);
    expectPlace(at(0), [0, 0, 0]);
    // in the middle ½ p₀ + ⅛ · 2 s · m₀ + ½ p₁ − ⅛ · 2 s · m₁: x = 1 + 4 + 1, y = −½
    expectPlace(at(0.5), [6, -0.5, 0]);
    // at ¼: p₁ has 10/64, m₀ 9/64 and m₁ −3/64, times the span of 2 s: x = 1.25 + 1.125 + 0.375, y = −12/64
    expectPlace(at(0.25), [2.75, -0.1875, 0]);
    expectPlace(at(1), [8, 0, 0]);
  });

  it('normalises what a cubic makes of quaternions', () => {
    const zero = [0, 0, 0, 0];
    const keys = [
      [0, ...zero, ...NO_TURN, 0, 0, 2, 0],
      [1, ...zero, ...QUARTER_TURN, ...zero],
    ] as const;
    // the middle: z = √½ / 2 + ⅛ · 2, w = ½ + √½ / 2
    const half = Math.atan2(Math.SQRT1_2 / 2 + 0.25, 0.5 + Math.SQRT1_2 / 2);
    expectRows(
      poseAt(0.5, 1, trackOf('rotation', 0, 'CUBICSPLINE', ...keys)),
      turned((2 * half * 180) / Math.PI),
      digits,
    );
  });

  it('takes the short way between q and −q', () => {
    const track = trackOf('rotation', 0, 'LINEAR', [0, ...NO_TURN], [1, ...minus(QUARTER_TURN)]);
    expectRows(poseAt(0.5, 1, track), turned(45), digits);
    expectRows(poseAt(1, 1, track), turned(90), digits);
  });

  it('takes the short way where packed quaternions change their sign', () => {
    // their largest component is stored as positive: Z up to 270°, then W
    const about = (degrees: number) => [0, 0, Math.sin((degrees * Math.PI) / 360), Math.cos((degrees * Math.PI) / 360)];
    const track = trackOf('rotation', 0, 'LINEAR', [0, ...about(250)], [1, ...about(295)]);
    for (let i = 0; i <= 32; i++) expectRows(poseAt(i / 32, 1, track), turned(250 + (45 * i) / 32), digits);
  });

  it('runs tracks of one clip by their own keys', () => {
    const tracks = [
      trackOf('translation', 0, 'STEP', [0, 1, 0, 0], [3, 2, 0, 0]),
      trackOf('rotation', 0, 'LINEAR', [0, ...NO_TURN], [2, ...QUARTER_TURN]),
      trackOf('scale', 0, 'LINEAR', [1, 1, 1, 1], [4, 4, 4, 4]),
    ];
    // 2 s: still the first step, 90°, a third of the way from scale 1 to 4
    expectRows(
      poseAt(0.5, 4, ...tracks),
      [
        [0, -2, 0, 1],
        [2, 0, 0, 0],
        [0, 0, 2, 0],
      ],
      digits,
    );
  });
});

describe('blending', () => {
  /** One joint that rests at (2, 0, 0), and a clip per value at which it is held. */
  function blend(
    path: 'translation' | 'rotation' | 'scale',
    ...values: (readonly [weight: number, ...value: number[]])[]
  ): number[][] {
    const clips = values.map(([, ...value]) => clipOf(0, heldAt(path, 0, value)));
    const model = smallModel({ joints: [jointAt([2, 0, 0])], clips });
    return poseOf(
      model,
      values.map(([weight], clip) => [clip, 0, weight]),
    ).entry(0);
  }

  it('weighs translations and scales', () => {
    expectRows(blend('translation', [0.25, 4, 0, 0], [0.75, 0, 8, 4]), shifted([1, 6, 3]));
    expectRows(blend('scale', [0.25, 4, 1, 1], [0.75, 8, 1, 2]), [
      [7, 0, 0, 2],
      [0, 1, 0, 0],
      [0, 0, 1.75, 0],
    ]);
  });

  it('weighs rotations as normalised sums of quaternions', () => {
    // ¼ of (0, 0, 0, 1) and ¾ of (0, 0, √½, √½)
    const half = Math.atan2(0.75 * Math.SQRT1_2, 0.25 + 0.75 * Math.SQRT1_2);
    expectRows(
      blend('rotation', [0.25, ...NO_TURN], [0.75, ...QUARTER_TURN]),
      turned((2 * half * 180) / Math.PI, [2, 0, 0]),
    );
  });

  it('is the same for q and −q', () => {
    // the same rotation twice: without the check its halves would cancel
    expectRows(blend('rotation', [0.5, ...QUARTER_TURN], [0.5, ...minus(QUARTER_TURN)]), turned(90, [2, 0, 0]));
    expectRows(blend('rotation', [0.5, ...NO_TURN], [0.5, ...minus(QUARTER_TURN)]), turned(45, [2, 0, 0]));
    // three of them: the check is against the sum so far
    const thirds = [NO_TURN, minus(NO_TURN), minus(QUARTER_TURN)].map((q, i) => [[0.25, 0.25, 0.5][i]!, ...q] as const);
    expectRows(blend('rotation', ...thirds), turned(45, [2, 0, 0]));
  });

  it('divides weights that sum to more than 1', () => {
    expectRows(blend('translation', [1, 4, 0, 0], [3, 0, 8, 4]), shifted([1, 6, 3]));
  });

  it('leaves the remainder of less than 1 to the rest pose', () => {
    expectRows(blend('translation', [0.25, 4, 0, 0]), shifted([2.5, 0, 0]));
    // half of the rest's 0° and half of 90°
    expectRows(blend('rotation', [0.25, ...QUARTER_TURN], [0.25, ...QUARTER_TURN]), turned(45, [2, 0, 0]));
    expectRows(blend('rotation', [0.5, ...minus(QUARTER_TURN)]), turned(45, [2, 0, 0]));
    expectRows(blend('translation', [0, 4, 0, 0]), shifted([2, 0, 0]));
  });

  it('asks of every channel only the clips that move it', () => {
    const clips = [
      clipOf(0, heldAt('translation', 0, [4, 0, 0]), heldAt('rotation', 0, HALF_TURN)),
      clipOf(0, heldAt('translation', 0, [0, 8, 0])),
    ];
    const posed = poseOf(smallModel({ clips }), [
      [0, 0, 0.5],
      [1, 0, 0.5],
    ]);
    // the second clip says nothing about the rotation: half of it is at rest, and 180° about Z is half taken: 90°
    expectRows(posed.entry(0), turned(90, [2, 4, 0]));
  });
});

describe('layers over the base', () => {
  const joints = [jointAt([0, 0, 0]), jointAt([0, 0, 0]), jointAt([0, 0, 0])];
  const onAll = (path: 'translation' | 'rotation' | 'scale', value: readonly number[]) =>
    clipOf(0, ...joints.map((_, joint) => heldAt(path, joint, value)));
  const clips = [
    onAll('translation', [8, 0, 0]),
    onAll('translation', [0, 4, 0]),
    onAll('rotation', QUARTER_TURN),
    onAll('scale', [3, 1, 1]),
  ];
  const model = smallModel({ joints, clips });
  const base: Played[] = [[0, 0, 1]];
  const pose = (...layers: Layer[]) => poseOf(model, base, { errorBudget: 0, layers });

  it('takes over by its weight', () => {
    const posed = pose({ mode: LAYER_OVERRIDE, weight: 0.25, motions: [[1, 0, 1]] });
    expectRows(posed.entry(0), shifted([6, 1, 0]));
  });

  it('takes over only where its mask allows', () => {
    // bytes of 255: none, a fifth, all
    const posed = pose({ mode: LAYER_OVERRIDE, weight: 1, mask: [0, 51, 255], motions: [[1, 0, 1]] });
    expectRows(posed.entry(0), shifted([8, 0, 0]));
    expectRows(posed.entry(1), shifted([6.4, 0.8, 0]));
    expectRows(posed.entry(2), shifted([0, 4, 0]));
  });

  it('adds its motions by its weight', () => {
    const posed = pose(
      { mode: LAYER_ADDITIVE, weight: 0.5, motions: [[1, 0, 1]] },
      { mode: LAYER_ADDITIVE, weight: 0.5, motions: [[2, 0, 1]] },
      { mode: LAYER_ADDITIVE, weight: 0.5, motions: [[3, 0, 1]] },
    );
    // (8, 0, 0) + half of (0, 4, 0); half of a quarter turn; half of the way from 1 to the factor 3
    const scale = [2, 1, 1];
    const expected = turned(45, [8, 2, 0]).map((row) => row.map((value, c) => value * (scale[c] ?? 1)));
    expectRows(posed.entry(0), expected);
  });

  it('adds a rotation in the space of the joint', () => {
    const aboutX = [Math.SQRT1_2, 0, 0, Math.SQRT1_2];
    const turns = smallModel({ clips: [QUARTER_TURN, aboutX].map((q) => clipOf(0, heldAt('rotation', 0, q))) });
    const layers: Layer[] = [{ mode: LAYER_ADDITIVE, weight: 1, motions: [[1, 0, 1]] }];
    // about X first, then about Z: x goes to y, y to z, z to x
    expectRows(poseOf(turns, base, { errorBudget: 0, layers }).entry(0), [
      [0, 0, 1, 0],
      [1, 0, 0, 0],
      [0, 1, 0, 0],
    ]);
  });

  it('adds the same for q and −q', () => {
    const clips = [clipOf(0), clipOf(0, heldAt('rotation', 0, minus(QUARTER_TURN)))];
    const layers: Layer[] = [{ mode: LAYER_ADDITIVE, weight: 0.5, motions: [[1, 0, 1]] }];
    expectRows(poseOf(smallModel({ clips }), base, { errorBudget: 0, layers }).entry(0), turned(45));
  });

  it('stacks in order', () => {
    const layers: Layer[] = [
      { mode: LAYER_ADDITIVE, weight: 1, motions: [[1, 0, 1]] },
      { mode: LAYER_OVERRIDE, weight: 0.5, motions: [[0, 0, 1]] },
    ];
    // (8, 4, 0), then half of the way to (8, 0, 0); the other way round it stays (8, 4, 0)
    expectRows(pose(...layers).entry(0), shifted([8, 2, 0]));
    expectRows(pose(...layers.toReversed()).entry(0), shifted([8, 4, 0]));
  });

  it('does nothing without motions, and with a weight of 0', () => {
    const posed = pose(
      { mode: LAYER_OVERRIDE, weight: 1, motions: [] },
      { mode: LAYER_ADDITIVE, weight: 1, motions: [] },
      { mode: LAYER_OVERRIDE, weight: 0, motions: [[1, 0, 1]] },
    );
    expectRows(posed.entry(0), shifted([8, 0, 0]));
  });
});

describe('morph weights', () => {
  const set = (...weights: number[]) => ({ nodeIndex: 0, names: weights.map(String), weights });
  // four weights of one node and one of another: lanes of three
  const morphSets = [set(0.5, 0, 0.25, 1), set(0.75)];
  const clips = [
    clipOf(2, trackOf('weights', 0, 'LINEAR', [0, 0, 0, 0, 0], [2, 1, 0.5, 0, -1])),
    clipOf(0, heldAt('weights', 1, [0.25])),
  ];
  const model = smallModel({ morphSets, clips });
  const weights = (base: readonly Played[]) => poseOf(model, base).morphs;

  it('are at rest after the palette, three to a row', () => {
    expect(weights([])).toEqual([0.5, 0, 0.25, 1, 0.75, 0]);
  });

  it('follow their clips', () => {
    expect(weights([[0, 0.5, 1]])).toEqual([0.5, 0.25, 0, -0.5, 0.75, 0]);
  });

  it('blend like translations', () => {
    // half of the clip's last keys (the phase is one code short of its end), half of what rests
    const blended = weights([[0, 1, 0.5]]);
    [0.75, 0.25, 0.125, 0, 0.75, 0].forEach((weight, w) => expect(blended[w]).toBeCloseTo(weight, 6));
  });
});
