import type { ClipMotion } from '../asset/clip-format.ts';
import { View } from '../layout/index.ts';
import { MOTION_EXACT, MOTION_SAMPLE, Motion } from './layout.ts';

/** Motion records on the host: what twins write and read. Units are powers of two, so their exponents say all. */

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** Biased exponent of a unit; 0 for 0. */
function exponent(unit: number): number {
  float[0] = unit;
  return (bits[0]! >>> 23) & 0xff;
}

/** Writes a motion record at a row of a motion list. */
export function writeMotion(motions: Uint32Array<ArrayBuffer>, row: number, motion: ClipMotion, weight: number): void {
  const view = new View(Motion, motions.buffer, motions.byteOffset + row * 16, 1);
  view.assign(0, {
    value0: motion.value0,
    value1: motion.value1,
    rate0: motion.rate0,
    rate1: motion.rate1,
    basis: motion.basis,
    weight,
    fraction: motion.fraction,
    trackPair: motion.trackPair,
    constantPair: motion.constantPair,
    bases: motion.translationBase | (motion.scaleBase << 16),
    unitExponents:
      exponent(motion.rotationRateUnit) |
      (exponent(motion.translationUnit) << 8) |
      (exponent(motion.translationRateUnit) << 16) |
      (exponent(motion.scaleUnit) << 24),
    scaleRateExponent: exponent(motion.scaleRateUnit),
    kind: motion.exact ? MOTION_EXACT : MOTION_SAMPLE,
  });
}

/**
 * Reads a motion record that twin or kernel of gather-motions wrote, to be sampled with `sampleLane`. Not for records
 * of kind layer or end.
 *
 * @param motions A page's motion lists: rows of four words.
 * @param row Where the record begins.
 * @returns The motion, and its weight in its layer (not normalised).
 */
export function readMotion(motions: Uint32Array<ArrayBuffer>, row: number): { motion: ClipMotion; weight: number } {
  const view = new View(Motion, motions.buffer, motions.byteOffset + row * 16, 1);
  const unit = (exponent: number) => (exponent === 0 ? 0 : 2 ** (exponent - 127));
  const exponents = view.get(0, 'unitExponents');
  const bases = view.get(0, 'bases');
  return {
    weight: view.get(0, 'weight'),
    motion: {
      value0: view.get(0, 'value0'),
      value1: view.get(0, 'value1'),
      rate0: view.get(0, 'rate0'),
      rate1: view.get(0, 'rate1'),
      basis: view.get(0, 'basis') as [number, number, number, number],
      fraction: view.get(0, 'fraction'),
      trackPair: view.get(0, 'trackPair'),
      constantPair: view.get(0, 'constantPair'),
      translationBase: bases & 0xffff,
      scaleBase: bases >>> 16,
      exact: view.get(0, 'kind') === MOTION_EXACT,
      rotationRateUnit: unit(exponents & 0xff),
      translationUnit: unit((exponents >>> 8) & 0xff),
      translationRateUnit: unit((exponents >>> 16) & 0xff),
      scaleUnit: unit(exponents >>> 24),
      scaleRateUnit: unit(view.get(0, 'scaleRateExponent')),
    },
  };
}
