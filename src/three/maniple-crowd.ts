import {
  type BufferGeometry,
  type Camera,
  type EventListener,
  Group as SceneGroup,
  type Intersection,
  type JSONMeta,
  type Material,
  type Object3D,
  type Object3DEventMap,
  type Object3DJSON,
  type Raycaster,
  Vector2,
  Vector3,
} from 'three/webgpu';
import type { Character, CharacterPrimitive } from '../character/character.ts';
import { expectOptions, type Names } from '../crowd/arguments.ts';
import type { CrowdTier } from '../crowd/options.ts';
import { createCrowd } from '../crowd/create-crowd.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { CharacterId } from '../crowd/rows/ids.ts';
import type { CrowdOptions, UpdateRates } from '../crowd/options.ts';
import { lostIssue } from '../device/device-loss.ts';
import { fail, type Issue, ManipleError, quoted, warning } from '../errors.ts';
import type { AttachOptions } from '../crowd/attachments.ts';
import { AttachedMesh, type CarriedBy, Carriers, FollowedSockets, SocketObject } from './attached.ts';
import { type CrowdMembers, delegateMembers } from './crowd-members.ts';
import { OriginShift } from './crowd-nodes.ts';
import type { CrowdDrawing } from './crowd-drawing.ts';
import { type CrowdRenderer, deviceOf, expectRenderer, isClassic } from './internals.ts';
import { ModelMaterials } from './materials.ts';
import { DrawnMeshes } from './mesh-ranges.ts';
import { onProblems, Reminder } from './problems.ts';
import { bestTierOf, createDrawing, loadTier, tierOf, webglOptions } from './tiers.ts';
import { ReadPlaces } from './transform-readback.ts';
import { CrowdViews } from './views.ts';
import { isCrowd, internalsOf } from '../crowd/internals.ts';
import type { ImpostorReadings } from '../render/impostors/impostors.ts';
import type { ImpostorOptions } from '../render/impostors/options.ts';

/** Options for a crowd's appearance in a scene. */
export interface ManipleCrowdLooks {
  /**
   * Returns the material of a primitive: any that the renderer supports. Receives the default material, which three.js loaded or
   * the character's file describes. Later changes of a material take effect.
   */
  readonly materials?: (material: Material, character: Character, primitive: CharacterPrimitive) => Material;
  /** Detail of shadows relative to pictures. Below 1, shadows use coarser levels of detail. Default 0.5. */
  readonly shadowDetail?: number;
  /**
   * Draws far characters as quads, in the tier core. The other tiers draw meshes, and say so in the console. The crowd must share
   * poses (`poseSharing`). Materials must be `MeshStandardMaterial`: see `impostors.refused`.
   */
  readonly impostors?: ImpostorOptions;
}

/** Options of a new crowd. */
export interface ManipleCrowdOptions
  extends Omit<CrowdOptions, 'backend' | 'copies' | 'updateRates'>, ManipleCrowdLooks {
  /**
   * Tier that the crowd runs in. Default: the best one of the renderer. A lower one is for comparisons. Tiers below it fail with
   * THREE_UNSUPPORTED.
   */
  readonly tier?: CrowdTier;
  /**
   * Copies of its vertices that a visible character has. Default: one until motion vectors are drawn, then two. A renderer with
   * `velocity` among its own targets (`setMRT`) has them at once. With those of a pass, vectors of the first two pictures show how
   * characters move as a whole. See `createCrowd`.
   */
  readonly copies?: CrowdOptions['copies'];
  /**
   * Lets small characters be posed only every 2nd, 4th or 8th frame. Default: below 40, 20 and 10 pixels. In the tier 'webgl2', where
   * the CPU poses: below 240, 100 and 40. See `createCrowd`. `readStats` has the number of posed characters.
   */
  readonly updateRates?: UpdateRates | false;
}

/**
 * An existing crowd on three's own device, for example a rebuilt one, or one that other renderers also draw. For a renderer with
 * WebGL: one without a device, with `backend: 'cpu'` and `skin: 'vertex'`.
 */
export interface AdoptedCrowdOptions extends ManipleCrowdLooks {
  /** The caller keeps ownership: `dispose` does not destroy it. */
  readonly core: Crowd;
  /** 'compatibility' draws it as at that level, for comparisons. Default: the best tier. */
  readonly tier?: CrowdTier;
}

const ADOPTED: Names<AdoptedCrowdOptions> = {
  core: true,
  tier: true,
  materials: true,
  shadowDetail: true,
  impostors: true,
};

/** Part of a canvas in CSS pixels, from its top left corner. */
export interface PickViewport {
  readonly x?: number;
  readonly y?: number;
  readonly width: number;
  readonly height: number;
}

/** Events of a crowd, in addition to those of any object. */
export interface ManipleCrowdEvents extends Object3DEventMap {
  /** The device is lost, and the crowd with it. See `rebuildCrowd`. */
  deviceLost: { readonly issue: Issue };
  /**
   * A problem that no call can throw: an image cannot be decoded, or the crowd is not in a scene, or it is never updated. Without a
   * listener it goes to the console.
   */
  error: { readonly error: unknown };
}

/** The character at a point of a picture. */
export interface CrowdPickHit {
  readonly id: CharacterId;
  readonly character: Character;
  /** The visible point of its surface, in the world. */
  readonly point: Vector3;
  /** Distance from the camera, in the world's units. */
  readonly distance: number;
}

/** Options of one frame. */
export interface UpdateOptions {
  /** Cameras that will draw the crowd for the first time. Cameras that drew it recently are detected automatically. */
  readonly cameras?: readonly Camera[];
}

const UPDATE_OPTIONS: Names<UpdateOptions & { readonly dt: number }> = { cameras: true, dt: true };

/**
 * A crowd in a scene of three.js. It is an `Object3D`. Maniple steps, poses and skins its characters. three.js draws them with any of
 * its materials, in every pass. Lights, fog, cast and received shadows and motion vectors work. Characters are placed in the crowd's
 * own space, so moving, turning or scaling it moves all of them.
 *
 * It has the members of `Crowd`: `spawn`, `play`, `trigger`, `on`, `readControllers`, `grow` and the others delegate to `core`. Two members
 * of `Crowd` have names that `Object3D` uses for something else. `core.lookAt` turns joints of characters. `core.attach` returns an
 * attachment without an object; `socket` returns an object, and `attachMesh` draws many attachments.
 *
 * Draw calls: one per page of vertex memory, level of detail and material, independent of how many characters are visible. CPU cost
 * of a frame is the same for a hundred and for a hundred thousand characters. GPU memory: as for `createCrowd`, plus 4 bytes per index.
 *
 * @example
 *   await renderer.init();
 *   const crowd = await ManipleCrowd.create(renderer, { characters: [soldier], capacity: 10_000 });
 *   scene.add(crowd);
 *   crowd.spawn(soldier, { count: 10_000, place: (i, at) => at.position.set(i % 100, 0, Math.floor(i / 100)) }).play('walk');
 *   renderer.setAnimationLoop(() => {
 *     timer.update();
 *     crowd.update(timer.getDelta());
 *     renderer.render(scene, camera);
 *   });
 */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- the static block defines them, and a test compares
export class ManipleCrowd extends SceneGroup<ManipleCrowdEvents> {
  static {
    delegateMembers(this.prototype);
  }

  readonly isManipleCrowd = true;
  /** The crowd itself, for functions that take a `Crowd`. */
  readonly core: Crowd;
  /** Number of living characters. */
  declare readonly count: number;
  /** Tier that it runs in: see `CrowdTier`. */
  readonly tier: CrowdTier;
  readonly #renderer: CrowdRenderer;
  #isOwner = false;
  /** Slots have one copy until motion vectors are drawn. */
  #copiesOnDemand = false;
  #needsPast = false;
  readonly #views: CrowdViews;
  readonly #materials: ModelMaterials;
  readonly #drawing: CrowdDrawing;
  readonly #places: ReadPlaces;
  readonly #sockets: FollowedSockets;
  readonly #originShift = new OriginShift();
  readonly #reminder = new Reminder();
  #hasErrorListener = false;
  #isDisposed = false;
  #attached: readonly AttachedMesh[] = [];

  /**
   * Creates a crowd for a renderer. With WebGPU it runs on the renderer's device. With WebGL 2 the CPU steps and poses it, and vertex
   * shaders skin it; the code for that is downloaded then. `dispose` destroys the crowd.
   *
   * @param renderer A `WebGPURenderer` that is initialised (`await renderer.init()`), with either backend, or a `WebGLRenderer`.
   * @throws ManipleError THREE_UNSUPPORTED, and what `createCrowd` throws
   */
  static async create(
    renderer: CrowdRenderer,
    { materials, shadowDetail = 0.5, tier: requested, impostors, ...options }: ManipleCrowdOptions,
  ): Promise<ManipleCrowd> {
    const tier = tierOf(renderer, requested);
    const [core] = await Promise.all([createCore(renderer, tier, options), loadTier(tier, impostors !== undefined)]);
    try {
      const looks = { shadowDetail, ...(materials && { materials }), ...(impostors && { impostors }) };
      const crowd = new ManipleCrowd(renderer, { core, tier, ...looks });
      crowd.#isOwner = true;
      crowd.#copiesOnDemand = options.copies === undefined;
      if (tier === 'webgl2' && (options.skin ?? 'vertex') !== 'vertex') crowd.#tell(skinIgnored());
      return crowd;
    } catch (thrown) {
      core.destroy();
      throw thrown;
    }
  }

  /** Draws a crowd that you own, as the constructor does. Downloads the code of its tier before. @throws ManipleError as the constructor */
  static async adopt(renderer: CrowdRenderer, options: AdoptedCrowdOptions): Promise<ManipleCrowd> {
    expectCore(options?.core);
    await loadTier(tierOfCore(renderer, options.core, options.tier), options.impostors !== undefined);
    return new ManipleCrowd(renderer, options);
  }

  /**
   * Draws a crowd that you own, for example one that other renderers also draw. For a new crowd use `ManipleCrowd.create`, and
   * `ManipleCrowd.adopt` where the renderer draws with WebGL.
   *
   * @param renderer As for `create`.
   * @throws ManipleError THREE_UNSUPPORTED, CROWD_BAD_ARGUMENT (no core)
   */
  constructor(renderer: CrowdRenderer, options: AdoptedCrowdOptions) {
    super();
    // options of create(): its name helps more than the names of these options
    if (Object.hasOwn(Object(options), 'characters')) expectCore(options.core);
    expectOptions('options', options, ADOPTED);
    const { core, tier, materials, shadowDetail = 0.5, impostors } = options;
    this.name = 'ManipleCrowd';
    this.castShadow = this.receiveShadow = true;
    this.#renderer = renderer;
    expectRenderer(renderer);
    expectCore(core);
    this.tier = tierOfCore(renderer, core, tier);
    this.core = core;
    this.#views = new CrowdViews(renderer, this.matrixWorld, shadowDetail);
    this.#materials = new ModelMaterials((thrown) => this.#tell(thrown));
    const context = {
      renderer,
      parent: this.#object,
      crowd: this.core,
      views: this.#views,
      past: { originShift: this.#originShift.node, begin: () => void (this.#needsPast = true) },
      meshes: new DrawnMeshes((character, primitive) => {
        const own = this.#materials.of(character, primitive.materialIndex);
        return materials ? materials(own, character, primitive) : own;
      }),
    };
    this.#drawing = createDrawing(this.tier, context, this.tier === 'core' ? impostors : undefined);
    onProblems(this.#object, (problem) => this.#tell(problem));
    if (impostors && this.tier !== 'core') this.#tell(noImpostors(this.tier));
    this.#places = new ReadPlaces(this.#drawing, this.core);
    this.#sockets = new FollowedSockets(this.core);
    if (this.tier !== 'webgl2') void this.#followDevice(deviceOf(renderer));
  }

  /** Far characters that are drawn as quads. Undefined without the option `impostors`, and in tiers that have none. */
  get impostors(): ImpostorReadings | undefined {
    return this.#drawing.impostors;
  }

  async #followDevice({ lost }: GPUDevice): Promise<void> {
    const issue = lostIssue(await lost);
    if (issue.severity === 'error') this.dispatchEvent({ type: 'deviceLost', issue });
  }

  /**
   * Advances all characters by `dt` seconds, and poses and skins the visible ones. Call it once per frame, after moving cameras and
   * before `render`. Cameras, shadow maps and reflections that drew the crowd recently are detected automatically. While the crowd is
   * not `visible`, only its state machines run.
   *
   * @param dt Seconds. Negative values count as 0, because a page's first frame may be due before its clock was created.
   * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_DESTROYED, THREE_UNSUPPORTED (a material)
   */
  update(dt: number, options?: UpdateOptions): void;
  update(options: UpdateOptions & { readonly dt: number }): void;
  update(first: number | (UpdateOptions & { readonly dt: number }), more: UpdateOptions = {}): void {
    this.#expectAlive();
    const options = typeof first === 'object' && first ? first : { ...more, dt: first };
    expectOptions('options', options, UPDATE_OPTIONS);
    const { dt, cameras = [] } = options;
    if (typeof dt !== 'number') {
      const suggestion = 'Pass the seconds since the last frame: crowd.update(timer.getDelta()).';
      fail('CROWD_BAD_ARGUMENT', 'update', `Got ${quoted(dt)} for dt; expected a number.`, suggestion);
    }
    this.updateWorldMatrix(true, false);
    this.#attached = this.#attached.filter(({ parent }) => parent === this.#object);
    for (const mesh of this.#attached) mesh.followCharacters();
    const views = this.#views.take(cameras);
    if (!isClassic(this.#renderer) && this.#renderer.getMRT()?.has('velocity')) this.#needsPast = true;
    if (this.#copiesOnDemand && this.#needsPast) {
      internalsOf(this.core).setCopies(2);
      this.#copiesOnDemand = false;
    }
    this.#originShift.take(this.core);
    const shown = this.visible ? views && { views } : { views: [] };
    this.#drawing.run({ dt: dt < 0 ? 0 : dt, ...shown }, (frame) => {
      for (const told of [frame.submitted(), this.#places.follow(), this.#sockets.follow()]) {
        told?.catch((thrown: unknown) => this.#tell(thrown));
      }
    });
    for (const mesh of this.#attached) if (mesh.parent) mesh.followFrame();
    this.#tell(this.#reminder.updated(this.parent !== null || this.#views.isDrawn, this.core.count));
  }

  /**
   * Attaches a mesh to each of many characters, for example a sword, torch or rider. Draws all of them in one call and without delay.
   * The joint must be a socket of the characters (`addSockets`). `castShadow`, `receiveShadow` and layers are the crowd's. In nodes of
   * the material, `crowdId` and `crowdTint` are the carrier's.
   *
   * An attachment ends with its character. The mesh of a list of ids is disposed of with the last character of the list. The mesh of a
   * group or a function stays until you dispose of it, and new characters carry it from their first frame.
   *
   * @param carriedBy A list of ids, a group, or a function that is called once for each character.
   * @param geometry In metres, in the joint's axes; `offset` moves it there.
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT, SOCKET_NOT_FOUND, CROWD_LIMIT. For characters spawned later, `update`
   *   throws it, once.
   * @example crowd.attachMesh((id, character) => character === archer, 'hand.l', bow, wood);
   */
  attachMesh(
    carriedBy: CarriedBy,
    socket: string | number,
    geometry: BufferGeometry,
    material: Material,
    options: AttachOptions = {},
  ): AttachedMesh {
    this.#expectAlive();
    if (!(geometry as Partial<BufferGeometry> | undefined)?.isBufferGeometry) {
      const { type = quoted(geometry) } = (geometry as unknown as Partial<Object3D> | undefined) ?? {};
      const suggestion = 'Of a mesh, pass mesh.geometry and mesh.material; of a group, attach its meshes one by one.';
      fail('THREE_UNSUPPORTED', 'attachMesh', `Got ${type}; expected a BufferGeometry.`, suggestion);
    }
    this.#drawing.expectMaterial(material); // throws here instead of in a frame
    const carriers = new Carriers(this.core, carriedBy, socket, options);
    const mesh = new AttachedMesh(this.#object, this.#views, carriers, geometry, material, this.#drawing);
    this.#attached = [...this.#attached, mesh];
    this.add(mesh);
    return mesh;
  }

  /**
   * Creates an object that follows a joint of one character, a few frames late. Add any objects to it.
   * @throws ManipleError CROWD_BAD_ID, SOCKET_NOT_FOUND, CROWD_LIMIT
   */
  socket(id: CharacterId, socket: string | number, options: AttachOptions = {}): SocketObject {
    this.#expectAlive();
    const object = new SocketObject(this.core.attach(id, socket, options));
    this.#sockets.add(object);
    this.add(object);
    return object;
  }

  /**
   * Finds characters for `Raycaster`: tests its ray against rest bounds, at the transforms of the last readback. The first call
   * requests a readback and finds no characters. Call `await crowd.readBounds()` to have transforms ready. Intersections also have
   * `characterId` and `character`.
   */
  override raycast(raycaster: Raycaster, found: Intersection[]): void {
    found.push(...this.#places.intersections(raycaster, this.#object));
  }

  /** Reads back the transforms of all characters, for `Raycaster`. @throws ManipleError DEVICE_LOST */
  async readBounds(): Promise<void> {
    this.#expectAlive();
    return this.#places.read();
  }

  /**
   * Finds the character at a point. The result is exact: it uses the last poses, and the shapes and holes of materials. Draws that
   * one pixel of the crowd and waits for the GPU. Occluders outside the crowd are ignored. The first call compiles shaders.
   *
   * @param x CSS pixels from the canvas's left edge; `y` from its top. An event's `offsetX` and `offsetY`.
   * @param viewport The part of the canvas that the camera's picture fills, in the same pixels. Default: all of it.
   * @returns undefined if there is no character at the point, or it is outside the viewport
   * @throws ManipleError DEVICE_LOST
   */
  async pick(camera: Camera, x: number, y: number, viewport?: PickViewport): Promise<CrowdPickHit | undefined> {
    this.#expectAlive();
    const { x: left = 0, y: top = 0, width, height } = viewport ?? shownSize(this.#renderer);
    const point = { x: (2 * (x - left)) / width - 1, y: 1 - (2 * (y - top)) / height };
    if (!(Math.abs(point.x) <= 1 && Math.abs(point.y) <= 1)) return undefined;
    const picked = await this.#drawing.pick(camera, point, { width, height });
    const seen = picked && internalsOf(this.core).host.seenAt(picked.row);
    if (!seen) return undefined;
    const eye = new Vector3().setFromMatrixPosition(camera.matrixWorld);
    return { ...seen, point: picked.point, distance: eye.distanceTo(picked.point) };
  }

  /** Resolves when the images of all materials made by the crowd are decoded and its kernels are compiled. See `Crowd.ready`. */
  async ready(): Promise<void> {
    await Promise.all([this.#materials.ready(), this.core.ready()]);
  }

  /** Turns the whole crowd, like any object. @throws ManipleError CROWD_BAD_ARGUMENT: for ids, which `core.lookAt` takes */
  override lookAt(...target: [Vector3] | [x: number, y: number, z: number]): void {
    const [at, y, z] = target;
    if (!(typeof at === 'object' && 'isVector3' in at) && ![at, y, z].every((each) => typeof each === 'number')) {
      const message = `Got ${quoted(at)}; expected a Vector3, or x, y and z: lookAt turns the whole crowd.`;
      const suggestion = "For heads of characters: crowd.core.lookAt(ids, 'head', { target }).";
      fail('CROWD_BAD_ARGUMENT', 'lookAt', message, suggestion);
    }
    super.lookAt(...(target as [Vector3]));
  }

  /** Adopts objects of the scene, like any object. @throws ManipleError CROWD_BAD_ARGUMENT: for an id, which `socket` and `core.attach` take */
  override attach(...objects: Object3D[]): this {
    const wrong = objects.find((object) => !(object as Partial<Object3D> | undefined)?.isObject3D);
    if (objects.length === 0 || wrong !== undefined) {
      const message = `Got ${quoted(wrong)}; expected an Object3D: attach takes objects of the scene over.`;
      const suggestion = 'For joints of characters: crowd.socket(id, joint), or crowd.core.attach.';
      fail('CROWD_BAD_ARGUMENT', 'attach', message, suggestion);
    }
    for (const object of objects) super.attach(object);
    return this;
  }

  /** Called by three.js each time it draws the scene. */
  override updateMatrixWorld(force?: boolean): void {
    if (!this.#isDisposed) this.#tell(this.#reminder.pictured(this.core.count));
    super.updateMatrixWorld(force);
  }

  override addEventListener<T extends keyof ManipleCrowdEvents>(
    type: T,
    listener: EventListener<ManipleCrowdEvents[T], T, this>,
  ): void {
    if (type === 'error') this.#hasErrorListener = true;
    super.addEventListener(type, listener);
  }

  /** Always fails, because a copy cannot share the crowd's memory. Cloning a scene that contains the crowd fails too. @throws ManipleError THREE_UNSUPPORTED */
  override clone(): this {
    const suggestion =
      'Take it out of the scene before scene.clone(). For more characters call spawn; for another crowd, ManipleCrowd.create.';
    return fail('THREE_UNSUPPORTED', 'crowd', 'A ManipleCrowd cannot be cloned.', suggestion);
  }

  /** Saves the crowd as an empty group. */
  override toJSON(meta?: JSONMeta): Object3DJSON {
    const { children } = this;
    this.children = [];
    try {
      return super.toJSON(meta);
    } finally {
      this.children = children;
    }
  }

  /**
   * Removes the crowd from its scene and frees its resources, except textures and materials from outside. Call it before the
   * renderer's own `dispose`, which destroys all buffers that it has drawn from. A disposed crowd cannot be used again.
   */
  override dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.removeFromParent();
    for (const mesh of this.#attached) mesh.dispose();
    this.#drawing.dispose();
    this.#materials.dispose();
    if (this.#isOwner) this.core.destroy();
  }

  /** This crowd, typed as a plain `Object3D`. */
  get #object(): Object3D {
    return this as unknown as Object3D;
  }

  /** @throws ManipleError CROWD_DESTROYED */
  #expectAlive(): void {
    const suggestion = 'Create a new one: await ManipleCrowd.create(renderer, options).';
    if (this.#isDisposed) fail('CROWD_DESTROYED', 'crowd', 'The crowd has been disposed of.', suggestion);
  }

  /** Reports a problem as an event, and in the console if there is no listener. Skips device loss, which has its own event. */
  #tell(thrown: unknown): void {
    if (thrown === undefined) return;
    if (thrown instanceof ManipleError && thrown.issues.every(({ code }) => code === 'DEVICE_LOST')) return;
    if (!this.#hasErrorListener) console.warn(thrown instanceof Error ? thrown.message : thrown);
    this.dispatchEvent({ type: 'error', error: thrown });
  }
}

/** Members of `core`, under their own names. */
export interface ManipleCrowd extends Omit<CrowdMembers, 'count'> {}

/** Size of a canvas in CSS pixels, as pointer events use them. Its own size if it is not in a page. */
function shownSize(renderer: CrowdRenderer): PickViewport {
  const { clientWidth = 0, clientHeight = 0 } = renderer.domElement as Partial<HTMLCanvasElement>;
  if (clientWidth > 0 && clientHeight > 0) return { width: clientWidth, height: clientHeight };
  const { x: width, y: height } = renderer.getSize(new Vector2());
  return { width, height };
}

/** Creates the crowd of a tier. */
function createCore(
  renderer: CrowdRenderer,
  tier: CrowdTier,
  options: Omit<ManipleCrowdOptions, 'tier' | keyof ManipleCrowdLooks>,
): Promise<Crowd> {
  const { copies = 1 } = options;
  if (tier !== 'webgl2') return createCrowd(deviceOf(renderer), { ...options, copies });
  return createCrowd(undefined, webglOptions({ ...options, copies }));
}

function skinIgnored(): ManipleError {
  const message = "The option skin has no effect: in the tier 'webgl2' all draws skin.";
  return new ManipleError(warning('THREE_UNSUPPORTED', 'skin', message, "Leave it out, or set it to 'vertex'."));
}

function noImpostors(tier: CrowdTier): ManipleError {
  const message = `Impostors need the tier 'core'; this crowd runs in '${tier}' and draws meshes.`;
  const suggestion = 'Leave the option out, or use coarse levels of detail, which all tiers draw.';
  return new ManipleError(warning('THREE_UNSUPPORTED', 'impostors', message, suggestion));
}

/**
 * The tier of an existing crowd. On a device of the core level it may draw as at the compatibility level.
 * @throws ManipleError THREE_UNSUPPORTED (it is not on the renderer's device, or the renderer has no such tier), CROWD_BAD_ARGUMENT
 */
function tierOfCore(renderer: CrowdRenderer, crowd: Crowd, requested?: CrowdTier): CrowdTier {
  const best = requested === 'compatibility' ? tierOf(renderer, requested) : bestTierOf(renderer);
  const { backend } = internalsOf(crowd).host;
  const device = backend.memory?.crowd.device;
  if (backend.arrays && !device) return 'webgl2';
  if (best !== 'webgl2' && backend.kind === 'gpu' && device === deviceOf(renderer)) return best;
  const [message, suggestion] =
    best === 'webgl2'
      ? [
          'The crowd is on a device; this renderer draws crowds without one.',
          "Create it without: createCrowd(undefined, { backend: 'cpu', … }).",
        ]
      : [
          'The crowd is not on the device that three.js draws with.',
          'Give the renderer the same one: new WebGPURenderer({ device }).',
        ];
  return fail('THREE_UNSUPPORTED', 'core', message!, suggestion!);
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
function expectCore(crowd: unknown): void {
  const suggestion = 'For a new crowd: await ManipleCrowd.create(renderer, options).';
  if (!isCrowd(crowd))
    fail('CROWD_BAD_ARGUMENT', 'core', `Got ${quoted(crowd)} for core; expected a Crowd.`, suggestion);
}
