import { EVENT_FIRST_WORD, EVENT_WORDS } from '../../stages/step-controllers/layout.ts';

/** Receives the event ring that a frame copied, and that frame's number. */
export type DeliverEvents = (ring: Uint32Array<ArrayBuffer>, frame: number) => void;

interface Flight {
  readonly frame: number;
  readonly onDelivered: () => void;
  ring: Uint32Array<ArrayBuffer> | undefined;
}

/** Event rings in flight. They are delivered in the order of their frames, whatever order they arrive in. */
export class EventQueue {
  readonly #deliver: DeliverEvents;
  readonly #flights: Flight[] = [];

  constructor(deliver: DeliverEvents) {
    this.#deliver = deliver;
  }

  /**
   * Registers a frame's ring as in flight. Call the returned function when it has arrived. That function delivers all rings
   * that are due, and then rethrows the first error of a listener.
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

/** The part of an event ring that holds records. */
export function usedRing(ring: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  return ring.slice(0, Math.min(ring.length, EVENT_FIRST_WORD + EVENT_WORDS * ring[0]!));
}
