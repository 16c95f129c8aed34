/** 64-bit fixed point, twin of `fixed.wesl`, from the definition: exact integers. */

/** Seconds as 32.32 fixed point: [low, high]. */
export function splitSeconds(seconds: bigint): [number, number] {
  const wrapped = BigInt.asUintN(64, seconds);
  return [Number(wrapped & 0xffffffffn), Number(wrapped >> 32n)];
}

export function joinWide(low: number, high: number): bigint {
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

/** A number of seconds as 32.32 fixed point, to the nearest 2⁻³² s. */
export function fixedSeconds(seconds: number): bigint {
  const whole = Math.floor(seconds);
  return (BigInt(whole) << 32n) + BigInt(Math.round((seconds - whole) * 2 ** 32));
}

/** Elapsed time (32.32) × rate (8.24, magnitude) in cycles as 32.32, wrapped to 64 bits. */
export function cyclesIn(time: bigint, rate: number): bigint {
  return BigInt.asUintN(64, (time * BigInt(rate)) >> 24n);
}

/** A phase (fraction of a cycle) as 0.32 fixed point; 1 and more clamp to the largest. */
export function fixedPhase(phase: number): number {
  return Math.min(0xffffffff, Math.max(0, Math.round(phase * 2 ** 32)));
}
