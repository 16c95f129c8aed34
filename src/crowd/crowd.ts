import type { Character } from '../asset/character.ts';
import { fail } from '../errors.ts';
import type { Backend, SeenInputs } from '../frame/backend.ts';
import { createCpuBackend } from '../frame/cpu-backend.ts';
import { checkViews } from '../frame/crowd-view.ts';
import { SLOT_COPIES } from '../frame/cull-tables.ts';
import { createGpuBackend } from '../frame/gpu-backend.ts';
import { sizeClass } from '../frame/size-class.ts';
import type { CrowdShape } from '../frame/shape.ts';
import type { CrowdTables, CrowdType } from '../frame/types.ts';
import type { VertexPages } from '../frame/vertex-pages.ts';
import { fixedSeconds } from '../shaders/fixed.ts';
import { chooseKernels } from '../stages/kernel-choice.ts';
import { Conductor, type Living, type Section } from './conductor.ts';
import { Events } from './events.ts';
import { FirstFrames } from './first-frames.ts';
import { frameSeconds, type EncodedFrame, type FrameOptions } from './frame-options.ts';
import { Group } from './group.ts';
import { IdRegistry, type CharacterId } from './ids.ts';
import { checkOptions, DEFAULT_RATES, type CrowdOptions } from './options.ts';
import { Looks } from './looks.ts';
import { Placement, type PlaceCallback } from './placement.ts';
import { Places } from './places.ts';
import { Playback } from './playback.ts';
import { Providers } from './providers.ts';
import { Residents } from './residents.ts';
import { crowdShape, vertexPages } from './shape.ts';
import { SocketTable } from './socket-table.ts';

/**
 * Creates a crowd on a device that you own (`requestDevice`, your own, or three's). The CPU backend does without.
 *
 * Memory: 32 bytes of transform, 32 bytes per playable clip and 144 bytes for lists and slots per character of capacity, all
 * allocated here; per spawned character two copies of its vertices (20 bytes each), its palette (48 bytes per entry) and its
 * motion list, as far as `vertexMemory` and `poses` allow.
 *
 * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_LIMIT (more levels of detail, of one character or of all, than can be told
 *   apart), PROVIDER_INVALID, PROVIDER_MISSING (no twin, on the CPU), DEVICE_LIMIT
 * @example
 *   const crowd = createCrowd(device, { characters: [knight], capacity: 1000 });
 *   const army = crowd.spawn(knight, { count: 500, place: (i, at) => at.position.set(i % 25, 0, Math.floor(i / 25)) });
 *   army.play('Walk');
 *   await crowd.update({ dt: 1 / 60 });
 */
export function createCrowd(device: GPUDevice | undefined, options: CrowdOptions): Crowd {
  return new Crowd(device, options);
}

/** Any number of characters of a few types, animated and skinned together. Made by `createCrowd`. */
export class Crowd extends Looks {
  readonly capacity: number;
  /** @internal What renderers draw from: tables of all types, where the frame runs, memory in use. */
  readonly tables: CrowdTables;
  /** @internal What it was made of, for captures. */
  readonly options: CrowdOptions;
  /** @internal */
  readonly shape: CrowdShape;
  /** @internal */
  readonly backend: Backend;
  readonly #device: GPUDevice | undefined;
  readonly #pages: VertexPages;
  readonly #ids: IdRegistry;
  protected readonly playback: Playback;
  protected readonly conductor: Conductor;
  protected readonly events: Events;
  protected readonly sockets: SocketTable;
  protected readonly places: Places;
  protected readonly residents: Residents;
  readonly #providers: Providers;
  readonly #rates: readonly [number, number, number];
  /** Per row. */
  readonly #typeOf: (CrowdType | undefined)[] = [];
  /** Rows that the palettes of all who live take. */
  #paletteRows = 0;
  protected readonly firstFrames: FirstFrames = new FirstFrames();
  /** How fast time goes for the whole crowd: 1 as `dt` says, 0 stands still. */
  timeScale = 1;
  #time = 0n;
  #frame = 0;
  #destroyed = false;

  constructor(device: GPUDevice | undefined, options: CrowdOptions) {
    super();
    checkOptions(device, options);
    this.#device = device;
    this.capacity = options.capacity;
    const onGpu = options.backend !== 'cpu';
    const kernels = onGpu
      ? { ...chooseKernels(device!), ...options.kernels }
      : { serialPoses: false, cachedPalettes: false, serialLists: false };
    const shape = crowdShape(options, kernels);
    [this.options, this.shape, this.tables] = [options, shape, shape.tables];
    this.backend = onGpu ? createGpuBackend(device!, shape) : createCpuBackend(device, shape);
    this.#pages = vertexPages(this.backend, shape);
    this.#rates = options.rates === false ? [0, 0, 0] : (options.rates ?? DEFAULT_RATES);
    this.residents = new Residents(this.capacity);
    this.#providers = new Providers(shape.providers);
    this.#ids = new IdRegistry(this.capacity);
    this.playback = new Playback(this.capacity, shape.playerCapacity);
    this.conductor = new Conductor(this.tables, this.capacity, shape.modifierCapacity);
    this.events = new Events((row) => {
      const type = this.#typeOf[row];
      return type && { id: this.#ids.idOf(row), type };
    });
    this.backend.onEvents = (ring, frame) => this.events.deliver(ring, frame);
    this.sockets = new SocketTable(this.backend.socketLimit);
    this.backend.onSocketsGrown = (matrices) => this.events.tellSockets(matrices);
    // what root motion moves must not be written over by what the host knew of its neighbours
    this.places = new Places(this.capacity, shape.controllers?.movesTransforms);
  }

  /** Seconds since the crowd began. */
  get time(): number {
    return Number(this.#time) * 2 ** -32;
  }

  /** Frames that have been encoded. */
  get frame(): number {
    return this.#frame;
  }

  /** Characters that live. */
  get count(): number {
    return this.capacity - this.#ids.free;
  }

  /** Milliseconds per stage, of the last measured frame; empty where the device has no timestamps. */
  get timings(): ReadonlyMap<string, number> {
    return this.backend.timings;
  }

  /** Bytes of GPU memory (of host memory on the CPU backend) that the crowd holds. */
  get byteLength(): number {
    return this.backend.byteLength;
  }

  /**
   * Adds characters, standing at the origin in their rest pose unless `place` and `play` say otherwise.
   * All of them or none.
   *
   * @throws ManipleError CROWD_BAD_ARGUMENT (not one of the crowd's characters), CROWD_FULL (capacity or memory)
   */
  spawn(character: Character, { count = 1, place }: { count?: number; place?: PlaceCallback } = {}): Group {
    this.checkAlive();
    const type = this.tables.types.find((known) => known.character === character);
    if (!type) fail('CROWD_BAD_ARGUMENT', 'spawn', `${character.name} is not one of this crowd's characters.`);
    this.#ids.expectRoom(count);
    if (!this.#pages.fits(type)) this.#refuse(type);
    const ids: CharacterId[] = [];
    const at = new Placement();
    this.#pages.count(type, count);
    try {
      this.#pages.provide();
      for (let i = 0; i < count; i++) {
        const id = this.#ids.take();
        ids.push(id);
        const row = this.#ids.index(id);
        this.#typeOf[row] = type;
        this.#paletteRows += type.paletteStride;
        this.residents.spawned(row, type, this.#frame + 1);
        at.position.set(0, 0, 0);
        at.rotation.set(0, 0, 0, 1);
        at.scale = 1;
        place?.(i, at);
        this.places.write(row, at);
        this.places.setGrounded(row, true);
        this.firstFrames.spawned(row, this.#frame);
        this.conductor.spawned(row, type);
      }
    } catch (thrown) {
      this.#pages.count(type, ids.length - count);
      this.despawn(ids);
      throw thrown;
    }
    return new Group(this, character, ids);
  }

  /** Removes characters, all of them or none; their ids are never valid again. @throws ManipleError CROWD_BAD_ID */
  despawn(ids: CharacterId | readonly CharacterId[]): void {
    for (const row of this.#rows(ids)) {
      const type = this.#typeOf[row];
      if (type) {
        this.#pages.count(type, -1);
        this.#paletteRows -= type.paletteStride;
        this.conductor.left(row, type);
        this.events.left(row, { id: this.#ids.idOf(row), type }, this.#frame);
      }
      this.#typeOf[row] = undefined;
      this.sockets.left(row);
      this.places.setGrounded(row, false);
      this.residents.left(row);
      this.playback.clear(row);
      this.firstFrames.left(row);
      this.#ids.give(row);
    }
  }

  /** Whether the id is of a character that lives: spawned and not despawned. */
  isAlive(id: CharacterId): boolean {
    return this.#ids.isAlive(id);
  }

  /**
   * Advances the clock by `dt` seconds, runs the frame and submits it. What it promises is that the frame has run and
   * its timings have arrived; a game loop goes on without waiting.
   *
   * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_DESTROYED, DEVICE_LOST
   */
  async update(options: FrameOptions = {}): Promise<void> {
    if (this.backend.kind === 'cpu') {
      await this.encode(undefined, options).submitted();
      return;
    }
    const device = this.#device!;
    const encoder = device.createCommandEncoder({ label: 'maniple' });
    const frame = this.encode(encoder, options);
    device.queue.submit([encoder.finish()]);
    await frame.submitted();
  }

  /**
   * Advances the clock by `dt` seconds and records the frame into your encoder (the CPU backend runs it at once). Submit,
   * then call `submitted()`, once for every frame: the memory of its uploads goes round.
   *
   * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_DESTROYED
   */
  encode(encoder: GPUCommandEncoder | undefined, options: FrameOptions = {}): EncodedFrame {
    const { dt = 0, seen = true, views, recorder } = options;
    this.checkAlive();
    if (!encoder && this.backend.kind === 'gpu') {
      fail('CROWD_BAD_ARGUMENT', 'encoder', 'is missing.', 'Pass a GPUCommandEncoder, or call update().');
    }
    if (views) checkViews(views);
    const scaled = frameSeconds(dt, this.timeScale);
    this.#time += fixedSeconds(scaled);
    const frame = ++this.#frame;
    const isSeen = seen && views?.length !== 0;
    const submitted = this.backend.encode(encoder, {
      time: this.#time,
      frame,
      residents: this.residents.column,
      transforms: this.places.column,
      places: this.places.take(),
      players: this.playback.column,
      modifiers: this.conductor.modifiers.column,
      providerRows: this.#providers.rows,
      animators: this.conductor.take(scaled, this.#ids.used),
      sockets: this.sockets.inputs,
      seen: isSeen ? this.#seen(views) : undefined,
      recorder,
    });
    let done: Promise<void> | undefined;
    const first = () => (this.firstFrames.submitted(frame, isSeen), submitted());
    return { submitted: () => (done ??= first()) };
  }

  /**
   * Writes rows of a provider, four floats each, from its row `firstRow` on: taken as they are, and uploaded by the next frame.
   * @throws ManipleError CROWD_BAD_ARGUMENT (no such provider, not rows, beyond its `rowCount`)
   */
  setProviderRows(name: string, rows: Float32Array, firstRow = 0): void {
    this.checkAlive();
    this.#providers.write(name, rows, firstRow);
  }

  /** @internal Whom a renderer has drawn from a row: who lives there, unless no frame has shown it yet. */
  seenAt(row: number): { readonly id: CharacterId; readonly character: Character } | undefined {
    const type = this.#typeOf[row];
    return type && this.firstFrames.isSeen(row) ? { id: this.#ids.idOf(row), character: type.character } : undefined;
  }

  /** Frees all GPU memory; the crowd cannot be used afterwards. The device lives on. */
  destroy(): void {
    this.#destroyed = true;
    this.backend.destroy();
  }

  #seen(views: FrameOptions['views']): SeenInputs {
    return {
      views,
      // slots first: they may take another page
      slots: this.#pages.take(),
      pages: this.#pages.list,
      usedVertices: this.#pages.used,
      hasFollowers: this.residents.hasFollowers,
      rateSizes: views ? this.#rates : [0, 0, 0],
      poses: { characters: this.count, paletteRows: this.#paletteRows },
    };
  }

  /** Not even one of a type can be drawn. */
  #refuse({ character: { name }, levels }: CrowdType): never {
    const least = Math.min(...levels.map(({ vertexCount }) => vertexCount));
    const message = `${least} vertices at its coarsest; a page holds ${this.backend.pageVertices / SLOT_COPIES}.`;
    if (SLOT_COPIES * sizeClass(least) > this.backend.pageVertices) {
      fail(
        'DEVICE_LIMIT',
        name,
        message,
        'Request the device with the limits of its adapter, or simplify the character.',
      );
    }
    fail('CROWD_FULL', name, `no vertex memory for ${least} vertices.`, 'Create the crowd with more vertexMemory.');
  }

  /** Rows of characters, each once: whoever asks may go on knowing that all of them live. */
  #rows(ids: CharacterId | readonly CharacterId[]): number[] {
    this.checkAlive();
    return this.#ids.indices(ids);
  }

  protected living(ids: CharacterId | readonly CharacterId[]): Living[] {
    return this.#rows(ids).map((row) => ({ id: this.#ids.idOf(row), row, type: this.#typeOf[row]! }));
  }

  protected rowOf(id: CharacterId): number {
    return this.#ids.isAlive(id) ? this.#ids.index(id) : -1;
  }

  protected typeAt(row: number): CrowdType {
    return this.#typeOf[row]!;
  }

  protected get clock(): bigint {
    return this.#time;
  }

  protected get rowCount(): number {
    return this.#ids.used;
  }

  protected poseAgain(row: number): void {
    this.residents.poseAgain(row, this.#frame + 1);
  }

  /** The same, type by type. */
  protected sections(ids: CharacterId | readonly CharacterId[]): Section[] {
    const sections = new Map<CrowdType, number[]>();
    for (const row of this.#rows(ids)) {
      const type = this.#typeOf[row]!;
      const rows = sections.get(type);
      if (rows) rows.push(row);
      else sections.set(type, [row]);
    }
    return Array.from(sections, ([type, rows]) => ({ type, rows }));
  }

  protected checkAlive(): void {
    if (this.#destroyed) fail('CROWD_DESTROYED', 'crowd', 'was destroyed.');
  }
}
