import { fail } from '../errors.ts';
import type { CharacterReadback } from '../frame/backend.ts';
import type { CrossFadeOptions, PlayStateOptions } from './animators.ts';
import type { AnimatorState } from './animator-state.ts';
import type { Living, LookAtOptions, Section } from './conductor.ts';
import type { CrowdListeners } from './events.ts';
import type { Host } from './host.ts';
import type { CharacterId } from './ids.ts';
import type { JointModifier } from './modifiers.ts';
import { Placement } from './placement.ts';
import { partMask, readPose, readVertices, type CharacterPose } from './read.ts';

/** What characters of a crowd can be told beside clips and places: parameters, states, joints. */
export abstract class Controlled {
  /** @internal What the host knows, and where the frame runs. */
  abstract readonly host: Host;
  /** Living characters by type. @throws ManipleError CROWD_BAD_ID */
  protected abstract sections(ids: CharacterId | readonly CharacterId[]): Section[];
  /** Characters, each once, in the order of the ids. @throws ManipleError CROWD_BAD_ID */
  protected abstract living(ids: CharacterId | readonly CharacterId[]): Living[];

  /**
   * Sets a parameter of characters with a controller: takes effect with the next frame.
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (no controller, no such parameter, a trigger)
   */
  setParameter(ids: CharacterId | readonly CharacterId[], name: string, value: number | boolean): void {
    this.host.conductor.setParameter(this.sections(ids), name, value);
  }

  /**
   * Sets a parameter of many characters, each to its own value: those of `ids` from … to − 1. Who does not live any more
   * is passed by. Errors as `setParameter`; what stands before a bad value is set.
   */
  writeParameter(
    ids: readonly CharacterId[],
    name: string,
    values: ArrayLike<number>,
    from = 0,
    to: number = ids.length,
  ): void {
    // whole numbers within the list, whatever is asked
    const { ids: known, conductor } = this.host;
    const [first, end] = [Math.max(0, Math.trunc(from) || 0), Math.min(ids.length, to)];
    for (let i = first; i < end; i++) {
      if (!known.isAlive(ids[i]!)) continue;
      const row = known.index(ids[i]!);
      conductor.writeParameter(row, this.host.typeAt(row)!, name, values[i]!);
    }
  }

  /** The value that a parameter was last set to; 0 or 1 for a bool. Errors as `setParameter`. */
  parameter(id: CharacterId, name: string): number {
    const [{ rows, type }] = this.sections(id) as [Section];
    return this.host.conductor.parameter(rows[0]!, type, name);
  }

  /** Sets a trigger: it stays set until a transition uses it up, or it is reset. Errors as `setParameter`. */
  trigger(ids: CharacterId | readonly CharacterId[], name: string): void {
    this.host.conductor.trigger(this.sections(ids), name, true);
  }

  resetTrigger(ids: CharacterId | readonly CharacterId[], name: string): void {
    this.host.conductor.trigger(this.sections(ids), name, false);
  }

  /** Cuts to a state of the controller, by its path. @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT */
  playState(ids: CharacterId | readonly CharacterId[], state: string, options: PlayStateOptions = {}): void {
    this.host.conductor.playState(this.sections(ids), state, options);
  }

  /** Goes over to a state of the controller; what shows now, a blend too, fades out. Errors as `playState`. */
  crossFade(ids: CharacterId | readonly CharacterId[], state: string, options: CrossFadeOptions = {}): void {
    this.host.conductor.crossFade(this.sections(ids), state, options);
  }

  /** How fast the controllers of characters run; 1 is their own speed. @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT */
  setSpeed(ids: CharacterId | readonly CharacterId[], speed: number): void {
    this.host.conductor.setSpeed(this.sections(ids), speed);
  }

  /**
   * Changes a joint over all that plays, until it is changed again; weight 0 ends it.
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT, CROWD_LIMIT (more joints than the crowd's `modifiers`)
   */
  modifyJoint(ids: CharacterId | readonly CharacterId[], joint: string | number, modifier: JointModifier): void {
    this.host.conductor.modify(this.sections(ids), joint, modifier);
  }

  /** Sets a morph weight over all that plays. Errors as `modifyJoint`. */
  setMorph(ids: CharacterId | readonly CharacterId[], morph: string, weight: number): void {
    this.host.conductor.setMorph(this.sections(ids), morph, weight);
  }

  /**
   * Turns a joint towards a place in the world, on top of what it plays; its parents count as standing at rest, and the
   * character as standing where the host last placed it. Call it again when either moves. Errors as `modifyJoint`.
   */
  lookAt(ids: CharacterId | readonly CharacterId[], joint: string | number, options: LookAtOptions): void {
    const at = new Placement();
    const sections = this.sections(ids);
    if (options.weight !== 0) this.host.conductor.expectRoom(sections, joint);
    for (const { type, rows } of sections) {
      for (const row of rows) {
        at.read(this.host.transforms.view, row);
        this.host.conductor.lookAt(row, type, at, joint, options);
      }
    }
  }

  /** Ends all changes of joints and morph weights. @throws ManipleError CROWD_BAD_ID */
  clearModifiers(ids: CharacterId | readonly CharacterId[]): void {
    for (const { rows } of this.sections(ids)) for (const row of rows) this.host.conductor.modifiers.clear(row);
  }

  /**
   * Lets characters show the pose of another one of their type, which is posed and skinned once for all of them: one mesh, many
   * transforms. They keep their own state machines and their own parts. Who despawns, or is told `undefined`, leads or poses for itself
   * again. @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (a leader of another type)
   */
  poseFrom(ids: CharacterId | readonly CharacterId[], leader: CharacterId | undefined): void {
    const followers = this.living(ids);
    const head = leader === undefined ? undefined : this.living(leader)[0]!;
    const stranger = followers.find(({ type }) => head && type !== head.type);
    if (stranger) {
      const { name } = stranger.type.character;
      fail('CROWD_BAD_ARGUMENT', 'poseFrom', `${name} cannot show the pose of another type.`);
    }
    for (const { row } of followers) this.host.follow(row, head?.row ?? row);
  }

  /**
   * Shows or hides all parts of a name, on all of the characters or none. A character that shows more than before has no
   * velocity of its own in its next frame. @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (no such part)
   */
  showParts(ids: CharacterId | readonly CharacterId[], name: string, shown: boolean): void {
    const sections = this.sections(ids).map(({ type, rows }) => ({ rows, mask: partMask(type.character, name) }));
    for (const { rows, mask } of sections) {
      for (const row of rows) {
        const parts = this.host.residents.parts(row);
        const word = (w: 0 | 1) => (shown ? parts[w] | mask[w] : parts[w] & ~mask[w]) >>> 0;
        const after: [number, number] = [word(0), word(1)];
        if (after[0] === parts[0] && after[1] === parts[1]) continue;
        this.host.show(row, after, shown);
      }
    }
  }

  /** Calls a listener for what frames bring, a few frames later; returns what stops that. */
  on<K extends keyof CrowdListeners>(kind: K, listener: CrowdListeners[K]): () => void {
    return this.host.events.on(kind, listener);
  }

  /** Events that found no room since the crowd began. */
  get lostEvents(): number {
    return this.host.events.lost;
  }

  /**
   * What the controllers of characters were doing after the last frame that was submitted; before its first one a
   * character is in no state. Takes a round trip to the GPU.
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (no controller), DEVICE_LOST
   */
  async readState(ids: CharacterId | readonly CharacterId[]): Promise<AnimatorState[]> {
    return this.host.conductor.readStates(this.host.backend, this.living(ids), (row) =>
      this.host.firstFrames.isStepped(row),
    );
  }

  /**
   * Where characters stood in the last frame that was submitted, root motion included; before its first one, where the
   * host placed it. Costs as `readState`. @throws ManipleError CROWD_BAD_ID, DEVICE_LOST
   */
  async readTransforms(ids: CharacterId | readonly CharacterId[]): Promise<Placement[]> {
    const places = this.living(ids).map(({ row }) => ({ row, at: new Placement() }));
    const stepped = places.filter(({ row }) => this.host.firstFrames.isStepped(row));
    for (const { row, at } of places) at.read(this.host.transforms.view, row);
    if (stepped.length > 0) {
      const view = await this.host.backend.readTransforms(stepped.map(({ row }) => row));
      stepped.forEach(({ at }, i) => at.read(view, i));
    }
    return places.map(({ at }) => at);
  }

  /**
   * The pose that a character had in the last frame: its sockets, in model space. A character has the sockets that
   * `addSockets` gave it, or none. Takes a round trip to the GPU: for tools and rare questions.
   *
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (no frame since it was spawned), DEVICE_LOST
   */
  async readPose(id: CharacterId): Promise<CharacterPose> {
    const { type, row } = this.#locate(id);
    if (type.character.sockets.length === 0) {
      fail('CROWD_BAD_ARGUMENT', type.character.name, 'has no sockets to read.', 'Give it some with addSockets().');
    }
    return readPose(type, await this.#read(row));
  }

  /**
   * The vertices that a character had in the last frame: metres in model space, x, y, z each. Primitive p of the
   * character has those from its `firstVertex` on. Costs and errors as `readPose`.
   */
  async readVertices(id: CharacterId): Promise<Float32Array> {
    return readVertices((await this.#read(this.#locate(id).row)).vertices);
  }

  #locate(id: CharacterId): Living {
    const [living] = this.living(id) as [Living];
    if (!this.host.firstFrames.isSeen(living.row)) {
      const suggestion = 'Call update() first; with encode(), submit the frame and call submitted().';
      fail('CROWD_BAD_ARGUMENT', 'read', 'the character has not been through a frame yet.', suggestion);
    }
    return living;
  }

  async #read(row: number): Promise<CharacterReadback> {
    const read = await this.host.backend.read(row);
    if (read) return read;
    const suggestion = 'Characters that no view sees have no pose and no vertices.';
    return fail('CROWD_BAD_ARGUMENT', 'read', 'the last frame did not show the character.', suggestion);
  }
}
