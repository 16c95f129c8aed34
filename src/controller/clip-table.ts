import { error, type Issue, quoted, warning } from '../errors.ts';
import { toCycles } from '../math/cycles.ts';
import type { RootMotionModel } from '../character/model.ts';
import { listedByNearness, nameIndex } from '../character/names.ts';
import type { ClipFacts, EventModel } from './model.ts';
import type { Rows } from './rows.ts';
import { CONTROLLER_NONE, ControllerClip, ControllerEvent, RootKnot } from './tables.ts';

/** The clip that a reference resolves to. */
export interface ResolvedClip extends ClipFacts {
  /** Index among the clips of the character type. Undefined for a clip that is known but cannot be shown. */
  readonly rigClip?: number;
  readonly root?: RootMotionModel;
}

/** The character that a controller is compiled for, with the fields needed for clip errors. */
export interface ClipOwner {
  readonly name: string;
  /** Names of all its clips. */
  readonly clips: readonly string[];
  /** 'error' if names outside `clips` are errors, 'warn' if they are warnings. */
  readonly missingClips: 'error' | 'warn';
}

/** A clip that a controller plays. */
export interface PlayedClip {
  readonly reference: string;
  readonly index: number;
  readonly rigClip: number;
  /** Seconds, more than 0. */
  readonly length: number;
  readonly loops: boolean;
  readonly cycleOffset: number;
  readonly mirror: boolean;
  readonly eventRow: number;
  /** Phases of its events, in 0.32 fixed point; its end is 0. */
  readonly eventPhases: readonly number[];
  readonly eventNames: readonly string[];
  readonly hasRoot: boolean;
  readonly row: number;
}

/** An event of a clip, as its records name it. */
export interface PlayedEvent extends EventModel {
  /** Index into the controller's clips. */
  readonly clip: number;
  /** Fraction of the clip. */
  readonly phase: number;
}

/** The clips of a controller: one entry per reference, and a second one for additive layers, which play differences. */
export class ClipTable {
  readonly clips: PlayedClip[] = [];
  readonly events: PlayedEvent[] = [];
  readonly #known = new Map<string, PlayedClip>();

  constructor(
    readonly rows: Rows,
    readonly resolve: (reference: string, additive: boolean) => ResolvedClip | undefined,
    readonly facts: Readonly<Record<string, ClipFacts>>,
    readonly issues: Issue[],
    readonly owner?: ClipOwner,
  ) {}

  play(reference: string, additive: boolean): PlayedClip {
    const key = `${additive ? 'additive ' : ''}${reference}`;
    const known = this.#known.get(key);
    if (known) return known;
    const resolved = this.resolve(reference, additive);
    const own = Object.hasOwn(this.facts, reference) ? this.facts[reference]! : {};
    const facts: ResolvedClip = { ...resolved, ...own };
    const length = facts.length !== undefined && facts.length > 0 ? facts.length : 1;
    if (!resolved) {
      const counts = `${length} s${(facts.loops ?? true) ? ' that loops' : ''}`;
      const consequence = `it counts as a clip of ${counts} and moves nothing`;
      this.#lack(reference, `clips/${reference}`, additive ? 'adds' : 'plays', consequence);
    }
    const from = own.reference?.clip;
    if (additive && from !== undefined && !this.resolve(from, false)) {
      const told = `takes the reference pose of ${quoted(reference)} from`;
      this.#lack(from, `clips/${reference}/reference`, told, 'its own first frame is taken instead');
    }
    const index = this.clips.length;
    const { eventRow, eventPhases, eventNames } = this.#addEvents(index, length, facts.events ?? []);
    const root = facts.root;
    const rigClip = facts.rigClip ?? CONTROLLER_NONE;
    const row = this.rows.reserveFor(ControllerClip, 1);
    const rootRow = root ? this.#addRoot(root, length) : 0;
    this.rows.put(ControllerClip, row, 0, {
      rigClip,
      eventRow,
      eventCount: eventPhases.length,
      rootRow,
      rootCount: root?.times.length ?? 0,
    });
    const clip: PlayedClip = {
      reference,
      index,
      rigClip,
      length,
      loops: facts.loops ?? true,
      cycleOffset: facts.cycleOffset ?? 0,
      mirror: facts.mirror ?? false,
      eventRow,
      eventPhases,
      eventNames,
      hasRoot: root !== undefined,
      row,
    };
    this.clips.push(clip);
    this.#known.set(key, clip);
    return clip;
  }

  /**
   * Reports invalid facts: events after the end, and facts of clips that are neither played nor present (probably
   * misspelt).
   */
  checkFacts(): void {
    const late = this.events.filter(({ time, clip }) => time > 1.001 * this.clips[clip]!.length);
    for (const [path, { name, time }] of new Map(late.map((event) => [this.clips[event.clip]!.reference, event]))) {
      const message = `The event ${quoted(name)} is at ${time} s, after the clip's end.`;
      this.issues.push(warning('CONTROLLER_SIMPLIFIED', `clips/${path}/events`, message, 'It fires at the end.'));
    }
    if (!this.owner) return;
    const played = new Set(this.clips.map(({ reference }) => reference));
    for (const name of Object.keys(this.facts)) {
      if (played.has(name) || nameIndex(this.owner.clips, name) >= 0) continue;
      this.#lack(name, `clips/${name}`, 'has facts of', 'what is said of it is of no use');
    }
  }

  /** @param use Verb for the controller's use of the clip, for the message. */
  #lack(reference: string, path: string, use: string, consequence: string): void {
    const { owner } = this;
    if (owner?.missingClips !== 'error') {
      const message = `Nothing resolves ${quoted(reference)}: ${consequence}.`;
      const suggestion = 'Give the character a clip of this name, or say which file it is.';
      this.issues.push(warning('CONTROLLER_CLIP_MISSING', path, message, suggestion));
      return;
    }
    const { name, clips } = owner;
    const isThere = nameIndex(clips, reference) >= 0;
    const lacks = isThere ? 'was not packed for' : 'does not have';
    const message = `The controller ${use} ${quoted(reference)}, which ${quoted(name)} ${lacks}.`;
    const count = `The nearest of its ${clips.length} clips`;
    const names = clips.length > 0 ? `${count}: ${listedByNearness(clips, reference)}.` : 'It has no clips.';
    const mend = isThere ? 'Pack it with this controller, and with this clip among its `clips`.' : names;
    this.issues.push(error('CLIP_NOT_FOUND', path, message, `${mend} With missingClips: 'warn' ${consequence}.`));
  }

  #addEvents(clip: number, length: number, events: readonly EventModel[]) {
    const placed = events
      .map((event) => ({ event, phase: Math.max(0, Math.min(1, Math.fround(event.time / length))) }))
      .sort((a, b) => a.phase - b.phase);
    const records = placed.map(({ event, phase }) => {
      const { cycles: cycle, phase: fixed } = toCycles(phase);
      return { phase: fixed, cycle, id: this.events.push({ ...event, clip, phase }) - 1 };
    });
    const eventRow = this.rows.add(ControllerEvent, records);
    const eventPhases = records.map(({ phase }) => phase);
    return { eventRow, eventPhases, eventNames: placed.map(({ event }) => event.name) };
  }

  #addRoot({ times, positions, rotations }: RootMotionModel, length: number): number {
    const knots = Array.from(times, (time, k) => ({
      position: Array.from(positions.subarray(3 * k, 3 * k + 3)),
      phase: time / length,
      rotation: Array.from(rotations.subarray(4 * k, 4 * k + 4)),
    }));
    return this.rows.add(RootKnot, knots);
  }
}
