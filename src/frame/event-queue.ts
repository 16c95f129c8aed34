/** What takes events: the ring as a frame brought it, and that frame's number. */
export type DeliverEvents = (ring: Uint32Array<ArrayBuffer>, frame: number) => void;

interface Flight {
  readonly frame: number;
  readonly onDelivered: () => void;
  ring: Uint32Array<ArrayBuffer> | undefined;
}

/** Event rings on their way, handed on in the order of their frames whatever order they arrive in. */
export class EventQueue {
  readonly #deliver: DeliverEvents;
  readonly #flights: Flight[] = [];

  constructor(deliver: DeliverEvents) {
    this.#deliver = deliver;
  }

  /**
   * A frame's ring is under way; call what it returns when it has arrived. What a listener throws comes from there, once
   * all that could be handed on has been.
   */
  open(frame: number, onDelivered: () => void = () => undefined): (ring: Uint32Array<ArrayBuffer>) => void {
    const flight: Flight = { frame, onDelivered, ring: undefined };
    this.#flights.push(flight);
    return (ring) => {
      flight.ring = ring;
      const thrown: unknown[] = [];
      for (let next = this.#flights[0]; next?.ring; next = this.#flights[0]) {
        this.#flights.shift();
        next.onDelivered();
        try {
          this.#deliver(next.ring, next.frame);
        } catch (reason) {
          thrown.push(reason);
        }
      }
      if (thrown.length > 0) throw thrown[0];
    };
  }
}

/** The part of an event ring that holds something. */
export function usedRing(
  ring: Uint32Array<ArrayBuffer>,
  firstWord: number,
  recordWords: number,
): Uint32Array<ArrayBuffer> {
  return ring.slice(0, Math.min(ring.length, firstWord + recordWords * ring[0]!));
}
