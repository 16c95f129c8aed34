import type { Crowd } from '../crowd/crowd.ts';
import type { EncodedFrame } from '../crowd/frame-options.ts';
import { fail } from '../errors.ts';
import type { DrawnMemory } from '../frame/backend.ts';
import { subtract, type Vector } from './camera.ts';

/** Origin of positions in a crowd's last recorded frame. Later moves of the origin belong to the next frame. */
export function recordedOrigin(crowd: Crowd): Vector {
  const { origin, moves } = crowd.host.places;
  return moves.reduce<Vector>((from, [x, y, z]) => subtract(from, [x!, y!, z!]), origin);
}

/** The memory that a picture is drawn from, and the origin of its positions. */
export interface DrawnFrame {
  readonly memory: DrawnMemory;
  readonly origin: Vector;
}

/**
 * @param frame Default: the last recorded one.
 * @throws ManipleError RENDER_FAILED: later frames have overwritten it
 */
export function drawnFrame(crowd: Crowd, frame: EncodedFrame | undefined): DrawnFrame {
  if (!frame) return { memory: crowd.backend.memory!, origin: recordedOrigin(crowd) };
  const memory = crowd.drawnMemory(frame.frame);
  if (memory) return { memory, origin: frame.origin };
  const kept = crowd.backend.kept ? ' and the one before' : '';
  const message = `${frame.frame} is overwritten; the crowd has frame ${crowd.frame}${kept}.`;
  return fail(
    'RENDER_FAILED',
    'frame',
    message,
    'Draw it before the next frame is encoded, or create the crowd with copies: 3.',
  );
}
