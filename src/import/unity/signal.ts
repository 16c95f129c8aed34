import { exponentialQuaternion, logarithmQuaternion, multiplyQuaternion } from '../../math/quaternion.ts';
import { type CurvePoint, isWeighted, sampleCurve, type UnityKey } from './curve.ts';

/** A vector over time, in glTF's axes, with its derivative; it may jump at its knots. */
export interface Signal {
  readonly size: number;
  readonly isRotation: boolean;
  /** True if it is one Hermite cubic between any two neighbouring knots. */
  readonly isCubic: boolean;
  /** Seconds of the file, ascending. Before the first and after the last it is constant. */
  readonly knots: readonly number[];
  /** Writes `size` values, then as many slopes per second. Rotations are unit quaternions, or nearly. */
  sample(time: number, side: -1 | 1, out: Float64Array): void;
}

/** Curves of the components, and what turns them to glTF's axes. A component without a curve is `rest`. */
export function vectorSignal(
  curves: readonly (readonly UnityKey[] | undefined)[],
  signs: readonly number[],
  rest: readonly number[],
): Signal {
  const point: CurvePoint = { value: 0, slope: 0 };
  const size = curves.length;
  return {
    size,
    isRotation: false,
    isCubic: !curves.some((keys) => keys && hasWeights(keys)),
    knots: knotsOf(curves),
    sample(time, side, out) {
      for (let c = 0; c < size; c++) {
        const keys = curves[c];
        if (keys) sampleCurve(keys, time, side, point);
        else [point.value, point.slope] = [rest[c]!, 0];
        out[c] = signs[c]! * point.value;
        out[size + c] = signs[c]! * point.slope;
      }
    },
  };
}

export const POSITION_SIGNS = [-1, 1, 1] as const;
const ROTATION_SIGNS = [1, -1, -1, 1] as const;

/** Curves of a quaternion’s components: interpolated one by one, then scaled to length 1. */
export function rotationSignal(curves: readonly (readonly UnityKey[] | undefined)[]): Signal {
  const raw = vectorSignal(curves, ROTATION_SIGNS, [0, 0, 0, 1]);
  return {
    ...raw,
    isRotation: true,
    isCubic: false,
    sample(time, side, out) {
      raw.sample(time, side, out);
      normalize(out);
    },
  };
}

const AXES = { X: 0, Y: 1, Z: 2 } as const;
/** By `m_RotationOrder`: the axis that turns first is listed first. */
const ORDERS = ['XYZ', 'XZY', 'YZX', 'YXZ', 'ZXY', 'ZYX'] as const;
export const ROTATION_ORDERS: number = ORDERS.length;

/** Curves of three angles in degrees. */
export function eulerSignal(curves: readonly (readonly UnityKey[] | undefined)[], order: number): Signal {
  const angles = vectorSignal(curves, [1, 1, 1], [0, 0, 0]);
  const axes = Array.from(ORDERS[order]!, (letter) => AXES[letter as keyof typeof AXES]);
  const degrees = new Float64Array(6);
  const [turn, rate] = [new Float64Array(4), new Float64Array(4)];
  const [part, other] = [new Float64Array(4), new Float64Array(4)];
  return {
    size: 4,
    isRotation: true,
    isCubic: false,
    knots: angles.knots,
    sample(time, side, out) {
      angles.sample(time, side, degrees);
      turn.set([0, 0, 0, 1]);
      rate.fill(0);
      for (const axis of axes) {
        const half = (degrees[axis]! * Math.PI) / 360;
        const halfRate = (degrees[3 + axis]! * Math.PI) / 360;
        part.fill(0);
        part[axis] = Math.sin(half);
        part[3] = Math.cos(half);
        other.fill(0);
        other[axis] = Math.cos(half) * halfRate;
        other[3] = -Math.sin(half) * halfRate;
        // (part × turn)' = part' × turn + part × turn'
        multiplyQuaternion(other, turn, other);
        multiplyQuaternion(part, rate, rate);
        multiplyQuaternion(part, turn, turn);
        for (let c = 0; c < 4; c++) rate[c] = rate[c]! + other[c]!;
      }
      for (let c = 0; c < 4; c++) {
        out[c] = ROTATION_SIGNS[c]! * turn[c]!;
        out[4 + c] = ROTATION_SIGNS[c]! * rate[c]!;
      }
    },
  };
}

/**
 * Makes a signal end as it begins: takes φ × (end − begin) away at each phase φ. For rotations that is a turn by the
 * fraction φ of what leads back from the end to the begin.
 */
export function closeLoop(signal: Signal, start: number, stop: number): Signal {
  const length = stop - start;
  const { size, isRotation } = signal;
  if (!(length > 0)) return signal;
  const [begin, end] = [new Float64Array(2 * size), new Float64Array(2 * size)];
  signal.sample(start, 1, begin);
  signal.sample(stop, 1, end);
  const knots = withEnds(signal.knots, start, stop);
  if (!isRotation) {
    return {
      ...signal,
      knots,
      sample(time, side, out) {
        signal.sample(time, side, out);
        for (let c = 0; c < size; c++) {
          const change = end[c]! - begin[c]!;
          out[c] = out[c]! - ((time - start) / length) * change;
          out[size + c] = out[size + c]! - change / length;
        }
      },
    };
  }
  const [back, turn, rate] = [new Float64Array(4), new Float64Array(4), new Float64Array(4)];
  multiplyQuaternion([-end[0]!, -end[1]!, -end[2]!, end[3]!], begin, turn);
  logarithmQuaternion(turn, back);
  const perSecond = [back[0]! / length, back[1]! / length, back[2]! / length, 0];
  return {
    ...signal,
    knots,
    sample(time, side, out) {
      signal.sample(time, side, out);
      const [value, slope] = [out.slice(0, 4), out.slice(4, 8)];
      exponentialQuaternion(back, (time - start) / length, turn);
      multiplyQuaternion(turn, perSecond, rate);
      multiplyQuaternion(value, rate, rate);
      multiplyQuaternion(slope, turn, slope);
      multiplyQuaternion(value, turn, value);
      out.set(value);
      for (let c = 0; c < 4; c++) out[4 + c] = slope[c]! + rate[c]!;
    },
  };
}

export function withEnds(knots: readonly number[], start: number, stop: number): number[] {
  return [...new Set([start, ...knots, stop])].sort((a, b) => a - b);
}

function knotsOf(curves: readonly (readonly UnityKey[] | undefined)[]): number[] {
  const times = new Set<number>();
  for (const keys of curves) for (const { time } of keys ?? []) times.add(time);
  return [...times].sort((a, b) => a - b);
}

function hasWeights(keys: readonly UnityKey[]): boolean {
  return keys.some((key, i) => i > 0 && isWeighted(keys[i - 1]!, key));
}

/**
 * Leaves quaternions of length 1 as they are: components between two such keys are then one cubic, exactly. Others are
 * scaled, with the derivative of the scaled quaternion.
 */
function normalize(out: Float64Array): void {
  const length = Math.hypot(out[0]!, out[1]!, out[2]!, out[3]!);
  if (Math.abs(length - 1) < 1e-5) return;
  if (length < 1e-9) {
    out.fill(0);
    out[3] = 1;
    return;
  }
  let along = 0;
  for (let c = 0; c < 4; c++) along += (out[c]! / length) * out[4 + c]!;
  for (let c = 0; c < 4; c++) {
    out[c] = out[c]! / length;
    out[4 + c] = (out[4 + c]! - out[c]! * along) / length;
  }
}
