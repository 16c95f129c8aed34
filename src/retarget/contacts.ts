import { dot, length, subtract, times, type Vector3 } from '../math/rotations.ts';

/** A planted foot, from one sample to another, both included. */
export interface Contact {
  readonly first: number;
  readonly last: number;
}

/** Path of a foot's ball over the ground, in lengths of the leg. */
export interface FootPath {
  /** Positions in the character's space; y is the height over the ball of a flat foot. */
  readonly ball: readonly Vector3[];
}

/** Limits for a planted foot, in lengths of the leg and seconds. A person's leg is about 0.85 m. */
const LIMITS = {
  /** Height of the ball over that of a flat foot: 6 cm. */
  height: 0.07,
  /** Speed over the ground: 0.3 m/s. */
  speed: 0.35,
  /** The share of the speed of a walk in place. */
  treadmillSpeed: 0.3,
  shortest: 0.08,
  longestGap: 0.1,
} as const;

/**
 * Velocity of the ground below a clip that walks in place, per second, level; 0 for one that moves over the ground.
 * It is that of planted feet: the median of the lower foot's, if most are near it.
 */
export function treadmillVelocity(feet: readonly FootPath[], seconds: number): Vector3 {
  const velocities: Vector3[] = [];
  const count = feet[0]!.ball.length;
  for (let i = 1; i < count; i++) {
    const lower = feet.reduce((a, b) => (b.ball[i]![1] < a.ball[i]![1] ? b : a)).ball;
    if (lower[i]![1] > 2 * LIMITS.height) continue;
    const [x, , z] = times(subtract(lower[i]!, lower[i - 1]!), 1 / seconds);
    velocities.push([x, 0, z]);
  }
  if (velocities.length < 4) return [0, 0, 0];
  const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
  const middle: Vector3 = [median(velocities.map(([x]) => x)), 0, median(velocities.map(([, , z]) => z))];
  const spread = median(velocities.map((v) => length(subtract(v, middle))));
  return length(middle) > LIMITS.speed && spread < 0.5 * length(middle) ? middle : [0, 0, 0];
}

/** Times at which a foot is planted: low, and slow over the ground. @param ground Velocity of the ground. */
export function contactsOf({ ball }: FootPath, seconds: number, ground: Vector3): Contact[] {
  const limit = Math.max(LIMITS.speed, LIMITS.treadmillSpeed * length(ground));
  const isPlanted = ball.map((at, i) => {
    const [a, b] = [Math.max(i - 1, 0), Math.min(i + 1, ball.length - 1)];
    if (at[1] > LIMITS.height) return false;
    if (a === b) return true;
    const velocity = subtract(times(subtract(ball[b]!, ball[a]!), 1 / ((b - a) * seconds)), ground);
    return dot(velocity, velocity) < limit * limit;
  });
  const contacts: Contact[] = [];
  for (let i = 0; i < isPlanted.length; i++) {
    if (!isPlanted[i]) continue;
    const first = i;
    while (i + 1 < isPlanted.length && isPlanted[i + 1]) i++;
    const before = contacts.at(-1);
    const isGap = before && (first - before.last) * seconds <= LIMITS.longestGap;
    if (isGap) contacts[contacts.length - 1] = { first: before.first, last: i };
    else contacts.push({ first, last: i });
  }
  return contacts.filter(
    ({ first, last }) => (last - first) * seconds >= LIMITS.shortest || last - first === isPlanted.length - 1,
  );
}
