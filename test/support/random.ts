import { SeededRandom } from '../../src/math/seeded-random.ts';

/** Random cases: they print their seed, and the seed replays them. */
export class Random extends SeededRandom {
  constructor(readonly seed: number) {
    super(seed);
  }

  /** low … high, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
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
