import type { Character } from '../character/character.ts';
import { Submissions } from '../device/submissions.ts';
import { fail } from '../errors.ts';
import { expectList } from './arguments.ts';
import { DetailGovernor, FRAMES_PER_STEP } from './budget.ts';
import type { Backend, DrawnMemory, FrameInputs, FrameRecorder, GroundField, SeenInputs } from '../frame/backend.ts';
import type { Column } from '../frame/tables/column.ts';
import type { NamedColumn, ColumnPlan } from '../frame/tables/named-columns.ts';
import type { CrowdView } from '../frame/tables/crowd-view.ts';
import type { CrowdLayout } from '../frame/tables/crowd-layout.ts';
import { characterCapacity } from '../frame/tables/sharing.ts';
import { type CrowdTables, type CrowdType, takeArrivedClips } from '../frame/tables/crowd-types.ts';
import { VertexPages } from '../frame/tables/vertex-pages.ts';
import type { Fields } from '../layout/index.ts';
import { fixedSeconds } from '../math/fixed.ts';
import type { Transform } from '../stages/layout.ts';
import { ControllerInputs } from './rows/controller-inputs.ts';
import { Events } from './rows/events.ts';
import { type Socket, socketAt } from './rows/joints.ts';
import { CharacterRows, partMask, PendingRows } from './rows/character-rows.ts';
import type { Change, ChangeFields, ChangeKind, ChangeWatcher, FrameViews } from './changes.ts';
import { IdRegistry, type CharacterId, type CharacterIds, type Living, type Section } from './rows/ids.ts';
import type { CrowdBudget, RenderLimits } from './options.ts';
import { Modifiers } from './rows/modifiers.ts';
import { NamedColumns } from './rows/named-columns.ts';
import { Transforms } from './rows/transforms.ts';
import { CharacterTransform, type Origin, type TransformCallback } from './placement.ts';
import { Players } from './rows/players.ts';
import { Providers } from './rows/provider-rows.ts';
import { SharedPoses } from './rows/shared-poses.ts';
import { SocketTable, type NewAttachment } from './rows/socket-table.ts';

/**
 * CPU-side state of a crowd. It decides the following frames together with the kernels' own state (machines, root motion).
 */
export class CrowdState {
  readonly ids: IdRegistry;
  readonly pages: VertexPages;
  readonly residents: CharacterRows;
  readonly playback: Players;
  readonly inputs: ControllerInputs;
  readonly modifiers: Modifiers;
  readonly events: Events;
  readonly firstFrames: PendingRows = new PendingRows();
  readonly places: Transforms;
  readonly sockets: SocketTable;
  readonly providers: Providers;
  readonly named: NamedColumns = new NamedColumns();
  /** Undefined without a budget of milliseconds. */
  readonly governor: DetailGovernor | undefined;
  readonly #shared: SharedPoses | undefined;
  /** The crowd's clock: seconds in 32.32 fixed point. */
  time = 0n;
  timeScale = 1;
  frame = 0;
  isDestroyed = false;
  readonly submissions = new Submissions();
  /** Views of the last frame that had some; empty where it showed every character. */
  views: readonly CrowdView[] = [];
  /** Between two frames that run on different backends: none may be begun. */
  isSwitching = false;
  readonly #typeOf: (CrowdType | undefined)[] = [];
  /** Palette rows of all living characters. */
  #paletteRows = 0;
  /** Living characters per type, by its index. */
  readonly #living = new Map<number, number>();
  readonly #watchers = new Set<ChangeWatcher>();

  constructor(
    public shape: CrowdLayout,
    public backend: Backend,
    readonly looks: RenderLimits,
    readonly budget?: CrowdBudget,
  ) {
    this.governor = budget?.milliseconds === undefined ? undefined : new DetailGovernor(budget.milliseconds);
    const { capacity, tables, playerCapacity, modifierCapacity } = shape;
    this.ids = new IdRegistry(characterCapacity(shape));
    const limits = { ...backend.limits, rowBudget: shape.rowBudget };
    this.pages = new VertexPages(tables.types, shape.classes, limits, {
      create: (page) => this.backend.addPage(page),
      remove: (page) => this.backend.removePage(page),
    });
    this.residents = new CharacterRows(capacity);
    this.playback = new Players(capacity, playerCapacity);
    this.inputs = new ControllerInputs(tables, capacity);
    this.modifiers = new Modifiers(capacity, modifierCapacity);
    this.events = new Events((row) => {
      const type = this.#typeOf[row];
      return type && { id: this.ids.idOf(row), type };
    });
    this.places = new Transforms(capacity, this.movesTransforms);
    this.sockets = new SocketTable(backend.limits.socketLimit, (row, carries) =>
      this.residents.setCarries(row, carries),
    );
    this.providers = new Providers(shape.providers, capacity, shape.resources);
    this.#shared = shape.sharing && new SharedPoses(shape, this);
    this.connect(backend);
  }

  /** True if kernels move characters, so that their transforms differ from the CPU's. */
  get movesTransforms(): boolean {
    return this.shape.controllers?.movesTransforms ?? false;
  }

  /** Where the host has placed characters. */
  get transforms(): Column<(typeof Transform)['fields']> {
    return this.places.column;
  }

  /**
   * Columns that the CPU writes and frames upload, in a fixed order: transforms, players, modifiers, rows of providers, speeds, parameters, rows of providers per character, named columns.
   */
  get columns(): readonly Column<Fields>[] {
    const { playback, modifiers, inputs, providers } = this;
    const columns = [
      this.transforms,
      playback.column,
      modifiers.column,
      providers.rows,
      ...inputs.columns,
      providers.characters,
      ...this.named.list.map(({ words }) => words),
    ];
    return columns as unknown as readonly Column<Fields>[];
  }

  /** Where named columns begin in `columns`. */
  get firstNamed(): number {
    return 5 + this.inputs.columns.length;
  }

  rowsPerCharacter(column: number): number {
    const { playerCapacity, modifierCapacity } = this.shape;
    const named = this.named.list[column - this.firstNamed];
    if (named) return named.size;
    if (column === this.firstNamed - 1) return this.providers.layout.characterStride;
    return [1, playerCapacity, modifierCapacity, 0][column] ?? 1;
  }

  connect(backend: Backend): void {
    this.backend = backend;
    backend.onEvents = (ring, frame) => this.events.deliver(ring, frame);
    backend.onSocketsGrown = (matrices) => this.events.tell('sockets', matrices);
  }

  /** True once listeners have received all events up to a frame. */
  hasToldEvents(frame: number): boolean {
    return !this.shape.controllers?.events || this.events.hasTold(frame);
  }

  typeAt(row: number): CrowdType | undefined {
    return this.#typeOf[row];
  }

  get count(): number {
    return this.ids.capacity - this.ids.free;
  }

  /** Tables of all types, which renderers draw from. */
  get tables(): CrowdTables {
    return this.shape.tables;
  }

  /** @throws ManipleError CROWD_DESTROYED */
  checkAlive(): void {
    if (this.isDestroyed) fail('CROWD_DESTROYED', 'crowd', 'was destroyed.');
  }

  /** Buffers that a frame is drawn from; undefined when later frames have overwritten them, or without a device. */
  drawnMemory(frame: number): DrawnMemory | undefined {
    const { memory, kept } = this.backend;
    if (frame === this.frame) return memory;
    return kept?.frame === frame ? kept.memory : undefined;
  }

  /** The character that a renderer drew from a row; undefined where no frame has shown it yet, or it is hidden. */
  seenAt(row: number): { readonly id: CharacterId; readonly character: Character } | undefined {
    const type = this.typeAt(row);
    if (!type || !this.firstFrames.isSeen(row) || this.residents.isHidden(row)) return undefined;
    return { id: this.ids.idOf(row), character: type.character };
  }

  /** @throws ManipleError CROWD_SWITCHING */
  expectBackend(): void {
    if (!this.isSwitching) return;
    fail('CROWD_SWITCHING', 'crowd', 'The crowd is changing its backend.', 'Await setBackend() first.');
  }

  /** The CPU and the kernels agree on living characters only between frames. @throws ManipleError CROWD_SWITCHING, CROWD_FRAME_OPEN */
  expectClosed(): void {
    this.expectBackend();
    this.submissions.expectFew(1);
  }

  /**
   * Advances the clock. Returns the inputs of the next frame.
   * @param seconds Of the clock, with `timeScale`.
   * @param views 'none' for a frame without views.
   */
  frameInputs(dt: number, seconds: number, views: FrameViews, recorder: FrameRecorder | undefined): FrameInputs {
    this.tell((watcher) => watcher.frame?.(dt, views));
    this.time += fixedSeconds(seconds);
    this.frame++;
    return {
      time: this.time,
      frame: this.frame,
      rig: takeArrivedClips(this.tables),
      residents: this.residents.column,
      transforms: this.transforms,
      places: this.places.take(),
      players: this.playback.column,
      modifiers: this.modifiers.column,
      providers: this.providers,
      animators: this.inputs.take(seconds, this.ids.used),
      sockets: this.sockets.inputs,
      seen: views === 'none' ? undefined : this.#seen(views === 'all' ? undefined : views),
      recorder,
      isTimed: this.governor !== undefined && views !== 'none' && this.frame % FRAMES_PER_STEP === 0,
    };
  }

  /** Inputs of a frame with views. Hands out its new slots. */
  #seen(given: readonly CrowdView[] | undefined): SeenInputs {
    const views = given && this.#governed(given);
    return {
      views,
      // slots first: they may take another page
      slots: this.pages.take(),
      pages: this.pages.list,
      usedVertices: this.pages.used,
      hasFollowers: this.residents.hasFollowers,
      sharers: this.#shared?.take((row) => (this.#isBound(row) ? undefined : this.#typeOf[row])),
      rateSizes: views ? this.looks.rates : [0, 0, 0],
      // shared poses are listed in addition to the characters that show them
      poses: { characters: this.count + (this.#shared?.most(this.count) ?? 0), paletteRows: this.#paletteRows },
    };
  }

  /** Views with the detail that the budget's milliseconds leave. Times arrive a few frames late, so every eighth frame is timed. */
  #governed(views: readonly CrowdView[]): readonly CrowdView[] {
    const { governor } = this;
    if (!governor) return views;
    const time = this.backend.takeFrameTime();
    if (time !== undefined) governor.follow(time);
    if (governor.detail === 1) return views;
    return views.map((view) => ({ ...view, detail: (view.detail ?? 1) * governor.detail }));
  }

  /** Adds characters. All of them or none. @throws ManipleError CROWD_FULL, DEVICE_LIMIT, and what `place` throws */
  spawn(type: CrowdType, count: number, place: TransformCallback | undefined): CharacterId[] {
    this.ids.expectRoom(count);
    this.pages.expectFit(type);
    this.reserve(type, count);
    const spawned: CharacterId[] = [];
    const at = new CharacterTransform();
    try {
      for (let i = 0; i < count; i++) {
        const id = this.ids.take();
        spawned.push(id);
        const row = this.ids.index(id);
        this.settle(row, type);
        at.position.set(0, 0, 0);
        at.rotation.set(0, 0, 0, 1);
        at.scale = 1;
        place?.(i, at);
        this.places.write(row, at);
        this.inputs.start(row, type);
      }
    } catch (thrown) {
      this.despawn(this.ids.indices(spawned));
      throw thrown;
    }
    return spawned;
  }

  despawn(rows: readonly number[]): void {
    for (const row of rows) {
      const type = this.#typeOf[row]; // undefined where a failed spawn is undone
      if (type) this.inputs.stop(row, type);
      this.vacate(row);
    }
  }

  /** Provides memory for `count` characters at once. */
  reserve(type: CrowdType, count: number): void {
    this.#countSlots(type, count);
    try {
      this.pages.provide();
    } finally {
      this.#countSlots(type, -count);
    }
  }

  /** Adds a named column, with its default in all rows. @throws ManipleError CROWD_LIMIT, DEVICE_LIMIT */
  addColumn(plan: ColumnPlan): NamedColumn {
    const column = this.named.create(plan, this.ids.capacity);
    this.#change('addColumn', { plan }, () => {
      this.backend.setColumns([...this.named.list, column]);
      this.named.add(column);
      this.#watchColumns();
    });
    return column;
  }

  /** Gives a row that has just been taken to a character: its first frame is the next one, and it has no past. */
  settle(row: number, type: CrowdType): void {
    this.#change('spawn', { type: type.index, row }, () => this.resettle(row, type, false));
  }

  /** The same for a character that is restored to its row: frames may have stepped it. */
  resettle(row: number, type: CrowdType, stepped: boolean): void {
    this.#countSlots(type, 1);
    this.#shared?.touch(row);
    this.#paletteRows += type.paletteStride;
    this.#typeOf[row] = type;
    this.residents.spawned(row, type, this.frame + 1);
    this.providers.spawned(row, type, this.frame + 1);
    this.named.reset(row);
    this.places.setGrounded(row, true);
    if (stepped) this.firstFrames.restored(row, this.frame);
    else this.firstFrames.spawned(row, this.frame);
  }

  /** Frees the row of a character, or one that could not be given to any; nothing is left in it. */
  vacate(row: number): void {
    this.#change('despawn', { row }, () => this.#vacate(row));
  }

  #vacate(row: number): void {
    this.playback.clear(row);
    this.inputs.clear(row);
    this.modifiers.clear(row);
    this.providers.left(row);
    this.named.reset(row);
    this.transforms.clear(row);
    this.transforms.changed(row);
    const type = this.#typeOf[row];
    if (type) {
      this.#countSlots(type, -1);
      this.#paletteRows -= type.paletteStride;
      this.events.left(row, { id: this.ids.idOf(row), type }, this.frame);
    }
    this.#typeOf[row] = undefined;
    this.sockets.left(row);
    this.places.setGrounded(row, false);
    this.#touchPose(row);
    this.residents.left(row);
    this.firstFrames.left(row);
    this.ids.give(row);
  }

  /** Shows or hides all parts of a name. @throws ManipleError CROWD_BAD_ARGUMENT, before any character changes */
  showParts(characters: readonly Living[], name: string, shown: boolean): void {
    const masks = characters.map(({ row, type }) => ({ row, mask: partMask(type.character, name) }));
    for (const { row, mask } of masks) {
      const parts = this.residents.parts(row);
      const word = (w: 0 | 1) => (shown ? parts[w] | mask[w] : parts[w] & ~mask[w]) >>> 0;
      const after: [number, number] = [word(0), word(1)];
      if (after[0] !== parts[0] || after[1] !== parts[1]) this.setParts(row, after, shown);
    }
  }

  /** Sets the parts that a character shows, a bit each. @param shows It may show more than before: its pose has no history then. */
  setParts(row: number, parts: readonly [number, number], shows: boolean): void {
    this.#change(shows ? 'showParts' : 'hideParts', { row, parts }, () => {
      this.residents.set(row, { parts, ...(shows && { freshFrame: this.frame + 1 }) });
    });
  }

  /** Takes a character, and what it carries, out of every view, or shows them again, without history. */
  setHidden(row: number, hidden: boolean): void {
    if (this.residents.isHidden(row) === hidden) return;
    this.#change('hidden', { row, hidden }, () => {
      this.residents.setHidden(row, hidden);
      this.sockets.setHidden(row, hidden);
      if (!hidden) this.#resetHistory(row);
    });
  }

  /** @param tint Linear RGBA, 8 bits each. */
  setTint(row: number, tint: number): void {
    this.#change('tint', { row, tint }, () => this.residents.set(row, { tint }));
  }

  /** Lets a character show the pose of another one of its type, or its own. */
  setPoseSource(row: number, source: number): void {
    this.#change('poseSource', { row, source }, () => {
      this.#touchPose(row);
      this.residents.follow(row, source);
      this.#touchPose(row);
    });
  }

  /** In its next frame a character, and what it carries, has no motion. */
  resetHistory(row: number): void {
    this.#change('resetHistory', { row }, () => this.#resetHistory(row));
  }

  followGround(row: number, follows: boolean): void {
    this.#change('followGround', { row, follows }, () => this.places.setGrounded(row, follows));
  }

  setGround(ground: GroundField | undefined): void {
    this.#change('ground', { ground }, () => (this.places.ground = ground));
  }

  /** @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_LIMIT */
  moveOrigin(to: Origin): Origin {
    return this.#change('origin', { to }, () => {
      const origin = this.places.moveOrigin(to, this.ids.used);
      for (const row of this.ids.freed) this.transforms.clear(row); // free rows stay empty
      return origin;
    });
  }

  /** Attaches something to a character from the next frame on. `sockets.reserve` has to have made room. */
  attach(attachment: Omit<NewAttachment, 'frame' | 'isHidden'>): number {
    const { row, socket, hides, jointFromLocal } = attachment;
    return this.#change('attach', { row, jointRow: socket.jointRow, hides, jointFromLocal }, () => {
      const frame = this.frame + 1;
      this.residents.poseAgain(row, frame);
      this.#shared?.touch(row);
      return this.sockets.take({ ...attachment, frame, isHidden: this.residents.isHidden(row) });
    });
  }

  /** Lengths of the axes of an attachment's joint, at rest. */
  jointScale(index: number): Socket['scale'] {
    const { sockets, shape } = this;
    return socketAt(shape.tables, this.#typeOf[sockets.rowOf(index)]!, sockets.jointRowOf(index))!.scale;
  }

  setOffset(index: number, jointFromLocal: ArrayLike<number>): void {
    this.#change('attachmentOffset', { index, jointFromLocal }, () => this.sockets.setOffset(index, jointFromLocal));
  }

  detach(index: number): void {
    this.#change('detach', { index }, () => {
      this.#shared?.touch(this.sockets.rowOf(index));
      this.sockets.give(index);
    });
  }

  /** Row of a character. @throws ManipleError CROWD_BAD_ID, CROWD_DESTROYED */
  row(id: CharacterId): number {
    this.checkAlive();
    return this.ids.index(id);
  }

  /** Rows of characters, each once. @throws ManipleError CROWD_BAD_ID, CROWD_DESTROYED */
  rows(ids: CharacterIds): number[] {
    this.checkAlive();
    return this.ids.indices(ids);
  }

  /** Rows of characters, one per id. @throws ManipleError CROWD_BAD_ID, CROWD_DESTROYED */
  rowPerId(ids: CharacterIds): number[] {
    if (typeof ids === 'number') return [this.row(ids)];
    this.checkAlive();
    expectList('ids', ids);
    return ids.map((id) => this.ids.index(id));
  }

  characterAt(row: number): Living {
    return { id: this.ids.idOf(row), row, type: this.#typeOf[row]! };
  }

  /** Characters, each once. @throws ManipleError CROWD_BAD_ID, CROWD_DESTROYED */
  characters(ids: CharacterIds): Living[] {
    return this.rows(ids).map((row) => this.characterAt(row));
  }

  /** Characters by type, each once. @throws ManipleError CROWD_BAD_ID, CROWD_DESTROYED */
  sections(ids: CharacterIds): Section[] {
    const sections = new Map<CrowdType, number[]>();
    for (const row of this.rows(ids)) {
      const type = this.#typeOf[row]!;
      const rows = sections.get(type);
      if (rows) rows.push(row);
      else sections.set(type, [row]);
    }
    return Array.from(sections, ([type, rows]) => ({ type, rows }));
  }

  /** Ids of all living characters, by row. */
  living(): CharacterId[] {
    const rows = Array.from({ length: this.ids.used }, (_, row) => row);
    return rows.filter((row) => this.ids.lives(row)).map((row) => this.ids.idOf(row));
  }

  /** Reports everything to a watcher from now on. Returns a function that ends that. */
  watch(watcher: ChangeWatcher): () => void {
    this.#watchers.add(watcher);
    this.#watchColumns();
    return () => {
      this.#watchers.delete(watcher);
      this.#watchColumns();
    };
  }

  tell(call: (watcher: ChangeWatcher) => void): void {
    for (const watcher of this.#watchers) call(watcher);
  }

  /** Makes a change, and reports it to the watchers. */
  #change<K extends ChangeKind, T>(kind: K, fields: ChangeFields[K], make: () => T): T {
    if (this.#watchers.size === 0) return make();
    this.tell((watcher) => watcher.before?.(kind));
    const result = make();
    this.tell((watcher) => watcher.after?.({ kind, fields } as Change));
    return result;
  }

  /**
   * Takes another shape: ids, clocks and all inputs stay. Slots are given again, so that characters have no motion but that of
   * their transforms in their next frame. Everything or nothing.
   */
  resize<K extends 'grow' | 'addCharacter' | 'removeCharacter'>(
    shape: CrowdLayout,
    kind: K,
    fields: ChangeFields[K],
  ): void {
    this.#change(kind, fields, () => this.#resize(shape));
  }

  #resize(shape: CrowdLayout): void {
    const { backend } = this;
    const { capacity, tables, playerCapacity } = shape;
    backend.resize(shape, this.ids.used);
    this.#shared?.leave();
    this.shape = shape;
    this.ids.grow(characterCapacity(shape));
    this.residents.resize(capacity);
    this.places.resize(capacity, this.movesTransforms);
    this.playback.resize(capacity, playerCapacity);
    this.inputs.resize(tables, capacity);
    this.modifiers.resize(capacity);
    this.providers.resize(capacity);
    this.named.resize(this.ids.capacity);
    backend.setColumns(this.named.list);
    this.pages.resize(tables.types, shape.classes, { ...backend.limits, rowBudget: shape.rowBudget });
    const types = new Map(tables.types.map((type) => [type.character, type]));
    this.#living.clear();
    this.#shared?.resize(shape);
    this.#paletteRows = 0;
    this.#typeOf.forEach((before, row) => {
      if (!before) return;
      const type = types.get(before.character)!;
      this.#typeOf[row] = type;
      this.residents.renumber(row, type);
      this.#countSlots(type, 1);
      this.#shared?.touch(row);
      this.#paletteRows += type.paletteStride;
    });
    this.#watchColumns();
  }

  /** Changes to a backend of the other kind, which has all memory that kernels write. The next frame uploads the rest. */
  move(backend: Backend): void {
    this.connect(backend);
    for (const column of [this.playback.column, this.modifiers.column]) column.renew();
    backend.setColumns(this.named.list);
    this.places.renew();
    this.sockets.renew();
    this.#shared?.renew();
  }

  /** Counts characters of a type that were added or removed: they and their shared poses need slots. */
  #countSlots(type: CrowdType, more: number): void {
    const before = this.#living.get(type.index) ?? 0;
    this.#living.set(type.index, before + more);
    const slots = (count: number) => this.#shared?.slots(type, count) ?? count;
    this.pages.count(type, slots(before + more) - slots(before));
  }

  /** A character's pose source changes, so that it and its source may or may not share poses. */
  #touchPose(row: number): void {
    this.#shared?.touch(row);
    this.#shared?.touch(this.residents.leader(row));
  }

  #resetHistory(row: number): void {
    this.residents.resetHistory(row, this.frame + 1);
    this.sockets.resetHistory(row, this.frame + 1);
  }

  /** True if other characters or attachments depend on a character's own pose. */
  #isBound(row: number): boolean {
    return this.residents.isFollowed(row) || this.sockets.carries(row);
  }

  #watchColumns(): void {
    const watched = this.#watchers.size > 0;
    this.columns.forEach((column, index) => {
      const notify = (from: number, to: number) => this.tell((watcher) => watcher.columnChanged?.(index, from, to));
      column.watch = watched ? notify : undefined;
    });
  }
}
