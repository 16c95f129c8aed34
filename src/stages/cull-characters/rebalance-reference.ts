import { wordOffsets } from '../../layout/index.ts';
import { SLOT_UNIT } from '../layout.ts';
import {
  MOVE_EXTENTS,
  MOVE_FRAMES,
  MOVE_PERIOD,
  MOVE_RESERVE,
  REBALANCES_FINER,
  SlotMove,
  SWEEP_SLOTS,
} from './layout.ts';
import type { CullViews } from './views.ts';

const MOVE = /* @__PURE__ */ wordOffsets(SlotMove);

/**
 * Moves memory from a size class that can spare slots to one that lacks them, by the last frame's counts. So the result
 * depends only on frames. Free slots of the moving extents wait, and holders of the others ask for new ones
 * (`slots-reference.ts`). Once all slots wait, they become slots of the other class.
 */
export function rebalanceSlots(views: CullViews): void {
  const { moves } = views;
  if (moves.get(0, 'extentCount') === 0) planMove(views);
  if (moves.get(0, 'extentCount') === 0) return;
  if (isOver(views)) giveUp(views);
  else {
    sweep(views);
    if (moves.get(0, 'parkedCount') === moves.get(0, 'slotCount')) convert(views);
  }
}

/** Returns true if a slot is about to leave its class. */
export function isMoving({ moves }: Pick<CullViews, 'moves'>, slot: number): boolean {
  const { words } = moves;
  const isMove = words[MOVE.extentCount]! > 0 && slot > 0;
  return isMove && slot - 1 >= words[MOVE.firstSlot]! && slot - 1 < words[MOVE.endSlot]!;
}

function unitsOf({ params, kinds }: CullViews, slotClass: number): number {
  return (params.get(0, 'rowsPerPair') * kinds.classes.get(slotClass, 'vertexCapacity')) / (2 * SLOT_UNIT);
}

function slotsIn(views: CullViews, extent: number, slotClass: number): number {
  return Math.floor(views.extents.get(extent, 'unitCount') / unitsOf(views, slotClass));
}

/** The ring of a class: its free slots, the first to be taken next. */
export class Ring {
  readonly #views: CullViews;
  readonly #class: number;

  constructor(views: CullViews, slotClass: number) {
    [this.#views, this.#class] = [views, slotClass];
  }

  get count(): number {
    return this.#views.classes.get(this.#class, 'count');
  }

  push(slot: number): void {
    this.#views.rings[this.#at(this.count)] = slot;
    this.#views.classes.set(this.#class, 'count', this.count + 1);
  }

  shift(): number {
    const { kinds, classes, rings } = this.#views;
    const slot = rings[this.#at(0)]!;
    const head = (classes.get(this.#class, 'head') + 1) % kinds.classes.get(this.#class, 'ringCapacity');
    classes.assign(this.#class, { head, count: this.count - 1 });
    return slot;
  }

  #at(place: number): number {
    const { kinds, classes } = this.#views;
    const capacity = kinds.classes.get(this.#class, 'ringCapacity');
    return kinds.classes.get(this.#class, 'ringFirst') + ((classes.get(this.#class, 'head') + place) % capacity);
  }
}

function planMove(views: CullViews): void {
  const { params, classes, extents } = views;
  const to = targetClass(views);
  if (to === undefined) return;
  const [classCount, extentCount] = [params.get(0, 'classCount'), params.get(0, 'extentCount')];
  const none = Array.from({ length: classCount }, () => 0);
  const [slotsOf, homesOf] = [[...none], [...none]];
  for (let e = 0; e < extentCount; e++) {
    const [slotClass, home] = [extents.get(e, 'slotClass'), extents.get(e, 'homeClass')];
    slotsOf[slotClass]! += slotsIn(views, e, slotClass);
    homesOf[home]! += slotsIn(views, e, home);
  }
  const spares = slotsOf.map((all, c) => spareSlots(views, c, to, all, homesOf[c]!));
  const sizes = spares.map((slots, c) => slots * unitsOf(views, c));
  const most = Math.max(...sizes);
  if (most === 0) return;
  const from = sizes.indexOf(most);
  const spare = Math.min(spares[from]!, params.get(0, 'parkCapacity'));
  const fits = (e: number) =>
    extents.get(e, 'slotClass') === from && slotsIn(views, e, from) <= spare && slotsIn(views, e, to) > 0;
  const first = Array.from({ length: extentCount }, (_, e) => e).find(fits);
  if (first === undefined) return;
  const lacking = classes.get(to, 'lacking');
  const limit = views.kinds.classes.get(to, 'ringCapacity') >>> 1;
  const wanted = Math.min(lacking > 0 ? lacking : classes.get(to, 'unmet'), Math.max(0, limit - slotsOf[to]!));
  let [made, slots, count, end] = [0, 0, 0, extents.get(first, 'slot')];
  for (let e = first; e < extentCount && count < MOVE_EXTENTS && made < wanted; e++) {
    const [more, gained] = [slotsIn(views, e, from), slotsIn(views, e, to)];
    const follows = extents.get(e, 'slotClass') === from && extents.get(e, 'slot') === end;
    if (!follows || slots + more > spare || slotsOf[to]! + made + gained > limit) break;
    end += extents.get(e, 'unitCount');
    [slots, made, count] = [slots + more, made + gained, count + 1];
  }
  const firstSlot = extents.get(first, 'slot') - 1;
  const range = { firstExtent: first, extentCount: count, firstSlot, endSlot: end - 1, slotCount: slots };
  views.moves.assign(0, { fromClass: from, toClass: to, ...range, parkedCount: 0, startFrame: params.get(0, 'frame') });
}

/** Characters that are not drawn come first; then, from time to time, levels that are drawn coarser than wanted. */
function targetClass({ params, classes }: CullViews): number | undefined {
  if (params.get(0, 'rebalances') === 0) return undefined;
  const [frame, count] = [params.get(0, 'frame'), params.get(0, 'classCount')];
  const from = (first: number) => Array.from({ length: count }, (_, k) => (first + k) % count);
  const lacking = from(frame).find((c) => classes.get(c, 'lacking') > 0);
  if (lacking !== undefined || frame % MOVE_PERIOD !== 0) return lacking;
  return from(Math.floor(frame / MOVE_PERIOD)).find((c) => classes.get(c, 'unmet') > 0);
}

/** Free slots that a class can do without. @param all Its slots. @param homes Those that were cut for it. */
function spareSlots({ params, kinds, classes }: CullViews, c: number, to: number, all: number, homes: number): number {
  const isKept = (params.get(0, 'rebalances') & REBALANCES_FINER) !== 0 && kinds.classes.get(c, 'isCoarsest') !== 0;
  if (c === to || isKept || classes.get(c, 'unmet') > 0 || classes.get(c, 'lacking') > 0) return 0;
  // a move for finer levels leaves a reserve of free slots
  const idle = classes.get(to, 'lacking') > 0 ? 0 : Math.ceil(all / MOVE_RESERVE);
  return Math.max(0, Math.min(classes.get(c, 'count') - idle, all - Math.ceil(homes / MOVE_RESERVE)));
}

/** Returns true if a move is given up: the class needs its slots itself, or their holders have found no others. */
function isOver({ params, classes, moves }: CullViews): boolean {
  const age = params.get(0, 'frame') - moves.get(0, 'startFrame');
  const from = moves.get(0, 'fromClass');
  const isNeeded = classes.get(from, 'unmet') > 0 || classes.get(from, 'lacking') > 0;
  return age > 0 && (params.get(0, 'rebalances') === 0 || isNeeded || age > MOVE_FRAMES);
}

function giveUp(views: CullViews): void {
  const { params, rings, moves } = views;
  const [ring, first] = [new Ring(views, moves.get(0, 'fromClass')), params.get(0, 'parkFirst')];
  for (let i = 0; i < moves.get(0, 'parkedCount'); i++) ring.push(rings[first + i]!);
  moves.words.fill(0);
}

/** Takes the slots that move out of the ring; the others keep their order. */
function sweep(views: CullViews): void {
  const { params, rings, moves } = views;
  const ring = new Ring(views, moves.get(0, 'fromClass'));
  const first = params.get(0, 'parkFirst');
  const count = Math.min(ring.count, SWEEP_SLOTS);
  for (let i = 0; i < count; i++) {
    const slot = ring.shift();
    if (isMoving(views, slot)) {
      const parked = moves.get(0, 'parkedCount');
      rings[first + parked] = slot;
      moves.set(0, 'parkedCount', parked + 1);
    } else ring.push(slot);
  }
}

/** All slots wait; their memory is cut into slots of the other class. */
function convert(views: CullViews): void {
  const { extents, moves } = views;
  const [to, first] = [moves.get(0, 'toClass'), moves.get(0, 'firstExtent')];
  const ring = new Ring(views, to);
  for (let e = first; e < first + moves.get(0, 'extentCount'); e++) {
    for (let i = 0; i < slotsIn(views, e, to); i++) ring.push(extents.get(e, 'slot') + i * unitsOf(views, to));
    extents.set(e, 'slotClass', to);
  }
  moves.words.fill(0);
}
