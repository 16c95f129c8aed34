import type { Told } from '../protocol.ts';
import { CLOSE_UP, type Rig } from './rig.ts';
import type { Watch } from './watch.ts';

type Watched = Extract<Told, { kind: 'watched' }>['watched'];

/** Milliseconds between two reports of the selected character. */
const PERIOD = 80;

/** Chooses the character that a near camera looks at, and reports the selected character. */
export class Gaze {
  readonly #watch: Watch;
  readonly #tell: (watched: Watched) => void;
  #isSearching = false;
  /** True if the camera was close to a face in the last frame. */
  #isClose = false;
  #nextReport = 0;
  #hasEnded = false;

  constructor(watch: Watch, tell: (watched: Watched) => void) {
    this.#watch = watch;
    this.#tell = tell;
    tell(undefined);
  }

  /** Points a near camera at a face: of the selected character, otherwise of the nearest one. */
  look(rig: Rig): void {
    const watch = this.#watch;
    if (watch.chosen !== undefined) watch.look(watch.chosen);
    else if (!rig.isNear) watch.look(undefined);
    else if (watch.near === undefined && !this.#isSearching) {
      this.#isSearching = true;
      void watch
        .nearestTo(rig.place)
        .then((id) => watch.look(id))
        .catch(() => undefined) // the crowd has gone meanwhile
        .finally(() => (this.#isSearching = false));
    }
    const isClose = rig.place.distance < 1.05 * CLOSE_UP;
    if (isClose && !this.#isClose && watch.focus) rig.face(watch.focus.yaw);
    this.#isClose = isClose && (this.#isClose || watch.focus !== undefined);
  }

  /** Reports the selected character at most once per PERIOD. */
  report(): void {
    if (this.#watch.chosen === undefined || performance.now() < this.#nextReport) return;
    this.#nextReport = Infinity; // until the answer arrives
    this.#watch
      .report()
      .then((watched) => {
        // the selection may have changed since
        if (!this.#hasEnded && watched?.id === this.#watch.chosen) this.#tell(watched);
      })
      .catch(() => undefined) // the crowd has gone meanwhile
      .finally(() => (this.#nextReport = performance.now() + PERIOD));
  }

  /** Stops reports, because another battle has begun. */
  end(): void {
    this.#hasEnded = true;
  }
}
