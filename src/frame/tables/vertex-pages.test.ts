import { describe, expect, test } from 'vitest';
import { Random } from '../../../test/support/random.ts';
import { someSeeds } from '../../../test/support/setup.ts';
import { SLOT_PAGE_SHIFT, SLOT_UNIT } from '../../stages/layout.ts';
import { SLOT_COPIES, slotClasses, type SlotClasses, sizeClass } from './cull-tables.ts';
import { type Page, VertexPages, type VertexLimits } from './vertex-pages.ts';
import type { CrowdType } from './crowd-types.ts';

const CAPACITY = 1000;

/** Types by the vertex counts of their levels, the finest first. */
function typesOf(...levels: readonly (readonly number[])[]): CrowdType[] {
  return levels.map((counts, index) => ({ index, levels: counts.map((vertexCount) => ({ vertexCount })) }) as never);
}

/** Vertices that a slot for so many takes. */
const slotSize = (vertexCount: number) => SLOT_COPIES * sizeClass(vertexCount);

interface Slot {
  readonly slotClass: number;
  readonly page: number;
  readonly first: number;
}

/** Vertex pages, and what the GPU would know of them. */
class Watched {
  readonly pages: VertexPages;
  readonly classes: SlotClasses;
  readonly limits: VertexLimits;
  readonly living: number[];
  /** Pages that the backend has. */
  readonly held: Page[] = [];
  /** All slots since they were last taken away. */
  slots: Slot[] = [];
  resets = 0;

  constructor(
    readonly types: readonly CrowdType[],
    limits: Partial<VertexLimits> & Pick<VertexLimits, 'rowBudget'>,
    capacity: number = CAPACITY,
  ) {
    this.limits = { pageRows: 2 ** 22, pageCount: 100, ...limits };
    this.classes = slotClasses(types, capacity, limits.rowBudget, { attributeWords: 0 });
    this.living = types.map(() => 0);
    this.pages = new VertexPages(types, this.classes, this.limits, {
      create: (page) => {
        expect(page.index).toBe(this.held.length); // where a backend puts it
        this.held.push(page);
      },
      remove: (page) => {
        // a backend knows pages by their places in its list: only the last can go
        expect(this.held.at(-1)).toBe(page);
        this.held.pop();
      },
    });
  }

  spawn(type: number, count: number): void {
    this.living[type]! += count;
    this.pages.count(this.types[type]!, count);
    this.pages.provide();
  }

  despawn(type: number, count: number): void {
    this.living[type]! -= count;
    this.pages.count(this.types[type]!, -count);
  }

  frame(): void {
    const { reset, grants } = this.pages.take();
    if (reset) {
      this.slots = [];
      this.resets++;
    }
    const places = this.classes.capacities.map(() => 0);
    for (let g = 0; g < grants.length; g += 2) {
      const [word, slot] = [grants[g]!, grants[g + 1]!];
      const slotClass = word & 0xff;
      expect(word >>> 8).toBe(places[slotClass]!++);
      expect(slot).toBeGreaterThan(0);
      const page = (slot - 1) >>> SLOT_PAGE_SHIFT;
      this.slots.push({ slotClass, page, first: ((slot - 1) & (2 ** SLOT_PAGE_SHIFT - 1)) * SLOT_UNIT });
    }
    this.expectSound();
  }

  /** Slots that can hold so many vertices. */
  fitting(vertexCount: number): number {
    return this.slots.filter(({ slotClass }) => this.classes.capacities[slotClass]! >= vertexCount).length;
  }

  free(page: number): number {
    const used = this.slots.filter((slot) => slot.page === page).reduce((sum, slot) => sum + this.#sizeOf(slot), 0);
    return this.held[page]!.rowCapacity - used;
  }

  get cost(): number {
    return this.types.reduce((sum, { levels }, t) => sum + this.living[t]! * slotSize(levels[0]!.vertexCount), 0);
  }

  #sizeOf({ slotClass }: Slot): number {
    return SLOT_COPIES * this.classes.capacities[slotClass]!;
  }

  /** What has to hold whatever came and went. */
  expectSound(): void {
    const { rowBudget, pageRows, pageCount } = this.limits;
    expect(this.pages.list).toEqual(this.held);
    expect(this.held.length).toBeLessThanOrEqual(pageCount);
    const total = this.held.reduce((sum, { rowCapacity }) => sum + rowCapacity, 0);
    expect(this.pages.rowCount).toBe(total);
    expect(total).toBeLessThanOrEqual(rowBudget);
    for (const { rowCapacity } of this.held) expect(rowCapacity).toBeLessThanOrEqual(pageRows);
    // no slot reaches into the next one, or out of its page
    const sorted = [...this.slots].sort((a, b) => a.page - b.page || a.first - b.first);
    const reaching = sorted.filter((slot, i) => {
      const next = sorted[i + 1];
      const end = next?.page === slot.page ? next.first : this.held[slot.page]!.rowCapacity;
      return slot.first + this.#sizeOf(slot) > end;
    });
    expect(reaching).toEqual([]);
    // rings have room for so many
    this.classes.limits.forEach((limit, c) => {
      expect(this.slots.filter(({ slotClass }) => slotClass === c).length).toBeLessThanOrEqual(limit);
    });
    if (this.living.every((count) => count === 0)) expect(this.held).toEqual([]);
    // nobody goes without while there is room: none in a page, and none for another page
    for (const [t, { levels }] of this.types.entries()) {
      const least = levels.at(-1)!.vertexCount;
      if (this.living[t] === 0 || this.fitting(least) > 0) continue;
      for (const page of this.held) expect(this.free(page.index)).toBeLessThan(slotSize(least));
    }
  }
}

describe('slots that are cut', () => {
  test.each(someSeeds(2, 40))('are sound for any spawns and despawns: seed %i', (seed) => {
    const random = new Random(seed);
    const types = typesOf(
      ...Array.from({ length: random.integer(1, 4) }, () => {
        const finest = random.integer(1, 3000);
        const levels = Array.from({ length: random.integer(1, 3) }, (_, l) => Math.ceil(finest / 3 ** l));
        return levels;
      }),
    );
    const largest = slotSize(Math.max(...types.map(({ levels }) => levels[0]!.vertexCount)));
    const watched = new Watched(types, {
      rowBudget: largest * random.integer(1, 60) + random.integer(0, 500),
      pageRows: largest * random.integer(1, 30) + random.integer(0, 500),
      pageCount: random.pick([1, 3, 40]),
    });
    for (let step = 0; step < 300; step++) {
      const type = random.integer(0, types.length - 1);
      const living = watched.living[type]!;
      if (random.chance(0.02)) types.forEach((_, t) => watched.despawn(t, watched.living[t]!));
      else if (random.chance(0.55)) watched.spawn(type, Math.min(random.pick([1, 1, 5, 40]), CAPACITY - living));
      else watched.despawn(type, random.integer(0, living));
      if (random.chance(0.6)) watched.frame();
    }
  });

  test.each(someSeeds(1, 20))('serve every character at the finest level while memory lasts: seed %i', (seed) => {
    const random = new Random(seed);
    const types = typesOf([900, 300], [2000], [40]);
    // pages waste less than a slot each
    const watched = new Watched(types, { rowBudget: 300_000 });
    for (let step = 0; step < 300; step++) {
      const type = random.integer(0, 2);
      const size = slotSize(types[type]!.levels[0]!.vertexCount);
      const room = Math.floor((0.9 * watched.limits.rowBudget - watched.cost) / size);
      if (random.chance(0.6)) watched.spawn(type, Math.max(0, Math.min(random.integer(1, 30), room)));
      else watched.despawn(type, random.integer(0, watched.living[type]!));
      watched.frame();
      const count = (least: number) =>
        types.reduce((sum, { levels }, t) => sum + (levels[0]!.vertexCount >= least ? watched.living[t]! : 0), 0);
      for (const { levels } of types) {
        const { vertexCount } = levels[0]!;
        expect(watched.fitting(vertexCount), `step ${step}`).toBeGreaterThanOrEqual(count(vertexCount));
      }
    }
  });

  test('are as many as the budget holds, to the last', () => {
    for (const [rowBudget, slots] of [
      [5 * 160, 5],
      [5 * 160 + 159, 5],
      [160, 1],
    ] as const) {
      const watched = new Watched(typesOf([66]), { rowBudget });
      watched.spawn(0, 9);
      watched.frame();
      expect(watched.fitting(66)).toBe(slots);
      expect(watched.pages.rowCount).toBe(slots * 160);
    }
  });

  test('hold the finest level of some and the coarsest of all when memory is short', () => {
    const watched = new Watched(typesOf([1000, 100]), { rowBudget: 50_000 });
    watched.spawn(0, 60); // 60 × 2,048 in all, and 60 × 224 at their coarsest
    watched.frame();
    expect(watched.fitting(100)).toBeGreaterThanOrEqual(60);
    expect(watched.fitting(1000)).toBe(Math.floor((50_000 - 60 * 224) / 2048));
  });

  test('leave no type without any as long as one fits', () => {
    const boss = new Watched(typesOf([66], [200]), { rowBudget: 500 * 160 });
    boss.spawn(0, 1000);
    boss.frame();
    boss.spawn(1, 1);
    boss.frame();
    expect(boss.fitting(200)).toBe(1);
    expect(boss.fitting(66)).toBeGreaterThan(495);
    const one = new Watched(typesOf([66], [66], [64]), { rowBudget: 160 });
    for (const type of [0, 1, 2]) one.spawn(type, 1);
    one.frame();
    expect(one.slots).toHaveLength(1);
  });
});

describe('pages', () => {
  test('grow in bursts', () => {
    const watched = new Watched(typesOf([66], [200]), { rowBudget: 1e6 }, 200);
    const bursts = [
      [0, 1],
      [1, 20],
      [0, 40],
      [1, 3],
      [0, 70],
    ] as const;
    let most = 0;
    for (const [type, count] of bursts) {
      watched.spawn(type, count);
      watched.frame();
      expect(watched.fitting(1)).toBeGreaterThanOrEqual(most + count);
      most += count;
    }
    expect(watched.held.length).toBeGreaterThan(2);
    expect(watched.held.length).toBeLessThanOrEqual(5);
    expect(watched.resets).toBe(0);
    // no more than twice what is needed, and what the first one took
    expect(watched.pages.rowCount).toBeLessThan(2 * watched.cost + 16 * 160);
  });

  test('are few where characters come one by one', () => {
    const watched = new Watched(typesOf([66], [200]), { rowBudget: 1e6 });
    for (let i = 0; i < 500; i++) {
      watched.spawn(i % 4 === 0 ? 1 : 0, 1);
      if (i % 10 === 0) watched.frame();
    }
    watched.frame();
    expect(watched.held.length).toBeLessThan(12);
    expect(watched.pages.rowCount).toBeLessThan(3 * watched.cost);
    expect(watched.resets).toBe(0);
  });

  test('hold as much as one binding reaches, and no more', () => {
    const watched = new Watched(typesOf([66]), { rowBudget: 1e6, pageRows: 1000 });
    watched.spawn(0, 100);
    watched.frame();
    expect(watched.fitting(66)).toBe(100);
    expect(watched.held).toHaveLength(Math.ceil(100 / 6));
  });

  test('are released when no character is left, and allocated again', () => {
    const watched = new Watched(typesOf([66], [200]), { rowBudget: 1e6, pageRows: 5000 });
    for (let round = 0; round < 3; round++) {
      watched.spawn(0, 50);
      watched.spawn(1, 50);
      watched.frame();
      expect(watched.held.length).toBeGreaterThan(3);
      watched.despawn(0, 50);
      watched.frame();
      expect(watched.held.length).toBeGreaterThan(3); // some are left
      watched.despawn(1, 50);
      watched.frame();
      expect(watched.held).toEqual([]);
      expect(watched.slots).toEqual([]);
      expect(watched.resets).toBe(round + 1);
      watched.frame();
      expect(watched.resets).toBe(round + 1);
    }
  });
});

describe('memory that is cut the wrong way', () => {
  test('is divided again for new characters', () => {
    const watched = new Watched(typesOf([66], [200]), { rowBudget: 30 * 160 });
    watched.spawn(0, 30);
    watched.frame();
    watched.despawn(0, 20);
    watched.spawn(1, 6);
    watched.frame();
    expect(watched.resets).toBe(1);
    expect(watched.fitting(200)).toBeGreaterThanOrEqual(6);
    expect(watched.fitting(66)).toBeGreaterThanOrEqual(16);
  });

  test('is divided again for the remaining characters, when others are despawned', () => {
    const watched = new Watched(typesOf([66], [200]), { rowBudget: 30 * 160 });
    watched.spawn(0, 30);
    watched.spawn(1, 10);
    watched.frame();
    expect(watched.fitting(200)).toBeLessThan(10);
    watched.despawn(0, 30);
    watched.frame();
    expect(watched.fitting(200)).toBe(10);
  });

  test('is divided again for the coarsest level of new characters, before many have none', () => {
    const watched = new Watched(typesOf([1000, 100]), { rowBudget: 50_000 });
    for (let living = 1; living <= 150; living++) {
      watched.spawn(0, 1);
      watched.frame();
      expect(living - watched.fitting(100)).toBeLessThanOrEqual(living / 16);
    }
    expect(watched.resets).toBeLessThan(40);
  });

  test('is not divided again without need: all would lose their history', () => {
    // pages of five slots waste what a sixth would need, and the budget says that it is there
    const watched = new Watched(typesOf([66], [200]), { rowBudget: 100 * 160, pageRows: 6 * 160 - 16 });
    watched.spawn(0, 60);
    watched.spawn(1, 60);
    watched.frame();
    const { resets } = watched;
    for (let i = 0; i < 200; i++) {
      const type = i % 2;
      watched.despawn(type, 1);
      watched.spawn(type, 1);
      if (i % 10 === 0) watched.spawn(type, 1);
      watched.frame();
    }
    expect(watched.resets - resets).toBeLessThanOrEqual(2);
  });
});

test('a character that does not fit at all is known in advance', () => {
  const types = typesOf([66], [1000, 200], [1000]);
  const fits = (limits: Partial<VertexLimits> & Pick<VertexLimits, 'rowBudget'>) => {
    const { pages } = new Watched(types, limits);
    return types.map((type) => pages.fits(type));
  };
  expect(fits({ rowBudget: 1e6 })).toEqual([true, true, true]);
  expect(fits({ rowBudget: 416 })).toEqual([true, true, false]); // 200 vertices take the places of 208, twice
  expect(fits({ rowBudget: 415 })).toEqual([true, false, false]);
  expect(fits({ rowBudget: 1e6, pageRows: 160 })).toEqual([true, false, false]);
  expect(fits({ rowBudget: 159 })).toEqual([false, false, false]);
});
