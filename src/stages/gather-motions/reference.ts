import { type ControllerTable, controllerTable } from '../../controller/eval/controller-view.ts';
import { type AnimatorMemory, animatorMemory, type CharacterParameters } from '../../controller/eval/memory.ts';
import { GatheredLayers } from '../../controller/eval/motion-list.ts';
import { resolveMotion } from '../../character/format/clip-format.ts';
import { type View, wordOffsets } from '../../layout/index.ts';
import { joinWide } from '../../math/fixed.ts';
import {
  LAYER_ADDITIVE,
  LAYER_OVERRIDE,
  LAYER_SET,
  LAYER_TURN,
  MASK_NONE,
  MODIFIES_ROTATION,
  MODIFIES_X,
  MODIFIES_Y,
  MODIFIES_Z,
  Motion,
  MOTION_END,
  MOTION_LAYER,
  MOTION_ROWS,
  ROW_NONE,
  type FrameParams,
  VisibleCharacter,
} from '../layout.ts';
import { MotionRecord } from '../motion-record.ts';
import { playerAt, type PlayingViews } from '../player-at.ts';
import { FittedList } from './fitted-list.ts';
import { Modifier, MODIFIER_NONE, Player, PLAYER_LOOPS, PLAYER_NONE } from './layout.ts';

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
  const { params, visible, motions } = views;
  const memory = animatorMemory(views.animators, views.regions);
  const scope: Scope = {
    ...views,
    memory: memory.words.length > 0 ? memory : undefined,
    parameters: memory.parameters(0),
    controllers: controllerTable(views.rig),
    floats: new Float32Array(motions.buffer, motions.byteOffset, motions.length),
    capacity: params.get(0, 'motionCapacity'),
    playerCapacity: params.get(0, 'playerCapacity'),
    modifierCapacity: params.get(0, 'modifierCapacity'),
    now: joinWide(params.get(0, 'timeLow'), params.get(0, 'timeHigh')),
  };
  const count = params.get(0, 'visibleCount');
  for (let i = 0; i < count; i++) {
    if (visible.words[VISIBLE.SIZE * i + VISIBLE.motionRow] !== ROW_NONE) gatherOne(scope, i, onMargin);
  }
}

const VISIBLE = /* @__PURE__ */ wordOffsets(VisibleCharacter);
const MODIFIER = /* @__PURE__ */ wordOffsets(Modifier);
const PLAYER = /* @__PURE__ */ wordOffsets(Player);
const MOTION = /* @__PURE__ */ wordOffsets(Motion);

/** The list that is being written, and what all lists share. */
interface Scope extends Omit<GatherMotionsViews, 'regions' | 'animators' | 'params'> {
  /** Undefined if no character has a controller. */
  readonly memory: AnimatorMemory | undefined;
  readonly parameters: CharacterParameters;
  readonly controllers: ControllerTable;
  /** The motions as floats. */
  readonly floats: Float32Array;
  readonly capacity: number;
  readonly playerCapacity: number;
  readonly modifierCapacity: number;
  readonly now: bigint;
}

const layers = new GatheredLayers();
const list = new FittedList();
const record = new MotionRecord();

function gatherOne(scope: Scope, i: number, onMargin: ((index: number, margin: number) => void) | undefined): void {
  const { visible, modifiers, motions, memory, capacity } = scope;
  const character = visible.words[VISIBLE.SIZE * i + VISIBLE.character]!;
  const first = 4 * visible.words[VISIBLE.SIZE * i + VISIBLE.motionRow]!;
  const room = capacity - Math.min(capacity, modifierCount(scope, character));
  const hasController = memory !== undefined && layers.gather(scope.controllers, memory, character, scope.parameters);
  const typeRow = visible.words[VISIBLE.SIZE * i + VISIBLE.typeRow]!;
  let count = 0;
  if (hasController) {
    list.fit(layers, room, onMargin && ((margin) => onMargin(i, margin)));
    const counters = (memory.head(character, 'counters') & 0xffff) | (Math.min(0xffff, list.dropped) << 16);
    memory.setHead(character, 'counters', counters >>> 0);
    for (; count < list.count; count++) writeFitted(scope, typeRow, count, first + count * RECORD);
  } else count = gatherPlayers(scope, typeRow, character, room, first);
  const firstHeld = scope.modifierCapacity * character;
  for (let row = firstHeld; row < firstHeld + scope.modifierCapacity && count < capacity; row++) {
    if (isModifier(modifiers.words, row)) writeHeld(scope, row, first + count++ * RECORD);
  }
  if (count < capacity) motions[first + count * RECORD + MOTION.kind] = MOTION_END;
}

/** Words of a record. */
const RECORD = 4 * MOTION_ROWS;

function writeFitted({ rig, motions, floats }: Scope, typeRow: number, place: number, at: number): void {
  const m = list.motion(place);
  if (m < 0) {
    writeLayer(motions, floats, at, list.layer(place));
    return;
  }
  const { rigClips, phases, weights, mirrors } = layers.motions;
  resolveMotion(rig, typeRow, rigClips[m]!, phases[m]!, record);
  record.weight = weights[m]!;
  record.mirrorRow = mirrors[m] === 1 ? layers.controller.mirrorRow : -1;
  record.write(motions, floats, at);
}

/** Writes the clips that play on a character; returns how many there are. */
function gatherPlayers(scope: Scope, typeRow: number, character: number, room: number, first: number): number {
  const { players, rig, motions, floats, playerCapacity, now } = scope;
  let count = 0;
  for (let p = 0; p < playerCapacity && count < room; p++) {
    const row = character * playerCapacity + p;
    const clip = players.words[PLAYER.SIZE * row + PLAYER.clip]!;
    if (clip === PLAYER_NONE) continue;
    const { phase, weight } = playerAt(players, row, now);
    if (weight <= 0) continue;
    resolveMotion(rig, typeRow, (clip & ~PLAYER_LOOPS) >>> 0, phase, record);
    record.weight = weight;
    record.mirrorRow = -1;
    record.write(motions, floats, first + count++ * RECORD);
  }
  return count;
}

function writeLayer(motions: Uint32Array, floats: Float32Array, at: number, index: number): void {
  const { isAdditive, maskRow } = layers.controller.layers[index]!;
  motions.fill(0, at, at + RECORD);
  motions[at + MOTION.value0] = isAdditive ? LAYER_ADDITIVE : LAYER_OVERRIDE;
  floats[at + MOTION.weight] = layers.weights[index]!;
  motions[at + MOTION.trackPair] = maskRow < 0 ? MASK_NONE : 2 * maskRow;
  motions[at + MOTION.kind] = MOTION_LAYER;
}

function isModifier(words: Uint32Array, row: number): boolean {
  return (words[MODIFIER.SIZE * row + MODIFIER.laneAndBits]! & 0xffff) !== MODIFIER_NONE;
}

/** Modifiers that a character has. */
function modifierCount({ modifiers, modifierCapacity }: Scope, character: number): number {
  let count = 0;
  for (let m = 0; m < modifierCapacity; m++) {
    if (isModifier(modifiers.words, character * modifierCapacity + m)) count++;
  }
  return count;
}

/** Writes the modifier of a row as a record: see `writeModifier`. */
function writeHeld({ modifiers, motions, floats }: Scope, row: number, at: number): void {
  const from = MODIFIER.SIZE * row;
  const { words, floats: held } = modifiers;
  const laneAndBits = words[from + MODIFIER.laneAndBits]!;
  const bits = laneAndBits >>> 24;
  motions.fill(0, at, at + RECORD);
  motions[at + MOTION.value0] = ((laneAndBits >>> 16) & 0xff) === LAYER_SET ? LAYER_SET : LAYER_TURN;
  motions[at + MOTION.value1] = bits & (MODIFIES_ROTATION | MODIFIES_X | MODIFIES_Y | MODIFIES_Z);
  const [x, y, z] = [
    held[from + MODIFIER.rotationX]!,
    held[from + MODIFIER.rotationY]!,
    held[from + MODIFIER.rotationZ]!,
  ];
  const turns = (bits & MODIFIES_ROTATION) !== 0;
  floats[at + MOTION.basis] = turns ? x : 0;
  floats[at + MOTION.basis + 1] = turns ? y : 0;
  floats[at + MOTION.basis + 2] = turns ? z : 0;
  floats[at + MOTION.basis + 3] = turns ? Math.sqrt(Math.max(0, 1 - x * x - y * y - z * z)) : 1;
  floats[at + MOTION.weight] = held[from + MODIFIER.weight]!;
  if (bits & MODIFIES_X) floats[at + MOTION.fraction] = held[from + MODIFIER.x]!;
  if (bits & MODIFIES_Y) floats[at + MOTION.constantPair] = held[from + MODIFIER.y]!;
  if (bits & MODIFIES_Z) floats[at + MOTION.bases] = held[from + MODIFIER.z]!;
  motions[at + MOTION.trackPair] = laneAndBits & 0xffff;
  motions[at + MOTION.kind] = MOTION_LAYER;
}
