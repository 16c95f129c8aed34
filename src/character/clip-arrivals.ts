/** Clips of a character that load one by one. Until it has arrived, a clip holds the rest pose for as long as it lasts. */
export interface ClipArrivals {
  /**
   * Fulfilled when all clips have arrived. Rejected with a `ManipleError` where the file is damaged or the connection
   * broke: the remaining clips never arrive, and hold the rest pose.
   */
  readonly ready: Promise<void>;
  /** Names of clips that have not arrived, in the order of the file. */
  readonly pending: readonly string[];
  /** Calls a listener with the name and the index of each clip that arrives. Returns a function that ends that. */
  onClip(listener: (name: string, index: number) => void): () => void;
}

/** Where a clip lies in a rig blob, in words: ranges with a beginning and an end. */
export interface ArrivedClip {
  readonly header: readonly [number, number];
  readonly tables: readonly [number, number];
}

/** The side of `ClipArrivals` that readers and crowds use. */
export class ArrivingClips implements ClipArrivals {
  readonly ready: Promise<void>;
  /** In the order in which they came. */
  readonly arrived: ArrivedClip[] = [];
  readonly #pending: { readonly name: string; readonly index: number }[];
  readonly #listeners = new Set<(name: string, index: number) => void>();
  /** The rig that is filled, and copies of it that are longer. */
  readonly #rigs: Uint32Array[];

  /**
   * @param clips In their order.
   * @param run Loads them: calls `arrive` once for each.
   */
  constructor(
    rig: Uint32Array,
    clips: readonly { readonly name: string; readonly index: number }[],
    run: (arrive: (clip: ArrivedClip) => void) => Promise<void>,
  ) {
    this.#rigs = [rig];
    this.#pending = [...clips];
    this.ready = run((clip) => this.#arrive(clip));
  }

  get pending(): readonly string[] {
    return this.#pending.map(({ name }) => name);
  }

  onClip(listener: (name: string, index: number) => void): () => void {
    const own = (...clip: [string, number]) => listener(...clip);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Also fills a copy of the rig from now on, which may have more words at its end. */
  follow(copy: Uint32Array): void {
    this.#rigs.push(copy);
  }

  #arrive(clip: ArrivedClip): void {
    const [rig, ...copies] = this.#rigs;
    for (const copy of copies)
      for (const range of [clip.header, clip.tables]) copy.set(rig!.subarray(...range), range[0]);
    this.arrived.push(clip);
    const { name, index } = this.#pending.shift()!;
    for (const listener of this.#listeners) listener(name, index);
  }
}

/** Clips of a character that load one by one; undefined if all were there from the start. */
export function arrivalsOf({ arrivals }: { readonly arrivals?: ClipArrivals | undefined }): ArrivingClips | undefined {
  return arrivals instanceof ArrivingClips ? arrivals : undefined;
}
