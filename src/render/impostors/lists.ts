import type { DrawnMemory } from '../../frame/backend.ts';
import { readRanges } from '../../device/read-back.ts';
import type { Character } from '../../character/character.ts';
import type { SharingPlan } from '../../frame/tables/crowd-layout.ts';
import type { CrowdType } from '../../frame/tables/crowd-types.ts';
import { createStorage } from '../../frame/tables/memory.ts';
import { roundUp, View } from '../../layout/index.ts';
import { createKernelGroup, encodeDispatches, type Dispatch } from '../../stages/kernel.ts';
import { VisibleCharacter } from '../../stages/layout.ts';
import type { DrawnRows } from '../forward/drawn-crowd.ts';
import { partBit } from '../materials/material-table.ts';
import { kernels as assignCode } from './assign.gen.ts';
import { kernels as chooseCode } from './choose.gen.ts';
import {
  assignBindings,
  chooseBindings,
  CHOICE_NONE,
  COUNT_DRAWN,
  COUNT_REFUSED,
  COUNT_TILES,
  COUNT_WAITING,
  COUNT_WORD,
  GROUP_ROWS,
  IMPOSTOR_COUNTS,
  Impostor,
  ImpostorChoice,
  ImpostorClip,
  ImpostorDraw,
  ImpostorTile,
  ImpostorType,
  listBindings,
  TILES_AT_ONCE,
} from './layout.ts';
import { kernels as listCode } from './list.gen.ts';
import { marksOf } from './marks.ts';
import type { ImpostorPlan } from './options.ts';

/** Words of the arguments of a draw. */
const QUAD_WORDS = 4;
/** Counts of the last picture. */
export interface ImpostorStats {
  /** Characters that it drew as impostors, those among them that were partly meshes included. */
  readonly drawn: number;
  /** Characters that are small enough and were drawn as meshes, because no tile shows them yet; in shadow maps as well. */
  readonly waiting: number;
  /** Tiles that it drew for later pictures. */
  readonly tilesDrawn: number;
  /** Tiles that were asked for and would have displaced others that are in use: the atlas is too small. */
  readonly tilesRefused: number;
}

export const NO_IMPOSTORS: ImpostorStats = { drawn: 0, waiting: 0, tilesDrawn: 0, tilesRefused: 0 };

/** Alignment of uniform bindings, bytes. */
const ALIGNMENT = 256;

/** Types, then draws, as kernels read them. */
function planTable(
  types: readonly CrowdType[],
  draws: DrawnMemory['draws'],
  { countOf, phases }: SharingPlan,
  isHeld: (type: CrowdType) => boolean,
) {
  const typeBytes = ImpostorType.size * types.length;
  const boxes = types.flatMap((type) => clipBoxes(type.character).slice(0, countOf[type.index]! / phases));
  const clipBytes = typeBytes + ImpostorClip.size * boxes.length;
  const words = new Uint32Array((clipBytes + ImpostorDraw.size * draws.length) / 4);
  const typeRows = new View(ImpostorType, words.buffer, 0, types.length);
  const clipRows = new View(ImpostorClip, words.buffer, typeBytes, boxes.length);
  const drawRows = new View(ImpostorDraw, words.buffer, clipBytes, draws.length);
  boxes.forEach((box, index) => clipRows.assign(index, box));
  types.forEach((type, index) => {
    const { bounds, parts } = type.character;
    const bits = [0, 1].map((word) => parts.reduce((sum, _, part) => (sum | partBit(part)[word]!) >>> 0, 0));
    const size = Math.max(...[0, 1, 2].map((axis) => bounds.max[axis]! - bounds.min[axis]!));
    typeRows.assign(index, { parts: bits, size, isHeld: Number(isHeld(type)) });
  });
  draws.forEach(({ recordByte, primitiveBytes }, index) => {
    const instanceWord = primitiveBytes.length > 0 ? primitiveBytes[0]! / 4 + 1 : 0;
    drawRows.assign(index, { recordWord: recordByte / 4, instanceWord, primitiveCount: primitiveBytes.length });
  });
  return { words, clipRow: typeBytes / 16, drawRow: clipBytes / 16 };
}

/** The boxes that contain the poses of each clip. Without one the box of the sphere that contains all poses counts. */
function clipBoxes({ clips, reach, arrivals, bounds: rest }: Character) {
  const { center = [0, 0, 0], radius = 0 } = reach ?? {};
  return clips.map(({ bounds }) => {
    if (!bounds) return { center, extent: [radius, radius, radius] };
    // until a clip has arrived, it holds the rest pose
    const boxes = arrivals ? [bounds, rest] : [bounds];
    const low = [0, 1, 2].map((c) => Math.min(...boxes.map(({ min }) => min[c]!)));
    const high = [0, 1, 2].map((c) => Math.max(...boxes.map(({ max }) => max[c]!)));
    return {
      center: low.map((least, c) => (least + high[c]!) / 2),
      extent: low.map((least, c) => (high[c]! - least) / 2),
    };
  });
}

/**
 * The lists of one crowd's memory: rows that stay meshes, rows that tiles are drawn from, and impostors. With two choices, those of
 * the sun and of the eye are kept side by side; rows that stay meshes and tiles are those of the last one.
 */
export class ImpostorLists {
  readonly rowCapacity: number;
  readonly drawCount: number;
  readonly clipRow: number;
  readonly drawRow: number;
  /** Word of `targets` where arguments of tiles' draws begin. */
  readonly tileTargets: number;
  readonly plan: GPUBuffer;
  readonly choices: GPUBuffer;
  readonly impostors: GPUBuffer;
  readonly tiles: GPUBuffer;
  readonly marks: GPUBuffer;
  readonly targets: GPUBuffer;
  /** Rows that are drawn as meshes, and rows that tiles are drawn from. */
  readonly meshes: DrawnRows;
  readonly drawnTiles: DrawnRows;
  readonly #dispatches: readonly Dispatch[];
  readonly #owned: readonly GPUBuffer[];
  readonly #source: GPUBuffer;
  #isFresh = true;

  constructor(
    device: GPUDevice,
    { crowd, targets, draws }: DrawnMemory,
    types: readonly CrowdType[],
    sharing: SharingPlan,
    { setCount, tileCount }: ImpostorPlan,
    isHeld: (type: CrowdType) => boolean,
    params: GPUBuffer,
    choiceCount: number,
  ) {
    this.rowCapacity = roundUp(Math.floor(crowd.visible.size / VisibleCharacter.size), GROUP_ROWS);
    this.drawCount = draws.length;
    this.tileTargets = roundUp(targets.size, ALIGNMENT) / 4;
    this.#source = targets;
    const { words, clipRow, drawRow } = planTable(types, draws, sharing, isHeld);
    this.clipRow = clipRow;
    this.drawRow = drawRow;
    const marked = marksOf(setCount, this.rowCapacity);
    const marks = new Uint32Array(marked.length);
    marks.fill(CHOICE_NONE, marked.requests, marked.used);
    this.plan = createStorage(device, 'impostor plan', words);
    this.marks = createStorage(device, 'impostor marks', marks);
    this.tiles = createStorage(device, 'impostor tiles', ImpostorTile.size * tileCount);
    const rows = choiceCount * this.rowCapacity;
    this.impostors = createStorage(device, 'impostors', Impostor.size * rows);
    this.choices = createStorage(device, 'impostor choices', ImpostorChoice.size * rows);
    const listedRows = this.rowCapacity + TILES_AT_ONCE;
    const listed = createStorage(device, 'listed', VisibleCharacter.size * listedRows);
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.INDIRECT;
    this.targets = createStorage(device, 'listed targets', 4 * this.quadTargets(0) + ALIGNMENT, usage);
    this.#owned = [this.plan, this.marks, this.tiles, this.impostors, this.choices, listed, this.targets];
    this.meshes = { visible: listed, targets: this.targets, firstByte: 0 };
    this.drawnTiles = { visible: listed, targets: this.targets, firstByte: 4 * this.tileTargets, isDrawn: isHeld };
    const { visible, residents, transforms } = crowd;
    const own = { params, plan: this.plan, tiles: this.tiles, choices: this.choices, marks: this.marks };
    const choose = createKernelGroup(device, {
      label: 'choose-impostors',
      code: chooseCode.base,
      groups: [chooseBindings],
    });
    const assign = createKernelGroup(device, {
      label: 'assign-tiles',
      code: assignCode.base,
      groups: [assignBindings],
    });
    const list = createKernelGroup(device, { label: 'list-impostors', code: listCode.base, groups: [listBindings] });
    const groupCount = this.rowCapacity / GROUP_ROWS;
    const buffers = { ...own, visible, targets, residents, transforms };
    const lists = { listed, listedTargets: this.targets, impostors: this.impostors };
    this.#dispatches = [
      { kernel: choose.kernel('chooseImpostors'), groups: choose.bind(buffers), groupCount },
      { kernel: assign.kernel('assignTiles'), groups: assign.bind(own), groupCount: 1 },
      {
        kernel: list.kernel('listImpostors'),
        groups: list.bind({ ...buffers, ...lists }),
        groupCount: Math.max(groupCount, Math.ceil(draws.length / GROUP_ROWS)),
      },
    ];
  }

  /** Word of `targets` with the arguments of the draw of a choice's impostors. */
  quadTargets(choice: number): number {
    return 2 * this.tileTargets + QUAD_WORDS * choice;
  }

  /** Bytes of all lists. */
  get byteLength(): number {
    return this.#owned.reduce((sum, { size }) => sum + size, 0);
  }

  /** Before the choices of a picture. */
  open(encoder: GPUCommandEncoder): void {
    encoder.clearBuffer(this.marks, 4 * COUNT_WORD, 4 * IMPOSTOR_COUNTS);
    if (!this.#isFresh) return;
    this.#isFresh = false;
    // index counts and first indices stay as they are
    for (const at of [0, 4 * this.tileTargets]) {
      encoder.copyBufferToBuffer(this.#source, 0, this.targets, at, this.#source.size);
    }
  }

  /** Reads the counts of the last picture, after all submitted work. @throws ManipleError DEVICE_LOST */
  async readStats(device: GPUDevice): Promise<ImpostorStats> {
    const [bytes] = await readRanges(device, [[this.marks, 4 * COUNT_WORD, 4 * IMPOSTOR_COUNTS]]);
    const counts = new Uint32Array(bytes!);
    return {
      drawn: counts[COUNT_DRAWN]!,
      waiting: counts[COUNT_WAITING]!,
      tilesDrawn: counts[COUNT_TILES]!,
      tilesRefused: counts[COUNT_REFUSED]!,
    };
  }

  encode(pass: GPUComputePassEncoder): void {
    encodeDispatches(pass, this.#dispatches);
  }

  destroy(): void {
    for (const buffer of this.#owned) buffer.destroy();
  }
}
