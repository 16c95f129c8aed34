import { CLIP_EXACT, TRACK_CONSTANT, TRACK_NONE, type ClipHeader } from '../../format/rig-layout.ts';
import { TANGENT_LIMIT, type UncheckedRecord } from '../blob.ts';

export type ClipRecord = UncheckedRecord<(typeof ClipHeader)['fields']>;

/** Facts that all clips of a rig share. */
export interface Lanes {
  readonly laneCount: number;
  readonly unitScale: boolean;
}

export function isExact(header: ClipRecord): boolean {
  return (header.get('flags') & CLIP_EXACT) !== 0;
}

/**
 * Limit of half the rotation vector of a slerp, which turns by at most half a turn. Kernels evaluate polynomials up to
 * there.
 */
const HALF_TURN_LIMIT: number = Math.PI / 2 + 1e-3;

/**
 * Checks LaneTracks and constants: every channel that a lane names has to exist. Returns which rotation channels slerp
 * (exact form), a byte each, or undefined if the tracks cannot be trusted.
 */
export function checkTracks(header: ClipRecord, { laneCount, unitScale }: Lanes): Uint8Array | undefined {
  const { blob } = header;
  const first = 2 * header.get('trackPair');
  if (!blob.claim('lane tracks', first, 2 * laneCount)) return undefined;
  const exact = isExact(header);
  const [translationBase, scaleBase] = [header.get('translationBase'), header.get('scaleBase')];
  const channels = header.get('rowStride') / (exact ? 2 : 1);
  const channelCounts = [translationBase, scaleBase - translationBase, channels - scaleBase];
  const slerps = new Uint8Array(translationBase);
  let constantCount = 0;
  let sound = true;
  for (let lane = 0; lane < laneCount; lane++) {
    const word = first + 2 * lane;
    const [low, high] = [blob.words[word]!, blob.words[word + 1]!];
    const tracks = [low & 0xffff, low >>> 16, high & 0xffff];
    for (const [kind, track] of tracks.entries()) {
      if (track === TRACK_NONE) continue;
      if (track & TRACK_CONSTANT) constantCount = Math.max(constantCount, (track & ~TRACK_CONSTANT) + 1);
      else if (track >= channelCounts[kind]!) {
        sound = blob.refuse(word, `lane ${lane} names channel ${track} of ${channelCounts[kind]}.`);
      }
    }
    if (unitScale && tracks[2] !== TRACK_NONE) {
      sound = blob.refuse(word + 1, `lane ${lane} is scaled; all scales are 1.`);
    }
    const shifts = high >>> 16;
    if (exact && shifts > 1) sound = blob.refuse(word + 1, `lane ${lane} has flags ${shifts}; the exact form has one.`);
    if (exact && shifts === 1 && tracks[0]! < translationBase) slerps[tracks[0]!] = 1;
  }
  if (!checkConstants(header, constantCount)) return undefined;
  return sound ? slerps : undefined;
}

/**
 * Checks constants. Packed constants are a pair each and may have any bits, because their units bound them. Kernels
 * fetch the first one for channels that the clip does not move, and weigh it with 0. So there has to be a pair to fetch
 * even if no track names one.
 */
function checkConstants(header: ClipRecord, count: number): boolean {
  const { blob } = header;
  const first = 2 * header.get('constantPair');
  if (isExact(header)) {
    return count === 0 || (blob.claim('constants', first, 4 * count) && blob.areUsable('constant', first, 4 * count));
  }
  return count === 0 ? blob.holds('constants', first, 2) : blob.claim('constants', first, 2 * count);
}

/** Checks values of exact clips: four rows per interval of four floats per channel. Their words have been claimed. */
export function checkExactValues(header: ClipRecord, slerps: Uint8Array): void {
  const { blob } = header;
  const rowWords = 2 * header.get('rowStride');
  const starts = 4 * header.get('intervalRow');
  const count = header.get('intervalCount');
  for (let k = 0; k < count; k++) {
    const end = k + 1 < count ? blob.words[starts + 4 * (k + 1)]! : 2 ** 32;
    const span = ((end - blob.words[starts + 4 * k]!) * header.get('duration')) / 2 ** 32;
    const first = 2 * header.get('valuePair') + 4 * k * rowWords;
    if (!blob.areUsable('value', first, 2 * rowWords)) return;
    if (!checkRates(header, first + 2 * rowWords, 2 * rowWords, span)) return;
    for (let channel = 0; channel < slerps.length; channel++) {
      if (slerps[channel] && !checkSlerp(header, first + 2 * rowWords + 4 * channel)) return;
    }
  }
}

/** Checks rates. A rate times the interval's span is added to a pose. Intervals of no length are never sampled. */
function checkRates({ blob }: ClipRecord, first: number, count: number, span: number): boolean {
  for (let at = first; at < first + count; at++) {
    const rate = blob.floats[at]!;
    if (Number.isFinite(rate) && Math.abs(rate * span) <= TANGENT_LIMIT) continue;
    return blob.refuse(at, `a rate is ${rate}; over ${span} s it may come to 2^64.`);
  }
  return true;
}

function checkSlerp({ blob }: ClipRecord, at: number): boolean {
  const angle = Math.hypot(blob.floats[at]!, blob.floats[at + 1]!, blob.floats[at + 2]!);
  if (angle <= HALF_TURN_LIMIT) return true;
  return blob.refuse(at, `a slerp turns by ${2 * angle} radians; half a turn is the most.`);
}
