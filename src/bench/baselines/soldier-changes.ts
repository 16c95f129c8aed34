import type { SeededRandom } from '../../math/seeded-random.ts';

/** In each step, one character in this many gets a trigger. */
const TRIGGER_EVERY = 100;

/** Random changes of one step for one character: parameters once a second each, a trigger for one in TRIGGER_EVERY. */
export interface Change {
  readonly set: Record<string, number | boolean>;
  readonly trigger: 'attack' | 'hit' | undefined;
}

/** @param all True to draw every parameter, as at the start. */
export function drawChange(random: SeededRandom, all = false): Change {
  const set: Record<string, number | boolean> = {};
  const now = () => all || random.chance(1 / 60);
  if (now()) set.side = random.range(-0.9, 0.9);
  if (now()) set.forward = random.range(-0.9, 3.4);
  if (now()) set.alertness = random.next();
  if (now()) set.heavy = random.chance(0.3);
  if (now()) set.guard = random.chance(0.25);
  if (now()) set.cheer = random.chance(0.1);
  if (now()) set.dead = random.chance(0.05);
  const trigger = random.chance(1 / TRIGGER_EVERY) ? (random.chance(0.4) ? 'hit' : 'attack') : undefined;
  return { set, trigger };
}
