import { openVertices } from '../vertex/vertex-channels.ts';
import { fail } from '../errors.ts';
import { View } from '../layout/index.ts';
import {
  KEPT_HEAD_ROWS,
  keptProviderRows,
  ProviderFrame,
  providerLayout,
  providerSections,
} from './provider-layout.ts';
import {
  providersOf,
  type ProvidedSurface,
  type ProviderSite,
  type StateRow,
  type VertexProvider,
} from './providers.ts';

const ALL_VIEWS = 0xffffffff;

export interface ProviderViews {
  readonly list: readonly VertexProvider[];
  /** Seconds, modulo 4,096. */
  readonly time: number;
  readonly frame: number;
  /** Seconds that pass. */
  readonly dt: number;
  readonly capacity: number;
  /** The memory of providers, as `ProviderLayout` has it. */
  readonly rows: Float32Array<ArrayBuffer>;
}

interface Surface {
  readonly position: number[];
  readonly normal: number[];
  readonly tangent: number[];
  /** Four numbers of the crowd's `skinnedChannel`. */
  readonly skinnedChannel: readonly number[];
}

/** Sends a vertex through the providers of a mesh that work in a space. */
export type ProviderTwins = (space: VertexProvider['space'], vertex: number, surface: Surface) => Surface;

/** Data of one character that vertex code reads, wherever it is stored. */
export interface ProvidedCharacter extends Pick<ProviderSite, 'character' | 'views' | 'time' | 'frame'> {
  /** Active providers: a bit each. */
  readonly active: number;
  /** Rows of one provider. */
  readonly rowsOf: (index: number) => ProvidedRows;
}

type ProvidedRows = Pick<ProviderSite, 'row' | 'characterRow' | 'state'>;

/** The memory of providers, read and written as kernels do. */
export class ProviderMemoryView {
  readonly #words: Uint32Array<ArrayBuffer>;
  readonly #layout: ReturnType<typeof providerLayout>;
  readonly #sections: ReturnType<typeof providerSections>;

  constructor(readonly views: ProviderViews) {
    const { buffer, byteOffset, length } = views.rows;
    this.#words = new Uint32Array(buffer, byteOffset, length);
    this.#layout = providerLayout(views.list);
    this.#sections = providerSections(this.#layout, views.capacity);
  }

  get list(): readonly VertexProvider[] {
    return this.views.list;
  }

  /** The uniform that kernels have of them. */
  get frame(): View<(typeof ProviderFrame)['fields']> {
    const { time, frame, dt } = this.views;
    const { characterRow, stateRow } = this.#sections;
    const view = new View(ProviderFrame, 1);
    view.assign(0, { time, frame, dt, characterRow, stateRow });
    return view;
  }

  /**
   * Active providers of a character, by the views that see it. Without views it is posed for its followers, and counts
   * as seen by all.
   */
  activity(character: number, seenBy: number): { readonly active: number; readonly views: number } {
    const views = seenBy === 0 ? ALL_VIEWS : seenBy;
    const enabled = this.#words[4 * this.#characterRow(character)]!;
    let active = 0;
    this.views.list.forEach((_, index) => {
      if (this.#words[4 * this.#layout.maskRow + index]! & views) active |= enabled & (1 << index);
    });
    return { active, views };
  }

  /** Rows of one provider, and those that it has of a character. */
  rowsOf(character: number, index: number): ProvidedRows {
    const { globals, characters } = this.#layout;
    return {
      row: (i) => this.#at(globals[index]! + i),
      characterRow: (i) => this.#at(this.#characterRow(character) + characters[index]! + i),
      state: (i) => this.#at(this.#stateRow(character, index) + 1 + i),
    };
  }

  /** How long ago an update of the character was the last one. */
  sinceUpdate(character: number, index: number): { readonly isNew: boolean; readonly elapsed: number } {
    const last = this.#stateRow(character, index);
    const bornFrame = this.#words[4 * this.#characterRow(character) + 1]!;
    const frame = this.#words[4 * last]!;
    if (frame === 0 || frame < bornFrame) return { isNew: true, elapsed: 0 };
    const passed = Math.fround(this.views.time - this.views.rows[4 * last + 1]!);
    return { isNew: false, elapsed: passed < 0 ? passed + 4096 : passed };
  }

  /** The state of a character, zero where it is new. */
  stateRows(character: number, index: number, isNew: boolean): StateRow[] {
    const { stateRowCount = 0 } = this.views.list[index]!;
    const { state } = this.rowsOf(character, index);
    return Array.from({ length: stateRowCount }, (_, i): StateRow => {
      const [x, y, z, w] = isNew ? [0, 0, 0, 0] : Array.from(state(i));
      return [x!, y!, z!, w!];
    });
  }

  writeState(character: number, index: number, rows: readonly StateRow[]): void {
    const first = 4 * this.#stateRow(character, index);
    const { time, frame } = this.views;
    this.#words.set([frame, 0, 0, 0], first);
    this.views.rows[first + 1] = time;
    rows.forEach((row, i) => this.views.rows.set(row, first + 4 * (1 + i)));
  }

  of(character: number, seenBy: number): ProvidedCharacter {
    const { time, frame } = this.views;
    const rowsOf = (index: number) => this.rowsOf(character, index);
    return { character, ...this.activity(character, seenBy), time, frame, rowsOf };
  }

  /** Rows that a slot keeps before the character's palette, where draws skin. */
  kept(character: number, seenBy: number): Uint32Array<ArrayBuffer> {
    const { globalCount, characterStride, stateStride } = this.#layout;
    const kept = new Uint32Array(4 * keptProviderRows(this.#layout));
    const { active, views } = this.activity(character, seenBy);
    kept.set([character, views, 0, this.views.frame, active]);
    new Float32Array(kept.buffer)[2] = this.views.time;
    const copy = (to: number, from: number, count: number) =>
      kept.set(this.#words.subarray(4 * from, 4 * (from + count)), 4 * (KEPT_HEAD_ROWS + to));
    copy(0, 0, globalCount);
    copy(globalCount, this.#characterRow(character), characterStride);
    copy(globalCount + characterStride, this.#sections.stateRow + character * stateStride, stateStride);
    return kept;
  }

  #characterRow(character: number): number {
    return this.#sections.characterRow + character * this.#layout.characterStride;
  }

  #stateRow(character: number, index: number): number {
    return this.#sections.stateRow + character * this.#layout.stateStride + this.#layout.states[index]!;
  }

  #at(row: number): Float32Array {
    return this.views.rows.subarray(4 * row, 4 * row + 4);
  }
}

/** Data of a character that vertex code reads, from the rows that its slot keeps before a palette. */
export function keptCharacter(list: readonly VertexProvider[], slot: Uint32Array<ArrayBuffer>): ProvidedCharacter {
  const { globals, globalCount, characters, characterStride, states } = providerLayout(list);
  const floats = new Float32Array(slot.buffer, slot.byteOffset, slot.length);
  const at = (row: number) => floats.subarray(4 * (KEPT_HEAD_ROWS + row), 4 * (KEPT_HEAD_ROWS + row) + 4);
  return {
    character: slot[0]!,
    views: slot[1]!,
    time: floats[2]!,
    frame: slot[3]!,
    active: slot[4]!,
    rowsOf: (index) => ({
      row: (i) => at(globals[index]! + i),
      characterRow: (i) => at(globalCount + characters[index]! + i),
      state: (i) => at(globalCount + characterStride + states[index]! + 1 + i),
    }),
  };
}

/** A mesh with vertices that go through providers. */
interface TwinMesh {
  readonly variant: number;
  /** Row of its header in the geometry table. */
  readonly geometryRow: number;
  readonly geometry: Uint32Array<ArrayBuffer>;
}

/**
 * The providers that a loader variant names, for a row of the visible list.
 * @param provided What providers know of the character there.
 * @throws ManipleError PROVIDER_MISSING: one has no twin
 */
export function providerTwins(
  list: readonly VertexProvider[],
  provided: ProvidedCharacter | undefined,
  { variant, geometryRow, geometry }: TwinMesh,
): ProviderTwins {
  const mask = provided ? providersOf(variant, list.length) : 0;
  if (!provided || mask === 0) return (_, __, surface) => surface;
  const { character, views, time, frame, active, rowsOf } = provided;
  const chosen = list.flatMap(({ name, space, twin }, index) => {
    if (((mask >>> index) & 1) === 0) return [];
    const missing = () => fail('PROVIDER_MISSING', `provider ${name}`, 'The provider has no twin for the CPU.');
    return [{ twin: twin ?? missing(), rows: rowsOf(index), space, wanted: ((active >>> index) & 1) !== 0 }];
  });
  return (space, vertex, surface) => {
    let out: ProvidedSurface = surface;
    for (const provider of chosen) {
      if (provider.space !== space || !provider.wanted) continue;
      const channel: ProviderSite['channel'] = (name, of = vertex) =>
        openVertices(geometry, geometryRow, of).loadChannel(name, of);
      const site: ProviderSite = { character, vertex, geometryRow, views, time, frame, channel, ...provider.rows };
      out = { skinnedChannel: out.skinnedChannel!, ...provider.twin(site, out) };
    }
    const { position, normal, tangent, skinnedChannel } = out;
    return {
      position: [...position],
      normal: [...normal],
      tangent: [...tangent],
      skinnedChannel: [0, 1, 2, 3].map((c) => skinnedChannel?.[c] ?? 0),
    };
  };
}
