import { AnimatorMemory } from '../../controller/eval/memory.ts';
import { joinWide } from '../../math/fixed.ts';
import { PLAYER_LOOPS, PLAYER_NONE, RESIDENT_CARRIES } from '../layout.ts';
import { DECIDED_RATE, DECIDED_RATE_SHIFT, VIEW_PLANES } from './layout.ts';
import { along, placedPoint, placedSphere, rotated, viewRow } from './world-sphere.ts';
import { shownClips, type Shown } from './shown-reference.ts';
import type { CullViews, OnMargin, PlayedViews } from './views.ts';

/** From this share of all weights on a clip counts as the only one: what is left is rounding. */
const ALONE = 0.99998;

/**
 * Takes characters out of views that only their sphere reaches into. If only one clip plays, none of its poses leaves
 * the clip's box. A box lies outside of a plane if its centre lies farther outside than the box reaches toward the
 * plane. That reach is |n · e| summed over half its edges e.
 */
export function tightenCharacters(views: CullViews, played: PlayedViews, onMargin?: OnMargin): void {
  const { params, residents, decisions } = views;
  if (params.get(0, 'tightens') === 0) return;
  const memory = played.animators.length > 0 ? new AnimatorMemory(played.animators, played.regions) : undefined;
  const count = params.get(0, 'characterCount');
  for (let i = 0; i < count; i++) {
    const rate = (decisions.get(i, 'word') >>> DECIDED_RATE_SHIFT) & DECIDED_RATE;
    const leader = residents.get(i, 'leader');
    const isShared = leader >= count - params.get(0, 'sharedCount');
    if (decisions.get(i, 'views') === 0 || rate > 0 || (leader !== i && !isShared)) continue;
    if (residents.get(i, 'bornFrame') & RESIDENT_CARRIES) continue;
    tighten(views, played, memory, i, onMargin);
  }
}

function tighten(
  views: CullViews,
  played: PlayedViews,
  memory: AnimatorMemory | undefined,
  i: number,
  onMargin: OnMargin | undefined,
): void {
  const { params, kinds, residents, transforms, decisions } = views;
  const boxRow = kinds.types.get(residents.get(i, 'typeIndex'), 'boxRow');
  const sphere = placedSphere(views, i);
  if (boxRow === 0 || !sphere.isKnown) return;
  const planesOf = (view: number) => Array.from({ length: VIEW_PLANES }, (_, p) => viewRow(views, 'planes', view * VIEW_PLANES + p)); // prettier-ignore
  const seen = decisions.get(i, 'views');
  const doubtful = Array.from({ length: params.get(0, 'viewCount') }, (_, view) => view).filter((view) => {
    if (((seen >>> view) & 1) === 0) return false;
    // a plane without a direction holds everything
    const directed = planesOf(view).filter((plane) => plane.subarray(0, 3).some((c) => c !== 0));
    const clear = directed.map((plane) => {
      return (along(plane, sphere.center) - sphere.radius) / Math.max(1, sphere.extent, Math.abs(plane[3]!));
    });
    const margin = Math.min(Infinity, ...clear);
    onMargin?.(i, margin);
    return margin < 0;
  });
  const clip = doubtful.length === 0 ? undefined : onlyClip(played, memory, i, onMargin);
  if (clip === undefined) return;
  const box = (boxRow - kinds.boxRow) / 2 + clip;
  const extent = kinds.boxes.get(box, 'extent');
  if (extent[0]! < 0) return;
  const center = placedPoint(views, i, kinds.boxes.get(box, 'center'));
  const edges = extent.map((half, axis) => {
    const edge = [0, 1, 2].map((c) => (c === axis ? half * Math.abs(transforms.get(i, 'scale')) : 0));
    return rotated(edge, transforms.get(i, 'rotation'));
  });
  const largest = Math.max(1, ...[...center, ...edges.flat()].map(Math.abs));
  const left = doubtful.filter((view) => {
    const clear = planesOf(view).map((plane) => {
      const reach = edges.reduce((sum, edge) => sum + Math.abs(along(plane, edge) - plane[3]!), 0);
      return (along(plane, center) + reach) / Math.max(largest, Math.abs(plane[3]!));
    });
    const margin = Math.min(...clear);
    onMargin?.(i, margin);
    return margin < 0;
  });
  const gone = left.reduce((bits, view) => bits | (1 << view), 0);
  decisions.set(i, 'views', (seen & ~gone) >>> 0);
}

/** The clip that makes up a character's whole pose. */
function onlyClip(
  played: PlayedViews,
  memory: AnimatorMemory | undefined,
  i: number,
  onMargin: OnMargin | undefined,
): number | undefined {
  const capacity = played.clock.get(0, 'modifierCapacity');
  const shown = shownClips(played, capacity, memory, i, () => settled(played, i, onMargin));
  for (const { clip, weight, isPlain } of shown?.clips ?? []) {
    if (!isPlain) continue;
    const margin = weight / shown!.total - ALONE;
    onMargin?.(i, margin);
    if (margin >= 0) return clip;
  }
  return undefined;
}

/** Clips that the CPU plays; none while a weight is fading. */
function settled({ clock, players }: PlayedViews, i: number, onMargin: OnMargin | undefined): Shown[] {
  const now = joinWide(clock.get(0, 'timeLow'), clock.get(0, 'timeHigh'));
  const capacity = clock.get(0, 'playerCapacity');
  const all: Shown[] = [];
  for (let row = capacity * i; row < capacity * (i + 1); row++) {
    const clip = players.get(row, 'clip');
    if (clip === PLAYER_NONE) continue;
    const [weight, fade] = [players.get(row, 'weightTo'), players.get(row, 'fadeSeconds')];
    const start = joinWide(players.get(row, 'startTimeLow'), players.get(row, 'startTimeHigh'));
    const left = fade - Number(BigInt.asUintN(64, now - start)) / 2 ** 32;
    if (players.get(row, 'weightFrom') !== weight) {
      // a fade of no length is over
      if (fade > 0) onMargin?.(i, left / Math.max(1, fade));
      if (left > 0) return [];
    }
    if (weight > 0) all.push({ clip: (clip & ~PLAYER_LOOPS) >>> 0, phase: 0, weight, isPlain: true });
  }
  return all;
}
