import { View } from '../../src/layout/index.ts';
import { clipFromWorld, multiply, orthographic, viewFromWorld, type Matrix4 } from '../../src/render/camera.ts';
import { writeViews, type CrowdView } from '../../src/frame/tables/crowd-view.ts';
import {
  BinRecord,
  createKinds,
  CullParams,
  Decision,
  EXTRA_BINS,
  SHARES_NONE,
  SlotClass,
  SlotExtent,
  SlotMove,
} from '../../src/stages/cull-characters/layout.ts';
import type { CullViews, PlayedViews } from '../../src/stages/cull-characters/reference.ts';
import { MODIFIER_NONE } from '../../src/stages/gather-motions/layout.ts';
import {
  Resident,
  RESIDENT_CARRIES,
  RESIDENT_NONE,
  SLOT_PAGE_SHIFT,
  SLOT_UNIT,
  SlotState,
  Transform,
  VisibleCharacter,
} from '../../src/stages/layout.ts';
import type { Random } from './random.ts';
import { playedViews, playHeld } from './played-crowd.ts';
import { CLIPS, SHARED, shareViews } from './sharing-crowd.ts';

export interface CullSceneOptions {
  readonly characters: number;
  /** Levels of each type. */
  readonly levels: readonly number[];
  readonly pages: number;
  /** Slots of each class; fewer than are needed, or more. */
  readonly slotsPerClass: number;
  readonly poseCapacity?: number;
  readonly paletteCapacity?: number;
  readonly followers?: boolean;
  /** Those below so many pixels share poses, which stand behind the characters. */
  readonly sharing?: number;
  /** Some stand where nobody can be, as root motion may leave them. */
  readonly lost?: boolean;
  /** Memory moves between size classes. */
  readonly moves?: boolean;
}

/** Copies of positions in a slot, and words of attributes per vertex. */
const [COPIES, WORDS] = [2, 2];
const ROWS_PER_PAIR = 2 * COPIES + WORDS;
const MOTION_ROWS = 24;
/** Slots of an extent, and slots that can wait. */
const [EXTENT_SLOTS, PARKED] = [3, 24];

/** A crowd with everything that cull-characters reads, whose inhabitants come, go and move at random. */
export class CullScene {
  readonly views: CullViews;
  /** What plays on whom. */
  readonly played: PlayedViews;
  readonly roundCount: number;
  readonly slotCount: number;
  readonly #random: Random;
  readonly #options: CullSceneOptions;
  #grants: number[];

  constructor(random: Random, options: CullSceneOptions) {
    const { characters, levels, pages, slotsPerClass } = options;
    this.#random = random;
    this.#options = options;
    const levelCount = levels.reduce((sum, count) => sum + count, 0);
    // levels of several types share classes
    const capacities = [64, 80, 96, 128, 160, 256, 320];
    const kinds = createKinds(levels.length, levelCount, capacities.length, CLIPS * levels.length);
    capacities.forEach((vertexCapacity, c) =>
      kinds.classes.assign(c, {
        vertexCapacity,
        ringFirst: c * slotsPerClass * (options.moves ? 4 : 1),
        ringCapacity: Math.max(1, slotsPerClass) * (options.moves ? 4 : 1),
      }),
    );
    let firstLevel = 0;
    levels.forEach((count, type) => {
      const radius = random.pick([-1, 0, random.range(0.2, 4)]);
      const center = [random.range(-1, 1), random.range(0, 2), random.range(-1, 1)];
      kinds.types.assign(type, {
        center,
        radius,
        firstLevel,
        levelCount: count,
        levelRow: kinds.levelRow + 2 * firstLevel,
        boxRow: type % 3 === 2 ? 0 : kinds.boxRow + 2 * CLIPS * type,
      });
      for (let clip = 0; clip < CLIPS; clip++) {
        // inside of the sphere, or not quite; some clips have none
        const extent = random.chance(0.2) ? [-1, -1, -1] : [0, 1, 2].map(() => Math.abs(radius) * random.range(0, 0.7));
        const middle = center.map((c) => c + radius * random.range(-0.3, 0.3));
        kinds.boxes.assign(CLIPS * type + clip, { center: middle, extent });
      }
      let slotClass = random.integer(count - 1, capacities.length - 1);
      let size = random.range(40, 400);
      for (let l = 0; l < count; l++) {
        const paletteStride = 3 * (1 + type);
        const level = { typeRow: 100 + type, geometryRow: 200 + firstLevel + l, paletteStride, slotClass };
        kinds.levels.assign(firstLevel + l, { ...level, size: l === 0 ? 3e38 : size });
        size *= random.range(0.2, 0.8);
        slotClass = Math.max(0, slotClass - random.integer(0, 1));
      }
      firstLevel += count;
    });
    const binCount = 2 * pages * levelCount;
    const sharedCount = options.sharing ? SHARED * levels.length : 0;
    const rows = characters + sharedCount;
    this.roundCount = Math.max(...levels);
    this.slotCount = capacities.length * slotsPerClass;
    const params = new View(CullParams, 1);
    const { poseCapacity = characters, paletteCapacity = 1e6 } = options;
    params.assign(0, {
      characterCount: rows,
      sharedCount,
      binCount,
      levelCount,
      classCount: capacities.length,
      copyCount: COPIES,
      attributeWords: WORDS,
      rowsPerPair: ROWS_PER_PAIR,
      motionRows: MOTION_ROWS,
      poseCapacity,
      paletteCapacity,
      levelRow: kinds.levelRow,
      classRow: kinds.classRow,
      rateSizes: random.pick([
        [0, 0, 0, 0],
        [60, 30, 15, 0],
      ]),
    });
    this.played = playedViews(Math.max(1, rows));
    const residents = new View(Resident, Math.max(1, rows));
    residents.words.fill(RESIDENT_NONE);
    // all slots, class by class, one after the other in pages
    const used = Array.from({ length: pages }, () => 0);
    this.#grants = capacities.flatMap((capacity, c) =>
      Array.from({ length: slotsPerClass }, (_, k) => {
        const page = random.integer(0, pages - 1);
        const slot = 1 + used[page]! / SLOT_UNIT + page * 2 ** SLOT_PAGE_SHIFT;
        used[page]! += (ROWS_PER_PAIR * capacity) / 2;
        return [c | (k << 8), slot >>> 0];
      }).flat(),
    );
    this.views = {
      params,
      residents,
      transforms: new View(Transform, Math.max(1, rows)),
      kinds,
      grants: new Uint32Array(Math.max(2, this.#grants.length)),
      classes: new View(SlotClass, capacities.length + 1),
      rings: new Uint32Array(Math.max(1, options.moves ? 4 * this.slotCount + PARKED : this.slotCount)),
      extents: this.#extentsOf(capacities),
      moves: new View(SlotMove, 1),
      slots: new View(SlotState, Math.max(1, rows)),
      decisions: new View(Decision, Math.max(1, rows)),
      bins: new View(BinRecord, binCount + EXTRA_BINS),
      visible: new View(VisibleCharacter, Math.max(1, rows)),
      share: options.sharing ? shareViews(this.played, characters, options.sharing) : undefined,
    };
    for (let row = characters; row < rows; row++) {
      const typeIndex = Math.floor((row - characters) / SHARED);
      const look = { parts: [0xffffffff, 0xffffffff], views: 0, tint: 0xffffffff };
      residents.assign(row, { typeIndex, leader: row, freshFrame: 0, bornFrame: 0, ...look });
    }
  }

  /** Memory moves between size classes. */
  get moves(): boolean {
    return this.#options.moves ?? false;
  }

  /** Slots of a class that follow one another in a page, a few at a time. */
  #extentsOf(capacities: readonly number[]): CullViews['extents'] {
    const rows: { slot: number; unitCount: number; slotClass: number; homeClass: number }[] = [];
    capacities.forEach((capacity, slotClass) => {
      const units = (ROWS_PER_PAIR * capacity) / 2 / SLOT_UNIT;
      const slots = this.#grants.filter((_, g) => g % 2 === 1 && (this.#grants[g - 1]! & 0xff) === slotClass);
      for (const slot of slots.sort((a, b) => a - b)) {
        const last = rows.at(-1);
        const follows = last?.slotClass === slotClass && last.slot + last.unitCount === slot;
        if (follows && last.unitCount < EXTENT_SLOTS * units) last.unitCount += units;
        else rows.push({ slot, unitCount: units, slotClass, homeClass: slotClass });
      }
    });
    const extents = new View(SlotExtent, Math.max(1, rows.length));
    rows.forEach((row, e) => extents.assign(e, row));
    return extents;
  }

  /** Readies the next frame: some come, go, move, look different; sometimes views change. */
  nextFrame(frame: number): void {
    const random = this.#random;
    const { params, residents, transforms, grants, kinds } = this.views;
    const { characters, followers } = this.#options;
    // a class's grants in two portions
    const now = this.#grants.splice(0, frame === 1 ? 2 * Math.floor(this.#grants.length / 3) : Infinity);
    const placed = new Map<number, number>();
    for (let g = 0; g < now.length; g += 2) {
      const slotClass = now[g]! & 0xff;
      const place = placed.get(slotClass) ?? 0;
      placed.set(slotClass, place + 1);
      grants.set([slotClass | (place << 8), now[g + 1]!], g);
    }
    params.assign(0, { frame, lastFrame: frame - 1, grantCount: now.length / 2, tightens: random.chance(0.9) ? 1 : 0 });
    if (this.moves && this.#grants.length === 0) {
      const { rings, extents } = this.views;
      const park = { parkFirst: rings.length - PARKED, parkCapacity: PARKED };
      params.assign(0, { rebalances: 1, extentCount: extents.count, ...park });
    }
    this.played.clock.assign(0, { timeLow: (frame * 2 ** 30) >>> 0, timeHigh: frame >> 2 });
    const share = frame === 1 ? 0.8 : 0.1;
    for (let i = 0; i < characters; i++) {
      if (random.chance(share)) {
        const typeIndex = random.chance(0.25) ? RESIDENT_NONE : random.integer(0, kinds.types.count - 1);
        const parts = [random.integer(0, 9), i];
        const views = random.chance(0.9) ? 0xffffffff : random.integer(0, 0xffff);
        residents.assign(i, {
          typeIndex,
          leader: i,
          parts,
          freshFrame: frame,
          bornFrame: frame,
          views,
          tint: 0xffffffff,
        });
        transforms.assign(i, {
          position: [random.range(-60, 60), random.range(-3, 3), random.range(-60, 60)],
          rotation: random.quaternion(Math.PI),
          scale: random.pick([1, 0.01, -2, random.range(0.5, 3)]),
        });
      } else if (random.chance(0.05)) residents.set(i, 'freshFrame', frame);
      else if (random.chance(0.2)) {
        transforms.set(i, 'position', [random.range(-60, 60), 0, random.range(-60, 60)]);
      }
    }
    if (this.#options.lost) this.#lose();
    if (followers) this.#follow();
    this.#play(frame);
    if (frame === 1 || random.chance(0.2)) this.#look();
  }

  /** Places that are no numbers, or too far to be computed with, and spheres that are. */
  #lose(): void {
    const random = this.#random;
    const { transforms } = this.views;
    const far = [NaN, Infinity, -Infinity, 3e38, -3e38, 2e18, -1e19];
    for (let i = 0; i < this.#options.characters; i++) {
      if (!random.chance(0.1)) continue;
      const position = [0, 1, 2].map(() => random.pick([random.pick(far), random.range(-60, 60)]));
      const rotation = random.chance(0.2) ? [NaN, 0, 0, 1] : random.quaternion(Math.PI);
      transforms.assign(i, { position, rotation, scale: random.pick([1, 1, 1, NaN, Infinity, -3e38, 1e19]) });
    }
  }

  /** Some play another clip, or two, or fade; some are modified, carry something, or are bound to poses of their own. */
  #play(frame: number): void {
    const random = this.#random;
    const { share, residents } = this.views;
    const { characters } = this.#options;
    share?.params.assign(0, { frame });
    for (let i = 0; i < characters; i++) {
      const type = residents.get(i, 'typeIndex');
      if (share) {
        const leads = Array.from({ length: characters }, (_, k) => k).some((k) => k !== i && residents.get(k, 'leader') === i); // prettier-ignore
        share.sharers[i] = type === RESIDENT_NONE || leads || i % 17 === 0 ? SHARES_NONE : characters + SHARED * type;
      }
      this.played.modifiers.set(i, 'laneAndBits', i % 19 === 0 ? 1 : MODIFIER_NONE);
      if (i % 23 === 0 && type !== RESIDENT_NONE) {
        residents.set(i, 'bornFrame', (residents.get(i, 'bornFrame') | RESIDENT_CARRIES) >>> 0);
      }
      if (!random.chance(frame === 1 ? 1 : 0.3)) continue;
      const start = () => ({ clip: random.integer(0, 1), phase: random.range(0, 1), weight: random.range(0, 1) });
      const whole = { ...start(), weight: 1 };
      const fading = { ...whole, from: random.pick([0, 1]), fade: random.range(0, 4) };
      playHeld(
        this.played,
        i,
        random.pick([[], [start(), start()], [whole], [whole, { ...start(), weight: 0 }], [fading]]),
      );
    }
  }

  /** Some follow one of their type who follows nobody. */
  #follow(): void {
    const random = this.#random;
    const { residents } = this.views;
    const byType = new Map<number, number[]>();
    for (let i = 0; i < this.#options.characters; i++) {
      const type = residents.get(i, 'typeIndex');
      if (type !== RESIDENT_NONE) byType.set(type, [...(byType.get(type) ?? []), i]);
    }
    for (const members of byType.values()) {
      const leaders = members.filter((_, k) => k % 3 === 0);
      members.forEach((i, k) => {
        const leader = residents.get(i, 'leader');
        // who shares is nobody's follower
        if (this.views.share && leader >= this.#options.characters) return;
        const isRight = k % 3 === 0 ? leader === i : leaders.includes(leader) && random.chance(0.9);
        if (!isRight) residents.set(i, 'leader', k % 3 === 0 ? i : random.pick(leaders));
      });
    }
  }

  #look(): void {
    const random = this.#random;
    const { params } = this.views;
    const viewCount = random.pick([0, 1, 3, 32]);
    const views = Array.from({ length: viewCount }, (): CrowdView => ({
      clipFromWorld: randomView(random),
      height: random.range(100, 2000),
      detail: random.range(0.3, 2),
    }));
    writeViews(params, views);
    params.assign(0, { seesAll: random.chance(0.1) ? 1 : 0 });
  }
}

function randomView(random: Random): Matrix4 {
  const eye = [random.range(-30, 30), random.range(0, 20), random.range(-30, 30)] as const;
  const target = [random.range(-30, 30), 0, random.range(-30, 30)] as const;
  if (random.chance(0.5)) return clipFromWorld({ eye, target, fovY: random.range(0.2, 2) }, random.range(0.5, 2));
  const [width, height] = [random.range(1, 30), random.range(1, 30)];
  const box = { left: -width, right: width, bottom: -height, top: height, near: 0, far: random.range(10, 100) };
  return multiply(orthographic(box), viewFromWorld({ eye, target }));
}
