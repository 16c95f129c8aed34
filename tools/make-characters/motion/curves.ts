import { lerp, type Vec3 } from '../math/vec.ts';
import type { ControlName, SomeControls } from './controls.ts';

/** A key of a dope sheet: at this time, these controls have these values. */
export type SheetKey = readonly [time: number, controls: SomeControls];

interface Curve {
  readonly times: number[];
  readonly values: Vec3[];
}

interface Sheet {
  readonly duration: number;
  readonly loop: boolean;
  readonly keys: readonly SheetKey[];
}

/** The keyed controls at any time. A control that is keyed once is constant; one never keyed is absent. */
export function sheetSampler(sheet: Sheet): (time: number) => SomeControls {
  const curves = new Map<ControlName, Curve>();
  for (const [time, controls] of sheet.keys) {
    for (const [name, value] of Object.entries(controls) as [ControlName, Vec3][]) {
      const curve = curves.get(name) ?? { times: [], values: [] };
      curve.times.push(time);
      curve.values.push(value);
      curves.set(name, curve);
    }
  }
  if (sheet.loop) for (const curve of curves.values()) unroll(curve, sheet.duration);
  return (time) => {
    const out: SomeControls = {};
    for (const [name, curve] of curves) out[name] = sampleCurve(curve, time);
    return out;
  };
}

/** Repeats the keys before and after, so that the slopes at the seam see their neighbours. */
function unroll(curve: Curve, duration: number): void {
  const { times, values } = curve;
  const count = times.length;
  for (let i = count - 1; i >= 0; i--) {
    times.unshift(times[count - 1]! - duration);
    values.unshift(values[count - 1]!);
  }
  for (let i = 0; i < count; i++) {
    times.push(times[count + i]! + duration);
    values.push(values[count + i]!);
  }
}

function sampleCurve({ times, values }: Curve, time: number): Vec3 {
  const last = times.length - 1;
  if (time <= times[0]!) return values[0]!;
  if (time >= times[last]!) return values[last]!;
  let i = 0;
  while (times[i + 1]! <= time) i++;
  const span = times[i + 1]! - times[i]!;
  const u = (time - times[i]!) / span;
  const component = (c: 0 | 1 | 2): number => {
    const a = values[i]![c];
    const b = values[i + 1]![c];
    const h = hermite(u);
    return (
      lerp(a, b, h.ease) + span * (h.leave * slopeAt(times, values, i, c) + h.arrive * slopeAt(times, values, i + 1, c))
    );
  };
  return [component(0), component(1), component(2)];
}

const hermite = (u: number): { ease: number; leave: number; arrive: number } => ({
  ease: u * u * (3 - 2 * u),
  leave: u * (1 - u) * (1 - u),
  arrive: -u * u * (1 - u),
});

/** Level at extremes, never overshooting between keys (Fritsch and Carlson's harmonic mean). */
function slopeAt(times: number[], values: Vec3[], i: number, c: 0 | 1 | 2): number {
  if (i === 0 || i === times.length - 1) return 0;
  const before = times[i]! - times[i - 1]!;
  const after = times[i + 1]! - times[i]!;
  const s0 = (values[i]![c] - values[i - 1]![c]) / before;
  const s1 = (values[i + 1]![c] - values[i]![c]) / after;
  if (s0 * s1 <= 0) return 0;
  const w0 = 2 * after + before;
  const w1 = after + 2 * before;
  return (w0 + w1) / (w0 / s0 + w1 / s1);
}
