import { type Character, isCharacter } from '../asset/character.ts';
import { fail, listed, quoted, shortened } from '../errors.ts';
import type { DrawnMemory } from '../frame/backend.ts';
import { checkViews } from '../frame/crowd-view.ts';
import { createGpuBackend } from '../frame/gpu-backend.ts';
import { loadedTwins } from '../frame/twins.ts';
import { fixedSeconds } from '../shaders/fixed.ts';
import { compilePipelines } from '../stages/lazy-pipeline.ts';
import { chooseKernels } from '../stages/kernel-choice.ts';
import type { BoundResource } from '../stages/provider-resources.ts';
import { expectFlag, expectFunction, expectList, expectObject } from './arguments.ts';
import { expectTimeScale, frameSeconds, type EncodedFrame, type FrameOptions } from './frame-options.ts';
import { Group } from './group.ts';
import { Host } from './host.ts';
import type { CharacterId } from './ids.ts';
import { checkClosed, expectBackend, Kept } from './kept.ts';
import { checkOptions, looksOf, type CrowdOptions } from './options.ts';
import { Placement, type PlaceCallback } from './placement.ts';
import { CharacterColumn, columnPlan, expectSame, type ColumnOptions } from './character-column.ts';
import { BoundResources } from './providers.ts';
import { crowdShape } from './shape.ts';
import { restore } from './state/restorer.ts';
import type { CrowdSnapshot } from './state/snapshot.ts';

/** What `createCrowd` of the entry does once the runtime is loaded; the same arguments, costs and errors. */
export function createCrowd(device: GPUDevice | undefined, options: CrowdOptions): Crowd {
  return new Crowd(device, options);
}

/** Any number of characters of a few types, animated and skinned together. Made by `createCrowd`. */
export class Crowd extends Kept {
  /** @internal */
  readonly host: Host;
  readonly #device: GPUDevice | undefined;
  readonly #resources: BoundResources;
  readonly #columns = new Map<string, CharacterColumn>();

  constructor(device: GPUDevice | undefined, options: CrowdOptions) {
    super();
    checkOptions(device, options);
    this.#device = device;
    const onGpu = options.backend !== 'cpu';
    // on the CPU, too: a crowd on a device can go over to it
    const kernels = device
      ? { ...chooseKernels(device), ...options.kernels }
      : { serialPoses: false, cachedPalettes: false, serialLists: false };
    this.#resources = new BoundResources(options.providers ?? [], options.providerResources);
    const shape = crowdShape(options, kernels, undefined, this.#resources);
    const backend = onGpu ? createGpuBackend(device!, shape) : loadedTwins().createCpuBackend(device, shape);
    this.host = new Host(shape, backend, looksOf(options));
    if (options.from) this.#restore(options.from);
    this.keep(options);
  }

  /** Characters that can live at once. */
  get capacity(): number {
    return this.host.ids.capacity;
  }

  /** How fast time goes for the whole crowd: 1 as `dt` says, 0 stands still; 1e6 at most. Setting another is CROWD_BAD_ARGUMENT. */
  get timeScale(): number {
    return this.host.timeScale;
  }

  set timeScale(scale: number) {
    expectTimeScale(scale);
    this.host.timeScale = scale;
  }

  /** Seconds since the crowd began. */
  get time(): number {
    return Number(this.host.time) * 2 ** -32;
  }

  /** Characters that live. */
  get count(): number {
    return this.host.count;
  }

  /**
   * Resolves when all pipelines that crowds and renderers have asked the device for are compiled, on threads of WebGPU's. Without it
   * frames compile what they are the first to run, and wait for it: up to a second on GPUs. Await it when the crowd is
   * made, or, of one of Maniple's renderers, the renderer's `ready`, which does this, too; later calls wait for what has come since.
   * On SwiftShader, which compiles one after the other, it only costs what no frame will run. What a pipeline's compilation fails with is reported by the first frame that runs it.
   *
   * @throws ManipleError CROWD_DESTROYED
   */
  async ready(): Promise<void> {
    this.checkAlive();
    if (this.#device) await compilePipelines(this.#device);
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
  spawn(character: Character, options: { count?: number; place?: PlaceCallback } = {}): Group {
    this.checkAlive();
    expectObject('options', options);
    const { count = 1, place } = options;
    if (place !== undefined) expectFunction('place', place);
    const type = this.tables.types.find((known) => known.character === character);
    if (!type) {
      const name = isCharacter(character) ? character.name : quoted(character);
      fail('CROWD_BAD_ARGUMENT', 'spawn', `${shortened(name)} is not one of this crowd's characters.`);
    }
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
        host.places.write(row, at);
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
    for (const row of this.rows(ids)) {
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
    expectList('ids', ids);
    const types = new Set(this.rows(ids).map((row) => this.typeAt(row)));
    const [type] = types;
    if (types.size === 1) return new Group(this, type!.character, [...ids]);
    return fail(
      'CROWD_BAD_ARGUMENT',
      'group',
      `${ids.length} characters of ${types.size} types.`,
      'Take those of one.',
    );
  }

  /**
   * Advances the clock by `dt` seconds, runs the frame and submits it. What it promises is that the frame has run and
   * its timings have arrived; a game loop goes on without waiting.
   *
   * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_DESTROYED, CROWD_SWITCHING, PROVIDER_RESOURCE, DEVICE_LOST
   */
  async update(options: FrameOptions): Promise<void> {
    if (this.backend.kind === 'cpu') {
      await this.encode(undefined, options).submitted();
      return;
    }
    const device = this.#device!;
    const encoder = device.createCommandEncoder({ label: 'maniple' });
    // objects that the application has destroyed, or made too small, are refused here
    const isChecked = !this.#resources.isEmpty;
    if (isChecked) device.pushErrorScope('validation');
    let refused: Promise<GPUError | null> | undefined;
    let frame: EncodedFrame;
    try {
      frame = this.encode(encoder, options);
      device.queue.submit([encoder.finish()]);
    } finally {
      // a lost device is reported by the frame
      if (isChecked) refused = device.popErrorScope().catch(() => null);
    }
    await frame.submitted();
    const refusal = await refused;
    if (!refusal) return;
    const suggestion = 'Bind buffers and textures that live, with setProviderResources.';
    fail('PROVIDER_RESOURCE', 'update', `WebGPU refused the frame: ${refusal.message}`, suggestion);
  }

  /**
   * Advances the clock by `dt` seconds and records the frame into your encoder (the CPU backend runs it at once). Submit,
   * then call `submitted()`, once for every frame: the memory of its uploads goes round.
   *
   * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_DESTROYED, CROWD_SWITCHING, PROVIDER_RESOURCE (nothing is bound for one)
   */
  encode(encoder: GPUCommandEncoder | undefined, options: FrameOptions): EncodedFrame {
    this.checkAlive();
    if (options !== undefined) expectObject('options', options, 'Pass the seconds as { dt }.');
    const { dt, seen = true, views, recorder } = options ?? {};
    expectFlag('seen', seen);
    if (this.backend.kind === 'gpu' && typeof encoder?.beginComputePass !== 'function') {
      const message = `Got ${quoted(encoder)} for encoder; expected a GPUCommandEncoder.`;
      fail('CROWD_BAD_ARGUMENT', 'encoder', message, 'Make one with device.createCommandEncoder(), or call update().');
    }
    if (views !== undefined) checkViews(views);
    const { host } = this;
    expectBackend(host);
    const scaled = frameSeconds(dt, host.timeScale);
    const isSeen = seen && views?.length !== 0;
    if (isSeen && this.backend.kind === 'gpu') this.#resources.expectAll();
    host.tell((watcher) => watcher.frame(dt, isSeen ? (views ?? 'all') : 'none'));
    host.time += fixedSeconds(scaled);
    const frame = ++host.frame;
    const submitted = this.backend.encode(encoder, {
      time: host.time,
      frame,
      residents: host.residents.column,
      transforms: host.transforms,
      places: host.places.take(),
      players: host.playback.column,
      modifiers: host.conductor.modifiers.column,
      providers: host.providers,
      animators: host.conductor.take(scaled, host.ids.used),
      sockets: host.sockets.inputs,
      seen: isSeen ? host.seen(views) : undefined,
      recorder,
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
    const matrices = (key: 'socketMatrices' | 'previousSocketMatrices') => this.drawnMemory(frame)?.[key];
    return {
      frame,
      origin: host.places.origin,
      submitted: () => (done ??= first()),
      get socketMatrices() {
        return matrices('socketMatrices');
      },
      get previousSocketMatrices() {
        return matrices('previousSocketMatrices');
      },
    };
  }

  /** @internal What a frame is drawn from; undefined when later ones have overwritten it, or there is no device. */
  drawnMemory(frame: number): DrawnMemory | undefined {
    const { memory, kept } = this.backend;
    if (frame === this.host.frame) return memory;
    return kept?.frame === frame ? kept.memory : undefined;
  }

  /**
   * Has all frames from now on run on kernels ('gpu') or on their twins ('cpu'), between two frames and with nothing lost: states in
   * the midst of transitions, clocks, poses and vertices of the last frame, slots, events on their way, what is carried, all that the
   * next frame would have gone by. Renderers go on with the next picture; logs and snapshots know nothing of it. What it is for: "is
   * it the kernels or the data?", asked of the very crowd that looks wrong.
   *
   * Reads all of the crowd's memory back from the GPU, or writes it there and compiles the kernels; the twins are loaded first.
   * Until it resolves no frame can be begun. When it rejects, the crowd is as it was.
   *
   * @throws ManipleError CROWD_DESTROYED, CROWD_FRAME_OPEN, CROWD_SWITCHING, CROWD_BAD_ARGUMENT (no device),
   *   PROVIDER_MISSING (no twin), PROVIDER_RESOURCE (nothing is bound for one), DEVICE_LIMIT, DEVICE_LOST
   */
  async setBackend(kind: 'gpu' | 'cpu'): Promise<void> {
    this.checkAlive();
    const { host } = this;
    checkClosed(host);
    if (kind === this.backend.kind) return;
    checkOptions(this.#device, { ...this.options, backend: kind });
    if (kind === 'gpu') this.#resources.expectAll();
    host.isSwitching = true;
    try {
      const { otherBackend } = await import('../frame/other-backend.ts');
      const backend = await otherBackend(host.backend, this.#device, host.shape);
      this.checkAlive();
      host.move(backend());
      if (kind === 'gpu') await this.ready();
    } finally {
      host.isSwitching = false;
    }
    this.keepBackend(kind);
  }

  /**
   * A column of floats per character, for shaders of surfaces and nodes of three.js: made by the first call that has options. It stays
   * as long as the crowd does, and is part of snapshots and logs. Memory: `size` floats per character of capacity, on the host and
   * on the GPU. Each change costs an upload of some rows around it.
   *
   * @param name Up to 64 letters, digits and underscores, a letter first.
   * @param options May be left out of a column that there is.
   * @throws ManipleError CROWD_BAD_ARGUMENT (unknown and without options, another size or default), CROWD_LIMIT (more than 64 floats in all columns),
   *   DEVICE_LIMIT
   * @example
   *   const heat = crowd.column('heat', { size: 4, default: [1, 1, 1, 0] });
   *   heat.set(army.ids, [1, 0.4, 0.1, 1]);
   */
  column(name: string, options?: ColumnOptions): CharacterColumn {
    this.checkAlive();
    const { named } = this.host;
    const found = named.find(name);
    if (found && options !== undefined) expectSame(found, options);
    if (!found && options === undefined) {
      const names = named.list.map((column) => column.name);
      const suggestion = `Make it with options: { size: 1 }.${names.length > 0 ? ` There are ${listed(names)}.` : ''}`;
      fail('CROWD_BAD_ARGUMENT', 'column', `The crowd has no column ${quoted(name)}.`, suggestion);
    }
    const column =
      this.#columns.get(name) ?? new CharacterColumn(this, found ?? this.host.addColumn(columnPlan(name, options!)));
    this.#columns.set(name, column);
    return column;
  }

  /**
   * The row of a character: its index in columns, and 1 less than its id in pictures of ids. It is the same as long as the character
   * lives, in snapshots, replays and crowds that are rebuilt as well. Another character may get it after that.
   * @throws ManipleError CROWD_BAD_ID
   */
  row(id: CharacterId): number {
    return this.oneRow(id);
  }

  /**
   * Writes rows of a provider, four floats each, from its row `firstRow` on: taken as they are, and uploaded by the next frame.
   * @throws ManipleError CROWD_BAD_ARGUMENT (no such provider, not rows, beyond its `rowCount`)
   */
  setProviderRows(name: string, rows: Float32Array, firstRow = 0): void {
    this.checkAlive();
    this.host.providers.write(name, rows, firstRow);
  }

  /**
   * Writes rows that a provider has of characters, the same for all of them, from row `firstRow` on: uploaded by the next frame. They
   * stay until they are written again; a character begins with zeros.
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (no such provider, not rows, beyond its `characterRowCount`)
   */
  setProviderCharacterRows(
    name: string,
    ids: CharacterId | readonly CharacterId[],
    rows: Float32Array,
    firstRow = 0,
  ): void {
    this.host.providers.writeCharacters(name, this.rows(ids), rows, firstRow);
  }

  /**
   * Switches a provider on or off for characters, all of them or none; a character begins with all providers that its meshes name.
   * Where it is off, its code does not run: vertices are skinned as without it, from the character's next pose on, and its
   * state stays as it is.
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (no such provider, or a type whose meshes do not name it)
   */
  setProvider(name: string, ids: CharacterId | readonly CharacterId[], enabled: boolean): void {
    expectFlag('enabled', enabled);
    this.host.providers.enable(name, this.living(ids), enabled);
  }

  /**
   * Sets the views in which a provider is wanted, a bit each in the order of `update`'s views, from the next frame on.
   * @throws ManipleError CROWD_BAD_ARGUMENT (no such provider, not 32 bits)
   */
  setProviderViews(name: string, views: number): void {
    this.checkAlive();
    this.host.providers.setViews(name, views);
  }

  /** The views in which a provider is wanted. @throws ManipleError CROWD_BAD_ARGUMENT */
  providerViews(name: string): number {
    this.checkAlive();
    return this.host.providers.viewsOf(name);
  }

  /**
   * Binds buffers, texture views and samplers for the resources of a provider, from the next frame on: those that are given, all of
   * them or none. The application owns them. They must live until every frame that was encoded with them has run. No pipeline is
   * compiled.
   * @throws ManipleError PROVIDER_RESOURCE (unknown, of another kind, too small), CROWD_BAD_ARGUMENT (no such provider)
   */
  setProviderResources(name: string, resources: Readonly<Record<string, BoundResource>>): void {
    this.checkAlive();
    expectObject('resources', resources);
    this.#resources.bind(name, resources);
  }

  /** @internal Whom a renderer has drawn from a row: who lives there, unless no frame has shown it yet, or it is hidden. */
  seenAt(row: number): { readonly id: CharacterId; readonly character: Character } | undefined {
    const { host } = this;
    const type = host.typeAt(row);
    if (!type || !host.firstFrames.isSeen(row) || host.residents.isHidden(row)) return undefined;
    return { id: host.ids.idOf(row), character: type.character };
  }

  #restore(snapshot: CrowdSnapshot): void {
    try {
      restore(this.host, snapshot);
    } catch (thrown) {
      this.destroy();
      throw thrown;
    }
  }
}
