import type { Character } from '../asset/character.ts';
import type { Backend } from '../frame/backend.ts';
import { Column } from '../frame/column.ts';
import type { Page } from '../frame/page.ts';
import type { CrowdShape } from '../frame/shape.ts';
import type { CrowdType } from '../frame/types.ts';
import type { Fields } from '../layout/index.ts';
import { Transform } from '../stages/layout.ts';
import { Conductor } from './conductor.ts';
import { Events } from './events.ts';
import { FirstFrames } from './first-frames.ts';
import { IdRegistry, type CharacterId } from './ids.ts';
import { PageSet } from './page-set.ts';
import { Playback } from './playback.ts';

/** Told of all that the host does to a crowd; what it writes to columns, they tell by `changed`. */
export interface HostWatcher {
  /** Rows from … to − 1 of a column have been written. */
  changed(column: number, from: number, to: number): void;
  settled(row: number, type: CrowdType): void;
  /** Somebody has gone, and the row is empty. */
  left(row: number): void;
  showed(row: number, parts: readonly [number, number], isFresh: boolean): void;
  /** Columns will be others; returns what to call when they are. */
  reshaping(): (change: Reshaping) => void;
  /** A frame begins: nothing that comes now is part of it. */
  frame(dt: number, seen: boolean): void;
  /** What has come so far goes into a snapshot; returns what to call with it. */
  saving(): (snapshot: object) => void;
}

/** How a crowd has changed beside its characters. */
export type Reshaping =
  | { readonly kind: 'grow'; readonly capacity: number }
  | { readonly kind: 'add'; readonly character: Character }
  | { readonly kind: 'remove'; readonly index: number };

const ALL_PARTS = [0xffffffff, 0xffffffff] as const;

/**
 * The host's side of a crowd: who lives where, and all that decides what comes next, but for what kernels keep (states of
 * machines, and where root motion has led).
 */
export class Host {
  readonly ids: IdRegistry;
  readonly pages: PageSet;
  readonly playback: Playback;
  readonly conductor: Conductor;
  readonly events: Events;
  readonly firstFrames: FirstFrames = new FirstFrames();
  /** Rows whose slot has no past. */
  readonly freshSlots = new Set<number>();
  /** Where the host has placed characters. */
  transforms: Column<(typeof Transform)['fields']>;
  /** The crowd's clock: seconds in 32.32 fixed point. */
  time = 0n;
  timeScale = 1;
  frame = 0;
  /** Frames that are encoded, and not known to be submitted. */
  openFrames = 0;
  /** Per row: its type and its page. */
  readonly #typeOf: (CrowdType | undefined)[] = [];
  readonly #pageOf: (Page | undefined)[] = [];
  /** Of those who do not show all. */
  readonly #parts = new Map<number, readonly [number, number]>();
  readonly #watchers = new Set<HostWatcher>();

  constructor(
    public shape: CrowdShape,
    public backend: Backend,
    vertexMemory: number,
  ) {
    const { capacity, tables, motionCapacity, playerCapacity, modifierCapacity } = shape;
    this.ids = new IdRegistry(capacity);
    this.pages = new PageSet(backend, tables.types, { capacity, motionCapacity, vertexMemory });
    this.playback = new Playback(capacity, playerCapacity);
    this.conductor = new Conductor(tables, capacity, modifierCapacity);
    this.events = new Events((row) => {
      const type = this.#typeOf[row];
      return type && { id: this.ids.idOf(row), type };
    });
    // what root motion moves must not be written over by what the host knew of its neighbours
    this.transforms = new Column(Transform, capacity, this.movesTransforms);
    this.connect(backend);
  }

  /** Whether kernels move characters, so that where they stand is not what the host knows. */
  get movesTransforms(): boolean {
    return this.shape.controllers?.movesTransforms ?? false;
  }

  /** What the host writes and frames upload, in a fixed order: transforms, players, modifiers, speeds, parameters. */
  get columns(): readonly Column<Fields>[] {
    const { playback, conductor } = this;
    const columns = [this.transforms, playback.column, conductor.modifiers.column, ...conductor.columns];
    return columns as unknown as readonly Column<Fields>[];
  }

  connect(backend: Backend): void {
    this.backend = backend;
    backend.onEvents = (ring, frame) => this.events.deliver(ring, frame);
  }

  /** Whether nothing of a frame, or of one before it, is still to be told to listeners. */
  hasToldEvents(frame: number): boolean {
    return !this.shape.controllers?.events || this.events.hasTold(frame);
  }

  typeAt(row: number): CrowdType | undefined {
    return this.#typeOf[row];
  }

  pageAt(row: number): Page | undefined {
    return this.#pageOf[row];
  }

  /**
   * Gives a row that has just been taken to a character: its first frame is the next one, and its slot has no past.
   * @param coming How many come together, this one included.
   * @throws ManipleError CROWD_FULL, DEVICE_LIMIT
   */
  settle(row: number, type: CrowdType, coming: number): void {
    for (const watcher of this.#watchers) watcher.settled(row, type);
    // its own id is taken already
    const living = this.ids.capacity - this.ids.free - 1;
    this.#pageOf[row] = this.pages.add(type, row, { coming, living });
    this.#typeOf[row] = type;
    this.freshSlots.add(row);
    this.firstFrames.spawned(row, this.frame);
  }

  /**
   * The same for a character that comes back to its row: it may have been through frames.
   * @param coming How many of its type come, this one included.
   */
  resettle(row: number, type: CrowdType, { coming, stepped }: { coming: number; stepped: boolean }): void {
    // pages that all of them fit in: who lives already does not make them larger
    this.#pageOf[row] = this.pages.add(type, row, { coming, living: 0 });
    this.#typeOf[row] = type;
    this.freshSlots.add(row);
    if (stepped) this.firstFrames.restored(row, this.frame);
    else this.firstFrames.spawned(row, this.frame);
  }

  /** Frees the row of a character, or one that could not be given to any; nothing is left in it. */
  vacate(row: number): void {
    this.playback.clear(row);
    this.conductor.clear(row);
    this.transforms.view.words.fill(0, (row * Transform.size) / 4, ((row + 1) * Transform.size) / 4);
    this.transforms.changed(row);
    for (const watcher of this.#watchers) watcher.left(row);
    this.#pageOf[row]?.remove(row);
    const type = this.#typeOf[row];
    if (type) this.events.left(row, { id: this.ids.idOf(row), type }, this.frame);
    this.#pageOf[row] = this.#typeOf[row] = undefined;
    this.#parts.delete(row);
    this.freshSlots.delete(row);
    this.firstFrames.left(row);
    this.ids.give(row);
  }

  /** Shows parts of a character and hides the others. @param isFresh It shows some that have no past. */
  show(row: number, parts: readonly [number, number], isFresh: boolean): void {
    for (const watcher of this.#watchers) watcher.showed(row, parts, isFresh);
    this.setParts(row, parts);
    if (isFresh) this.freshSlots.add(row);
  }

  /** A bit per part that a character shows, in two words. */
  partsAt(row: number): readonly [number, number] {
    return this.#parts.get(row) ?? ALL_PARTS;
  }

  /** The same, without telling anybody: of a character that has just got its place. */
  setParts(row: number, parts: readonly [number, number]): void {
    const isAll = parts.every((word) => word === 0xffffffff);
    if (isAll) this.#parts.delete(row);
    else this.#parts.set(row, parts);
    this.#pageOf[row]!.setParts(row, parts as [number, number]);
  }

  /** Ids of all who live, by row. */
  living(): CharacterId[] {
    return Array.from({ length: this.ids.used }, (_, row) => row)
      .filter((row) => this.ids.lives(row))
      .map((row) => this.ids.idOf(row));
  }

  /** Tells a watcher of everything from now on; returns what ends that. */
  watch(watcher: HostWatcher): () => void {
    this.#watchers.add(watcher);
    this.#watchColumns();
    return () => {
      this.#watchers.delete(watcher);
      this.#watchColumns();
    };
  }

  /** Tells all watchers. */
  tell(what: (watcher: HostWatcher) => void): void {
    for (const watcher of this.#watchers) what(watcher);
  }

  /**
   * Goes on with another shape, that the backend has taken on already: ids, clocks and all that was told stay. Where types
   * have other numbers, or motion lists another size, characters move to new pages and have no past in their next frame.
   */
  reshape(shape: CrowdShape, backend: Backend): void {
    const before = this.shape;
    const { capacity, tables, motionCapacity, playerCapacity } = shape;
    this.shape = shape;
    this.connect(backend);
    this.ids.grow(capacity);
    this.transforms = this.transforms.grown(capacity, this.movesTransforms);
    this.playback.resize(capacity, playerCapacity);
    this.conductor.resize(tables, capacity);
    this.pages.reshape(backend, tables.types, { capacity, motionCapacity });
    const types = new Map(tables.types.map((type) => [type.character, type]));
    const stay = before.tables.types.every((type) => type === (types.get(type.character) ?? type));
    if (!stay || before.motionCapacity !== motionCapacity) this.#moveHouse(types);
    this.#watchColumns();
  }

  /** New pages for all, with the same parts shown. */
  #moveHouse(types: ReadonlyMap<Character, CrowdType>): void {
    const rows = this.#typeOf.flatMap((type, row) => (type ? [{ row, type: types.get(type.character)! }] : []));
    this.pages.clear();
    const left = new Map<CrowdType, number>();
    for (const { type } of rows) left.set(type, (left.get(type) ?? 0) + 1);
    for (const { row, type } of rows) {
      const coming = left.get(type)!;
      left.set(type, coming - 1);
      this.#pageOf[row] = this.pages.add(type, row, { coming, living: 0 });
      const parts = this.#parts.get(row);
      if (parts) this.setParts(row, parts);
      this.#typeOf[row] = type;
      this.freshSlots.add(row);
      if (this.firstFrames.isStepped(row)) this.firstFrames.restored(row, this.frame);
    }
  }

  #watchColumns(): void {
    const watched = this.#watchers.size > 0;
    this.columns.forEach((column, index) => {
      const told = (from: number, to: number) => this.tell((watcher) => watcher.changed(index, from, to));
      column.watch = watched ? told : undefined;
    });
  }
}
