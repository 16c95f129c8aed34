import { AnimatorMemory } from '../../controller/eval/memory.ts';
import { gatherLayers, type GatheredLayer, type ListedMotion } from '../../controller/eval/motion-list.ts';
import { resolveMotion } from '../../character/format/clip-format.ts';
import type { View } from '../../layout/index.ts';
import { joinWide } from '../../math/fixed.ts';
import {
  LAYER_ADDITIVE,
  LAYER_OVERRIDE,
  LAYER_SET,
  LAYER_TURN,
  MASK_NONE,
  MODIFIES_ROTATION,
  MODIFIES_X,
  MOTION_END,
  MOTION_LAYER,
  MOTION_ROWS,
  ROW_NONE,
  type FrameParams,
  type VisibleCharacter,
} from '../layout.ts';
import { motionAt, writeModifier, writeMotion } from '../motion-record.ts';
import { playerAt, type PlayingViews } from '../player-at.ts';
import { type Modifier, MODIFIER_NONE, PLAYER_LOOPS, PLAYER_NONE } from './layout.ts';

export interface GatherMotionsViews extends PlayingViews {
  /** One row: clock, `visibleCount` and capacities are read. */
  readonly params: View<(typeof FrameParams)['fields']>;
  readonly visible: View<(typeof VisibleCharacter)['fields']>;
  /** Counters of characters are written, too. */
  readonly animators: Uint32Array<ArrayBuffer>;
  /** Written: per visible character `motionCapacity` records of four rows, a row of four words, from `motionRow` on. */
  readonly motions: Uint32Array<ArrayBuffer>;
}

/**
 * Twin of gather-motions. Clips that a character's controller shows, or that play on it, become motions at their phase
 * of this moment; modifiers follow.
 *
 * Its place in a frame: `STAGES` of frame/stages.ts; poseJoints reads what it writes. It uses the list of
 * cullCharacters. Clip indices are not checked. Some 15 µs per motion.
 *
 * @param onMargin Called for every dropped motion, with the index of its visible character: how much heavier the next
 * one was.
 */
export function gatherMotions(views: GatherMotionsViews, onMargin?: (index: number, margin: number) => void): void {
  const { params, visible, modifiers, motions } = views;
  const memory = new AnimatorMemory(views.animators, views.regions);
  const capacity = params.get(0, 'motionCapacity');
  for (let i = 0; i < params.get(0, 'visibleCount'); i++) {
    const character = visible.get(i, 'character');
    const first = visible.get(i, 'motionRow');
    if (first === ROW_NONE) continue;
    const held = modifiersOf(modifiers, character, params.get(0, 'modifierCapacity')).slice(0, capacity);
    const room = capacity - held.length;
    const gathered = memory.words.length > 0 ? gatherLayers(views.rig, memory, character) : undefined;
    let count = 0;
    if (gathered) {
      const { records, dropped } = fitMotions(gathered.layers, room, onMargin && ((margin) => onMargin(i, margin)));
      const counters = (memory.head(character, 'counters') & 0xffff) | (Math.min(0xffff, dropped) << 16);
      memory.setHead(character, 'counters', counters >>> 0);
      const typeRow = visible.get(i, 'typeRow');
      for (const record of records) {
        const row = first + count++ * MOTION_ROWS;
        if ('layer' in record) writeLayer(motions, row, record.layer);
        else {
          const { rigClip, phase, weight, mirror } = record.motion;
          const { mirrorRow } = gathered.controller;
          const motion = resolveMotion(views.rig, typeRow, rigClip, phase);
          writeMotion(motions, row, motion, weight, mirror && mirrorRow >= 0 ? mirrorRow : undefined);
        }
      }
    } else count = gatherPlayers(views, i, room);
    for (const modifier of held) writeHeld(modifiers, modifier, motions, first + count++ * MOTION_ROWS);
    if (count < capacity) motionAt(motions, first + count * MOTION_ROWS).set(0, 'kind', MOTION_END);
  }
}

/** A record of a list that is being fitted into its room. */
type Fitted = { readonly layer: GatheredLayer } | { readonly motion: ListedMotion; readonly heft: number };

/**
 * Fits layer records and motions into a list, in their order. A motion beyond the capacity replaces the lightest one if
 * that is lighter. Weight is multiplied by layer weight; of equal ones the last is the lightest.
 *
 * @param onMargin Called for every dropped motion: how much heavier the next one was. Equal ones are not near ties.
 */
function fitMotions(
  layers: readonly GatheredLayer[],
  capacity: number,
  onMargin?: (margin: number) => void,
): { records: Fitted[]; dropped: number } {
  const records: Fitted[] = [];
  let dropped = 0;
  const makeRoom = (needed: number, heft: number): boolean => {
    while (records.length + needed > capacity) {
      dropped++;
      let lightest = -1;
      records.forEach((record, i) => {
        if ('layer' in record) return;
        const least = lightest < 0 ? heft : (records[lightest] as { heft: number }).heft;
        if (record.heft < least || (lightest >= 0 && record.heft === least)) lightest = i;
      });
      if (onMargin) {
        const hefts = [heft, ...records.flatMap((record) => ('heft' in record ? record.heft : []))];
        const least = Math.min(...hefts);
        onMargin(Math.min(...hefts.filter((each) => each > least)) - least);
      }
      if (lightest < 0) return false;
      records.splice(lightest, 1);
    }
    return true;
  };
  for (const layer of layers) {
    let begun = layer.isPlain;
    for (const motion of layer.motions) {
      const heft = Math.fround(motion.weight * layer.weight);
      if (!makeRoom(begun ? 1 : 2, heft)) continue;
      if (!begun) records.push({ layer });
      begun = true;
      records.push({ motion, heft });
    }
  }
  return { records, dropped };
}

/** Writes the clips that play on a character; returns how many there are. */
function gatherPlayers(
  { params, visible, players, rig, motions }: GatherMotionsViews,
  index: number,
  room: number,
): number {
  const now = joinWide(params.get(0, 'timeLow'), params.get(0, 'timeHigh'));
  const playerCapacity = params.get(0, 'playerCapacity');
  let count = 0;
  for (let p = 0; p < playerCapacity && count < room; p++) {
    const row = visible.get(index, 'character') * playerCapacity + p;
    const clip = players.get(row, 'clip');
    if (clip === PLAYER_NONE) continue;
    const { phase, weight } = playerAt(players, row, now);
    if (weight <= 0) continue;
    const motion = resolveMotion(rig, visible.get(index, 'typeRow'), (clip & ~PLAYER_LOOPS) >>> 0, phase);
    writeMotion(motions, visible.get(index, 'motionRow') + count * MOTION_ROWS, motion, weight);
    count++;
  }
  return count;
}

function writeLayer(
  motions: Uint32Array<ArrayBuffer>,
  row: number,
  { additive, weight, maskPair }: GatheredLayer,
): void {
  const record = motionAt(motions, row);
  record.words.fill(0);
  const value0 = additive ? LAYER_ADDITIVE : LAYER_OVERRIDE;
  record.assign(0, { value0, weight, trackPair: maskPair < 0 ? MASK_NONE : maskPair, kind: MOTION_LAYER });
}

/** Rows of the modifiers that a character has. */
function modifiersOf(modifiers: View<(typeof Modifier)['fields']>, character: number, capacity: number): number[] {
  return Array.from({ length: capacity }, (_, i) => character * capacity + i).filter(
    (row) => (modifiers.get(row, 'laneAndBits') & 0xffff) !== MODIFIER_NONE,
  );
}

function writeHeld(
  modifiers: View<(typeof Modifier)['fields']>,
  from: number,
  motions: Uint32Array<ArrayBuffer>,
  row: number,
): void {
  const laneAndBits = modifiers.get(from, 'laneAndBits');
  const bits = laneAndBits >>> 24;
  const [x, y, z] = (['rotationX', 'rotationY', 'rotationZ'] as const).map((key) => modifiers.get(from, key)) as [
    number,
    number,
    number,
  ];
  const w = Math.sqrt(Math.max(0, 1 - x * x - y * y - z * z));
  const held = (['x', 'y', 'z'] as const).map((key, c) =>
    bits & (MODIFIES_X << c) ? modifiers.get(from, key) : undefined,
  ) as [number | undefined, number | undefined, number | undefined];
  writeModifier(motions, row, {
    mode: ((laneAndBits >>> 16) & 0xff) === LAYER_SET ? LAYER_SET : LAYER_TURN,
    lane: laneAndBits & 0xffff,
    weight: modifiers.get(from, 'weight'),
    ...(bits & MODIFIES_ROTATION ? { rotation: [x, y, z, w] as const } : {}),
    translation: held,
  });
}
