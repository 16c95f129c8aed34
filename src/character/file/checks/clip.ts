import {
  CLIP_CUBIC,
  CLIP_EXACT,
  CLIP_LOOPS,
  CLIP_SAMPLED,
  type ClipHeader,
  ClipInterval,
  INTERVAL_HOLD,
  INTERVAL_LIMIT,
  TRACK_CONSTANT,
  TRACK_NONE,
} from '../../format/rig-layout.ts';
import { MAGNITUDE_LIMIT, TANGENT_LIMIT, type UncheckedRecord } from '../blob.ts';
import type { Description } from '../description.ts';
import { checkSegments } from './sampled-clip.ts';

type ClipRecord = UncheckedRecord<(typeof ClipHeader)['fields']>;

interface Lanes {
  readonly laneCount: number;
  readonly unitScale: boolean;
}

function isExact(header: ClipRecord): boolean {
  return (header.get('flags') & CLIP_EXACT) !== 0;
}

function isSampled(header: ClipRecord): boolean {
  return (header.get('flags') & CLIP_SAMPLED) !== 0;
}

type ClipDescription = Description['clips'][number];

/** Slices of the hint table: 2 to 4,096. */
const HINT_BITS_LIMIT = 12;
/** Exponents that `fixed3Unit` can produce for rates. Values end at 2^20 × 2^40, the limit of all numbers. */
const UNIT_EXPONENT_LOW = -100;
const RATE_EXPONENT_HIGH = 100;
const VALUE_EXPONENT_HIGH = 40;
/** Codes of packed numbers have 20 bits and a sign. */
const CODE_LIMIT = 2 ** 20;
/** The smallest duration except 0: below it floats have fewer bits, and a GPU may treat them as 0. */
const DURATION_LOW = 2 ** -126;
/** Flags that follow from a clip's form. Kernels are built without the code for flags that no clip has. */
const FORM_FLAGS = { linear: 0, cubic: CLIP_CUBIC, sampled: CLIP_SAMPLED, exact: CLIP_EXACT } as const;
/**
 * Words after the rows of a packed clip. Kernels fetch rates even for channels that have none, where the first rate of
 * their kind would be, and weigh them with 0. That reads at most one pair too far.
 */
const FETCHED_BEHIND = 2;

export function checkClip(header: ClipRecord, clip: ClipDescription, lanes: Lanes): void {
  if (!checkClipHeader(header, clip)) return;
  const intervals = checkIntervals(header);
  if (!intervals) return;
  checkHints(header);
  checkUnits(header, intervals.longestCubic);
  if (isSampled(header)) {
    checkSegments(header, clip.knots);
    checkTracks(header, lanes);
    return;
  }
  const rows = claimRows(header, 'value rows', header.get('valuePair'), intervals.valueRows);
  if (intervals.tangentRows > 0) claimRows(header, 'tangent rows', header.get('tangentPair'), intervals.tangentRows);
  const slerps = checkTracks(header, lanes);
  if (isExact(header) && rows && slerps) checkExactValues(header, slerps);
}

function claimRows(header: ClipRecord, what: string, pair: number, count: number): boolean {
  const words = count * 2 * header.get('rowStride');
  if (!header.blob.claim(what, 2 * pair, words)) return false;
  return isExact(header) || header.blob.holds(`${what} and a pair more`, 2 * pair, words + FETCHED_BEHIND);
}

export function checkClipHeader(
  header: ClipRecord,
  { duration, loops, knots, channels, form }: ClipDescription,
): boolean {
  const flags = (loops ? CLIP_LOOPS : 0) | FORM_FLAGS[form];
  const held = [
    header.expect('flags', flags, 'the description of the clip'),
    header.expect('rowStride', form === 'exact' ? 2 * channels : channels, 'the number of channels'),
    // motion records keep strides and bases in 16 bits
    header.expectRange('rowStride', 0, 0xffff),
    header.expectRange('scaleBase', 0, channels),
    header.expectRange('translationBase', 0, header.get('scaleBase')),
    header.expectRange('intervalCount', 1, INTERVAL_LIMIT),
    // of sampled clips the steps of all segments are counted
    form === 'sampled' || header.expect('intervalCount', knots - 1, 'the number of knots'),
    header.expectRange('hintShift', 32 - HINT_BITS_LIMIT, 31),
    header.expect('duration', Math.fround(duration), 'the description of the clip'),
  ].every(Boolean);
  return held && (duration === 0 || header.expectRange('duration', DURATION_LOW, MAGNITUDE_LIMIT));
}

/**
 * The table has to be sorted, from phase 0, with the lengths that follow from it. Returns the rows that it implies and
 * the seconds of the longest cubic; undefined if it is not sound.
 */
function checkIntervals(header: ClipRecord) {
  const { blob } = header;
  const size = ClipInterval.size / 4;
  const first = 4 * header.get('intervalRow');
  const count = header.get('intervalCount');
  if (!blob.claim('interval table', first, size * count)) return undefined;
  const exact = isExact(header);
  const hasRates = (header.get('flags') & CLIP_CUBIC) !== 0;
  let [valueRows, tangentRows, longestCubic] = [0, 0, 0];
  let sound = true;
  const refuse = (word: number, message: string) => (sound = blob.refuse(word, message));
  for (let k = 0; k < count; k++) {
    const at = first + k * size;
    const start = blob.words[at]!;
    const [valueRow, tangentRow] = [blob.words[at + 2]!, blob.words[at + 3]!];
    const span = (k + 1 < count ? blob.words[at + size]! : 2 ** 32) - start;
    // bit for bit as the packer computes it
    const inverse = Math.fround(1 / Math.max(1, span));
    const cubic = tangentRow < INTERVAL_HOLD && !isSampled(header);
    if (k === 0 && start !== 0) refuse(at, `the first interval begins at ${start}, not at 0.`);
    if (span < 0) refuse(at + size, `interval ${k + 1} begins before interval ${k}.`);
    if (blob.floats[at + 1] !== inverse) {
      refuse(at + 1, `interval ${k} has inverse span ${blob.floats[at + 1]}; its ends make it ${inverse}.`);
    }
    if (exact && (cubic || valueRow !== 4 * k)) refuse(at + 2, `interval ${k} is not that of an exact clip.`);
    if (cubic) {
      if (!hasRates) refuse(at + 3, `interval ${k} has rates, the clip's flags say that none has.`);
      tangentRows = Math.max(tangentRows, tangentRow + 2);
      longestCubic = Math.max(longestCubic, (header.get('duration') * span) / 2 ** 32);
    }
    valueRows = Math.max(valueRows, valueRow + (exact ? 4 : tangentRow === INTERVAL_HOLD ? 1 : 2));
  }
  if (hasRates && tangentRows === 0) sound = header.refuse('flags', 'say that there are rates; no interval has any.');
  return sound ? { valueRows, tangentRows, longestCubic } : undefined;
}

/** Every slice of the phase has to name the first and the last interval that it touches, or bisection fails. */
function checkHints(header: ClipRecord): void {
  const { blob } = header;
  const sliceCount = 2 ** (32 - header.get('hintShift'));
  const first = 2 * header.get('hintPair');
  if (!blob.claim('hints', first, sliceCount)) return;
  const starts = 4 * header.get('intervalRow');
  const last = header.get('intervalCount') - 1;
  let k = 0;
  const lastAt = (phase: number) => {
    while (k < last && blob.words[starts + 4 * (k + 1)]! <= phase) k++;
    return k;
  };
  for (let slice = 0; slice < sliceCount; slice++) {
    const from = slice * 2 ** header.get('hintShift');
    const low = lastAt(from);
    const high = lastAt(from + 2 ** header.get('hintShift') - 1);
    const hint = blob.words[first + slice]!;
    if ((hint & 0xffff) === low && hint >>> 16 === high) continue;
    const message = `hint ${slice} is ${hint & 0xffff} to ${hint >>> 16}; the table makes it ${low} to ${high}.`;
    blob.refuse(first + slice, message);
    return;
  }
}

/** Units are powers of two. No code times its unit, and no rate times its span, may be absurdly large. */
function checkUnits(header: ClipRecord, longestCubic: number): void {
  const rates = ['rotationRateUnit', 'translationRateUnit', 'scaleRateUnit'] as const;
  const values = ['translationUnit', 'scaleUnit'] as const;
  if (isExact(header)) {
    for (const key of [...rates, ...values]) header.expect(key, 0, 'the exact form');
    return;
  }
  for (const key of values) checkPowerOfTwo(header, key, VALUE_EXPONENT_HIGH);
  for (const key of rates) {
    if (!checkPowerOfTwo(header, key, RATE_EXPONENT_HIGH)) continue;
    const most = CODE_LIMIT * header.get(key) * longestCubic;
    if (most > TANGENT_LIMIT) header.refuse(key, `lets a tangent be ${most}; the limit is 2^64.`);
  }
}

function checkPowerOfTwo(header: ClipRecord, key: Parameters<ClipRecord['get']>[0], highest: number): boolean {
  const unit = header.get(key);
  const exponent = Math.log2(unit);
  if (Number.isInteger(exponent) && exponent >= UNIT_EXPONENT_LOW && exponent <= highest) return true;
  return header.refuse(key, `is ${unit}; powers of two from 2^${UNIT_EXPONENT_LOW} to 2^${highest} are allowed.`);
}

/** Limit of half the rotation vector of a slerp, at most half a turn: kernels evaluate polynomials up to there. */
const HALF_TURN_LIMIT: number = Math.PI / 2 + 1e-3;

/**
 * Checks LaneTracks and constants: every channel that a lane names has to exist. Returns which rotation channels slerp
 * (exact form), a byte each, or undefined if the tracks cannot be trusted.
 */
function checkTracks(header: ClipRecord, { laneCount, unitScale }: Lanes): Uint8Array | undefined {
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
function checkExactValues(header: ClipRecord, slerps: Uint8Array): void {
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
