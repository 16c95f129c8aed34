import type { Character } from '../asset/character.ts';
import { fail } from '../errors.ts';
import type { Backend, FrameStats } from '../frame/backend.ts';
import { createCpuBackend } from '../frame/cpu-backend.ts';
import { checkViews } from '../frame/crowd-view.ts';
import { createGpuBackend } from '../frame/gpu-backend.ts';
import type { CrowdTables, CrowdType } from '../frame/types.ts';
import { fixedSeconds } from '../shaders/fixed.ts';
import { chooseKernels } from '../stages/kernel-choice.ts';
import type { Living, Section } from './conductor.ts';
import { frameSeconds, type EncodedFrame, type FrameOptions } from './frame-options.ts';
import { Group } from './group.ts';
import { Host } from './host.ts';
import type { CharacterId } from './ids.ts';
import { Kept } from './kept.ts';
import { checkOptions, looksOf, type CrowdOptions } from './options.ts';
import { Placement, type PlaceCallback } from './placement.ts';
import { clipStart, hostPlayed, isShare, type ClipStart, type PlayOptions, type PlayedClip } from './playback.ts';
import { crowdShape } from './shape.ts';
import { restoreSnapshot } from './state/restore.ts';
import type { CrowdSnapshot } from './state/snapshot.ts';

/**
 * Creates a crowd on a device that you own (`requestDevice`, your own, or three's). The CPU backend does without.
 *
 * Memory: 32 bytes of transform, 32 bytes per playable clip and 144 bytes for lists and slots per character of capacity, all
 * allocated here; per spawned character two copies of its vertices (20 bytes each), its palette (48 bytes per entry) and its
 * motion list, as far as `vertexMemory` and `poses` allow.
 *
 * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_LIMIT (more levels of detail, of one character or of all, than can be told
 *   apart), DEVICE_LIMIT; with `from` also SNAPSHOT_MISMATCH, SNAPSHOT_INVALID, CROWD_FULL
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
export class Crowd extends Kept {
  /** @internal */
  readonly host: Host;
  readonly #device: GPUDevice | undefined;
  #destroyed = false;

  constructor(device: GPUDevice | undefined, options: CrowdOptions) {
    super();
    checkOptions(device, options);
    this.#device = device;
    const onGpu = options.backend !== 'cpu';
    const kernels = onGpu
      ? { ...chooseKernels(device!), ...options.kernels }
      : { serialPoses: false, cachedPalettes: false, serialLists: false };
    const shape = crowdShape(options, kernels);
    const backend = onGpu ? createGpuBackend(device!, shape) : createCpuBackend(device, shape);
    this.host = new Host(shape, backend, looksOf(options));
    if (options.from) this.#restore(options.from);
    this.keep(options);
  }

  /** Characters that can live at once. */
  get capacity(): number {
    return this.host.shape.capacity;
  }

  /** @internal What renderers draw from: tables of all types, where the frame runs, memory in use. */
  get tables(): CrowdTables {
    return this.host.shape.tables;
  }

  /** @internal */
  get backend(): Backend {
    return this.host.backend;
  }

  /** How fast time goes for the whole crowd: 1 as `dt` says, 0 stands still. */
  get timeScale(): number {
    return this.host.timeScale;
  }

  set timeScale(scale: number) {
    this.host.timeScale = scale;
  }

  /** Seconds since the crowd began. */
  get time(): number {
    return Number(this.host.time) * 2 ** -32;
  }

  /** Frames that have been encoded. */
  get frame(): number {
    return this.host.frame;
  }

  /** Characters that live. */
  get count(): number {
    return this.host.count;
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
    const { host } = this;
    const { ids: known, conductor } = host;
    known.expectRoom(count);
    host.expectFit(type);
    host.reserve(type, count);
    const ids: CharacterId[] = [];
    const at = new Placement();
    try {
      for (let i = 0; i < count; i++) {
        const id = known.take();
        ids.push(id);
        const row = known.index(id);
        host.settle(row, type);
        at.position.set(0, 0, 0);
        at.rotation.set(0, 0, 0, 1);
        at.scale = 1;
        place?.(i, at);
        at.write(host.transforms.view, row);
        host.transforms.changed(row);
        conductor.spawned(row, type);
      }
    } catch (thrown) {
      this.despawn(ids);
      throw thrown;
    }
    return new Group(this, character, ids);
  }

  /** Removes characters, all of them or none; their ids are never valid again. @throws ManipleError CROWD_BAD_ID */
  despawn(ids: CharacterId | readonly CharacterId[]): void {
    for (const row of this.#rows(ids)) {
      const type = this.host.typeAt(row); // none: its spawn is being undone
      if (type) this.host.conductor.left(row, type);
      this.host.vacate(row);
    }
  }

  /**
   * Characters as a group, in the order of their ids: those of a crowd that goes on `from` a snapshot, say.
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (none, or of several types)
   */
  group(ids: readonly CharacterId[]): Group {
    const types = new Set(this.#rows(ids).map((row) => this.host.typeAt(row)!));
    const [type] = types;
    if (types.size === 1) return new Group(this, type!.character, [...ids]);
    return fail(
      'CROWD_BAD_ARGUMENT',
      'group',
      `${ids.length} characters of ${types.size} types.`,
      'Take those of one.',
    );
  }

  /** Whether the id is of a character that lives: spawned and not despawned. */
  isAlive(id: CharacterId): boolean {
    return this.host.ids.isAlive(id);
  }

  /**
   * Starts a clip on characters, on all of them or none: at once, replacing all that plays, or fading over. While
   * fades overlap, each takes one of the crowd's `motions` places; with none left the lightest clip ends early.
   *
   * @throws ManipleError CROWD_BAD_ID, CLIP_NOT_FOUND, CROWD_BAD_ARGUMENT (numbers that are none)
   */
  play(ids: CharacterId | readonly CharacterId[], clip: string | number, options: PlayOptions = {}): void {
    const { fade = 0 } = options;
    if (!isShare(fade)) fail('CROWD_BAD_ARGUMENT', 'play', `fade is ${fade} seconds.`, 'Use 0 or more.');
    const rows = this.#rows(ids);
    const starts = this.#perType(rows, (type) => clipStart(hostPlayed(type), { ...options, clip }));
    const { playback, time } = this.host;
    for (const row of rows) {
      const start = starts.get(this.host.typeAt(row)!)!;
      if (fade > 0) playback.fadeTo(row, start, fade, time);
      else playback.set(row, [start], time);
    }
  }

  /**
   * Replaces, without a fade, all that plays on characters: any number of weighted clips up to the crowd's `motions`.
   * None: the rest pose.
   *
   * @throws ManipleError CROWD_BAD_ID, CLIP_NOT_FOUND, CROWD_BAD_ARGUMENT, CROWD_LIMIT (more clips than `motions`)
   */
  motions(ids: CharacterId | readonly CharacterId[], clips: readonly PlayedClip[]): void {
    const rows = this.#rows(ids);
    const { playerCapacity } = this.host.shape;
    if (clips.length > playerCapacity && playerCapacity > 0) {
      const message = `${clips.length} clips at once; this crowd has room for ${playerCapacity} per character.`;
      fail('CROWD_LIMIT', 'motions', message, 'Create the crowd with a larger `motions`.');
    }
    const starts = this.#perType(rows, (type): ClipStart[] => {
      const played = hostPlayed(type);
      return clips.map((clip) => clipStart(played, clip));
    });
    const { playback, time } = this.host;
    for (const row of rows) playback.set(row, starts.get(this.host.typeAt(row)!)!, time);
  }

  /**
   * Moves a character: the callback finds where the host last placed it, without root motion since then (ask
   * `readTransforms` for that), and leaves where it shall stand. Root motion goes on from there.
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (numbers that are none)
   */
  place(id: CharacterId, callback: (at: Placement) => void): void {
    const [row] = this.#rows(id) as [number];
    const at = new Placement();
    const { host } = this;
    at.read(host.transforms.view, row);
    callback(at);
    at.write(host.transforms.view, row);
    host.transforms.changed(row);
  }

  /**
   * Moves a character as `place` does, and tells renderers that it has not gone there: in the next frame its motion vectors are
   * those of its transform alone. Errors as `place`.
   */
  teleport(id: CharacterId, callback: (at: Placement) => void): void {
    this.place(id, callback);
    this.host.forgetPast(this.host.ids.index(id));
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
  encode(encoder: GPUCommandEncoder | undefined, { dt = 0, seen = true, views }: FrameOptions = {}): EncodedFrame {
    this.checkAlive();
    if (!encoder && this.backend.kind === 'gpu') {
      fail('CROWD_BAD_ARGUMENT', 'encoder', 'is missing.', 'Pass a GPUCommandEncoder, or call update().');
    }
    if (views) checkViews(views);
    const { host } = this;
    const scaled = frameSeconds(dt, host.timeScale);
    const isSeen = seen && views?.length !== 0;
    host.tell((watcher) => watcher.frame(dt, isSeen ? (views ?? 'all') : 'none'));
    host.time += fixedSeconds(scaled);
    const frame = ++host.frame;
    const submitted = this.backend.encode(encoder, {
      time: host.time,
      frame,
      residents: host.residents.column,
      transforms: host.transforms,
      players: host.playback.column,
      modifiers: host.conductor.modifiers.column,
      animators: host.conductor.take(scaled, host.ids.used),
      seen: isSeen ? host.seen(views) : undefined,
    });
    host.openFrames++;
    let done: Promise<void> | undefined;
    const first = () => {
      host.openFrames--;
      host.firstFrames.submitted(frame, isSeen);
      const ran = submitted();
      if (host.openFrames === 0) this.closed();
      return ran;
    };
    return { submitted: () => (done ??= first()) };
  }

  /** What became of the last frame that somebody looked at: who was listed, posed, and not drawn for want of memory. */
  readStats(): Promise<FrameStats> {
    this.checkAlive();
    return this.backend.readStats();
  }

  /** Frees all GPU memory; the crowd cannot be used afterwards. The device lives on. */
  destroy(): void {
    this.#destroyed = true;
    this.backend.destroy();
  }

  #restore(snapshot: CrowdSnapshot): void {
    try {
      restoreSnapshot(this.host, snapshot);
    } catch (thrown) {
      this.destroy();
      throw thrown;
    }
  }

  /** Rows of characters, each once: whoever asks may go on knowing that all of them live. */
  #rows(ids: CharacterId | readonly CharacterId[]): number[] {
    this.checkAlive();
    return this.host.ids.indices(ids);
  }

  protected living(ids: CharacterId | readonly CharacterId[]): Living[] {
    return this.#rows(ids).map((row) => ({ id: this.host.ids.idOf(row), row, type: this.host.typeAt(row)! }));
  }

  /** The same, type by type. */
  protected sections(ids: CharacterId | readonly CharacterId[]): Section[] {
    const sections = new Map<CrowdType, number[]>();
    for (const row of this.#rows(ids)) {
      const type = this.host.typeAt(row)!;
      const rows = sections.get(type);
      if (rows) rows.push(row);
      else sections.set(type, [row]);
    }
    return Array.from(sections, ([type, rows]) => ({ type, rows }));
  }

  /** What a choice means for each of the types that characters have. */
  #perType<T>(rows: readonly number[], resolve: (type: CrowdType) => T): Map<CrowdType, T> {
    const types = new Set(rows.map((row) => this.host.typeAt(row)!));
    return new Map(Array.from(types, (type) => [type, resolve(type)]));
  }

  /** @internal */
  checkAlive(): void {
    if (this.#destroyed) fail('CROWD_DESTROYED', 'crowd', 'was destroyed.');
  }
}
