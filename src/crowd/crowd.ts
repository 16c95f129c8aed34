import { type Character, isCharacter } from '../character/character.ts';
import { deviceTier } from '../device/tier.ts';
import { fail, quoted, shortened } from '../errors.ts';
import { checkViews } from '../frame/tables/crowd-view.ts';
import type { createCpuBackend } from '../frame/cpu/backend.ts';
import { createGpuBackend } from '../frame/gpu/backend.ts';
import type { CrowdType } from '../frame/tables/crowd-types.ts';
import { compilePipelines } from '../stages/lazy-pipeline.ts';
import { chooseKernels } from '../stages/kernel-choice.ts';
import type { BoundResource } from '../stages/provider-resources.ts';
import {
  type ControllerState,
  type CharacterPose,
  type CrowdStats,
  type Reading,
  Readings,
  type SocketReading,
  type VertexReading,
} from './readings.ts';
import {
  expectFlag,
  expectFunction,
  expectList,
  expectNumbers,
  expectObject,
  expectOptions,
  expectPlace,
  type Names,
  refuseArgument,
} from './arguments.ts';
import { Attachment, type Attachments, attachToRows, type AttachOptions } from './attachments.ts';
import { budgetedOptions } from './budget.ts';
import { CharacterColumn, type ColumnOptions, namedColumn } from './character-column.ts';
import {
  type CrossFadeOptions,
  controllerOf,
  parameterIndex,
  type PlayStateOptions,
} from './rows/controller-inputs.ts';
import type { CrowdListeners } from './rows/events.ts';
import { expectTimeScale, FRAME_OPTIONS, frameSeconds, type EncodedFrame, type FrameOptions } from './frame-options.ts';
import { checkGround, type Ground } from './ground.ts';
import { CharacterGroup } from './group.ts';
import { CrowdShape } from './crowd-shape.ts';
import { CrowdState } from './crowd-state.ts';
import { type CrowdInternals, setInternals } from './internals.ts';
import type { CharacterId, CharacterIds } from './rows/ids.ts';
import { checkLook, type LookAtOptions, type JointModifier } from './rows/modifiers.ts';
import { checkOptions, renderLimitsOf, tierOptions, type CrowdOptions, type CrowdTier } from './options.ts';
import { CharacterTransform, type Origin, type TransformCallback } from './placement.ts';
import type { PlayedClip, PlayOptions } from './rows/players.ts';
import { BoundResources } from './rows/provider-rows.ts';
import { RunningFrames, unrefused } from './running-frames.ts';
import { crowdLayout } from './crowd-layout.ts';
import { tintWord, type Tint } from './tint.ts';
import { vectorList, type VectorLike } from './vectors.ts';

/** How characters begin. */
interface SpawnOptions {
  /** Default 1. */
  readonly count?: number;
  /** Sets the transform of each. */
  readonly place?: TransformCallback;
}

const SPAWN_OPTIONS: Names<SpawnOptions> = { count: true, place: true };

/** Code that only some crowds need. `createCrowd` loads it. */
export interface CrowdModules {
  /** With `backend: 'cpu'`. */
  readonly createCpuBackend?: typeof createCpuBackend | undefined;
}

/**
 * Any number of characters of a few types, animated and skinned together. Made by `createCrowd`. Methods that take several ids
 * change all of the characters or none. Answers of `read…` methods are of the last frame that was submitted, all of one frame;
 * they arrive a few frames later and block nothing. Reads in flight at once: at most 256 MiB on a GPU.
 */
export class Crowd {
  readonly #host: CrowdState;
  readonly #readings: Readings;
  readonly #device: GPUDevice | undefined;
  readonly #resources: BoundResources;
  readonly #shape: CrowdShape;
  readonly #columns = new Map<string, CharacterColumn>();
  readonly #running = new RunningFrames();

  /** @throws ManipleError As `createCrowd` */
  constructor(device: GPUDevice | undefined, options: CrowdOptions, modules: CrowdModules = {}) {
    checkOptions(device, options);
    this.#device = device;
    const onGpu = options.backend !== 'cpu';
    // also for the CPU backend: a crowd with a device can change to the GPU
    const kernels = device
      ? chooseKernels(device, options.kernels)
      : { serialPoses: false, cachedPalettes: false, serialLists: false };
    this.#resources = new BoundResources(options.providers ?? [], options.providerResources);
    const budgeted = budgetedOptions(tierOptions(options, this.tier), (each) =>
      crowdLayout(each, kernels, undefined, this.#resources),
    );
    const decided = { skin: budgeted.skin, poseSharing: budgeted.poseSharing };
    const shape = crowdLayout(budgeted, kernels, undefined, this.#resources);
    const backend = onGpu ? createGpuBackend(device!, shape) : modules.createCpuBackend!(device, shape);
    this.#host = new CrowdState(shape, backend, renderLimitsOf(budgeted), options.budget);
    this.#readings = new Readings(this.#host);
    const [host, readings] = [this.#host, this.#readings];
    const own = (this.#shape = new CrowdShape(options, { host, device, resources: this.#resources, decided }));
    const attach: CrowdInternals['attach'] = (...call) => attachToRows(host, ...call);
    const setCopies = (copies: 1 | 2 | 3) => own.setCopies(copies);
    setInternals(this, { host, readings, device, attach, setCopies, options: () => own.options });
  }

  /** Characters that can live at once. */
  get capacity(): number {
    return this.#host.ids.capacity;
  }

  /** Number of living characters. */
  get count(): number {
    return this.#host.count;
  }

  /** Ids of all living characters, by their rows. */
  get ids(): readonly CharacterId[] {
    return this.#host.living();
  }

  /** Level of WebGPU that the crowd's device has; undefined without a device. */
  get tier(): CrowdTier | undefined {
    return this.#device && deviceTier(this.#device);
  }

  /** Frames that have been encoded. */
  get frame(): number {
    return this.#host.frame;
  }

  /** Seconds since the crowd began. */
  get time(): number {
    return Number(this.#host.time) * 2 ** -32;
  }

  /** Speed of the crowd's clock: 1 follows `dt`, 0 stops it; 1e6 at most. Other values are CROWD_BAD_ARGUMENT. */
  get timeScale(): number {
    return this.#host.timeScale;
  }

  set timeScale(scale: number) {
    expectTimeScale(scale);
    this.#host.timeScale = scale;
  }

  /**
   * Milliseconds per stage, of the last measured frame; empty where the device has no timestamps. The first read turns measuring on, so it
   * is empty, too. Measured frames have a pass per stage, and the others one pass in all.
   */
  get timings(): ReadonlyMap<string, number> {
    return this.#host.backend.timings;
  }

  /** Bytes of GPU memory that the crowd holds; of CPU memory on the CPU backend. */
  get byteLength(): number {
    return this.#host.backend.byteLength;
  }

  /** Returns true for ids of living characters: spawned and not despawned. */
  isAlive(id: CharacterId): boolean {
    return this.#host.ids.isAlive(id);
  }

  /**
   * Adds characters, at the origin in their rest pose unless `place` sets their transforms. All of them or none.
   *
   * @throws ManipleError CROWD_BAD_ARGUMENT (not one of the crowd's characters), CROWD_FULL (capacity or memory)
   */
  spawn(character: Character, options: SpawnOptions = {}): CharacterGroup {
    this.#host.checkAlive();
    expectOptions('options', options, SPAWN_OPTIONS);
    const { count = 1, place } = options;
    if (place !== undefined) expectFunction('place', place);
    const type = this.#host.tables.types.find((known) => known.character === character);
    if (!type) {
      const name = isCharacter(character) ? character.name : quoted(character);
      fail('CROWD_BAD_ARGUMENT', 'spawn', `${shortened(name)} is not one of this crowd's characters.`);
    }
    return new CharacterGroup(this, character, this.#host.spawn(type, count, place));
  }

  /** Removes characters; their ids are never valid again. @throws ManipleError CROWD_BAD_ID */
  despawn(ids: CharacterIds): void {
    this.#host.despawn(this.#host.rows(ids));
  }

  /**
   * A group of characters, in the order of their ids: for restored crowds.
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (no ids, or of several types)
   */
  group(ids: readonly CharacterId[]): CharacterGroup {
    expectList('ids', ids);
    const types = new Set(this.#host.characters(ids).map(({ type }) => type));
    const [type] = types;
    if (types.size === 1) return new CharacterGroup(this, type!.character, [...ids]);
    const message = `${ids.length} characters of ${types.size} types.`;
    return fail('CROWD_BAD_ARGUMENT', 'group', message, 'Take those of one.');
  }

  /**
   * The row of a character: its index in columns, and 1 less than its id in pictures of ids. It stays the same while the character
   * lives, also in snapshots, replays and rebuilt crowds. Another character may get it later.
   * @throws ManipleError CROWD_BAD_ID
   */
  row(id: CharacterId): number {
    return this.#host.row(id);
  }

  /**
   * Moves a character. The callback gets its last transform from the CPU, without root motion and ground since then
   * (`readTransforms` has them), and changes it. Root motion continues from there.
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (not finite numbers)
   */
  setTransform(id: CharacterId, callback: (at: CharacterTransform) => void): void {
    expectFunction('callback', callback);
    const row = this.#host.row(id);
    const at = new CharacterTransform();
    this.#host.places.read(row, at);
    callback(at);
    this.#host.places.write(row, at);
  }

  /**
   * Moves a character as `setTransform` does, and resets its history: in the next frame it, and what it carries, has no motion.
   * Only the camera's motion shows in its motion vectors. Errors as `setTransform`.
   */
  teleport(id: CharacterId, callback: (at: CharacterTransform) => void): void {
    this.setTransform(id, callback);
    this.#host.resetHistory(this.#host.row(id));
  }

  /**
   * Puts characters on ground from the next frame on. After all motion, y is that of the ground. With `lean`, characters also
   * turn with the slope and keep their heading. x and z do not change. Outside the field nothing changes. Undefined removes
   * the ground. Copies the heights.
   *
   * @throws ManipleError CROWD_BAD_ARGUMENT, DEVICE_LIMIT (more heights than one binding takes)
   */
  setGround(ground: Ground | undefined): void {
    this.#host.checkAlive();
    this.#host.setGround(
      ground === undefined ? undefined : checkGround(ground, this.#host.backend.limits.bindingBytes),
    );
  }

  /** Lets characters follow the ground or ignore it; by default all follow it. @throws ManipleError CROWD_BAD_ID */
  followGround(ids: CharacterIds, follow: 'follow' | 'ignore' = 'follow'): void {
    if (follow !== 'follow' && follow !== 'ignore') {
      refuseArgument('follow', follow, "'follow' or 'ignore'");
    }
    for (const row of this.#host.rows(ids)) this.#host.followGround(row, follow === 'follow');
  }

  /**
   * The origin of all GPU coordinates: metres, double precision. Positions that the CPU passes and receives (`setTransform`, `lookAt`,
   * `setGround`, `readTransforms`) are in the world, whatever the origin. Those of the GPU are relative to it: views, transforms,
   * socket matrices.
   */
  get origin(): Origin {
    return this.#host.places.origin;
  }

  /**
   * Moves the origin, for example to the camera: far from it, single precision has few digits left for a character. The next frame
   * shifts all positions, those of the last frame too, and rounds each once. So nothing moves, and velocities stay as they are.
   * Costs a pass over the transforms, on CPU and GPU: do it every few hundred metres.
   *
   * @returns The origin: the nearest that single precision can step to from the last one.
   * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_LIMIT (16 moves without a frame)
   */
  moveOrigin(to: VectorLike): Origin {
    this.#host.checkAlive();
    const [x, y, z] = expectNumbers('to', vectorList(to), 3);
    return this.#host.moveOrigin([x!, y!, z!]);
  }

  /**
   * Starts a clip on characters: at once, in place of all that plays, or with a fade. While fades overlap, each takes one of the
   * crowd's `maxClips`; without a free one the clip with the least weight ends early.
   *
   * @throws ManipleError CROWD_BAD_ID, CLIP_NOT_FOUND, CROWD_BAD_ARGUMENT (not finite numbers; a character with a controller)
   */
  play(ids: CharacterIds, clip: string | number, options: PlayOptions = {}): void {
    this.#host.playback.play(this.#host.sections(ids), clip, options, this.#host.time);
  }

  /**
   * Replaces, without a fade, all that plays on characters: weighted clips, as many as the crowd's `maxClips`. An empty list:
   * the rest pose.
   *
   * @throws ManipleError CROWD_BAD_ID, CLIP_NOT_FOUND, CROWD_BAD_ARGUMENT, CROWD_LIMIT (more clips than `maxClips`)
   */
  setClips(ids: CharacterIds, clips: readonly PlayedClip[]): void {
    this.#host.playback.setMotions(this.#host.sections(ids), clips, this.#host.time);
  }

  /**
   * Sets a parameter of characters with a controller, for the next frame.
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (no controller, no such parameter, a trigger)
   */
  setParameter(ids: CharacterIds, name: string, value: number | boolean): void {
    this.#host.inputs.set(this.#host.sections(ids), name, value);
  }

  /**
   * Sets a parameter of many characters, each to its own value: those of `ids` from … to − 1. Skips despawned ones. Errors as
   * `setParameter`; values before a bad one are set.
   */
  setParameters(ids: readonly CharacterId[], name: string, values: ArrayLike<number>, from = 0, to = Infinity): void {
    expectList('ids', ids);
    expectList('values', values);
    expectPlace('from', from);
    expectPlace('to', to);
    const host = this.#host;
    let [known, index]: [CrowdType | undefined, number] = [undefined, 0];
    for (let i = Math.trunc(from); i < Math.min(ids.length, to); i++) {
      if (!host.ids.isAlive(ids[i]!)) continue;
      const row = host.ids.index(ids[i]!);
      const type = host.typeAt(row)!;
      const controller = controllerOf(type);
      if (type !== known) index = parameterIndex(controller, name, 'value');
      known = type;
      host.inputs.setAt([row], controller, index, values[i]!);
    }
  }

  /** The last value of a parameter; 0 or 1 for a bool. Errors as `setParameter`. */
  getParameter(id: CharacterId, name: string): number {
    const row = this.#host.row(id);
    const controller = controllerOf(this.#host.typeAt(row)!);
    return this.#host.inputs.get(row, controller, parameterIndex(controller, name, 'value'));
  }

  /** Sets a trigger. It stays set until a transition uses it or it is reset. Errors as `setParameter`. */
  trigger(ids: CharacterIds, name: string): void {
    this.#host.inputs.setTrigger(this.#host.sections(ids), name, true);
  }

  resetTrigger(ids: CharacterIds, name: string): void {
    this.#host.inputs.setTrigger(this.#host.sections(ids), name, false);
  }

  /** Cuts to a state of the controller, by its path. @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT */
  playState(ids: CharacterIds, state: string, options: PlayStateOptions = {}): void {
    this.#host.inputs.playState(this.#host.sections(ids), state, options);
  }

  /** Fades to a state of the controller, from the present state or blend. Errors as `playState`. */
  crossFade(ids: CharacterIds, state: string, options: CrossFadeOptions = {}): void {
    this.#host.inputs.crossFade(this.#host.sections(ids), state, options);
  }

  /** Sets the speed of characters' controllers; 1 is normal. @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT */
  setSpeed(ids: CharacterIds, speed: number): void {
    this.#host.inputs.setSpeed(this.#host.sections(ids), speed);
  }

  /**
   * Changes a joint after all clips have been blended, until the next change; weight 0 ends it.
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT, CROWD_LIMIT (more joints than the crowd's `maxModifiers`)
   */
  modifyJoint(ids: CharacterIds, joint: string | number, modifier: JointModifier): void {
    this.#host.modifiers.setJoint(this.#host.sections(ids), joint, modifier);
  }

  /** Sets a morph weight after all clips have been blended. Errors as `modifyJoint`. */
  setMorph(ids: CharacterIds, morph: string, weight: number): void {
    this.#host.modifiers.setMorph(this.#host.sections(ids), morph, weight);
  }

  /**
   * Turns a joint towards a point of the world, in addition to what it plays. Assumes that its parents are at rest and that the
   * character is where the CPU last placed it. Call it again when either moves. Errors as `modifyJoint`.
   */
  lookAt(ids: CharacterIds, joint: string | number, options: LookAtOptions): void {
    const look = checkLook(options);
    const at = new CharacterTransform();
    this.#host.modifiers.lookAt(this.#host.sections(ids), this.#host.tables, joint, look, (row) => {
      this.#host.places.read(row, at);
      return at;
    });
  }

  /** Ends all changes of joints and morph weights. @throws ManipleError CROWD_BAD_ID */
  clearModifiers(ids: CharacterIds): void {
    for (const row of this.#host.rows(ids)) this.#host.modifiers.clear(row);
  }

  /**
   * Multiplies the base colours of characters by linear red, green, blue and alpha, 0 … 1 each, kept in 8 bits. Alpha shows only
   * in materials that are masked by it. Default: [1, 1, 1, 1].
   *
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT
   */
  setTint(ids: CharacterIds, color: Tint): void {
    const word = tintWord(color);
    for (const row of this.#host.rows(ids)) this.#host.setTint(row, word);
  }

  /**
   * Hides characters until they are shown again. Their state machines, root motion, ground and events continue. They are in no
   * view: neither posed nor skinned, without a shadow, not pickable. Their attachments have matrices of zero scale. Their slots of
   * vertex memory become free. Characters that show the pose of a hidden one (`setPoseSource`) still show it. Costs an upload of
   * 32 bytes each, and 64 for each thing that it carries. @throws ManipleError CROWD_BAD_ID
   */
  hide(ids: CharacterIds): void {
    for (const row of this.#host.rows(ids)) this.#host.setHidden(row, true);
  }

  /**
   * Shows hidden characters again, from the next frame on. In that frame they, and what they carry, have no motion.
   * @throws ManipleError CROWD_BAD_ID
   */
  show(ids: CharacterIds): void {
    for (const row of this.#host.rows(ids)) this.#host.setHidden(row, false);
  }

  /** Returns true for a character that `hide` has hidden. @throws ManipleError CROWD_BAD_ID */
  isHidden(id: CharacterId): boolean {
    return this.#host.residents.isHidden(this.#host.row(id));
  }

  /**
   * Shows all parts of a name. A character that shows more than before has no velocity of its own in its next frame.
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (no such part)
   */
  showParts(ids: CharacterIds, name: string): void {
    this.#host.showParts(this.#host.characters(ids), name, true);
  }

  /** Hides all parts of a name. Errors as `showParts`. */
  hideParts(ids: CharacterIds, name: string): void {
    this.#host.showParts(this.#host.characters(ids), name, false);
  }

  /**
   * Lets characters show the pose of another character of their type, which is posed and skinned once for all: one mesh, many
   * transforms. They keep their own state machines and parts. `undefined` gives them their own pose again, and so does the
   * leader's end. @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (a leader of another type)
   */
  setPoseSource(ids: CharacterIds, leader: CharacterId | undefined): void {
    const characters = this.#host.characters(ids);
    const [source] = leader === undefined ? [] : this.#host.characters([leader]);
    const stranger = characters.find(({ type }) => source && type !== source.type);
    if (stranger) {
      const { name } = stranger.type.character;
      fail('CROWD_BAD_ARGUMENT', 'setPoseSource', `${quoted(name)} cannot show the pose of another type.`);
    }
    for (const { row } of characters) this.#host.setPoseSource(row, source?.row ?? row);
  }

  /**
   * Attaches something to a joint of a character: from the next frame on, a row of `socketMatrices` follows the joint. Costs 288
   * bytes of GPU memory, and one pose of the character at once. `offset` is in metres, along the joint's axes at rest: see
   * `SocketOffset`.
   *
   * @param socket Name or index of a joint that `addSockets` has made a socket.
   * @throws ManipleError CROWD_BAD_ID, SOCKET_NOT_FOUND, CROWD_BAD_ARGUMENT (offset), CROWD_LIMIT (no buffer holds more)
   */
  attach(id: CharacterId, socket: string | number, options?: AttachOptions): Attachment;
  /** Attaches one thing to each of many characters; all or none. */
  attach(ids: readonly CharacterId[], socket: string | number, options?: AttachOptions): Attachments;
  attach(ids: CharacterIds, socket: string | number, options: AttachOptions = {}): Attachment | Attachments {
    const attachments = attachToRows(this.#host, this.#host.rowPerId(ids), socket, options);
    return typeof ids === 'number' ? new Attachment(this.#host, attachments.indices[0]!, ids) : attachments;
  }

  /** Attachments of a character, the last first: for crowds that were restored. @throws ManipleError CROWD_BAD_ID */
  attachmentsOf(id: CharacterId): Attachment[] {
    const row = this.#host.row(id);
    return this.#host.sockets.carriedBy(row).map((index) => new Attachment(this.#host, index, id));
  }

  /** Number of attachments that have not ended. */
  get attachmentCount(): number {
    return this.#host.sockets.count;
  }

  /**
   * `worldFromLocal` of all attachments, 64 bytes each, column after column: an instance's matrix. Every frame writes it. May be
   * bound as storage or as a vertex buffer, or copied. Free rows have zero scale.
   *
   * The buffer is replaced when more is attached than it can hold, by the next frame that is recorded (`on('sockets', …)`
   * reports it). The old one is destroyed by `submitted()` of that frame. Undefined on the CPU backend without a device.
   */
  get socketMatrices(): GPUBuffer | undefined {
    return this.#host.backend.socketMatrices;
  }

  /**
   * The matrices of the last frame with views, relative to the origin of this frame: for motion vectors. New attachments have no
   * motion, nor have those of characters that appear again or were teleported. Replaced whenever `socketMatrices` is.
   */
  get previousSocketMatrices(): GPUBuffer | undefined {
    return this.#host.backend.previousSocketMatrices;
  }

  /**
   * A column of floats per character, for shaders of surfaces and nodes of three.js. The first call with options makes it. It stays
   * as long as the crowd, and is part of snapshots and logs. Memory: `size` floats per character of capacity, on CPU and GPU.
   * Each change uploads a few rows around it.
   *
   * @param name Up to 64 letters, digits and underscores, a letter first.
   * @param options May be omitted for an existing column.
   * @throws ManipleError CROWD_BAD_ARGUMENT (unknown and without options, another size or default), CROWD_LIMIT (more than 64
   *   floats in all columns), DEVICE_LIMIT
   * @example
   *   const heat = crowd.column('heat', { size: 4, default: [1, 1, 1, 0] });
   *   heat.set(army.ids, [1, 0.4, 0.1, 1]);
   */
  column(name: string, options?: ColumnOptions): CharacterColumn {
    this.#host.checkAlive();
    const named = namedColumn(this.#host, name, options);
    const column = this.#columns.get(name) ?? new CharacterColumn(this, named);
    this.#columns.set(name, column);
    return column;
  }

  /**
   * Writes rows of a provider, four floats each, beginning at `firstRow`. The next frame uploads them.
   * @throws ManipleError CROWD_BAD_ARGUMENT (no such provider, not rows, beyond its `rowCount`)
   */
  setProviderRows(name: string, rows: Float32Array, firstRow = 0): void {
    this.#host.checkAlive();
    this.#host.providers.write(name, rows, firstRow);
  }

  /**
   * Writes a provider's rows of characters, the same for all of them, beginning at `firstRow`. The next frame uploads them. They
   * stay until the next write; a new character has zeros.
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (no such provider, not rows, beyond its `characterRowCount`)
   */
  setProviderCharacterRows(name: string, ids: CharacterIds, rows: Float32Array, firstRow = 0): void {
    this.#host.providers.writeCharacters(name, this.#host.rows(ids), rows, firstRow);
  }

  /**
   * Switches a provider on or off for characters. A new character has all providers that its meshes name. Where a provider is off,
   * its code does not run: from the character's next pose on, vertices are skinned without it. Its state stays as it is.
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (no such provider, or a type without meshes that name it)
   */
  setProvider(name: string, ids: CharacterIds, enabled: boolean): void {
    expectFlag('enabled', enabled);
    this.#host.providers.enable(name, this.#host.characters(ids), enabled);
  }

  /**
   * Sets the views that need a provider, a bit each in the order of `update`'s views, from the next frame on.
   * @throws ManipleError CROWD_BAD_ARGUMENT (no such provider, not 32 bits)
   */
  setProviderViews(name: string, views: number): void {
    this.#host.checkAlive();
    this.#host.providers.setViews(name, views);
  }

  /** The views that need a provider. @throws ManipleError CROWD_BAD_ARGUMENT */
  providerViews(name: string): number {
    this.#host.checkAlive();
    return this.#host.providers.viewsOf(name);
  }

  /**
   * Binds buffers, texture views and samplers for resources of a provider, from the next frame on; all of the given ones or none.
   * The application owns them. They must live until every frame that was encoded with them has run. Compiles no pipeline.
   * @throws ManipleError PROVIDER_RESOURCE (unknown, of another kind, too small), CROWD_BAD_ARGUMENT (no such provider)
   */
  setProviderResources(name: string, resources: Readonly<Record<string, BoundResource>>): void {
    this.#host.checkAlive();
    expectObject('resources', resources);
    this.#resources.bind(name, resources);
  }

  /**
   * Compiles all pipelines that crowds and renderers of the device need, on WebGPU's threads. Without it, the first frame that runs
   * a pipeline compiles it and waits, up to a second on GPUs. Await it when the crowd is made; Maniple's renderers have a `ready`
   * that calls it. Later calls wait for newer pipelines only. SwiftShader compiles one after the other and gains nothing. The first
   * frame that runs a pipeline reports why its compilation failed.
   *
   * @throws ManipleError CROWD_DESTROYED
   */
  async ready(): Promise<void> {
    this.#host.checkAlive();
    if (this.#device) await compilePipelines(this.#device);
  }

  /**
   * Advances the clock by `dt` seconds, encodes a frame and submits it. Returns at once: the frame runs on the GPU, and its events
   * arrive later. The CPU backend has run it by then. A lost device is reported by `device.lost`. Errors of listeners, and
   * WebGPU's refusal of provider resources, are unhandled rejections unless `workDone` is being awaited.
   *
   * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_DESTROYED, CROWD_SWITCHING, PROVIDER_RESOURCE
   */
  update(options: FrameOptions): void {
    if (this.#host.backend.kind === 'cpu') return this.#running.report(this.encode(undefined, options).submitted());
    const device = this.#device!;
    const encoder = device.createCommandEncoder({ label: 'maniple' });
    // fails here where the application has destroyed an object, or made it too small
    const isChecked = !this.#resources.isEmpty;
    if (isChecked) device.pushErrorScope('validation');
    let refused: Promise<GPUError | null> | undefined;
    let frame: EncodedFrame;
    try {
      frame = this.encode(encoder, options);
      device.queue.submit([encoder.finish()]);
    } finally {
      // the frame reports a lost device
      if (isChecked) refused = device.popErrorScope().catch(() => null);
    }
    this.#running.report(refused ? unrefused(frame.submitted(), refused) : frame.submitted());
  }

  /**
   * Resolves when all submitted frames have run, their timings are known and their events have been delivered. No frame needs it:
   * it is for tools, tests, and the end of a program.
   *
   * @throws ManipleError DEVICE_LOST, PROVIDER_RESOURCE (WebGPU refused a frame), and what listeners throw
   */
  workDone(): Promise<void> {
    return this.#running.done();
  }

  /**
   * Advances the clock by `dt` seconds and records the frame into your encoder; the CPU backend runs it at once. Submit it, then
   * call `submitted()` once for every frame, so that upload buffers can be reused.
   *
   * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_DESTROYED, CROWD_FRAME_OPEN (16 frames are not known to be submitted),
   *   CROWD_SWITCHING, PROVIDER_RESOURCE (a resource is not bound)
   */
  encode(encoder: GPUCommandEncoder | undefined, options: FrameOptions): EncodedFrame {
    this.#host.checkAlive();
    if (options !== undefined) expectOptions('options', options, FRAME_OPTIONS, 'Pass the seconds as { dt }.');
    const { dt, views = 'all', recorder } = options ?? {};
    if (this.#host.backend.kind === 'gpu' && typeof encoder?.beginComputePass !== 'function') {
      const suggestion = 'Make one with device.createCommandEncoder(), or call update().';
      refuseArgument('encoder', encoder, 'a GPUCommandEncoder', suggestion);
    }
    if (views !== 'all') checkViews(views);
    const host = this.#host;
    host.expectBackend();
    host.submissions.expectFew();
    const seconds = frameSeconds(dt, host.timeScale);
    const hasViews = views.length > 0;
    if (hasViews && this.#host.backend.kind === 'gpu') this.#resources.expectAll();
    const inputs = host.frameInputs(dt, seconds, hasViews ? views : 'none', recorder);
    const { frame } = inputs;
    if (hasViews) host.views = views === 'all' ? [] : views;
    const submitted = this.#host.backend.encode(encoder, inputs);
    const finish = () => {
      host.firstFrames.submitted(frame, hasViews);
      const ran = submitted();
      if (host.submissions.openCount === 0) host.tell((watcher) => watcher.submitted?.());
      this.#running.add(ran);
      return ran;
    };
    const matrices = (key: 'socketMatrices' | 'previousSocketMatrices') => host.drawnMemory(frame)?.[key];
    return {
      frame,
      origin: host.places.origin,
      views: host.views,
      submitted: host.submissions.open(finish),
      get socketMatrices() {
        return matrices('socketMatrices');
      },
      get previousSocketMatrices() {
        return matrices('previousSocketMatrices');
      },
    };
  }

  /**
   * The poses that characters had in the last frame with views: their sockets, in model space. `addSockets` gives a character
   * sockets. Any number of characters take one round trip to the GPU, 64 bytes per socket. For one character: its pose. For a
   * list: undefined for each character that the frame did not pose, because it was culled, kept its pose or has just been spawned.
   * With `poseSharing`, a shared pose is reported once, in the frame that makes it. Characters that carry something share nothing.
   *
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (no sockets; for one character: not posed), CROWD_LIMIT (too many reads
   *   in flight), DEVICE_LOST
   */
  readPose(id: CharacterId): Promise<CharacterPose>;
  readPose(ids: readonly CharacterId[]): Promise<Reading<CharacterPose | undefined>>;
  async readPose(ids: CharacterIds): Promise<CharacterPose | Reading<CharacterPose | undefined>> {
    const characters = this.#host.rowPerId(ids).map((row) => this.#host.characterAt(row));
    return typeof ids === 'number' ? this.#readings.pose(characters[0]!) : this.#readings.poses(characters);
  }

  /**
   * The transforms of characters in the last frame that was submitted, with root motion; before a character's first frame, the
   * transform from the CPU. One round trip for all, 32 bytes each. @throws ManipleError CROWD_BAD_ID, CROWD_LIMIT, DEVICE_LOST
   */
  async readTransforms(ids: CharacterIds): Promise<Reading<CharacterTransform>> {
    return this.#readings.transforms(this.#host.rowPerId(ids));
  }

  /**
   * States of controllers after the last frame that was submitted. Before its first frame a character is in no state. Takes a
   * round trip to the GPU.
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (no controller), DEVICE_LOST
   */
  async readControllers(ids: CharacterIds): Promise<ControllerState[]> {
    return this.#readings.states(this.#host.characters(ids));
  }

  /**
   * Matrices of attachments in the last frame that was submitted: 16 numbers each, column after column. Undefined for those that
   * have ended, and those that no frame has placed yet. They are relative to `origin`, which is that frame's. One round trip
   * for all. @throws ManipleError CROWD_LIMIT, CROWD_DESTROYED, DEVICE_LOST
   */
  async readSockets(attachments: Attachments | readonly Attachment[]): Promise<SocketReading> {
    this.#host.checkAlive();
    return this.#readings.sockets(attachments);
  }

  /**
   * The vertices of a character in the last frame: metres in model space, x, y, z each. Primitive p of the drawn mesh, the
   * character's own or one of its `lods`, begins at its `firstVertex`. Takes one or more round trips to the GPU: for tools and
   * rare questions. With `skin: 'vertex'` the CPU computes all parts, in about 3 µs per vertex.
   *
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT (the last frame did not show it), CROWD_LIMIT (over 256 MiB in flight;
   *   or frames moved them at each of 16 tries), CROWD_DESTROYED, DEVICE_LOST
   */
  async readVertices(id: CharacterId): Promise<VertexReading> {
    return this.#readings.vertices(this.#host.row(id));
  }

  /** Counts of the last frame that had views: characters listed, posed, not drawn and dropped. */
  readStats(): Promise<CrowdStats> {
    this.#host.checkAlive();
    return this.#readings.stats();
  }

  /** Calls a listener for events of frames, a few frames later. Returns a function that ends that. @throws ManipleError CROWD_BAD_ARGUMENT */
  on<K extends keyof CrowdListeners>(kind: K, listener: CrowdListeners[K]): () => void {
    return this.#host.events.on(kind, listener);
  }

  /** Events that were lost because their buffer was full, since the crowd began. */
  get droppedEventCount(): number {
    return this.#host.events.droppedCount;
  }

  /**
   * Makes room for more characters, at once. Ids, groups and states stay, and last frame's picture until the next frame. In that
   * frame characters have no motion but that of their transforms. The GPU copies the old columns to new ones, and frees the old
   * ones with the next frame that has views. Renderers follow with their next picture.
   *
   * @throws ManipleError CROWD_DESTROYED, CROWD_FRAME_OPEN, CROWD_BAD_ARGUMENT (less than now, more than 2²⁴), DEVICE_LIMIT,
   *   CROWD_FULL (the budget)
   */
  grow(capacity: number): void {
    this.#shape.grow(capacity);
  }

  /**
   * Adds a type of characters, at once: they can be spawned then. Creates the kernels that no other type needed, which can take a
   * moment. Motions are as in `grow`. Renderers have to be created again.
   *
   * @throws ManipleError CROWD_DESTROYED, CROWD_FRAME_OPEN, CROWD_BAD_ARGUMENT (in the crowd already), CROWD_LIMIT, DEVICE_LIMIT
   */
  addCharacter(character: Character): void {
    this.#shape.addCharacter(character);
  }

  /**
   * Removes a type that no living character has, and its tables. Motions are as in `grow`.
   *
   * @throws ManipleError CROWD_DESTROYED, CROWD_FRAME_OPEN, CROWD_BAD_ARGUMENT (not in the crowd, the last one, or some live)
   */
  removeCharacter(character: Character): void {
    this.#shape.removeCharacter(character);
  }

  /**
   * Changes to the kernels ('gpu') or their twins ('cpu'), between two frames. Nothing is lost: states in the middle of
   * transitions, clocks, poses and vertices of the last frame, slots, events in flight, attachments, pending inputs. Renderers
   * continue with the next picture; logs and snapshots are not affected. It answers "is it the kernels or the data?" for the very
   * crowd that looks wrong.
   *
   * Loads the twins first. Then reads all of the crowd's memory back from the GPU, or uploads it and compiles the kernels. Until it
   * resolves no frame can begin. When it rejects, the crowd is as it was.
   *
   * @throws ManipleError CROWD_DESTROYED, CROWD_FRAME_OPEN, CROWD_SWITCHING, CROWD_BAD_ARGUMENT (no device),
   *   PROVIDER_MISSING (no twin), PROVIDER_RESOURCE (a resource is not bound), DEVICE_LIMIT, DEVICE_LOST
   */
  setBackend(kind: 'gpu' | 'cpu'): Promise<void> {
    return this.#shape.setBackend(kind, () => this.ready());
  }

  /** Frees all GPU memory. The crowd cannot be used afterwards; the device can. */
  destroy(): void {
    this.#host.isDestroyed = true;
    this.#host.backend.destroy();
  }
}
