import { fail, quoted } from '../errors.ts';
import { expectFunction, expectNumbers } from './arguments.ts';
import { Carrying } from './carrying.ts';
import type { CharacterId } from './ids.ts';
import { checkGround, type Ground } from './ground.ts';
import { Placement, type Origin } from './placement.ts';
import { vectorList, type VectorLike } from './vectors.ts';

/** Where characters stand. */
export abstract class Placed extends Carrying {
  /**
   * Moves a character: the callback finds where the host last placed it, without root motion and ground since then (ask
   * `readTransforms` for that), and leaves where it shall stand. Root motion goes on from there.
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (numbers that are none)
   */
  place(id: CharacterId, callback: (at: Placement) => void): void {
    expectFunction('callback', callback);
    const row = this.oneRow(id);
    const at = new Placement();
    this.host.places.read(row, at);
    callback(at);
    this.host.places.write(row, at);
  }

  /**
   * Puts characters on ground from the next frame on: behind all that moves them, y is that of the ground, and with `lean`
   * they are turned with the slope, looking where they looked. x and z are the host's and root motion's as before. Beside
   * the field they stay as they are. Undefined: there is no ground. Takes a copy of the heights.
   *
   * @throws ManipleError CROWD_BAD_ARGUMENT, DEVICE_LIMIT (more heights than one binding takes)
   */
  setGround(ground: Ground | undefined): void {
    this.checkAlive();
    this.host.setGround(ground === undefined ? undefined : checkGround(ground, this.backend.bindingBytes));
  }

  /** Whether characters follow the ground, once there is one: all do unless told otherwise. @throws ManipleError CROWD_BAD_ID */
  followGround(ids: CharacterId | readonly CharacterId[], follow: 'follow' | 'ignore' = 'follow'): void {
    if (follow !== 'follow' && follow !== 'ignore') {
      fail('CROWD_BAD_ARGUMENT', 'followGround', `is ${quoted(follow)}.`, "Use 'follow' or 'ignore'.");
    }
    for (const row of this.rowsOf(ids)) this.host.followGround(row, follow === 'follow');
  }

  /**
   * Where the GPU counts from: metres, double precision. What the host says and is told of places (`place`, `lookAt`,
   * `setGround`, `readTransforms`) is in the world whatever the origin; what the GPU holds and is told is relative to it:
   * views, transforms, socket matrices.
   */
  get origin(): Origin {
    return this.host.places.origin;
  }

  /**
   * Moves the origin, to where the camera is, say: far from it single precision has few digits left for a character. All
   * places, those of last frame too, are shifted by the next frame, each rounded once, so that nothing moves and
   * velocities stay as they are. Costs a pass over the transforms, on host and GPU: do it every few hundred metres.
   *
   * @returns The origin: as near to the wish as single precision can step from where it was.
   * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_LIMIT (16 moves without a frame)
   */
  moveOrigin(to: VectorLike): Origin {
    this.checkAlive();
    const [x, y, z] = expectNumbers('to', vectorList(to), 3);
    return this.host.moveOrigin([x!, y!, z!]);
  }
}
