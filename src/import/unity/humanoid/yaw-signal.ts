import type { Signal } from '../signal.ts';

/** The part of a rotation that turns about Y, as a body's motion over the ground has it; none where the body is upside down. */
export function yawSignal(rotation: Signal): Signal {
  return {
    ...rotation,
    isCubic: false,
    sample(time, side, out) {
      rotation.sample(time, side, out);
      const [y, w, dy, dw] = [out[1]!, out[3]!, out[5]!, out[7]!];
      const length = Math.hypot(y, w);
      out.fill(0);
      out[3] = 1;
      if (length < 1e-6) return;
      const [uy, uw] = [y / length, w / length];
      const along = (dy * uy + dw * uw) / length;
      out[1] = uy;
      out[3] = uw;
      out[5] = dy / length - uy * along;
      out[7] = dw / length - uw * along;
    },
  };
}
