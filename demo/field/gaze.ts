import type { Told } from '../protocol.ts';
import { CLOSE_UP, type Rig } from './rig.ts';
import type { Watch } from './watch.ts';

type Watched = Extract<Told, { kind: 'watched' }>['watched'];

/** Milliseconds between two reports of who is selected. */
const PERIOD = 80;

/** Whom the camera looks at from near, and what is told of who is selected. */
export class Gaze {
  readonly #watch: Watch;
  readonly #tell: (watched: Watched) => void;
  #isSearching = false;
  /** Whether the camera stood before somebody's face in the last frame. */
  #isClose = false;
  #nextReport = 0;
  #hasEnded = false;

  constructor(watch: Watch, tell: (watched: Watched) => void) {
    this.#watch = watch;
    this.#tell = tell;
    tell(undefined);
  }

  /** From near the camera looks somebody in the face: who is selected, or whoever stands there. */
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

  /** Tells of who is selected, now and then. */
  report(): void {
    if (this.#watch.chosen === undefined || performance.now() < this.#nextReport) return;
    this.#nextReport = Infinity; // until the answer has come
    this.#watch
      .report()
      .then((watched) => {
        // somebody else may have been selected meanwhile, or nobody
        if (!this.#hasEnded && watched?.id === this.#watch.chosen) this.#tell(watched);
      })
      .catch(() => undefined) // the crowd has gone meanwhile
      .finally(() => (this.#nextReport = performance.now() + PERIOD));
  }

  /** Another battle has begun. */
  end(): void {
    this.#hasEnded = true;
  }
}
