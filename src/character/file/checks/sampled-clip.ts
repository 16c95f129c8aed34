import {
  type ClipHeader,
  ClipInterval,
  SAMPLED_RUN_BITS,
  SAMPLED_STEPS_BITS,
  SampledChannel,
} from '../../format/rig-layout.ts';
import { codeWidth, STEP_LOW, stepAndUnit, UNIT_HIGH } from '../../format/sampled-form.ts';
import type { UncheckedRecord } from '../blob.ts';

type ClipRecord = UncheckedRecord<(typeof ClipHeader)['fields']>;

/** Words after the codes of a segment: kernels read the pair in which a channel's codes begin, even if it has none. */
const FETCHED_BEHIND = 4;

/**
 * Checks the segments of a clip in sampled form: their channels, and the length of their codes. Codes may have any bits.
 * The interval table and its hints are sound.
 */
export function checkSegments(header: ClipRecord, knots: number): void {
  if (!header.expectRange('rowStride', 1, 0xffff) || !checkSteps(header)) return;
  const { blob } = header;
  const intervals = 4 * header.get('intervalRow');
  let steps = 0;
  for (let k = 0; k < header.get('intervalCount'); k++) {
    const at = intervals + (k * ClipInterval.size) / 4;
    const packed = blob.words[at + ClipInterval.offsets.tangentRow / 4]!;
    const count = packed & (2 ** SAMPLED_STEPS_BITS - 1);
    const first = 2 * header.get('valuePair') + 4 * blob.words[at + ClipInterval.offsets.valueRow / 4]!;
    if (count === 0) return void blob.refuse(at + 3, `segment ${k} has no steps.`);
    if (!checkSegment(header, k, first, count, packed >>> SAMPLED_STEPS_BITS)) return;
    steps += count;
  }
  if (steps !== knots - 1)
    header.refuse('intervalRow', `leads to ${steps} steps; ${knots} knots make it ${knots - 1}.`);
}

function checkSegment(header: ClipRecord, k: number, first: number, steps: number, runBits: number): boolean {
  const { blob } = header;
  const channels = header.get('rowStride');
  const size = SampledChannel.size / 4;
  const words = channels * size + 4 * Math.ceil(((steps + 1) * runBits) / 128);
  const what = `segment ${k}`;
  if (runBits % 64 !== 0) return blob.refuse(first, `a run of ${what} has ${runBits} bits; runs are whole pairs.`);
  if (!blob.claim(what, first, words) || !blob.holds(`${what} and a row more`, first, words + FETCHED_BEHIND))
    return false;
  for (let channel = 0; channel < channels; channel++) {
    const at = first + channel * size + SampledChannel.offsets.codes / 4;
    const codes = blob.words[at]!;
    const start = codes & (2 ** SAMPLED_RUN_BITS - 1);
    let end = start;
    for (let c = 0; c < 3; c++) end += codeWidth((codes >>> (SAMPLED_RUN_BITS + 4 * c)) & 15);
    if (end > runBits) return blob.refuse(at, `codes of channel ${channel} end at bit ${end} of ${runBits}.`);
    if (end > start && start >> 6 !== (end - 1) >> 6) {
      return blob.refuse(at, `codes of channel ${channel} lie in two pairs: bits ${start} to ${end}.`);
    }
  }
  return true;
}

/** Every channel has a step of its codes, and a unit of its lines. */
function checkSteps(header: ClipRecord): boolean {
  const { blob } = header;
  const first = 2 * header.get('tangentPair');
  const count = header.get('rowStride');
  if (!blob.claim('steps of channels', first, count)) return false;
  for (let channel = 0; channel < count; channel++) {
    const word = blob.words[first + channel]!;
    const { step, unit } = stepAndUnit(word);
    if ((word & 0xffe0) === 0 && step >= STEP_LOW && unit <= UNIT_HIGH) continue;
    return blob.refuse(
      first + channel,
      `step of channel ${channel} is ${step}, its unit ${unit}; 2^-100 to 2^42 are allowed.`,
    );
  }
  return true;
}
