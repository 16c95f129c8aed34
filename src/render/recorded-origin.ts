import type { Crowd } from '../crowd/crowd.ts';
import { subtract, type Vector } from './camera.ts';

/** What places of a crowd's last recorded frame count from: moves since then are the next one's. */
export function recordedOrigin(crowd: Crowd): Vector {
  const { origin, moves } = crowd.host.places;
  return moves.reduce<Vector>((from, [x, y, z]) => subtract(from, [x!, y!, z!]), origin);
}
