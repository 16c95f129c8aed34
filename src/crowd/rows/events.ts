import { View } from '../../layout/index.ts';
import type { CrowdType } from '../../frame/tables/crowd-types.ts';
import { expectFunction, refuseArgument } from '../arguments.ts';
import {
  EVENT_FIRST_WORD,
  EVENT_FROM_NEXT,
  EVENT_LAYER_SHIFT,
  EventRecord,
} from '../../stages/step-controllers/layout.ts';
import type { CharacterId } from './ids.ts';

/** A moment of a clip that a character has passed. */
export interface CharacterEvent {
  readonly name: string;
  readonly character: CharacterId;
  /** Name of the layer that plays the clip, and the clip's reference. */
  readonly layer: string;
  readonly clip: string;
  /** Where in the clip it lies: a fraction. */
  readonly phase: number;
  /** Share of the clip in what the character shows: tree × transition × layer. */
  readonly weight: number;
  /** The frame it happened in, and seconds from that frame's begin in the character's own time: its speed counts. */
  readonly frame: number;
  readonly time: number;
  /** Data of the event. */
  readonly number?: number;
  readonly integer?: number;
  readonly text?: string;
}

/** Instances that a picture lacks, because memory did not last for all: those that are seen smallest. */
export interface DroppedInstances {
  readonly characters: number;
  readonly scenery: number;
}

/** Events of a crowd, with the arguments of their listeners. */
export interface CrowdListeners {
  /** A moment of a clip was passed. */
  event: (event: CharacterEvent) => void;
  /** Number of events that were dropped because the ring was full. */
  eventsDropped: (count: number) => void;
  /** More is attached than there was room for: from this frame on, which is being recorded, `socketMatrices` is another buffer. */
  sockets: (matrices: GPUBuffer) => void;
  /** A renderer's pictures begin to lack instances. Called again only after a picture that lacked none. */
  dropped: (dropped: DroppedInstances) => void;
}

type Kind = keyof CrowdListeners;

/** Maps a row to the character that owned it when an event fired. */
interface Owner {
  readonly id: CharacterId;
  readonly type: CrowdType;
}

const ORDER = ['frame', 'row', 'layer', 'time', 'fromNext', 'id'] as const;

/** A record of the ring. */
type FiredEvent = ReturnType<typeof firedAt>;

type Listeners = { readonly [K in Kind]: Set<{ readonly call: CrowdListeners[K] }> };

const noListeners = (): Listeners => ({
  event: new Set(),
  eventsDropped: new Set(),
  sockets: new Set(),
  dropped: new Set(),
});

/** Events on their way to listeners, and the characters that have left since they happened. */
export class Events {
  #listeners = noListeners();
  readonly #owner: (row: number) => Owner | undefined;
  readonly #left = new Map<number, (Owner & { readonly lastFrame: number })[]>();
  /** The last frame with all events delivered, also by an earlier crowd. */
  #told = 0;
  #toldBefore = 0;
  /** Number of events that were dropped since the crowd began. */
  droppedCount = 0;

  constructor(owner: (row: number) => Owner | undefined) {
    this.#owner = owner;
  }

  /** Calls a listener from now on; returns what stops that. */
  on<K extends Kind>(kind: K, listener: CrowdListeners[K]): () => void {
    if (!Object.hasOwn(this.#listeners, kind)) {
      refuseArgument('kind', kind, `one of ${Object.keys(this.#listeners).join(', ')}`);
    }
    expectFunction('listener', listener);
    // a new object: a listener that is registered twice is called twice, and stopped once
    const entry = { call: listener };
    const listeners: Set<{ readonly call: CrowdListeners[K] }> = this.#listeners[kind];
    listeners.add(entry);
    return () => void listeners.delete(entry);
  }

  /** Returns true once all events up to a frame have been delivered. */
  hasTold(frame: number): boolean {
    return this.#told >= frame;
  }

  /** Takes over another crowd's listeners, and the events that they have not received yet. */
  takeOver(before: Events): void {
    this.#listeners = before.#listeners;
    this.#toldBefore = Math.max(before.#told, before.#toldBefore);
    before.#listeners = noListeners();
  }

  /** A character leaves its row: events up to this frame are still its own. */
  left(row: number, owner: Owner, lastFrame: number): void {
    if (!owner.type.character.controller?.hasEvents) return;
    const list = this.#left.get(row) ?? [];
    list.push({ ...owner, lastFrame });
    this.#left.set(row, list);
  }

  /**
   * Reads the ring of a frame and calls the listeners: by frame, character, layer, time, source first. An error of a listener is thrown after all have been called.
   */
  deliver(ring: Uint32Array<ArrayBuffer>, frame: number): void {
    const records = new View(EventRecord, ring.buffer, 4 * EVENT_FIRST_WORD);
    const fired = Array.from({ length: Math.min(ring[0]!, records.count) }, (_, i) => firedAt(records, i)).sort(
      (a, b) => ORDER.reduce((difference, key) => difference || a[key] - b[key], 0),
    );
    const thrown: unknown[] = [];
    for (const one of fired) {
      if (one.frame <= this.#toldBefore) continue;
      const event = this.#eventOf(one);
      if (event) this.#tell('event', event, thrown);
    }
    this.#forget(frame);
    const lost = ring[0]! - fired.length + ring[1]!;
    this.droppedCount += lost;
    this.#told = frame;
    if (lost > 0 && frame > this.#toldBefore) this.#tell('eventsDropped', lost, thrown);
    if (thrown.length > 0) throw thrown[0];
  }

  /** Calls the listeners of a kind. An error of one is thrown after all have been called. */
  tell<K extends Kind>(kind: K, what: Parameters<CrowdListeners[K]>[0]): void {
    const thrown: unknown[] = [];
    this.#tell(kind, what, thrown);
    if (thrown.length > 0) throw thrown[0];
  }

  #tell<K extends Kind>(kind: K, what: Parameters<CrowdListeners[K]>[0], thrown: unknown[]): void {
    for (const { call } of this.#listeners[kind]) {
      try {
        (call as (what: Parameters<CrowdListeners[K]>[0]) => void)(what);
      } catch (reason) {
        thrown.push(reason);
      }
    }
  }

  #eventOf({ frame, row, layer, id, time, weight }: FiredEvent): CharacterEvent | undefined {
    const owner = this.#left.get(row)?.find(({ lastFrame }) => lastFrame >= frame) ?? this.#owner(row);
    const controller = owner?.type.character.controller;
    const found = controller?.events[id];
    if (!owner || !controller || !found) return undefined;
    const { name, phase, number, integer, text } = found;
    return {
      name,
      character: owner.id,
      layer: controller.layers[layer]!.name,
      clip: controller.clips[found.clip]!.reference,
      phase,
      weight,
      frame,
      time,
      ...(number === undefined ? {} : { number }),
      ...(integer === undefined ? {} : { integer }),
      ...(text === undefined ? {} : { text }),
    };
  }

  /** All events up to this frame have been delivered, so characters that left by then have no more. */
  #forget(frame: number): void {
    for (const [row, list] of this.#left) {
      const rest = list.filter(({ lastFrame }) => lastFrame > frame);
      if (rest.length === 0) this.#left.delete(row);
      else this.#left.set(row, rest);
    }
  }
}

function firedAt(records: View<(typeof EventRecord)['fields']>, index: number) {
  const place = records.get(index, 'place');
  return {
    frame: records.get(index, 'frame'),
    row: place & 0xffffff,
    layer: (place >>> EVENT_LAYER_SHIFT) & 31,
    /** Not 0: the event is of the state that a transition leads to. */
    fromNext: place & EVENT_FROM_NEXT,
    id: records.get(index, 'id'),
    time: records.get(index, 'time'),
    weight: records.get(index, 'weight'),
  };
}
