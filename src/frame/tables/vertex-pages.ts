import { fail } from '../../errors.ts';
import { REBALANCES, REBALANCES_FINER, SlotExtent } from '../../stages/cull-characters/layout.ts';
import { SLOT_PAGE_SHIFT, SLOT_UNIT } from '../../stages/layout.ts';
import { type RowValues, viewOf } from './column.ts';
import { type SlotClasses, sizeClass } from './cull-tables.ts';
import { slotRows, type CrowdType } from './crowd-types.ts';

export interface VertexLimits {
  /** Vertices of all pages together. */
  readonly rowBudget: number;
  /** Maximum vertices of one page, and maximum number of pages. */
  readonly pageRows: number;
  readonly pageCount: number;
}

/** Changes of vertex memory that a frame applies. */
export interface SlotChanges {
  /** True if characters lose all slots. Afterwards only the slots in `grants` exist. */
  readonly reset: boolean;
  /** Pairs of words: the class with the index among the grants of that class, then the slot. */
  readonly grants: Uint32Array<ArrayBuffer>;
  /** Rows of new extents. They follow the extents that kernels already have. */
  readonly extents: Uint32Array<ArrayBuffer>;
  /** Number of all extents, including the new ones. */
  readonly extentCount: number;
  /** REBALANCES_ flags: 0 if no memory moves between classes. */
  readonly rebalances: number;
  /** True if memory moves between classes, or may have moved since the last reset. */
  readonly hasMoves: boolean;
}

/** Minimum slots per new page, so that characters which are spawned one by one seldom need a new page. */
const LEAST_SLOTS = 16;
/** Minimum extents that new slots of a class are cut into, if such extents are large enough for any slot. */
const LEAST_EXTENTS = 8;
/**
 * Slots to gain before memory is cut again, as a share of the living characters. It applies if memory cannot hold all
 * characters at their finest level. Cutting costs every character its history, so that it has no velocity for a frame.
 */
const TOLERATED_SHARE = 1 / 16;

/**
 * Cuts vertex memory into slots, as many as the living characters can need. Slots hold vertices, or palettes where draws
 * skin: a row of either takes the same memory. If memory suffices, there is a slot for each character at its finest level.
 * Otherwise there are fewer of those, and enough for the coarsest levels. The GPU assigns slots to characters in every frame.
 */
export class VertexPages {
  readonly list: Page[] = [];
  #types: readonly CrowdType[] = [];
  #classes: SlotClasses;
  #limits: VertexLimits;
  readonly #pages: { create: (page: Page) => void; remove: (page: Page) => void };
  #living: number[] = [];
  #used: number[] = [];
  /** Slots by class. */
  #granted: number[] = [];
  #grants: [slotClass: number, slot: number][] = [];
  /** Extents that are not uploaded yet, and the number of all extents. */
  #extents: RowValues<(typeof SlotExtent)['fields']>[] = [];
  #extentCount = 0;
  #hasMoves = false;
  /** True if memory suffices for all living characters at their finest levels. `#holdsAll`: at their coarsest. */
  #isWhole = true;
  #holdsAll = true;
  #reset = false;
  /** True if the living characters have changed since memory was cut. */
  #isStale = false;
  /** True if there are more pages than the limit. */
  #isCrowded = false;

  constructor(
    types: readonly CrowdType[],
    classes: SlotClasses,
    limits: VertexLimits,
    pages: { create: (page: Page) => void; remove: (page: Page) => void },
  ) {
    [this.#classes, this.#limits, this.#pages] = [classes, limits, pages];
    this.#begin(types);
  }

  #begin(types: readonly CrowdType[]): void {
    this.#types = types;
    this.#living = types.map(() => 0);
    this.#granted = this.#classes.capacities.map(() => 0);
  }

  /** Adds to the number of living characters of a type (`more` may be negative). `provide` or `take` cuts the slots. */
  count({ index }: CrowdType, more: number): void {
    this.#living[index]! += more;
    this.#isStale = true;
  }

  /**
   * Changes types, sizes and limits. The number of living characters becomes 0, so they must be counted again. All slots are
   * granted again, in the existing pages.
   */
  resize(types: readonly CrowdType[], classes: SlotClasses, limits: VertexLimits): void {
    [this.#classes, this.#limits] = [classes, limits];
    this.#begin(types);
    this.#clear();
    this.#isStale = true;
    this.#isCrowded = this.list.length > limits.pageCount;
  }

  /** Returns true if all of the memory is enough to draw one character of a type. */
  fits(type: CrowdType): boolean {
    return this.#slotOf(type) <= Math.min(this.#limits.rowBudget, this.#limits.pageRows);
  }

  /** @throws ManipleError DEVICE_LIMIT, CROWD_FULL where not even one character of a type can be drawn */
  expectFit(type: CrowdType): void {
    if (this.fits(type)) return;
    const { name } = type.character;
    const least = Math.min(...type.levels.map((level) => slotRows(type, level)));
    const what = type.skin === 'vertex' ? 'rows of its palette' : 'vertices';
    const { pageRows } = this.#limits;
    if (this.#slotOf(type) > pageRows) {
      const most = Math.floor((2 * pageRows) / this.#classes.rowsPerPair);
      const message = `${least} ${what} at its coarsest; a page holds ${most}.`;
      const suggestion = 'Request the device with the limits of its adapter, or simplify the character.';
      fail('DEVICE_LIMIT', name, message, suggestion);
    }
    fail('CROWD_FULL', name, `No vertex memory for ${least} ${what}.`, 'Create the crowd with more maxVertexBytes.');
  }

  /** Rows of a slot for this number of vertices, or of rows of a palette. */
  #rowsOf(vertexCount: number): number {
    return (this.#classes.rowsPerPair * sizeClass(vertexCount)) / 2;
  }

  /** Rows of the smallest slot for a character of a type. */
  #slotOf(type: CrowdType): number {
    return this.#rowsOf(Math.min(...type.levels.map((level) => slotRows(type, level))));
  }

  /** Rows of each page that are cut into slots. */
  get used(): readonly number[] {
    return this.#used;
  }

  get rowCount(): number {
    return this.list.reduce((sum, { rowCapacity }) => sum + rowCapacity, 0);
  }

  /** Cuts missing slots. May create pages. */
  provide(): void {
    this.#isStale = false;
    const { target, tolerated } = this.#target();
    if (this.#cut(target) || !this.#isCutBadly(target, tolerated)) return;
    this.#clear();
    this.#cut(target);
  }

  /** Returns the changes since the last call. Releases all memory if no character is left. */
  take(): SlotChanges {
    if (this.#isCrowded || this.#living.every((count) => count === 0)) this.#release();
    if (this.#isStale) this.provide();
    const placed = this.#classes.capacities.map(() => 0);
    const grants = Uint32Array.from(this.#grants.flatMap(([c, slot]) => [c | (placed[c]!++ << 8), slot]));
    const extents = viewOf(SlotExtent, this.#extents).words;
    const { extentLimit } = this.#classes;
    const rebalances = this.#isWhole || extentLimit === 0 ? 0 : REBALANCES | (this.#holdsAll ? REBALANCES_FINER : 0);
    this.#hasMoves ||= rebalances !== 0;
    const moved = { extents, extentCount: this.#extentCount, rebalances, hasMoves: this.#hasMoves };
    const changes = { reset: this.#reset, grants, ...moved };
    this.#grants = [];
    this.#extents = [];
    this.#reset = false;
    return changes;
  }

  #release(): void {
    this.#isCrowded = false;
    if (this.list.length === 0) return;
    this.#isStale = true;
    this.#removePages();
    this.#clear();
  }

  #removePages(): void {
    // the last page first, so that the others keep their indices
    for (const page of this.list.splice(0).reverse()) this.#pages.remove(page);
  }

  /**
   * Takes all slots back. With a third copy, frames may be drawn later, and the memory that they read must not be reused.
   * So the pages are removed as well, and new ones are created for the slots.
   */
  #clear(): void {
    if (this.#classes.copies > 2) this.#removePages();
    this.#grants = [];
    this.#extents = [];
    this.#extentCount = 0;
    this.#hasMoves = false;
    this.#reset = true;
    this.#used = this.list.map(() => 0);
    this.#granted = this.#granted.map(() => 0);
  }

  /** Maximum vertices: what all pages can hold, or what the existing pages hold once their number is at the limit. */
  #budget(): number {
    const { rowBudget, pageRows, pageCount } = this.#limits;
    return this.list.length >= pageCount ? this.rowCount : Math.min(rowBudget, pageRows * pageCount);
  }

  /** Slots of each class that the living characters should have, and how many may be missing before all are cut again. */
  #target(): { target: readonly number[]; tolerated: number } {
    const { capacities, limits } = this.#classes;
    const budget = this.#budget();
    const target = capacities.map(() => 0);
    const add = (rows: number, count: number) => {
      target[capacities.indexOf(sizeClass(rows))]! += count;
    };
    const cost = (pick: (type: CrowdType) => number) =>
      this.#types.reduce((sum, type, t) => sum + this.#living[t]! * this.#rowsOf(pick(type)), 0);
    const finest = (type: CrowdType) => slotRows(type, type.levels[0]!);
    const coarsest = (type: CrowdType) => slotRows(type, type.levels.at(-1)!);
    const isWhole = cost(finest) <= budget;
    this.#isWhole = isWhole;
    this.#holdsAll = cost(coarsest) <= budget;
    if (isWhole) this.#types.forEach((type, t) => add(finest(type), this.#living[t]!));
    else {
      const share = Math.min(1, budget / cost(coarsest));
      // at least one, so that a single large character can be drawn among many small ones
      this.#types.forEach((type, t) => add(coarsest(type), Math.ceil(this.#living[t]! * share)));
      const left = Math.max(0, budget - cost(coarsest));
      const finer = this.#types.flatMap((type, t) =>
        type.levels.slice(0, -1).map((level) => ({ rows: slotRows(type, level), living: this.#living[t]! })),
      );
      const asked = finer.reduce((sum, { rows, living }) => sum + living * this.#rowsOf(rows), 0);
      const finerShare = left < asked ? left / asked : 1;
      for (const { rows, living } of finer) add(rows, Math.floor(living * finerShare));
    }
    const everyone = this.#living.reduce((sum, count) => sum + count, 0);
    return {
      target: target.map((count, c) => Math.min(count, limits[c]!)),
      tolerated: isWhole ? 0 : everyone * TOLERATED_SHARE,
    };
  }

  /** Returns true if cutting all pages again would gain more than `tolerated` slots, or slots of a size that has none. */
  #isCutBadly(target: readonly number[], tolerated: number): boolean {
    const room = this.list.map(({ rowCapacity }) => rowCapacity);
    let gained = 0;
    for (let c = target.length - 1; c >= 0; c--) {
      const slot = this.#classes.slots[c]!;
      const useful = Math.min(target[c]!, this.#granted[c]!);
      let anew = 0;
      room.forEach((free, page) => {
        const count = Math.min(target[c]! - anew, Math.floor(free / slot));
        room[page] = free - count * slot;
        anew += count;
      });
      if (useful === 0 && anew > 0) return true;
      gained += anew - useful;
    }
    return gained > tolerated;
  }

  /** Cuts slots until there are `target` of each class. Returns false if not all fit. */
  #cut(target: readonly number[]): boolean {
    const { capacities, limits, slots } = this.#classes;
    let isComplete = true;
    // larger slots first: they fill pages best
    for (let c = capacities.length - 1; c >= 0; c--) {
      const slot = slots[c]!;
      while (this.#granted[c]! < target[c]!) {
        const missing = target[c]! - this.#granted[c]!;
        let page = this.list.find(({ index, rowCapacity }) => this.#used[index]! + slot <= rowCapacity);
        page ??= this.#addPage(slot, Math.min(Math.max(missing, LEAST_SLOTS), limits[c]! - this.#granted[c]!), target);
        if (!page) {
          isComplete = false;
          break;
        }
        const count = Math.min(missing, Math.floor((page.rowCapacity - this.#used[page.index]!) / slot));
        for (let k = 0; k < count; k++) {
          const unit = (this.#used[page.index]! + k * slot) / SLOT_UNIT;
          this.#grants.push([c, (1 + unit + page.index * 2 ** SLOT_PAGE_SHIFT) >>> 0]);
        }
        this.#addExtents(c, page, count);
        this.#used[page.index]! += count * slot;
        this.#granted[c]! += count;
      }
    }
    return isComplete;
  }

  /**
   * Groups slots that are about to be cut into extents. Each is large enough for a slot of any class, and longer where there are
   * many slots: what remains of an extent is lost while another class has it. Slots over the extent limit stay in their class.
   */
  #addExtents(slotClass: number, page: Page, count: number): void {
    const { slots, extentLength, extentLimit } = this.#classes;
    const units = slots[slotClass]! / SLOT_UNIT;
    const length = Math.min(4 * extentLength, Math.max(extentLength, (count * units * SLOT_UNIT) / LEAST_EXTENTS));
    const most = Math.ceil(length / SLOT_UNIT / units);
    for (let first = 0; first < count && this.#extentCount < extentLimit; first += most) {
      const unit = this.#used[page.index]! / SLOT_UNIT + first * units;
      const slot = (1 + unit + page.index * 2 ** SLOT_PAGE_SHIFT) >>> 0;
      const unitCount = Math.min(most, count - first) * units;
      this.#extents.push({ slot, unitCount, slotClass, homeClass: slotClass });
      this.#extentCount++;
    }
  }

  /** Adds a page for `count` slots and all others that are missing. It may be larger, so that there are never many pages. */
  #addPage(slot: number, count: number, target: readonly number[]): Page | undefined {
    const { rowBudget, pageRows, pageCount } = this.#limits;
    if (this.list.length >= pageCount) return undefined;
    const others = target.reduce((sum, wanted, c) => {
      const size = this.#classes.slots[c]!;
      return size === slot ? sum : sum + Math.max(0, wanted - this.#granted[c]!) * size;
    }, 0);
    const room = Math.min(rowBudget - this.rowCount, pageRows);
    const needed = count * slot + others;
    const wanted = Math.max(needed, slot * Math.ceil((this.#grown(needed) - this.rowCount) / slot));
    const rowCapacity = Math.floor(Math.min(wanted, room) / SLOT_UNIT) * SLOT_UNIT;
    if (rowCapacity < slot) return undefined;
    const page = { index: this.list.length, rowCapacity };
    this.#pages.create(page);
    this.list.push(page);
    this.#used.push(0);
    return page;
  }

  /** Vertices of all pages once the next one is added: twice as many, or more if doubling cannot reach the need in time. */
  #grown(needed: number): number {
    const left = this.#limits.pageCount - this.list.length;
    const [now, most] = [Math.max(this.rowCount, needed), this.#mostNeeded()];
    const isEnough = now * 2 ** (left - 1) >= most;
    return Math.min(most, isEnough ? 2 * this.rowCount : now * (most / now) ** (1 / left));
  }

  /** Vertices for a full crowd of the size class that takes most. */
  #mostNeeded(): number {
    return Math.max(...this.#classes.slots.map((rows, c) => rows * this.#classes.limits[c]!));
  }
}

/** A part of a crowd's vertex memory that one binding reaches. A slot never crosses a page. */
export interface Page {
  readonly index: number;
  readonly rowCapacity: number;
}
