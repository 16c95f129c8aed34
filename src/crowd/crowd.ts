import type { Character } from '../asset/character.ts';
import { error, fail, ManipleError } from '../errors.ts';
import type { Backend } from '../frame/backend.ts';
import { Column } from '../frame/column.ts';
import { createCpuBackend } from '../frame/cpu-backend.ts';
import { createGpuBackend } from '../frame/gpu-backend.ts';
import { VERTEX_BYTES } from '../frame/gpu-memory.ts';
import { pageSize } from '../frame/page-size.ts';
import { Page } from '../frame/page.ts';
import { joinTables, type CrowdTables, type CrowdType } from '../frame/types.ts';
import { fixedSeconds } from '../shaders/fixed.ts';
import { chooseKernels, type KernelChoice } from '../stages/kernel-choice.ts';
import { Transform } from '../stages/layout.ts';
import { Group } from './group.ts';
import { IdRegistry, type CharacterId } from './ids.ts';
import { Placement, type PlaceCallback } from './placement.ts';
import { Playback, type PlayOptions, type PlayedClip } from './playback.ts';
import { readPose, readVertices, type CharacterPose } from './read.ts';

export interface CrowdOptions {
  /** The types of characters that can be spawned. */
  readonly characters: readonly Character[];
  /** Characters that can live at once; at most 2²⁴. */
  readonly capacity: number;
  /** 'gpu' (default) runs kernels; 'cpu' runs their twins, slowly, to the same result. */
  readonly backend?: 'gpu' | 'cpu';
  /** Clips that can play on one character at once: 1 … 64, default 4. */
  readonly motions?: number;
  /**
   * Bytes that skinned vertices may take, 40 per vertex of a living character; default 4 GiB. Memory is taken page by
   * page as characters come.
   */
  readonly vertexMemory?: number;
  /** Which of equivalent kernels to run; default: what suits the device. */
  readonly kernels?: Partial<KernelChoice>;
}

/** A frame that has been recorded but not submitted. */
export interface EncodedFrame {
  /**
   * Call this once the encoder's commands are submitted: only then can uploads and read-backs be mapped. Resolves when
   * the frame has run; rejects with DEVICE_LOST.
   */
  submitted(): Promise<void>;
}

const MOTION_LIMIT = 64;
const CAPACITY_LIMIT = 2 ** 24;
const DEFAULT_VERTEX_MEMORY = 2 ** 32;

/**
 * Creates a crowd on a device that you own (`requestDevice`, your own, or three's). The CPU backend does without.
 *
 * Memory: 32 bytes of transform, 32 bytes per playable clip and 8 bytes of slot state per character of capacity, all
 * allocated here; per spawned character two copies of its vertices (20 bytes each), its palette (48 bytes per entry)
 * and its motion list.
 *
 * @throws ManipleError CROWD_BAD_ARGUMENT, DEVICE_LIMIT
 * @example
 *   const crowd = createCrowd(device, { characters: [knight], capacity: 1000 });
 *   const army = crowd.spawn(knight, { count: 500, place: (i, at) => at.position.set(i % 25, 0, Math.floor(i / 25)) });
 *   army.play('Walk');
 *   crowd.update({ dt: 1 / 60 });
 */
export function createCrowd(device: GPUDevice | undefined, options: CrowdOptions): Crowd {
  return new Crowd(device, options);
}

/** Any number of characters of a few types, animated and skinned together. Made by `createCrowd`. */
export class Crowd {
  readonly capacity: number;
  readonly tables: CrowdTables;
  readonly backend: Backend;
  readonly pages: Page[] = [];
  readonly #device: GPUDevice | undefined;
  readonly #motionCapacity: number;
  readonly #vertexMemory: number;
  readonly #ids: IdRegistry;
  readonly #playback: Playback;
  readonly #transforms: Column<(typeof Transform)['fields']>;
  /** Per row: its type, its page and its shown parts (two words). */
  readonly #typeOf: (CrowdType | undefined)[] = [];
  readonly #pageOf: (Page | undefined)[] = [];
  readonly #parts: Uint32Array;
  readonly #stale = new Set<Page>();
  #freshSlots: number[] = [];
  #time = 0n;
  #frame = 0;
  #destroyed = false;

  constructor(device: GPUDevice | undefined, options: CrowdOptions) {
    checkOptions(device, options);
    this.#device = device;
    this.capacity = options.capacity;
    this.#motionCapacity = options.motions ?? 4;
    this.#vertexMemory = options.vertexMemory ?? DEFAULT_VERTEX_MEMORY;
    const onGpu = options.backend !== 'cpu';
    const kernels = onGpu
      ? { ...chooseKernels(device!), ...options.kernels }
      : { serialPoses: false, cachedPalettes: false };
    this.tables = joinTables(options.characters, { serialPoses: kernels.serialPoses, layers: false });
    const shape = {
      tables: this.tables,
      capacity: this.capacity,
      playerCapacity: this.#motionCapacity,
      motionCapacity: this.#motionCapacity,
      kernels,
    };
    this.backend = onGpu ? createGpuBackend(device!, shape) : createCpuBackend(device, shape);
    this.#ids = new IdRegistry(this.capacity);
    this.#playback = new Playback(this.capacity, this.#motionCapacity);
    this.#transforms = new Column(Transform, this.capacity);
    this.#parts = new Uint32Array(2 * this.capacity);
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
    this.#checkAlive();
    const type = this.tables.types.find((known) => known.character === character);
    if (!type) fail('CROWD_BAD_ARGUMENT', 'spawn', `${character.name} is not one of this crowd's characters.`);
    if (!Number.isInteger(count) || count < 0) fail('CROWD_BAD_ARGUMENT', 'spawn', `count is ${count}.`);
    if (count > this.#ids.free) {
      fail(
        'CROWD_FULL',
        'spawn',
        `${count} more characters; ${this.#ids.free} of ${this.capacity} places are free.`,
        'Create the crowd with a larger capacity.',
      );
    }
    const ids: CharacterId[] = [];
    const at = new Placement();
    try {
      for (let i = 0; i < count; i++) {
        const id = this.#ids.take();
        ids.push(id);
        const row = this.#ids.index(id);
        this.#pageOf[row] = this.#roomFor(type, row, count - i);
        this.#typeOf[row] = type;
        this.#parts.fill(0xffffffff, 2 * row, 2 * row + 2);
        at.position.set(0, 0, 0);
        at.rotation.set(0, 0, 0, 1);
        at.scale = 1;
        place?.(i, at);
        at.write(this.#transforms.view, row);
        this.#transforms.changed(row);
        this.#freshSlots.push(row);
      }
    } catch (thrown) {
      this.despawn(ids);
      throw thrown;
    }
    return new Group(this, character, ids);
  }

  /** Removes characters; their ids are never valid again. @throws ManipleError CROWD_BAD_ID */
  despawn(ids: CharacterId | readonly CharacterId[]): void {
    const leaving = new Map<Page, Map<CrowdType, Set<number>>>();
    for (const id of listOf(ids)) {
      const row = this.#ids.index(id);
      const page = this.#pageOf[row];
      const type = this.#typeOf[row];
      if (page && type) {
        const types = leaving.get(page) ?? new Map<CrowdType, Set<number>>();
        types.set(type, (types.get(type) ?? new Set()).add(row));
        leaving.set(page, types);
      }
      this.#pageOf[row] = this.#typeOf[row] = undefined;
      this.#playback.clear(row);
      this.#ids.give(id);
    }
    for (const [page, types] of leaving) {
      for (const [type, rows] of types) page.remove(type, rows);
      this.#stale.add(page);
    }
  }

  isAlive(id: CharacterId): boolean {
    return this.#ids.isAlive(id);
  }

  /** Starts a clip on characters, at once or fading over. @throws ManipleError CROWD_BAD_ID, CLIP_NOT_FOUND */
  play(ids: CharacterId | readonly CharacterId[], clip: string | number, options: PlayOptions = {}): void {
    for (const id of listOf(ids)) {
      const row = this.#ids.index(id);
      this.#playback.play(row, this.#typeOf[row]!, { ...options, clip }, options.fade ?? 0, this.#time);
    }
  }

  /** Sets all that plays on characters: any number of weighted clips up to the crowd's `motions`. */
  motions(ids: CharacterId | readonly CharacterId[], clips: readonly PlayedClip[]): void {
    for (const id of listOf(ids)) {
      const row = this.#ids.index(id);
      this.#playback.set(row, this.#typeOf[row]!, clips, this.#time);
    }
  }

  /** Moves a character: the callback finds where it stands and leaves where it shall. */
  place(id: CharacterId, callback: (at: Placement) => void): void {
    const row = this.#ids.index(id);
    const at = new Placement();
    at.read(this.#transforms.view, row);
    callback(at);
    at.write(this.#transforms.view, row);
    this.#transforms.changed(row);
  }

  /** Shows or hides all parts of a name. @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (no such part) */
  showParts(ids: CharacterId | readonly CharacterId[], name: string, shown: boolean): void {
    for (const id of listOf(ids)) {
      const row = this.#ids.index(id);
      const { parts } = this.#typeOf[row]!.character;
      if (!parts.includes(name)) {
        fail('CROWD_BAD_ARGUMENT', 'parts', `there is no part ${name}.`, `The parts are ${parts.join(', ')}.`);
      }
      parts.forEach((part, bit) => {
        if (part !== name) return;
        const word = 2 * row + (bit >> 5);
        const mask = 1 << (bit & 31);
        this.#parts[word] = shown ? this.#parts[word]! | mask : this.#parts[word]! & ~mask;
      });
      this.#stale.add(this.#pageOf[row]!);
    }
  }

  /**
   * Advances the clock by `dt` seconds, runs the frame and submits it. What it promises is that the frame has run and
   * its timings have arrived; a game loop goes on without waiting.
   *
   * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_DESTROYED, DEVICE_LOST
   */
  async update({ dt = 0 }: { dt?: number } = {}): Promise<void> {
    if (this.backend.kind === 'cpu') {
      await this.encode(undefined, { dt }).submitted();
      return;
    }
    const device = this.#device!;
    const encoder = device.createCommandEncoder({ label: 'maniple' });
    const frame = this.encode(encoder, { dt });
    device.queue.submit([encoder.finish()]);
    await frame.submitted();
  }

  /** Records the frame into your encoder (the CPU backend runs it at once). Submit, then call `submitted()`. */
  encode(encoder: GPUCommandEncoder | undefined, { dt = 0 }: { dt?: number } = {}): EncodedFrame {
    this.#checkAlive();
    if (!(dt >= 0 && dt < 2 ** 31)) fail('CROWD_BAD_ARGUMENT', 'dt', `is ${dt} seconds.`, 'Use 0 or more.');
    this.#time += fixedSeconds(dt);
    this.#frame++;
    for (const page of this.#stale) {
      page.refresh((row) => [this.#parts[2 * row]!, this.#parts[2 * row + 1]!]);
    }
    this.#stale.clear();
    const freshSlots = this.#freshSlots.filter((row) => this.#pageOf[row] !== undefined);
    this.#freshSlots = [];
    const submitted = this.backend.encode(encoder, {
      time: this.#time,
      frame: this.#frame,
      pages: this.pages,
      transforms: this.#transforms,
      players: this.#playback.column,
      freshSlots,
    });
    return { submitted };
  }

  /** The pose that a character had in the last frame: its sockets, in model space. See `addSockets`. */
  async readPose(id: CharacterId): Promise<CharacterPose> {
    const { type, page, row } = this.#locate(id);
    return readPose(type, await this.backend.read(page, row));
  }

  /** The vertices that a character had in the last frame: model space, 3 numbers each, in the packed order. */
  async readVertices(id: CharacterId): Promise<Float32Array> {
    const { page, row } = this.#locate(id);
    return readVertices(await this.backend.read(page, row));
  }

  /** Frees all GPU memory; the crowd cannot be used afterwards. The device lives on. */
  destroy(): void {
    this.#destroyed = true;
    this.backend.destroy();
  }

  #locate(id: CharacterId): { type: CrowdType; page: Page; row: number } {
    const row = this.#ids.index(id);
    const page = this.#pageOf[row]!;
    if (page.visibleIndex(row) < 0) {
      fail('CROWD_BAD_ARGUMENT', 'read', 'the character has not been through a frame yet.', 'Call update() first.');
    }
    return { type: this.#typeOf[row]!, page, row };
  }

  #checkAlive(): void {
    if (this.#destroyed) fail('CROWD_DESTROYED', 'crowd', 'was destroyed.');
  }

  /** A page with room for the character, a new one if need be, sized for those that come with it. */
  #roomFor(type: CrowdType, row: number, coming: number): Page {
    for (let i = this.pages.length - 1; i >= 0; i--) {
      const page = this.pages[i]!;
      if (page.add(type, row)) {
        this.#stale.add(page);
        return page;
      }
    }
    const limit = this.backend.pageLimit;
    const used = this.pages.reduce((sum, { size }) => sum + size.vertexCapacity, 0);
    const budget = Math.floor(this.#vertexMemory / VERTEX_BYTES) - used;
    const living = this.count - 1; // its own id is taken already
    const size = pageSize({ type, types: this.tables.types, coming, living, capacity: this.capacity }, budget, limit);
    if (!size) {
      fail(
        'CROWD_FULL',
        type.character.name,
        `no vertex memory for another ${type.character.vertexCount} vertices (${used * VERTEX_BYTES} bytes in use).`,
        'Create the crowd with more vertexMemory, or spawn fewer characters.',
      );
    }
    const page = new Page(size, this.#motionCapacity);
    this.backend.addPage(page);
    this.pages.push(page);
    page.add(type, row);
    this.#stale.add(page);
    return page;
  }
}

function listOf(ids: CharacterId | readonly CharacterId[]): readonly CharacterId[] {
  return typeof ids === 'number' ? [ids] : ids;
}

function checkOptions(device: GPUDevice | undefined, options: CrowdOptions): void {
  const issues = [];
  const { characters, capacity, motions = 4, backend = 'gpu' } = options;
  if (characters.length === 0) issues.push(error('CROWD_BAD_ARGUMENT', 'characters', 'is empty.'));
  if (!Number.isInteger(capacity) || capacity < 1 || capacity > CAPACITY_LIMIT) {
    issues.push(error('CROWD_BAD_ARGUMENT', 'capacity', `is ${capacity}; use 1 to ${CAPACITY_LIMIT}.`));
  }
  if (!Number.isInteger(motions) || motions < 1 || motions > MOTION_LIMIT) {
    issues.push(error('CROWD_BAD_ARGUMENT', 'motions', `is ${motions}; use 1 to ${MOTION_LIMIT}.`));
  }
  if (backend === 'gpu' && !device) {
    issues.push(error('CROWD_BAD_ARGUMENT', 'device', 'is missing.', "Pass a GPUDevice, or backend: 'cpu'."));
  }
  if (issues.length > 0) throw new ManipleError(issues);
}
