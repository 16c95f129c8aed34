import { wordOffsets } from '../../layout/index.ts';
import { joinWide } from '../../math/fixed.ts';
import { Player, PLAYER_LOOPS, PLAYER_NONE, Resident, RESIDENT_CARRIES, Transform } from '../layout.ts';
import { ClipBox, CullParams, CullType, DECIDED_RATE, DECIDED_RATE_SHIFT, Decision, VIEW_PLANES } from './layout.ts';
import { along, PlacedSphere, placePoint, turnVector, viewRow } from './world-sphere.ts';
import { ShownClips } from './shown-reference.ts';
import type { CullViews, OnMargin, PlayedViews } from './views.ts';

/** From this share of all weights on a clip counts as the only one: what is left is rounding. */
const ALONE = 0.99998;

const RESIDENT = /* @__PURE__ */ wordOffsets(Resident);
const DECISION = /* @__PURE__ */ wordOffsets(Decision);
const TRANSFORM = /* @__PURE__ */ wordOffsets(Transform);
const PARAMS = /* @__PURE__ */ wordOffsets(CullParams);
const PLAYER = /* @__PURE__ */ wordOffsets(Player);
const TYPE = /* @__PURE__ */ wordOffsets(CullType);
const BOX = /* @__PURE__ */ wordOffsets(ClipBox);

/**
 * Takes characters out of views that only their sphere reaches into. If only one clip plays, none of its poses leaves
 * the clip's box. A box lies outside of a plane if its centre lies farther outside than the box reaches toward the
 * plane. That reach is |n · e| summed over half its edges e.
 */
export function tightenCharacters(views: CullViews, played: PlayedViews, onMargin?: OnMargin): void {
  const { params, residents, decisions } = views;
  if (params.words[PARAMS.tightens] === 0) return;
  const shown = new ShownClips(played, played.clock.get(0, 'modifierCapacity'));
  const count = params.words[PARAMS.characterCount]!;
  const firstShared = count - params.words[PARAMS.sharedCount]!;
  const settled = (out: ShownClips, i: number) => addSettled(out, played, i, onMargin);
  for (let i = 0; i < count; i++) {
    const rate = (decisions.words[DECISION.SIZE * i + DECISION.word]! >>> DECIDED_RATE_SHIFT) & DECIDED_RATE;
    if (decisions.words[DECISION.SIZE * i + DECISION.views] === 0 || rate > 0) continue;
    const leader = residents.words[RESIDENT.SIZE * i + RESIDENT.leader]!;
    if (leader !== i && leader < firstShared) continue;
    if (residents.words[RESIDENT.SIZE * i + RESIDENT.bornFrame]! & RESIDENT_CARRIES) continue;
    tighten(views, shown, settled, i, onMargin);
  }
}

const sphere = new PlacedSphere();
/** The box of a clip in the world: its centre, and half its edges. */
const center = new Float64Array(3);
const edges = [new Float64Array(3), new Float64Array(3), new Float64Array(3)] as const;

function tighten(
  views: CullViews,
  shown: ShownClips,
  settled: (out: ShownClips, i: number) => void,
  i: number,
  onMargin: OnMargin | undefined,
): void {
  const { kinds, residents, decisions } = views;
  const type = residents.words[RESIDENT.SIZE * i + RESIDENT.typeIndex]!;
  const boxRow = kinds.types.words[TYPE.SIZE * type + TYPE.boxRow]!;
  if (boxRow === 0) return;
  sphere.read(views, i);
  if (!sphere.isKnown) return;
  const doubtful = findDoubtful(views, i, onMargin);
  if (doubtful === 0 || !shown.find(i, settled)) return;
  const clip = onlyClip(shown, i, onMargin);
  if (clip < 0 || !placeBox(views, i, (boxRow - kinds.boxRow) / 2 + clip)) return;
  const at = DECISION.SIZE * i + DECISION.views;
  decisions.words[at] = decisions.words[at]! & ~findLeft(views, i, doubtful, onMargin);
}

/** Views that the sphere is not wholly inside of: a bit each. */
function findDoubtful(views: CullViews, i: number, onMargin: OnMargin | undefined): number {
  const { params, decisions } = views;
  const { floats } = params;
  const seen = decisions.words[DECISION.SIZE * i + DECISION.views]!;
  let doubtful = 0;
  for (let view = 0; view < params.words[PARAMS.viewCount]!; view++) {
    if (((seen >>> view) & 1) === 0) continue;
    let margin = Infinity;
    for (let p = 0; p < VIEW_PLANES; p++) {
      const row = viewRow('planes', view * VIEW_PLANES + p);
      // a plane without a direction holds everything
      if (floats[row] === 0 && floats[row + 1] === 0 && floats[row + 2] === 0) continue;
      const largest = Math.max(1, sphere.extent, Math.abs(floats[row + 3]!));
      margin = Math.min(margin, (along(views, row, sphere.center) - sphere.radius) / largest);
    }
    onMargin?.(i, margin);
    if (margin < 0) doubtful |= 1 << view;
  }
  return doubtful;
}

/** The clip that makes up a character's whole pose; −1: no clip does. */
function onlyClip(
  { count, clips, weights, plains, total }: ShownClips,
  i: number,
  onMargin: OnMargin | undefined,
): number {
  for (let c = 0; c < count; c++) {
    if (plains[c] === 0) continue;
    const margin = weights[c]! / total - ALONE;
    onMargin?.(i, margin);
    if (margin >= 0) return clips[c]!;
  }
  return -1;
}

/** Returns false if the clip has no box. */
function placeBox(views: CullViews, i: number, box: number): boolean {
  const { kinds, transforms } = views;
  const { floats } = kinds.boxes;
  const at = BOX.SIZE * box;
  if (floats[at + BOX.extent]! < 0) return false;
  const size = Math.abs(transforms.floats[TRANSFORM.SIZE * i + TRANSFORM.scale]!);
  for (let c = 0; c < 3; c++) center[c] = floats[at + BOX.center + c]!;
  placePoint(views, i, center);
  for (let axis = 0; axis < 3; axis++) {
    const edge = edges[axis]!;
    edge.fill(0);
    edge[axis] = floats[at + BOX.extent + axis]! * size;
    turnVector(views, i, edge);
  }
  return true;
}

/** Views that the box is outside of, of those that are doubtful: a bit each. */
function findLeft(views: CullViews, i: number, doubtful: number, onMargin: OnMargin | undefined): number {
  const { floats, words } = views.params;
  let largest = 1;
  for (let c = 0; c < 3; c++) {
    largest = Math.max(largest, Math.abs(center[c]!));
    for (let axis = 0; axis < 3; axis++) largest = Math.max(largest, Math.abs(edges[axis]![c]!));
  }
  let left = 0;
  for (let view = 0; view < words[PARAMS.viewCount]!; view++) {
    if (((doubtful >>> view) & 1) === 0) continue;
    let margin = Infinity;
    for (let p = 0; p < VIEW_PLANES; p++) {
      const row = viewRow('planes', view * VIEW_PLANES + p);
      const distance = floats[row + 3]!;
      let reach = 0;
      for (let axis = 0; axis < 3; axis++) reach += Math.abs(along(views, row, edges[axis]!) - distance);
      margin = Math.min(margin, (along(views, row, center) + reach) / Math.max(largest, Math.abs(distance)));
    }
    onMargin?.(i, margin);
    if (margin < 0) left |= 1 << view;
  }
  return left;
}

/** Adds the clips that the CPU plays; none while a weight is fading. */
function addSettled(out: ShownClips, { clock, players }: PlayedViews, i: number, onMargin: OnMargin | undefined): void {
  const { words, floats } = players;
  const now = joinWide(clock.get(0, 'timeLow'), clock.get(0, 'timeHigh'));
  const capacity = clock.get(0, 'playerCapacity');
  for (let row = capacity * i; row < capacity * (i + 1); row++) {
    const at = PLAYER.SIZE * row;
    const clip = words[at + PLAYER.clip]!;
    if (clip === PLAYER_NONE) continue;
    const weight = floats[at + PLAYER.weightTo]!;
    const fade = floats[at + PLAYER.fadeSeconds]!;
    if (floats[at + PLAYER.weightFrom] !== weight) {
      const start = joinWide(words[at + PLAYER.startTimeLow]!, words[at + PLAYER.startTimeHigh]!);
      const left = fade - Number(BigInt.asUintN(64, now - start)) / 2 ** 32;
      // a fade of no length is over
      if (fade > 0) onMargin?.(i, left / Math.max(1, fade));
      if (left > 0) {
        out.count = 0;
        return;
      }
    }
    if (weight > 0) out.add((clip & ~PLAYER_LOOPS) >>> 0, 0, weight, true);
  }
}
