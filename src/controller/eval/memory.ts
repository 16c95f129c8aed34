import { type View, wordOffsets } from '../../layout/index.ts';
import type { Cycles } from '../../math/cycles.ts';
import {
  AnimatorHead,
  type AnimatorRegions,
  FROZEN_CLIP_SHIFT,
  FROZEN_MIRROR,
  FROZEN_ROWS,
  MACHINE_DYNAMIC_FIXED,
  MACHINE_ENTERED,
  MACHINE_FRESH,
  MACHINE_FROZEN,
  MACHINE_IN_TRANSITION,
  MACHINE_NEXT_ENTERED,
  MACHINE_NEXT_FRESH,
  MACHINE_STARTED,
  ROOT_ROWS,
} from './layout.ts';
import { type Parameters, TreeMemo } from './motion.ts';
import { columnWordOf } from './regions.ts';
import { FROZEN_LIMIT } from '../tables.ts';

/** One machine of one character, unpacked from its 32 bytes. */
export interface Machine {
  started: boolean;
  current: number;
  next: number;
  /** Index of the active transition, or TRANSITION_DYNAMIC. */
  transition: number;
  inTransition: boolean;
  frozen: boolean;
  fresh: boolean;
  nextFresh: boolean;
  entered: boolean;
  nextEntered: boolean;
  currentClock: Cycles;
  nextClock: Cycles;
  /** 0.32 fixed point. */
  progress: number;
  /** Duration of a dynamic transition. */
  duration: number;
  fixed: boolean;
}

/** A sample with a fixed phase. */
export interface FrozenSample {
  /** Clip of the controller. */
  readonly clip: number;
  readonly mirror: boolean;
  /** In 1/65535. */
  readonly phase: number;
  readonly weight: number;
}

const HEAD = /* @__PURE__ */ wordOffsets(AnimatorHead);

/** Parameters of one character. `character` may be set to read those of another one. */
export class CharacterParameters implements Parameters {
  readonly floats: Float32Array;
  readonly ints: Int32Array;
  character: number;
  readonly memo: TreeMemo;
  /** First word of the first parameter's column, and words from one column to the next. */
  readonly #first: number;
  readonly #stride: number;

  constructor(memory: AnimatorMemory, character: number) {
    const { floats, ints, memo, firstParameterWord, columnStride } = memory;
    [this.floats, this.ints, this.memo, this.character] = [floats, ints, memo, character];
    [this.#first, this.#stride] = [firstParameterWord, columnStride];
  }

  float(index: number): number {
    return this.floats[this.#first + index * this.#stride + this.character]!;
  }

  int(index: number): number {
    return this.ints[this.#first + index * this.#stride + this.character]!;
  }
}

/** The animators of a crowd, as kernels bind them, character by character. */
export class AnimatorMemory {
  readonly floats: Float32Array<ArrayBuffer>;
  readonly ints: Int32Array<ArrayBuffer>;
  readonly capacity: number;
  /** True if any controller of the crowd has root motion. */
  readonly hasRoot: boolean;
  readonly memo: TreeMemo;
  readonly firstParameterWord: number;
  readonly columnStride: number;
  readonly #firstMachineRow: number;
  readonly #frozenRow: number;
  readonly #rootRow: number;
  readonly #firstColumnWord: number;

  constructor(
    readonly words: Uint32Array<ArrayBuffer>,
    readonly regions: View<(typeof AnimatorRegions)['fields']>,
  ) {
    this.floats = new Float32Array(words.buffer, words.byteOffset, words.length);
    this.ints = new Int32Array(words.buffer, words.byteOffset, words.length);
    this.capacity = regions.get(0, 'capacity');
    this.#firstMachineRow = regions.get(0, 'machineRow');
    this.#frozenRow = regions.get(0, 'frozenRow');
    this.#rootRow = regions.get(0, 'rootRow');
    this.#firstColumnWord = columnWordOf(regions, 0);
    this.firstParameterWord = columnWordOf(regions, 1);
    this.columnStride = this.firstParameterWord - this.#firstColumnWord;
    this.memo = new TreeMemo(this.capacity);
    this.hasRoot = this.#rootRow < regions.get(0, 'columnRow');
  }

  head(character: number, key: keyof typeof AnimatorHead.fields): number {
    return this.words[HEAD.SIZE * character + HEAD[key]]!;
  }

  setHead(character: number, key: keyof typeof AnimatorHead.fields, value: number): void {
    this.words[HEAD.SIZE * character + HEAD[key]] = value;
  }

  machineWords(machine: number, character: number): Uint32Array {
    const words = new Uint32Array(8);
    for (const row of [0, 1]) words.set(this.#machineRow(machine, character, row), 4 * row);
    return words;
  }

  setMachineWords(machine: number, character: number, words: Uint32Array): void {
    for (const row of [0, 1]) {
      this.#machineRow(machine, character, row).set(words.subarray(4 * row, 4 * row + 4));
    }
  }

  #machineRow(machine: number, character: number, row: number): Uint32Array {
    const at = this.machineWord(machine, character, row);
    return this.words.subarray(at, at + 4);
  }

  /** First word of a row of a machine: 0 or 1. */
  machineWord(machine: number, character: number, row: number): number {
    return 4 * (this.#firstMachineRow + (2 * machine + row) * this.capacity + character);
  }

  machine(machine: number, character: number): Machine {
    const words = this.machineWords(machine, character);
    const ints = new Int32Array(words.buffer);
    const flags = words[1]! >>> 16;
    return {
      started: (flags & MACHINE_STARTED) !== 0,
      current: words[0]! & 0xffff,
      next: words[0]! >>> 16,
      transition: words[1]! & 0xffff,
      inTransition: (flags & MACHINE_IN_TRANSITION) !== 0,
      frozen: (flags & MACHINE_FROZEN) !== 0,
      fresh: (flags & MACHINE_FRESH) !== 0,
      nextFresh: (flags & MACHINE_NEXT_FRESH) !== 0,
      entered: (flags & MACHINE_ENTERED) !== 0,
      nextEntered: (flags & MACHINE_NEXT_ENTERED) !== 0,
      currentClock: { phase: words[2]!, cycles: ints[3]! },
      nextClock: { phase: words[4]!, cycles: ints[5]! },
      progress: words[6]!,
      duration: new Float32Array(words.buffer)[7]!,
      fixed: (flags & MACHINE_DYNAMIC_FIXED) !== 0,
    };
  }

  setMachine(index: number, character: number, machine: Machine): void {
    const flags =
      (machine.started ? MACHINE_STARTED : 0) |
      (machine.inTransition ? MACHINE_IN_TRANSITION : 0) |
      (machine.frozen ? MACHINE_FROZEN : 0) |
      (machine.fresh ? MACHINE_FRESH : 0) |
      (machine.nextFresh ? MACHINE_NEXT_FRESH : 0) |
      (machine.entered ? MACHINE_ENTERED : 0) |
      (machine.nextEntered ? MACHINE_NEXT_ENTERED : 0) |
      (machine.fixed ? MACHINE_DYNAMIC_FIXED : 0);
    const { current, next, transition, currentClock, nextClock, progress, duration } = machine;
    const words = Uint32Array.of(
      current | (next << 16),
      transition | (flags << 16),
      currentClock.phase,
      currentClock.cycles,
      nextClock.phase,
      nextClock.cycles,
      progress,
      0,
    );
    new Float32Array(words.buffer)[7] = duration;
    this.setMachineWords(index, character, words);
  }

  /** Returns true if a frozen blend replaces a machine's current state. */
  isFrozen(machine: number, character: number): boolean {
    return ((this.#machineRow(machine, character, 0)[1]! >>> 16) & MACHINE_FROZEN) !== 0;
  }

  frozen(layer: number, character: number): FrozenSample[] {
    const at = this.frozenWord(layer, character);
    return Array.from({ length: FROZEN_LIMIT }, (_, i): FrozenSample => {
      const sample = this.words[at + 2 * i]!;
      return {
        clip: sample >>> FROZEN_CLIP_SHIFT,
        mirror: (sample & FROZEN_MIRROR) !== 0,
        phase: sample & 0xffff,
        weight: this.floats[at + 2 * i + 1]!,
      };
    }).filter(({ weight }) => weight > 0);
  }

  setFrozen(layer: number, character: number, samples: readonly FrozenSample[]): void {
    const at = this.frozenWord(layer, character);
    for (let i = 0; i < FROZEN_LIMIT; i++) {
      const sample = samples[i];
      this.words[at + 2 * i] = sample
        ? (sample.phase | (sample.mirror ? FROZEN_MIRROR : 0) | (sample.clip << FROZEN_CLIP_SHIFT)) >>> 0
        : 0;
      this.floats[at + 2 * i + 1] = sample?.weight ?? 0;
    }
  }

  /** First word of a layer's frozen samples. */
  frozenWord(layer: number, character: number): number {
    return 4 * (this.#frozenRow + FROZEN_ROWS * (layer * this.capacity + character));
  }

  /** Word of a column: 0 for the character's speed, 1 + p for parameter p. */
  columnWord(column: number, character: number): number {
    return this.#firstColumnWord + column * this.columnStride + character;
  }

  parameters(character: number): CharacterParameters {
    return new CharacterParameters(this, character);
  }

  /** First word of a character's root motion: position, pad, rotation. */
  rootWord(character: number): number {
    return 4 * (this.#rootRow + ROOT_ROWS * character);
  }
}

const memories = new WeakMap<Uint32Array<ArrayBuffer>, AnimatorMemory>();

/** The same, made once for an array and its regions. */
export function animatorMemory(
  words: Uint32Array<ArrayBuffer>,
  regions: View<(typeof AnimatorRegions)['fields']>,
): AnimatorMemory {
  const known = memories.get(words);
  if (known?.regions === regions) return known;
  const memory = new AnimatorMemory(words, regions);
  memories.set(words, memory);
  return memory;
}
