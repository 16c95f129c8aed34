import type { View } from '../../layout/index.ts';
import { octahedral } from '../../math/packing.ts';
import { rotate } from '../../math/rotations.ts';
import { type Resident, RESIDENT_NONE, type Transform, VISIBLE_LEVEL, VisibleCharacter } from '../../stages/layout.ts';
import {
  ASSIGNED_WORDS,
  CHOICE_NONE,
  COUNT_DRAWN,
  COUNT_REFUSED,
  COUNT_TILES,
  COUNT_WAITING,
  COUNT_WORD,
  DRAW_WORDS,
  type Impostor,
  type ImpostorChoice,
  type ImpostorClip,
  type ImpostorDraw,
  type ImpostorParams,
  type ImpostorTile,
  type ImpostorType,
  KEPT_PICTURES,
  SET_TILES,
  TILES_AT_ONCE,
} from './layout.ts';
import { marksOf } from './marks.ts';

/** Views of the buffers that the three kernels read and write. */
export interface ImpostorViews {
  readonly params: View<(typeof ImpostorParams)['fields']>;
  readonly visible: View<(typeof VisibleCharacter)['fields']>;
  readonly targets: Uint32Array;
  readonly residents: View<(typeof Resident)['fields']>;
  readonly transforms: View<(typeof Transform)['fields']>;
  readonly types: View<(typeof ImpostorType)['fields']>;
  readonly clips: View<(typeof ImpostorClip)['fields']>;
  readonly draws: View<(typeof ImpostorDraw)['fields']>;
  readonly choices: View<(typeof ImpostorChoice)['fields']>;
  readonly tiles: View<(typeof ImpostorTile)['fields']>;
  readonly marks: Uint32Array;
  readonly listed: View<(typeof VisibleCharacter)['fields']>;
  readonly listedTargets: Uint32Array;
  readonly impostors: View<(typeof Impostor)['fields']>;
}

/** Receives how near a decision was to going the other way: 0 is a tie. */
type OnMargin = (row: number, margin: number) => void;

const RECORD_COUNT = 1;

/** Twin of choose.wesl. */
export function chooseImpostors(views: ImpostorViews, onMargin?: OnMargin): void {
  const { params, choices, marks } = views;
  const at = marksOf(params.get(0, 'setCount'), params.get(0, 'rowCapacity'));
  marks.fill(0, at.meshes, at.meshRanks);
  const count = rowCount(views);
  for (let row = 0; row < count; row++) {
    const choice = choiceFor(views, row, onMargin);
    if (choice.key !== CHOICE_NONE) {
      choice.tile = tileFor(views, at, row, choice);
      if (choice.tile === CHOICE_NONE) marks[COUNT_WORD + COUNT_WAITING]!++;
    }
    if (choice.tile === CHOICE_NONE) choice.fade = 0;
    choices.assign(params.get(0, 'firstChoice') + row, choice);
    const set = (word: number) => (marks[word + (row >> 5)]! |= 1 << (row & 31));
    if (choice.fade < 1) set(at.meshes);
    if (choice.fade > 0) set(at.impostors);
  }
}

interface Choice {
  readonly parts: readonly [number, number];
  key: number;
  tile: number;
  fade: number;
  readonly draw: number;
  readonly level: number;
}

function rowCount({ params, targets, draws }: ImpostorViews): number {
  const last = params.get(0, 'drawCount') - 1;
  if (last < 0) return 0;
  const record = draws.get(last, 'recordWord');
  return Math.min(targets[record]! + targets[record + RECORD_COUNT]!, params.get(0, 'rowCapacity'));
}

function choiceFor(views: ImpostorViews, row: number, onMargin: OnMargin | undefined): Choice {
  const { params, visible, residents, transforms, types, clips, draws, targets } = views;
  const drawCount = params.get(0, 'drawCount');
  let draw = drawCount - 1;
  while (draw > 0 && targets[draws.get(draw, 'recordWord')]! > row) draw--;
  const level = visible.get(row, 'detail') & VISIBLE_LEVEL;
  const none: Choice = { parts: [0, 0], key: CHOICE_NONE, tile: CHOICE_NONE, fade: 0, draw, level };
  const character = visible.get(row, 'character');
  const typeIndex = residents.get(character, 'typeIndex');
  const pose = residents.get(character, 'leader') - params.get(0, 'firstShared');
  if ((visible.get(row, 'views') & params.get(0, 'views')) === 0 || typeIndex === RESIDENT_NONE || pose < 0)
    return none;
  const shown = visible.get(row, 'parts');
  const parts = types.get(typeIndex, 'parts').map((bits, word) => (bits & shown[word]!) >>> 0) as [number, number];
  const scale = transforms.get(character, 'scale');
  const isWhole = residents.get(character, 'tint') >>> 24 === 255;
  if (types.get(typeIndex, 'isHeld') === 0 || parts.every((bits) => bits === 0) || !(scale > 0) || !isWhole)
    return none;
  const [x, y, z, w] = transforms.get(character, 'rotation') as [number, number, number, number];
  const middle = clips.get(Math.floor(pose / params.get(0, 'phases')), 'center').map((c) => c * scale);
  const offset = rotate([x, y, z, w], middle as [number, number, number]);
  const center = transforms.get(character, 'position').map((c, axis) => c + offset[axis]!);
  const [dx, dy, dz, dw] = params.get(0, 'depth') as [number, number, number, number];
  const depth = Math.max(dx * center[0]! + dy * center[1]! + dz * center[2]! + dw, 1e-6);
  const size = (types.get(typeIndex, 'size') * scale * params.get(0, 'pixelsPerMetre')) / depth;
  const [below, above] = [params.get(0, 'below'), params.get(0, 'above')];
  for (const limit of [below, above]) onMargin?.(row, Math.abs(size / limit - 1));
  const fade = Math.min(1, Math.max(0, (above - size) / (above - below)));
  if (fade <= 0) return none;
  const eye = params.get(0, 'eye');
  const toward = params.get(0, 'isParallel') === 0 ? eye.map((c, axis) => c - center[axis]!) : eye;
  const directions = params.get(0, 'directions');
  const cell = cellOf(rotate([-x, -y, -z, w], toward as [number, number, number]), directions, row, onMargin);
  return { ...none, parts, key: pose * directions ** 2 + cell, fade };
}

function cellOf(toward: ArrayLike<number>, directions: number, row: number, onMargin: OnMargin | undefined): number {
  const [column, line] = octahedral(toward[0]!, toward[1]!, toward[2]!).map((value) => {
    const at = (value * 0.5 + 0.5) * directions;
    onMargin?.(row, Math.abs(at - Math.round(at)) / directions);
    return Math.min(directions - 1, Math.max(0, Math.floor(at)));
  });
  return line! * directions + column!;
}

/** The set of tiles that may hold a key. */
function setOf(key: number, [low, high]: readonly [number, number], setCount: number): number {
  let h = Math.imul(key, 0x9e3779b1) ^ Math.imul(low, 0x85ebca77) ^ Math.imul(high, 0xc2b2ae3d);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h ^= h >>> 13;
  return (h >>> 0) % setCount;
}

function holds(tiles: ImpostorViews['tiles'], tile: number, { key, parts }: Pick<Choice, 'key' | 'parts'>): boolean {
  return tiles.get(tile, 'key') === key + 1 && tiles.get(tile, 'parts').every((bits, word) => bits === parts[word]);
}

function tileFor(
  { params, tiles, marks }: ImpostorViews,
  at: ReturnType<typeof marksOf>,
  row: number,
  choice: Choice,
): number {
  const set = setOf(choice.key, choice.parts, params.get(0, 'setCount'));
  const own = Array.from({ length: SET_TILES }, (_, way) => set * SET_TILES + way);
  const found = own.find((tile) => holds(tiles, tile, choice)) ?? CHOICE_NONE;
  if (found !== CHOICE_NONE) marks[at.used + found] = params.get(0, 'frame');
  if (found === CHOICE_NONE || tiles.get(found, 'level') > choice.level) {
    marks[at.requests + set] = Math.min(marks[at.requests + set]!, row);
  }
  return found;
}

/** Twin of assign.wesl. */
export function assignTiles({
  params,
  choices,
  tiles,
  marks,
}: Pick<ImpostorViews, 'params' | 'choices' | 'tiles' | 'marks'>): void {
  const setCount = params.get(0, 'setCount');
  const at = marksOf(setCount, params.get(0, 'rowCapacity'));
  rank(marks, at.meshes, at.meshRanks, at.bitWords);
  marks[COUNT_WORD + COUNT_DRAWN] = rank(marks, at.impostors, at.impostorRanks, at.bitWords);
  const given: number[] = Array.from({ length: TILES_AT_ONCE }, () => CHOICE_NONE);
  given.forEach((_, index) => (marks[ASSIGNED_WORDS * index] = CHOICE_NONE));
  let asked = 0;
  for (let set = 0; set < setCount; set++) {
    const row = marks[at.requests + set]!;
    marks[at.requests + set] = CHOICE_NONE;
    if (row === CHOICE_NONE || asked++ >= params.get(0, 'tileLimit')) continue;
    const chosen = params.get(0, 'firstChoice') + row;
    const choice = { key: choices.get(chosen, 'key'), parts: choices.get(chosen, 'parts') as [number, number] };
    const tile = tileOf(tiles, marks, at.used, set, choice, params.get(0, 'frame'));
    if (tile === CHOICE_NONE) {
      marks[COUNT_WORD + COUNT_REFUSED]!++;
      continue;
    }
    const [level, draw] = [choices.get(chosen, 'level'), choices.get(chosen, 'draw')];
    tiles.assign(tile, { ...choice, key: choice.key + 1, level });
    marks[at.used + tile] = params.get(0, 'frame');
    marks.set([row, tile, draw], ASSIGNED_WORDS * (asked - 1));
    given[asked - 1] = draw;
    marks[COUNT_WORD + COUNT_TILES]!++;
  }
  const order = given.map((_, index) => index).toSorted((a, b) => given[a]! - given[b]! || a - b);
  order.forEach((index, place) => (marks[ASSIGNED_WORDS * index + 3] = place));
}

function rank(marks: Uint32Array, bits: number, ranks: number, words: number): number {
  let sum = 0;
  for (let w = 0; w < words; w++) {
    marks[ranks + w] = sum;
    for (let bit = 0; bit < 32; bit++) sum += (marks[bits + w]! >>> bit) & 1;
  }
  return sum;
}

function tileOf(
  tiles: ImpostorViews['tiles'],
  marks: Uint32Array,
  used: number,
  set: number,
  choice: Pick<Choice, 'key' | 'parts'>,
  frame: number,
): number {
  const own = Array.from({ length: SET_TILES }, (_, way) => set * SET_TILES + way);
  const known = own.find((tile) => holds(tiles, tile, choice));
  if (known !== undefined) return known;
  const ages = own.map((tile) => frame - marks[used + tile]!);
  const oldest = Math.max(...ages);
  return oldest > KEPT_PICTURES ? own[ages.indexOf(oldest)]! : CHOICE_NONE;
}

/** Twin of list.wesl. */
export function listImpostors(views: ImpostorViews): void {
  const { params, visible, choices, marks, draws, listed, listedTargets, impostors } = views;
  const [rowCapacity, firstChoice] = [params.get(0, 'rowCapacity'), params.get(0, 'firstChoice')];
  const at = marksOf(params.get(0, 'setCount'), rowCapacity);
  const isSet = (bits: number, row: number) => ((marks[bits + (row >> 5)]! >>> (row & 31)) & 1) !== 0;
  const copyRow = (row: number, to: number) => {
    const words = VisibleCharacter.size / 4;
    listed.words.set(visible.words.subarray(words * row, words * (row + 1)), words * to);
  };
  const given = Array.from({ length: TILES_AT_ONCE }, (_, index) => {
    const [row, tile, draw, place] = marks.subarray(ASSIGNED_WORDS * index, ASSIGNED_WORDS * (index + 1));
    return { index, row: row!, tile: tile!, draw: draw!, place: place! };
  }).filter(({ row }) => row !== CHOICE_NONE);
  let drawn = 0;
  for (let draw = 0; draw < params.get(0, 'drawCount'); draw++) {
    const record = draws.get(draw, 'recordWord');
    const [first, count] = [views.targets[record]!, views.targets[record + RECORD_COUNT]!];
    let meshes = 0;
    for (let row = first; row < first + count; row++) {
      const fade = choices.get(firstChoice + row, 'fade');
      if (isSet(at.meshes, row)) {
        copyRow(row, first + meshes);
        listed.floats[(VisibleCharacter.size * (first + meshes) + VisibleCharacter.offsets.motionRow) / 4] = fade;
        meshes++;
      }
      if (!isSet(at.impostors, row)) continue;
      const [tile, key] = (['tile', 'key'] as const).map((name) => choices.get(firstChoice + row, name));
      impostors.assign(firstChoice + drawn++, { row, tile: tile!, key: key!, fade });
    }
    const before = given.filter((tile) => tile.draw < draw).length;
    const own = given.filter((tile) => tile.draw === draw).length;
    const write = (base: number, values: [number, number]) => {
      listedTargets.set(values, base + record);
      for (let p = 0; p < draws.get(draw, 'primitiveCount'); p++) {
        listedTargets[base + draws.get(draw, 'instanceWord') + DRAW_WORDS * p] = values[1];
      }
    };
    write(0, [first, meshes]);
    write(params.get(0, 'tileTargets'), [rowCapacity + before, own]);
  }
  for (const { index, row, place } of given) {
    copyRow(row, rowCapacity + place);
    listed.assign(rowCapacity + place, { paletteRow: index, motionRow: choices.get(firstChoice + row, 'key') });
  }
  listedTargets.set([4, drawn], params.get(0, 'quadTargets'));
}
