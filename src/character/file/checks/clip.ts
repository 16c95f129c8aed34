import {
  CLIP_CUBIC,
  CLIP_EXACT,
  CLIP_LOOPS,
  ClipInterval,
  INTERVAL_HOLD,
  INTERVAL_LIMIT,
} from '../../format/rig-layout.ts';
import { MAGNITUDE_LIMIT, TANGENT_LIMIT } from '../blob.ts';
import { checkExactValues, checkTracks, isExact, type ClipRecord, type Lanes } from './tracks.ts';
import type { Description } from '../description.ts';

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
const FORM_FLAGS = { linear: 0, cubic: CLIP_CUBIC, exact: CLIP_EXACT } as const;
/**
 * Words after the rows of a packed clip. Kernels fetch rates even for channels that have none, where the first rate of
 * their kind would be, and weigh them with 0. That reads at most one pair too far.
 */
const FETCHED_BEHIND = 2;

/** Checks one clip: its header, then each table that the header points at. */
export function checkClip(header: ClipRecord, clip: ClipDescription, lanes: Lanes): void {
  if (!checkHeader(header, clip)) return;
  const intervals = checkIntervals(header);
  if (!intervals) return;
  checkHints(header);
  checkUnits(header, intervals.longestCubic);
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

function checkHeader(header: ClipRecord, { duration, loops, knots, channels, form }: ClipDescription): boolean {
  const flags = (loops ? CLIP_LOOPS : 0) | FORM_FLAGS[form];
  const held = [
    header.expect('flags', flags, 'the description of the clip'),
    header.expect('rowStride', form === 'exact' ? 2 * channels : channels, 'the number of channels'),
    // motion records keep strides and bases in 16 bits
    header.expectRange('rowStride', 0, 0xffff),
    header.expectRange('scaleBase', 0, channels),
    header.expectRange('translationBase', 0, header.get('scaleBase')),
    header.expectRange('intervalCount', 1, INTERVAL_LIMIT),
    header.expect('intervalCount', knots - 1, 'the number of knots'),
    header.expectRange('hintShift', 32 - HINT_BITS_LIMIT, 31),
    header.expect('duration', Math.fround(duration), 'the description of the clip'),
  ].every(Boolean);
  return held && (duration === 0 || header.expectRange('duration', DURATION_LOW, MAGNITUDE_LIMIT));
}

/** Row counts that the interval table implies. */
interface Intervals {
  readonly valueRows: number;
  readonly tangentRows: number;
  /** Seconds; 0 without cubics. */
  readonly longestCubic: number;
}

/**
 * Checks the interval table: sorted, from phase 0, with the lengths that follow from it. Returns undefined if it is
 * invalid.
 */
function checkIntervals(header: ClipRecord): Intervals | undefined {
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
    const inverse = inverseSpan(span);
    const cubic = tangentRow < INTERVAL_HOLD;
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

/** Inverse of a span, bit for bit as the packer computes it. */
function inverseSpan(span: number): number {
  return Math.fround(1 / Math.max(1, span));
}

/**
 * Checks the hints: every slice of the phase has to name the first and the last interval that it touches, or bisection
 * fails.
 */
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
    blob.refuse(
      first + slice,
      `hint ${slice} is ${hint & 0xffff} to ${hint >>> 16}; the table makes it ${low} to ${high}.`,
    );
    return;
  }
}

/**
 * Checks the units: powers of two, small enough that no code times its unit, and no rate times its span, is absurdly
 * large.
 */
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
