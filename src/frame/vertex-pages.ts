import { View } from '../layout/index.ts';
import { REBALANCES, REBALANCES_FINER, SlotExtent } from '../stages/cull-characters/layout.ts';
import { SLOT_PAGE_SHIFT, SLOT_UNIT } from '../stages/layout.ts';
import type { SlotClasses } from './cull-tables.ts';
import type { Page } from './page.ts';
import { sizeClass } from './size-class.ts';
import { slotRows, type CrowdType } from './types.ts';

export interface VertexLimits {
  /** Vertices of all pages together. */
  readonly vertexBudget: number;
  /** Vertices of one page, and pages. */
  readonly pageVertices: number;
  readonly pageCount: number;
}

/** What a frame has to know of vertex memory. */
export interface SlotChanges {
  /** All slots are taken from whom they were given to: those that are granted are all there are. */
  readonly reset: boolean;
  /** Class and place among the grants of that class, then the slot: words in pairs. */
  readonly grants: Uint32Array<ArrayBuffer>;
  /** Rows of extents that are new, behind those that kernels know; and how many there are then. */
  readonly extents: Uint32Array<ArrayBuffer>;
  readonly extentCount: number;
  /** REBALANCES_ flags: whether memory moves between classes. */
  readonly rebalances: number;
  /** Memory moves, or may have begun to since all slots were taken. */
  readonly hasMoves: boolean;
}

/** Slots that are added at once at least, so that characters that come one by one seldom need a new page. */
const LEAST_SLOTS = 16;
/** Extents that slots of a class are cut into at least, if that many are as large as any slot. */
const LEAST_EXTENTS = 8;
/**
 * Where memory does not hold everyone's finest level anyway, it is cut anew only for so many slots, as a share of who lives:
 * everyone loses its past with its slot, and has no velocity for a frame.
 */
const TOLERATED_SHARE = 1 / 16;

/**
 * Cuts vertex memory into slots (of vertices, or of palettes where draws skin: a row of either takes the same room), as many as the characters that live can need: as long as it lasts one for each at its
 * finest level, then fewer of those and enough of the coarsest. Who gets them is decided on the GPU, in every frame.
 */
export class VertexPages {
  readonly list: Page[] = [];
  #types: readonly CrowdType[];
  #classes: SlotClasses;
  #limits: VertexLimits;
  readonly #createPage: (page: Page) => void;
  readonly #removePage: (page: Page) => void;
  #living: number[];
  #used: number[] = [];
  /** Slots by class. */
  #granted: number[];
  #grants: [slotClass: number, slot: number][] = [];
  /** Extents that kernels have not been told of, and how many there are. */
  #extents: View<(typeof SlotExtent)['fields']>[] = [];
  #extentCount = 0;
  #hasMoves = false;
  /** Memory suffices for all that live at their finest levels; at their coarsest. */
  #isWhole = true;
  #holdsAll = true;
  #reset = false;
  /** Others live than memory is cut for. */
  #isStale = false;
  /** There are more pages than there may be. */
  #isCrowded = false;

  constructor(
    types: readonly CrowdType[],
    classes: SlotClasses,
    limits: VertexLimits,
    pages: { create: (page: Page) => void; remove: (page: Page) => void },
  ) {
    this.#types = types;
    this.#classes = classes;
    this.#limits = limits;
    this.#createPage = pages.create;
    this.#removePage = pages.remove;
    this.#living = types.map(() => 0);
    this.#granted = classes.capacities.map(() => 0);
  }

  /** Characters of a type have come, or gone (fewer than 0). Slots are cut by `provide`, or when they are taken. */
  count({ index }: CrowdType, more: number): void {
    this.#living[index]! += more;
    this.#isStale = true;
  }

  /**
   * Goes on with other types, sizes and limits, and with nobody: who lives has to be counted again. All slots are given anew,
   * in the pages that there are.
   */
  reshape(types: readonly CrowdType[], classes: SlotClasses, limits: VertexLimits): void {
    this.#types = types;
    this.#classes = classes;
    this.#limits = limits;
    this.#living = types.map(() => 0);
    this.#granted = classes.capacities.map(() => 0);
    this.#clear();
    this.#isStale = true;
    this.#isCrowded = this.list.length > limits.pageCount;
  }

  /** Whether one character of a type can be drawn at all, with all memory for itself. */
  fits(type: CrowdType): boolean {
    const slot = this.#classes.copies * sizeClass(Math.min(...type.levels.map((level) => slotRows(type, level))));
    return slot <= Math.min(this.#limits.vertexBudget, this.#limits.pageVertices);
  }

  /** Vertices of each page that are cut. */
  get used(): readonly number[] {
    return this.#used;
  }

  get vertexCount(): number {
    return this.list.reduce((sum, { vertexCapacity }) => sum + vertexCapacity, 0);
  }

  /** Cuts what is missing. Creates pages. */
  provide(): void {
    this.#isStale = false;
    const { target, tolerated } = this.#target();
    if (this.#cut(target) || !this.#isCutBadly(target, tolerated)) return;
    this.#clear();
    this.#cut(target);
  }

  /** What has changed since it was last asked for. Gives all memory up when nobody is left. */
  take(): SlotChanges {
    if (this.#isCrowded || this.#living.every((count) => count === 0)) this.#release();
    if (this.#isStale) this.provide();
    const placed = this.#classes.capacities.map(() => 0);
    const grants = Uint32Array.from(this.#grants.flatMap(([c, slot]) => [c | (placed[c]!++ << 8), slot]));
    const rows = SlotExtent.size / 4;
    const extents = new Uint32Array(this.#extents.length * rows);
    this.#extents.forEach(({ words }, e) => extents.set(words, e * rows));
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
    // the last first: whoever keeps pages by their indices finds the others where they were
    for (const page of this.list.splice(0).reverse()) this.#removePage(page);
  }

  /**
   * Takes all slots back. A third copy is for frames that are drawn later: what they read must not be given to others, so their
   * pages go as well, and new ones are made for the slots.
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

  /** Vertices that there can be: no more than all pages hold, and than those hold that there are once there are all. */
  #budget(): number {
    const { vertexBudget, pageVertices, pageCount } = this.#limits;
    return this.list.length >= pageCount ? this.vertexCount : Math.min(vertexBudget, pageVertices * pageCount);
  }

  /** Slots of each class that those who live should have, and how many may be missing before all are cut anew. */
  #target(): { target: readonly number[]; tolerated: number } {
    const { capacities, limits } = this.#classes;
    const budget = this.#budget();
    const target = capacities.map(() => 0);
    const add = (rows: number, count: number) => {
      target[capacities.indexOf(sizeClass(rows))]! += count;
    };
    const cost = (pick: (type: CrowdType) => number) =>
      this.#types.reduce((sum, type, t) => sum + this.#living[t]! * this.#classes.copies * sizeClass(pick(type)), 0);
    const finest = (type: CrowdType) => slotRows(type, type.levels[0]!);
    const coarsest = (type: CrowdType) => slotRows(type, type.levels.at(-1)!);
    const isWhole = cost(finest) <= budget;
    this.#isWhole = isWhole;
    this.#holdsAll = cost(coarsest) <= budget;
    if (isWhole) this.#types.forEach((type, t) => add(finest(type), this.#living[t]!));
    else {
      const share = Math.min(1, budget / cost(coarsest));
      // one at least, so that a single large one can be drawn amid many small ones
      this.#types.forEach((type, t) => add(coarsest(type), Math.ceil(this.#living[t]! * share)));
      const left = Math.max(0, budget - cost(coarsest));
      const finer = this.#types.flatMap((type, t) =>
        type.levels.slice(0, -1).map((level) => ({ rows: slotRows(type, level), living: this.#living[t]! })),
      );
      const asked = finer.reduce((sum, { rows, living }) => sum + living * this.#classes.copies * sizeClass(rows), 0);
      const finerShare = left < asked ? left / asked : 1;
      for (const { rows, living } of finer) add(rows, Math.floor(living * finerShare));
    }
    const everyone = this.#living.reduce((sum, count) => sum + count, 0);
    return {
      target: target.map((count, c) => Math.min(count, limits[c]!)),
      tolerated: isWhole ? 0 : everyone * TOLERATED_SHARE,
    };
  }

  /** Whether the pages, cut anew, would hold more that is wanted: more slots than are tolerated, or of a size that lacks. */
  #isCutBadly(target: readonly number[], tolerated: number): boolean {
    const room = this.list.map(({ vertexCapacity }) => vertexCapacity);
    let gained = 0;
    for (let c = target.length - 1; c >= 0; c--) {
      const slot = this.#classes.copies * this.#classes.capacities[c]!;
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

  /** Cuts slots until there are so many, or no more fit: then false. */
  #cut(target: readonly number[]): boolean {
    const { capacities, limits } = this.#classes;
    let isComplete = true;
    // larger slots first: they fill pages best
    for (let c = capacities.length - 1; c >= 0; c--) {
      const slot = this.#classes.copies * capacities[c]!;
      while (this.#granted[c]! < target[c]!) {
        const missing = target[c]! - this.#granted[c]!;
        let page = this.list.find(({ index, vertexCapacity }) => this.#used[index]! + slot <= vertexCapacity);
        page ??= this.#addPage(slot, Math.min(Math.max(missing, LEAST_SLOTS), limits[c]! - this.#granted[c]!), target);
        if (!page) {
          isComplete = false;
          break;
        }
        const count = Math.min(missing, Math.floor((page.vertexCapacity - this.#used[page.index]!) / slot));
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
   * Tells slots that are about to be cut apart into extents that hold any slot: longer ones where there are many, since what is left
   * over of an extent is lost while it is another class's. Those that are too many stay with their class.
   */
  #addExtents(slotClass: number, page: Page, count: number): void {
    const { copies, capacities, extentLength, extentLimit } = this.#classes;
    const units = (copies * capacities[slotClass]!) / SLOT_UNIT;
    const length = Math.min(4 * extentLength, Math.max(extentLength, (count * units * SLOT_UNIT) / LEAST_EXTENTS));
    const most = Math.ceil(length / SLOT_UNIT / units);
    for (let first = 0; first < count && this.#extentCount < extentLimit; first += most) {
      const unit = this.#used[page.index]! / SLOT_UNIT + first * units;
      const extent = new View(SlotExtent, 1);
      extent.assign(0, {
        slot: (1 + unit + page.index * 2 ** SLOT_PAGE_SHIFT) >>> 0,
        unitCount: Math.min(most, count - first) * units,
        slotClass,
        homeClass: slotClass,
      });
      this.#extents.push(extent);
      this.#extentCount++;
    }
  }

  /** A page for slots of one size and whatever else is missing, or larger, so that there are never many. */
  #addPage(slot: number, count: number, target: readonly number[]): Page | undefined {
    const { vertexBudget, pageVertices, pageCount } = this.#limits;
    if (this.list.length >= pageCount) return undefined;
    const others = target.reduce((sum, wanted, c) => {
      const size = this.#classes.copies * this.#classes.capacities[c]!;
      return size === slot ? sum : sum + Math.max(0, wanted - this.#granted[c]!) * size;
    }, 0);
    const room = Math.min(vertexBudget - this.vertexCount, pageVertices);
    const needed = count * slot + others;
    const wanted = Math.max(needed, slot * Math.ceil((this.#grown(needed) - this.vertexCount) / slot));
    const vertexCapacity = Math.floor(Math.min(wanted, room) / SLOT_UNIT) * SLOT_UNIT;
    if (vertexCapacity < slot) return undefined;
    const page = { index: this.list.length, vertexCapacity };
    this.#createPage(page);
    this.list.push(page);
    this.#used.push(0);
    return page;
  }

  /** Vertices of all pages behind the next one: twice as many, or more where so few may come that doubling would not do. */
  #grown(needed: number): number {
    const left = this.#limits.pageCount - this.list.length;
    const [now, most] = [Math.max(this.vertexCount, needed), this.#mostNeeded()];
    const isEnough = now * 2 ** (left - 1) >= most;
    return Math.min(most, isEnough ? 2 * this.vertexCount : now * (most / now) ** (1 / left));
  }

  /** Vertices that a full crowd of the largest type would take. */
  #mostNeeded(): number {
    return (
      this.#classes.copies * Math.max(...this.#classes.capacities.map((size, c) => size * this.#classes.limits[c]!))
    );
  }
}
