/** A small deterministic generator (mulberry32): test cases print their seed, and the seed replays them. */
export class Random {
  #state: number;

  constructor(readonly seed: number) {
    this.#state = seed >>> 0;
  }

  /** [0, 1) */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  range(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** low … high, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.integer(0, list.length - 1)]!;
  }

  vector(radius: number): [number, number, number] {
    return [this.range(-radius, radius), this.range(-radius, radius), this.range(-radius, radius)];
  }

  /** A rotation by at most `angle` radians about a random axis. */
  quaternion(angle: number): [number, number, number, number] {
    const axis = this.vector(1);
    const length = Math.hypot(...axis) || 1;
    const half = this.range(-angle, angle) / 2;
    const sine = Math.sin(half) / length;
    return [axis[0] * sine, axis[1] * sine, axis[2] * sine, Math.cos(half)];
  }
}
