import { fail } from '../errors.ts';
import { View } from '../layout/index.ts';
import { AskedJoint, JOINT_KEPT, JOINT_POSED } from '../stages/read-joints/layout.ts';
import type { CharacterId } from './ids.ts';
import { Placement } from './placement.ts';
import { Playing } from './playing.ts';
import { reading, type CharacterPose, type Reading } from './read.ts';

/**
 * What can be asked of characters. Answers are of the moment of asking, all of them of one frame: the last one that has been
 * submitted. They come a few frames later, and hold nothing up. What is on its way at once is bounded: 256 MiB on a GPU.
 */
export abstract class Observed extends Playing {
  /**
   * The poses that characters had in the last frame that somebody looked at: their sockets, in model space. A character
   * has the sockets that `addSockets` gave it, or none. Any number of characters take one round trip to the GPU, 64 bytes
   * per socket. For one character: its pose. For a list: undefined in the place of each that the frame did not pose
   * (no view saw it, it kept its pose, it has only been spawned). With `sharing`, a pose that far characters share stands still:
   * those who show it are told of it in the frame that makes it, and keep it in all behind. Who carries something
   * shares nothing.
   *
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (no sockets; for one character: not posed), CROWD_LIMIT (too
   *   much on its way), DEVICE_LOST
   */
  readPose(id: CharacterId): Promise<CharacterPose>;
  readPose(ids: readonly CharacterId[]): Promise<Reading<CharacterPose | undefined>>;
  async readPose(
    ids: CharacterId | readonly CharacterId[],
  ): Promise<CharacterPose | Reading<CharacterPose | undefined>> {
    const rows = this.rowsOf(ids);
    const isOne = typeof ids === 'number';
    const asks = rows.map((row) => {
      const { name, sockets } = this.typeAt(row).character;
      if (sockets.length === 0) {
        fail('CROWD_BAD_ARGUMENT', name, 'has no sockets to read.', 'Give it some with addSockets().');
      }
      if (isOne) this.expectSeen(row);
      return this.host.firstFrames.isSeen(row) ? sockets : [];
    });
    const asked = new View(
      AskedJoint,
      asks.reduce((sum, { length }) => sum + length, 0),
    );
    let place = 0;
    rows.forEach((character, i) => {
      for (const { entry } of asks[i]!) asked.assign(place++, { character, jointRow: 3 * entry });
    });
    const { frame, value } = await this.backend.readJoints(asked);
    place = 0;
    const poses = asks.map((sockets): CharacterPose | undefined => {
      const first = place;
      place += sockets.length;
      const status = sockets.length > 0 ? value.get(first, 'status') : undefined;
      if (isOne && status !== JOINT_POSED) refusePose(status === JOINT_KEPT);
      if (status !== JOINT_POSED) return undefined;
      return {
        frame,
        jointIndices: sockets.map(({ jointIndex }) => jointIndex),
        modelFromJoint: sockets.map((_, s) => value.floats.slice(16 * (first + s), 16 * (first + s) + 12)),
      };
    });
    return isOne ? poses[0]! : reading(poses, frame);
  }

  /**
   * Where characters stood in the last frame that was submitted, root motion included; before its first one, where the
   * host placed it. One round trip for all, 32 bytes each. @throws ManipleError CROWD_BAD_ID, CROWD_LIMIT, DEVICE_LOST
   */
  async readTransforms(ids: CharacterId | readonly CharacterId[]): Promise<Reading<Placement>> {
    const places = this.rowsOf(ids).map((row) => ({ row, at: new Placement() }));
    const stepped = places.filter(({ row }) => this.host.firstFrames.isStepped(row));
    for (const { row, at } of places) this.host.places.read(row, at);
    const { frame, origin, value } = await this.backend.readTransforms(stepped.map(({ row }) => row));
    stepped.forEach(({ at }, i) => at.read(value, i, origin));
    return reading(
      places.map(({ at }) => at),
      frame,
    );
  }

  /** @throws ManipleError CROWD_BAD_ARGUMENT when nobody has looked at a frame since the character came */
  protected expectSeen(row: number): void {
    if (this.host.firstFrames.isSeen(row)) return;
    const suggestion = 'Call update() first; with encode(), submit the frame and call submitted().';
    fail('CROWD_BAD_ARGUMENT', 'read', 'the character has not been through a frame yet.', suggestion);
  }
}

function refusePose(isListed: boolean): never {
  if (isListed) {
    fail('CROWD_BAD_ARGUMENT', 'readPose', 'the last frame did not pose the character: it kept the pose that it had.');
  }
  refuseUnseen();
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function refuseUnseen(): never {
  const suggestion = 'Characters that no view sees have no pose and no vertices.';
  fail('CROWD_BAD_ARGUMENT', 'read', 'the last frame did not show the character.', suggestion);
}
