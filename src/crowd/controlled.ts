import { expectList, expectPlace } from './arguments.ts';
import type { CrossFadeOptions, PlayStateOptions } from './animators.ts';
import type { AnimatorState } from './animator-state.ts';
import type { LookAtOptions } from './conductor.ts';
import type { CrowdListeners } from './events.ts';
import { Hosted } from './hosted.ts';
import type { CharacterId } from './ids.ts';
import type { JointModifier } from './modifiers.ts';
import { Placement } from './placement.ts';

/** What characters of a crowd can be told beside clips and places: parameters, states, joints. */
export abstract class Controlled extends Hosted {
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
  writeParameter(ids: readonly CharacterId[], name: string, values: ArrayLike<number>, from = 0, to = Infinity): void {
    expectList('ids', ids);
    expectList('values', values);
    expectPlace('from', from);
    expectPlace('to', to);
    const [first, end] = [Math.trunc(from), Math.min(ids.length, to)];
    for (let i = first; i < end; i++) {
      const row = this.rowOf(ids[i]!);
      if (row >= 0) this.host.conductor.writeParameter(row, this.typeAt(row), name, values[i]!);
    }
  }

  /** The value that a parameter was last set to; 0 or 1 for a bool. Errors as `setParameter`. */
  parameter(id: CharacterId, name: string): number {
    const row = this.oneRow(id);
    return this.host.conductor.parameter(row, this.typeAt(row), name);
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
    this.host.conductor.expectLook(options);
    const at = new Placement();
    const sections = this.sections(ids);
    if (options.weight !== 0) this.host.conductor.expectRoom(sections, joint);
    for (const { type, rows } of sections) {
      for (const row of rows) {
        this.host.places.read(row, at);
        this.host.conductor.lookAt(row, type, at, joint, options);
      }
    }
  }

  /** Ends all changes of joints and morph weights. @throws ManipleError CROWD_BAD_ID */
  clearModifiers(ids: CharacterId | readonly CharacterId[]): void {
    for (const { rows } of this.sections(ids)) for (const row of rows) this.host.conductor.modifiers.clear(row);
  }

  /** Calls a listener for what frames bring, a few frames later; returns what stops that. @throws ManipleError CROWD_BAD_ARGUMENT */
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
}
