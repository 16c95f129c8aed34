import type { Character } from '../../src/character/character.ts';
import {
  CLIP_EXACT,
  CLIP_SAMPLED,
  CharacterType,
  ClipHeader,
  ClipInterval,
  INTERVAL_HOLD,
  RestLane,
  SAMPLED_RUN_BITS,
  SAMPLED_STEPS_BITS,
  TRACK_CONSTANT,
  TRACK_NONE,
  TYPE_CUBIC,
  TYPE_EXACT,
  TYPE_LARGE,
  TYPE_SAMPLED,
  TYPE_UNIT_SCALE,
} from '../../src/character/format/rig-layout.ts';
import { Fetcher, type Fields } from './fetcher.ts';
import { fetchGeometry } from './skin-fetches.ts';

/**
 * Kernels fetch more than their twins, ahead of branches, and weigh it with 0; and they are built without the code for
 * what flags rule out. This follows `src/stages/` for every clip, interval, lane and vertex, and returns what would be
 * fetched from outside the tables, and what would be left out although it counts. Nothing else notices: GPUs clamp.
 */
export function strayFetches(character: Character): string[] {
  const { rig } = character;
  const stray = new Set<string>();
  fetchRig(new Fetcher('rig', rig, stray));
  for (const { geometry, batchRuns } of [character, ...character.lods]) {
    const variants = batchRuns.flatMap(({ variant, batchCount }) => Array<number>(batchCount).fill(variant));
    fetchGeometry(
      new Fetcher('geometry', geometry, stray),
      variants,
      new Fetcher('rig', rig, stray).record(CharacterType, 0),
    );
  }
  return [...stray];
}

function fetchRig(rig: Fetcher): void {
  const type = rig.record(CharacterType, 0);
  const [jointCount, laneCount] = [type('jointCount'), type('laneCount')];
  rig.fetch('rest lanes', 4, type('restRow'), (laneCount * RestLane.size) / 4);
  const large = (type('flags') & TYPE_LARGE) !== 0;
  rig.fetch('ancestors', 2, type('ancestorPair'), large ? type('roundCount') * jointCount : 2 * jointCount);
  rig.fetch('inverse binds', 4, type('bindRow'), 12 * type('paletteCount'));
  for (let entry = 0; entry < type('paletteCount'); entry++) {
    const joint = rig.word('joint of an entry', 2 * type('bindJointPair') + entry);
    if (joint >= jointCount) rig.stray.add(`joint ${joint}`);
  }
  for (let clip = 0; clip < type('clipCount'); clip++) {
    const header = rig.record(ClipHeader, type('clipRow') + (clip * ClipHeader.size) / 16);
    rig.fetch('hints', 2, header('hintPair'), 2 ** (32 - header('hintShift')));
    for (let k = 0; k < header('intervalCount'); k++) {
      const interval = rig.record(ClipInterval, header('intervalRow') + k);
      for (let lane = 0; lane < laneCount; lane++) fetchLane(rig, type('flags'), header, interval, lane);
    }
  }
}

/** gather-motions/clip-motion.wesl, then pose-joints/sample-packed.wesl and sample-exact.wesl. */
function fetchLane(rig: Fetcher, flags: number, header: Fields, interval: Fields, lane: number): void {
  const at = rig.fetch('tracks', 2, header('trackPair') + lane);
  const [low, high] = [rig.words[at] ?? 0, rig.words[at + 1] ?? 0];
  if (header('flags') & CLIP_SAMPLED) {
    fetchSampled(rig, flags, header, interval, [low, high]);
    return;
  }
  const exact = (header('flags') & CLIP_EXACT) !== 0;
  if (exact && (flags & TYPE_EXACT) === 0) rig.stray.add('an exact clip that is left out');
  const stride = header('rowStride');
  const value0 = header('valuePair') + Math.imul(interval('valueRow'), stride);
  const value1 = value0 + (interval('tangentRow') === INTERVAL_HOLD ? 0 : stride);
  const curved = interval('tangentRow') < INTERVAL_HOLD;
  const rate0 = curved ? header('tangentPair') + Math.imul(interval('tangentRow'), stride) : value0;
  const rate1 = curved ? rate0 + stride : value0;
  if (curved && (flags & TYPE_CUBIC) === 0) rig.stray.add('rates that are left out');
  const kinds = [
    [0, low & 0xffff],
    [header('translationBase'), low >>> 16],
    [header('scaleBase'), high & 0xffff],
  ] as const;
  kinds.forEach(([base, track], kind) => {
    if (kind === 2 && track === TRACK_NONE) return;
    if (kind === 2 && (flags & TYPE_UNIT_SCALE) !== 0) {
      rig.stray.add('a scale that is left out');
      return;
    }
    const constant = header('constantPair');
    const moves = (track & TRACK_CONSTANT) === 0;
    if (exact) {
      if (track === TRACK_NONE) return;
      if (!moves) rig.fetch('exact constant', 2, constant + 2 * (track & 0x7fff), 4);
      else for (let row = 0; row < 4; row++) rig.fetch('exact value', 2, value0 + row * stride + 2 * (base + track), 4);
      return;
    }
    const channel = base + (moves ? track : 0);
    const named = constant + (track === TRACK_NONE ? 0 : track & 0x7fff);
    rig.fetch(moves ? 'value' : 'constant', 2, moves ? value0 + channel : named);
    rig.fetch(moves ? 'value' : 'constant', 2, moves ? value1 + channel : named);
    if ((flags & TYPE_CUBIC) === 0) return;
    rig.fetch('rate', 2, rate0 + channel);
    rig.fetch('rate', 2, rate1 + channel);
  });
}

/** gather-motions/clip-motion.wesl and pose-joints/sample-sampled.wesl, at every sample of a segment. */
function fetchSampled(
  rig: Fetcher,
  flags: number,
  header: Fields,
  segment: Fields,
  [low, high]: [number, number],
): void {
  if ((flags & TYPE_SAMPLED) === 0) rig.stray.add('a sampled clip that is left out');
  const steps = segment('tangentRow') & (2 ** SAMPLED_STEPS_BITS - 1);
  const runBits = segment('tangentRow') >>> SAMPLED_STEPS_BITS;
  const first = header('valuePair') + 2 * segment('valueRow');
  const kinds = [
    [0, low & 0xffff],
    [header('translationBase'), low >>> 16],
    [header('scaleBase'), high & 0xffff],
  ] as const;
  kinds.forEach(([base, track], kind) => {
    if (kind === 2 && (track === TRACK_NONE || (flags & TYPE_UNIT_SCALE) !== 0)) return;
    if (track & TRACK_CONSTANT) {
      rig.fetch('constant', 2, header('constantPair') + (track === TRACK_NONE ? 0 : track & 0x7fff));
      return;
    }
    const channel = base + track;
    rig.word('step', 2 * header('tangentPair') + channel);
    const row = rig.fetch('channel of a segment', 4, first / 2 + channel);
    const offset = (rig.words[row + 3] ?? 0) & (2 ** SAMPLED_RUN_BITS - 1);
    const codes = first + 2 * header('rowStride');
    for (let sample = 0; sample <= steps; sample++) {
      rig.fetch('codes', 2, codes + ((sample * runBits) >>> 6) + (offset >>> 6));
    }
  });
}
