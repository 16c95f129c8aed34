import { describe, expect, it } from 'vitest';
import { View } from '../../layout/index.ts';
import { FrameParams, SLOT_FRESH, SlotState, VisibleCharacter } from '../layout.ts';
import { turnSlots, type TurnSlotsViews } from './reference.ts';

/** Character 3's slot: copies of 64 vertices at 128 and at 192. */
const CHARACTER = 3;
const [FIRST, SECOND] = [128, 192];

/** Five characters, of which one is visible; its slot was last written as `state` says. */
function viewsOf(state: { currentVertexOffset: number; frame: number }): TurnSlotsViews {
  const views = {
    params: new View(FrameParams, 1),
    visible: new View(VisibleCharacter, 1),
    slots: new View(SlotState, 5),
  };
  views.params.set(0, 'visibleCount', 1);
  views.visible.assign(0, { character: CHARACTER, slotOffset: FIRST, slotCapacity: SECOND - FIRST });
  views.slots.words.fill(SLOT_FRESH);
  views.slots.assign(CHARACTER, state);
  return views;
}

/** Runs a frame; returns where this frame's vertices go, and where last frame's stand. */
function turn(views: TurnSlotsViews, frame: number): [current: number, previous: number] {
  views.params.set(0, 'frame', frame);
  turnSlots(views);
  return [views.visible.get(0, 'currentVertexOffset'), views.visible.get(0, 'previousVertexOffset')];
}

describe('turn-slots, by hand', () => {
  it('begins in the first copy, with no frame before', () => {
    // whatever the state's offset says: it belongs to who had the slot before
    for (const currentVertexOffset of [FIRST, SECOND, 0]) {
      expect(turn(viewsOf({ currentVertexOffset, frame: SLOT_FRESH }), 10)).toEqual([FIRST, FIRST]);
    }
  });

  it('writes both copies in turn, and the other one is last frame’s', () => {
    const views = viewsOf({ currentVertexOffset: 0, frame: SLOT_FRESH });
    const frames = [0, 1, 2, 3].map((frame) => turn(views, frame));
    expect(frames).toEqual([
      [FIRST, FIRST],
      [SECOND, FIRST],
      [FIRST, SECOND],
      [SECOND, FIRST],
    ]);
    expect(views.slots.get(CHARACTER, 'currentVertexOffset')).toBe(SECOND);
    expect(views.slots.get(CHARACTER, 'frame')).toBe(3);
  });

  it('has no frame before when it missed one', () => {
    expect(turn(viewsOf({ currentVertexOffset: FIRST, frame: 7 }), 9)).toEqual([SECOND, SECOND]);
    expect(turn(viewsOf({ currentVertexOffset: SECOND, frame: 7 }), 900)).toEqual([FIRST, FIRST]);
  });

  it('counts frames up to the last that a word can hold', () => {
    expect(turn(viewsOf({ currentVertexOffset: FIRST, frame: 0xfffffffd }), 0xfffffffe)).toEqual([SECOND, FIRST]);
  });

  it('leaves alone who is not visible', () => {
    const views = viewsOf({ currentVertexOffset: FIRST, frame: 4 });
    views.slots.assign(1, { currentVertexOffset: 77, frame: 4 });
    turn(views, 5);
    for (const character of [0, 2, 4]) expect(views.slots.get(character, 'frame')).toBe(SLOT_FRESH);
    expect([views.slots.get(1, 'currentVertexOffset'), views.slots.get(1, 'frame')]).toEqual([77, 4]);
  });

  it('writes nothing but the two offsets, and only for as many characters as are visible', () => {
    const views = { ...viewsOf({ currentVertexOffset: FIRST, frame: 4 }), visible: new View(VisibleCharacter, 2) };
    const filled = { typeRow: 11, geometryRow: 12, paletteRow: 13, parts: [14, 15], motionRow: 16 };
    for (const [row, character] of [CHARACTER, 2].entries()) {
      views.visible.assign(row, { ...filled, character, slotOffset: FIRST, slotCapacity: 64, currentVertexOffset: 17 });
    }
    const before = views.visible.words.slice();
    expect(turn(views, 5)).toEqual([SECOND, FIRST]);
    const after = views.visible.words;
    const { currentVertexOffset, previousVertexOffset } = VisibleCharacter.offsets;
    const changed = Array.from(after.keys()).filter((word) => after[word] !== before[word]);
    expect(changed).toEqual([currentVertexOffset / 4, previousVertexOffset / 4]);
    expect(views.slots.get(2, 'frame')).toBe(SLOT_FRESH);
  });
});
