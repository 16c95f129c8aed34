import { fail, quoted } from '../errors.ts';
import type { FrameStats } from '../frame/backend.ts';
import { expectFlag } from './arguments.ts';
import type { DroppedInstances } from './events.ts';
import type { CharacterId } from './ids.ts';
import type { Placement } from './placement.ts';
import { refuseUnseen } from './observed.ts';
import { Placed } from './placed.ts';
import { partMask, readVertices, type VertexReading } from './read.ts';
import { tintWord, type Tint } from './tint.ts';

/** Counts of the last frame that had views, and of the pictures of it. */
export interface CrowdStats extends FrameStats {
  /** Characters that renderers left out of their last pictures because their memory did not last, all renderers together. */
  readonly dropped: number;
}

/** What characters of a crowd look like beside what plays on them, and what a frame has made of them. */
export abstract class Looks extends Placed {
  /** Renderers whose pictures may lack characters. @internal */
  readonly dropReaders: Set<() => Promise<DroppedInstances>> = new Set();

  /**
   * Lets characters show the pose of another one of their type, which is posed and skinned once for all of them: one mesh, many
   * transforms. They keep their own state machines and their own parts. Who despawns, or is told `undefined`, leads or poses for itself
   * again. @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (a leader of another type)
   */
  poseFrom(ids: CharacterId | readonly CharacterId[], leader: CharacterId | undefined): void {
    const characters = this.living(ids);
    const [head] = leader === undefined ? [] : this.living([leader]);
    const stranger = characters.find(({ type }) => head && type !== head.type);
    if (stranger) {
      const { name } = stranger.type.character;
      fail('CROWD_BAD_ARGUMENT', 'poseFrom', `${quoted(name)} cannot show the pose of another type.`);
    }
    for (const { row } of characters) this.host.follow(row, head?.row ?? row);
  }

  /**
   * Moves a character as `place` does, without a trace: in the next frame it, and what it carries, has no motion. Only the
   * camera's motion shows in its motion vectors. Errors as `place`.
   */
  teleport(id: CharacterId, callback: (at: Placement) => void): void {
    this.place(id, callback);
    this.host.resetHistory(this.rowOf(id));
  }

  /**
   * Colours characters, all of them or none: the renderer multiplies their base colours by linear red, green, blue and
   * alpha, 0 … 1 each, kept in 8 bits. Alpha shows only where materials are masked by it. White, [1, 1, 1, 1], is what
   * characters begin with.
   *
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT
   */
  setTint(ids: CharacterId | readonly CharacterId[], color: Tint): void {
    const word = tintWord(color);
    for (const { row } of this.living(ids)) this.host.tint(row, word);
  }

  /**
   * Hides characters, all of them or none, until they are shown again. Their state machines run on, and so do root motion, ground
   * and events. They are in no view: neither posed nor skinned, without a shadow, not to be picked, and what they carry has a matrix of
   * zero scale. Their slots of vertex memory are given back. Characters that show the pose of a hidden one (`poseFrom`) go
   * on showing it. Costs an upload of 32 bytes each, and 64 for each thing that it carries. @throws ManipleError CROWD_BAD_ID
   */
  hide(ids: CharacterId | readonly CharacterId[]): void {
    for (const row of this.rows(ids)) this.host.setHidden(row, true);
  }

  /**
   * Shows hidden characters again, from the next frame on. There they, and what they carry, have no motion.
   * @throws ManipleError CROWD_BAD_ID
   */
  show(ids: CharacterId | readonly CharacterId[]): void {
    for (const row of this.rows(ids)) this.host.setHidden(row, false);
  }

  /** Whether a character is hidden by `hide`. @throws ManipleError CROWD_BAD_ID */
  isHidden(id: CharacterId): boolean {
    return this.host.residents.isHidden(this.oneRow(id));
  }

  /**
   * Shows or hides all parts of a name, on all of the characters or none. A character that shows more than before has no
   * velocity of its own in its next frame. @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (no such part)
   */
  showParts(ids: CharacterId | readonly CharacterId[], name: string, shown: boolean): void {
    expectFlag('shown', shown);
    // all of them, or none: who lacks the part is found before any is changed
    const masks = this.living(ids).map(({ row, type }) => ({ row, mask: partMask(type.character, name) }));
    for (const { row, mask } of masks) {
      const parts = this.host.residents.parts(row);
      const word = (w: 0 | 1) => (shown ? parts[w] | mask[w] : parts[w] & ~mask[w]) >>> 0;
      const after: [number, number] = [word(0), word(1)];
      if (after[0] === parts[0] && after[1] === parts[1]) continue;
      this.host.show(row, after, shown);
    }
  }

  /**
   * The vertices that a character had in the last frame: metres in model space, x, y, z each. Primitive p of the
   * mesh that the frame showed, the character's own or one of its `lods`, has those from its `firstVertex` on. Takes a round
   * trip to the GPU, or several while frames move them: for tools and rare questions. With `skin: 'vertex'` the host computes
   * them, all parts, in some 3 µs each.
   *
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (the last frame did not show it), CROWD_LIMIT (over 256 MiB asked for
   *   at once; or frames moved them at each of 16 tries), CROWD_DESTROYED, DEVICE_LOST
   */
  async readVertices(id: CharacterId): Promise<VertexReading> {
    const row = this.oneRow(id);
    this.expectSeen(row);
    return readVertices((await this.backend.read(row)) ?? refuseUnseen());
  }

  /** Counts of the last frame that had views: characters listed, posed and not drawn, and what was dropped. */
  readStats(): Promise<CrowdStats> {
    this.checkAlive();
    const pictures = Promise.all(Array.from(this.dropReaders, (read) => read()));
    return Promise.all([this.backend.readStats(), pictures]).then(([stats, all]) => ({
      ...stats,
      dropped: all.reduce((sum, { characters }) => sum + characters, 0),
    }));
  }
}
