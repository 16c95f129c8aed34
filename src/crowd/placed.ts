import { fail } from '../errors.ts';
import type { GroundField } from '../frame/backend.ts';
import { Carrying } from './carrying.ts';
import type { CharacterId } from './ids.ts';
import { Placement, type Origin } from './placement.ts';
import type { Places } from './places.ts';

/** Ground for characters to stand on: a field of heights. */
export interface Ground {
  /** Metres: row after row, along x in each, rows along z. Taken as it is now: set the ground anew when it changes. */
  readonly heights: Float32Array;
  /** Heights along x, and along z: 2 at least. */
  readonly columns: number;
  readonly rows: number;
  /** Where the first height stands in the world; y is added to all of them. Default 0, 0, 0. */
  readonly origin?: readonly [number, number, number];
  /** Metres from one height to the next, along both or along x and z. Default 1. */
  readonly spacing?: number | readonly [number, number];
  /** How far characters lean with the slope: 0 (default) stays upright, 1 has both feet flat on the ground. */
  readonly lean?: number;
}

/** Where characters stand. */
export abstract class Placed extends Carrying {
  protected abstract readonly places: Places;
  /** Rows that have ever had a character. */
  protected abstract readonly rowCount: number;

  protected readPlace(row: number, at: Placement): void {
    this.places.read(row, at);
  }

  /**
   * Moves a character: the callback finds where the host last placed it, without root motion and ground since then (ask
   * `readTransforms` for that), and leaves where it shall stand. Root motion goes on from there.
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (numbers that are none)
   */
  place(id: CharacterId, callback: (at: Placement) => void): void {
    const [row] = this.rowsOf(id) as [number];
    const at = new Placement();
    this.places.read(row, at);
    callback(at);
    this.places.write(row, at);
  }

  /**
   * Puts characters on ground from the next frame on: behind all that moves them, y is that of the ground, and with `lean`
   * they are turned with the slope, looking where they looked. x and z are the host's and root motion's as before. Beside
   * the field they stay as they are. Undefined: there is no ground. Takes a copy of the heights.
   *
   * @throws ManipleError CROWD_BAD_ARGUMENT, DEVICE_LIMIT (more heights than one binding takes)
   */
  setGround(ground: Ground | undefined): void {
    this.living([]);
    this.places.ground = ground && checkGround(ground, this.backend.bindingBytes);
  }

  /** Whether characters follow the ground, once there is one: all do unless told otherwise. @throws ManipleError CROWD_BAD_ID */
  followGround(ids: CharacterId | readonly CharacterId[], follow: 'follow' | 'ignore' = 'follow'): void {
    if (follow !== 'follow' && follow !== 'ignore') {
      fail('CROWD_BAD_ARGUMENT', 'followGround', `is ${JSON.stringify(follow)}.`, "Use 'follow' or 'ignore'.");
    }
    for (const row of this.rowsOf(ids)) this.places.setGrounded(row, follow === 'follow');
  }

  /**
   * Where the GPU counts from: metres, double precision. What the host says and is told of places (`place`, `lookAt`,
   * `setGround`, `readTransforms`) is in the world whatever the origin; what the GPU holds and is told is relative to it:
   * views, transforms, socket matrices.
   */
  get origin(): Origin {
    return this.places.origin;
  }

  /**
   * Moves the origin, to where the camera is, say: far from it single precision has few digits left for a character. All
   * places, those of last frame too, are shifted by the next frame, each rounded once, so that nothing moves and
   * velocities stay as they are. Costs a pass over the transforms, on host and GPU: do it every few hundred metres.
   *
   * @returns The origin: as near to the wish as single precision can step from where it was.
   * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_LIMIT (16 moves without a frame)
   */
  moveOrigin(to: Origin): Origin {
    this.living([]);
    return this.places.moveOrigin(to, this.rowCount);
  }
}

function checkGround(ground: Ground, bindingBytes: number): GroundField {
  const { heights, columns, rows, origin = [0, 0, 0], spacing = 1, lean = 0 } = ground;
  const steps: readonly [number, number] = typeof spacing === 'number' ? [spacing, spacing] : spacing;
  const refuse = (message: string) => fail('CROWD_BAD_ARGUMENT', 'setGround', message);
  if (![columns, rows].every((count) => Number.isInteger(count) && count >= 2)) {
    refuse(`${columns} × ${rows} heights: use at least 2 each way.`);
  }
  if (heights.length !== columns * rows) refuse(`there are ${heights.length} heights, not ${columns} × ${rows}.`);
  if (!heights.every(Number.isFinite)) refuse('a height is no number.');
  if (origin.length !== 3 || !origin.every(Number.isFinite)) refuse(`its origin is ${origin.join(', ')}.`);
  if (steps.length !== 2 || !steps.every((step) => step > 0 && Number.isFinite(step))) {
    refuse(`its spacing is ${steps.join(', ')} metres.`);
  }
  if (!(lean >= 0 && lean <= 1)) refuse(`lean is ${lean}; use 0 to 1.`);
  if (heights.byteLength > bindingBytes) {
    const message = `${heights.byteLength} bytes of heights; this device binds ${bindingBytes}.`;
    fail('DEVICE_LIMIT', 'setGround', message, 'Use a coarser field, or the part of it that is near.');
  }
  return { heights: Float32Array.from(heights), columns, rows, origin, spacing: steps, lean };
}
