import type { Crowd } from '../crowd/crowd.ts';
import type { EncodedFrame } from '../crowd/frame-options.ts';
import { fail } from '../errors.ts';
import type { DrawnMemory } from '../frame/backend.ts';
import type { CrowdView } from '../frame/tables/crowd-view.ts';
import { subtract, type Vector } from './camera.ts';
import { internalsOf } from '../crowd/internals.ts';

/** Origin of positions in a crowd's last recorded frame. Later moves of the origin belong to the next frame. */
export function recordedOrigin(crowd: Crowd): Vector {
  const { origin, moves } = internalsOf(crowd).host.places;
  return moves.reduce<Vector>((from, [x, y, z]) => subtract(from, [x!, y!, z!]), origin);
}

/** The memory that a picture is drawn from, the origin of its positions, and the views of its frame. */
export interface DrawnFrame {
  readonly memory: DrawnMemory;
  readonly origin: Vector;
  readonly views: readonly CrowdView[];
}

/**
 * @param frame Default: the last recorded one.
 * @throws ManipleError RENDER_FAILED: later frames have overwritten it
 */
export function drawnFrame(crowd: Crowd, frame: EncodedFrame | undefined): DrawnFrame {
  if (!frame)
    return {
      memory: internalsOf(crowd).host.backend.memory!,
      origin: recordedOrigin(crowd),
      views: internalsOf(crowd).host.views,
    };
  const memory = internalsOf(crowd).host.drawnMemory(frame.frame);
  if (memory) return { memory, origin: frame.origin, views: frame.views };
  const kept = internalsOf(crowd).host.backend.kept ? ' and the one before' : '';
  const message = `${frame.frame} is overwritten; the crowd has frame ${crowd.frame}${kept}.`;
  return fail(
    'RENDER_FAILED',
    'frame',
    message,
    'Draw it before the next frame is encoded, or create the crowd with copies: 3.',
  );
}
