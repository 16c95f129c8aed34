// Sockets worked out by hand: a character a metre up that looks along X, whose hand is turned by a quarter.
import { describe, expect, test } from 'vitest';
import { View } from '../../layout/index.ts';
import { ROW_NONE, SlotState, Transform, VisibleCharacter } from '../layout.ts';
import { Attachment, ATTACHMENT_HIDES, ATTACHMENT_NONE, PreviousLocal, SocketJoint } from './layout.ts';
import { placeSockets, type PlaceSocketsViews } from './reference.ts';

const ZERO = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

/** Character 0 at (10, 1, 0), turned from Z to X, twice as large; listed in row 1. Its hand is the second joint. */
function scene(flags = 0) {
  const attachments = new View(Attachment, 2);
  attachments.assign(0, {
    character: 0,
    jointRow: 3,
    flags,
    jointFromLocal: [1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0],
  });
  attachments.set(1, 'character', ATTACHMENT_NONE);
  const joints = new View(SocketJoint, 2);
  // at rest: a metre above the ground, not turned
  joints.assign(0, { modelFromJoint: [1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0] });
  const transforms = new View(Transform, 2);
  transforms.assign(0, { position: [10, 1, 0], rotation: [0, Math.SQRT1_2, 0, Math.SQRT1_2], scale: 2 });
  const [slots, visible] = [new View(SlotState, 2), new View(VisibleCharacter, 2)];
  slots.assign(0, { slot: 1, held: 5, visibleRow: 1 });
  visible.assign(0, { character: 1, paletteRow: ROW_NONE, views: 1 });
  visible.assign(1, { character: 0, paletteRow: 2, views: 1 });
  // posed: it points up instead of along X, three metres before the body
  const hand = [0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 3];
  const palettes = Float32Array.from([...Array<number>(4 * (2 + 3)).fill(-9), ...hand]);
  const seen = { slots, visible, visibleCount: 2, palettes, lastFrame: 3 };
  const [matrices, previousMatrices] = [new Float32Array(32).fill(7), new Float32Array(32).fill(7)];
  const previousTransforms = new View(Transform, 2);
  // it has come from a metre farther back
  previousTransforms.assign(0, { position: [9, 1, 0], rotation: [0, Math.SQRT1_2, 0, Math.SQRT1_2], scale: 2 });
  const history = { previousTransforms, previousLocals: new View(PreviousLocal, 2), previousMatrices };
  return { count: 2, attachments, joints, transforms, seen, matrices, ...history };
}

const rounded = (matrices: Float32Array, i: number) =>
  Array.from(matrices.subarray(16 * i, 16 * i + 16), (c) => Math.round(c * 1e5) / 1e5 + 0);
const matrixOf = ({ matrices }: { matrices: Float32Array }, i = 0) => rounded(matrices, i);
const previousOf = ({ previousMatrices }: { previousMatrices: Float32Array }, i = 0) => rounded(previousMatrices, i);

// The hand's half metre along its X is up: at (0, 0.5, 3) of the model, (3, 0.5, 0) turned, doubled (6, 1, 0).
const POSED = [0, 2, 0, 0, 0, 0, 2, 0, 2, 0, 0, 0, 16, 2, 0, 1];
// At rest: (0.5, 1, 0) of the model, (0, 1, -0.5) turned, doubled (0, 2, -1).
const AT_REST = [0, 0, -2, 0, 0, 2, 0, 0, 2, 0, 0, 0, 10, 3, -1, 1];

describe('a socket', () => {
  test('is where the joint of this frame is, in the world', () => {
    const views = scene();
    placeSockets(views);
    expect(matrixOf(views)).toEqual(POSED);
    expect(Array.from(views.joints.floats.subarray(0, 12))).toEqual([0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 3]);
  });

  test('keeps its joint and goes with its character while that is not posed', () => {
    const views = scene();
    placeSockets(views);
    views.seen.visible.set(1, 'paletteRow', ROW_NONE);
    views.transforms.set(0, 'position', [11, 1, 0]);
    placeSockets(views);
    expect(matrixOf(views)).toEqual(POSED.with(12, 17));
  });

  test('rests until its character is posed for the first time', () => {
    const views = scene();
    views.seen.visible.set(1, 'paletteRow', ROW_NONE);
    placeSockets(views);
    expect(matrixOf(views)).toEqual(AT_REST);
  });

  test('shows what the leader shows, of one that follows', () => {
    const views = scene();
    // character 0 has no vertices of its own: it shows the pose of character 1, in row 0
    views.seen.slots.assign(0, { slot: 0, held: 2 });
    views.seen.slots.assign(1, { slot: 9, held: 0, visibleRow: 0 });
    views.seen.visible.set(1, 'paletteRow', ROW_NONE);
    views.seen.visible.set(0, 'paletteRow', 2);
    placeSockets(views);
    expect(matrixOf(views)).toEqual(POSED);
  });

  test.each([
    ['no frame', (views: PlaceSocketsViews) => ({ ...views, seen: undefined })],
    ['no list', (views: PlaceSocketsViews) => ({ ...views, seen: { ...views.seen!, visibleCount: 1 } })],
    ['no view', (views: PlaceSocketsViews) => (views.seen!.visible.set(1, 'views', 0), views)],
  ])('hides where that is asked for and %s shows its character; else it stays', (_, unseen) => {
    const hidden = unseen(scene(ATTACHMENT_HIDES));
    placeSockets(hidden);
    expect(matrixOf(hidden)).toEqual(ZERO);
    const kept = unseen(scene());
    placeSockets(kept);
    // posed for those who follow it, it moves on though no view sees it
    expect(matrixOf(kept)).toEqual(kept.seen?.visibleCount === 2 ? POSED : AT_REST);
  });

  test('of no character has zero scale', () => {
    const views = scene();
    placeSockets(views);
    expect(matrixOf(views, 1)).toEqual(ZERO);
    expect(previousOf(views, 1)).toEqual(ZERO);
  });
});

describe('the last frame’s place of a socket', () => {
  test('is that of its joint then, where its character was then', () => {
    const views = scene();
    // at rest in the first frame, posed in the second
    views.seen.visible.set(1, 'paletteRow', ROW_NONE);
    placeSockets(views);
    views.seen.visible.set(1, 'paletteRow', 2);
    placeSockets(views);
    expect(matrixOf(views)).toEqual(POSED);
    expect(previousOf(views)).toEqual(AT_REST.with(12, 9));
  });

  test.each([
    ['the character was not listed', (views: PlaceSocketsViews) => ({ ...views.seen!, visibleCount: 1 })],
    ['the last frame had no views', () => undefined],
  ])('has this frame’s pose where %s: only the character has moved', (_, seen) => {
    const views = scene();
    placeSockets(views);
    // posed in another way meanwhile
    views.joints.floats.set([1, 0, 0, 5]);
    placeSockets({ ...views, seen: seen(views) });
    placeSockets(views);
    expect(previousOf(views)).toEqual(POSED.with(12, 15));
  });

  test.each([
    ['was attached', (views: ReturnType<typeof scene>) => views.attachments.set(0, 'freshFrame', 4)],
    ['is shown in a frame without views', () => undefined],
  ])('is where it is now when it %s', (name, change) => {
    const views = scene();
    placeSockets(views);
    change(views);
    placeSockets(name.includes('without') ? { ...views, seen: undefined } : views);
    expect(previousOf(views)).toEqual(matrixOf(views));
    expect(matrixOf(views)).toEqual(POSED);
  });

  test('is not kept while it hides', () => {
    const views = scene(ATTACHMENT_HIDES);
    placeSockets(views);
    placeSockets({ ...views, seen: { ...views.seen, visibleCount: 1 } });
    expect(previousOf(views)).toEqual(ZERO);
    views.joints.floats.set([1, 0, 0, 5]);
    placeSockets(views);
    expect(previousOf(views)).toEqual(POSED.with(12, 15));
  });
});
