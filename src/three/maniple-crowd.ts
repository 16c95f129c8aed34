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
  type WebGPURenderer,
} from 'three/webgpu';
import type { Character, CharacterPrimitive } from '../asset/character.ts';
import { createCrowd, type Crowd } from '../crowd/crowd.ts';
import type { CharacterId } from '../crowd/ids.ts';
import type { CrowdOptions } from '../crowd/options.ts';
import { lostIssue } from '../device/device-loss.ts';
import { fail, type Issue, ManipleError, quoted } from '../errors.ts';
import type { AttachOptions } from '../crowd/attachments.ts';
import { AttachedMesh } from './attached.ts';
import { type CarriedBy, Carriers } from './carriers.ts';
import { type CrowdMembers, delegateMembers } from './crowd-members.ts';
import { DrawnCrowd, type MaterialFor } from './drawn-crowd.ts';
import { deviceOf, drawnHeight, nodeMaterialOf } from './internals.ts';
import { ModelMaterials } from './model-materials.ts';
import { OriginShift } from './origin-shift.ts';
import { CrowdPicker } from './pick.ts';
import { intersections, ReadPlaces } from './places.ts';
import { onProblems } from './problems.ts';
import { Reminder } from './reminder.ts';
import { FollowedSockets, SocketObject } from './socket.ts';
import { CrowdViews } from './views.ts';

/** How a crowd looks in a scene. */
export interface ManipleCrowdLooks {
  /**
   * What a primitive is drawn with: any material that WebGPURenderer draws. Default: the one that three.js loaded, or that the
   * character's file describes, which the function is handed. What changes in a material later is taken over.
   */
  readonly materials?: (material: Material, character: Character, primitive: CharacterPrimitive) => Material;
  /** How fine shadows are, beside pictures: below 1, coarser levels of detail are good enough for them. Default 0.5. */
  readonly shadowDetail?: number;
}

/** A new crowd. */
export interface ManipleCrowdOptions extends Omit<CrowdOptions, 'backend'>, ManipleCrowdLooks {}

/** A crowd that there is already, on three's own device: one that was rebuilt, or that other renderers draw as well. */
export interface AdoptedCrowdOptions extends ManipleCrowdLooks {
  /** It stays the caller's: `dispose` does not destroy it. */
  readonly core: Crowd;
}

/** A part of a canvas in CSS pixels, from its left upper corner. */
export interface PickViewport {
  readonly x?: number;
  readonly y?: number;
  readonly width: number;
  readonly height: number;
}

/** What a crowd tells beyond what any object does. */
export interface ManipleCrowdEvents extends Object3DEventMap {
  /** The device is gone, and the crowd with it; see `rebuildCrowd`. */
  lost: { readonly issue: Issue };
  /**
   * Something went wrong that no call can throw: an image cannot be decoded; the crowd is in no scene, or is never updated. Without a
   * listener it goes to the console.
   */
  problem: { readonly error: unknown };
}

/** Who is shown at a point of a picture. */
export interface PickedCharacter {
  readonly id: CharacterId;
  readonly character: Character;
  /** What is seen of it there, in the world. */
  readonly point: Vector3;
  /** From the camera, in the world's units. */
  readonly distance: number;
}

/** How a frame runs. */
export interface UpdateOptions {
  /** Cameras that are about to draw the crowd for the first time. Those that have drawn it lately are known. */
  readonly cameras?: readonly Camera[];
}

/**
 * A crowd in a scene of three.js: an `Object3D` whose characters are stepped, posed and skinned by Maniple, and drawn by
 * three.js with any of its materials: lit, fogged, with shadows that they cast and receive, in every pass, with right motion
 * vectors. Characters are placed in its own space; moving, turning or scaling it moves all of them.
 *
 * It has the members of `Crowd`: `spawn`, `play`, `trigger`, `on`, `readState`, `grow` and the others are `core`'s. Two of them have names
 * that `Object3D` uses for something else: `core.lookAt` turns joints of characters, `core.attach` gives an attachment without an object
 * (`socket` gives one, `attachMesh` draws many).
 *
 * Draw calls: one per page of vertex memory, level of detail and material, whoever is seen. Frames cost the CPU the same for
 * a hundred and for a hundred thousand. GPU memory: as `createCrowd` says, and 4 bytes per index.
 *
 * @example
 *   await renderer.init();
 *   const crowd = new ManipleCrowd(renderer, { characters: [soldier], capacity: 10_000 });
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
  /** The crowd itself, for everything that takes a `Crowd`. */
  readonly core: Crowd;
  /** Characters that live. */
  declare readonly count: number;
  readonly #renderer: WebGPURenderer;
  readonly #device: GPUDevice;
  readonly #isOwner: boolean;
  readonly #views: CrowdViews;
  readonly #materials: ModelMaterials;
  readonly #drawn: DrawnCrowd;
  readonly #places: ReadPlaces;
  readonly #sockets: FollowedSockets;
  readonly #originShift = new OriginShift();
  readonly #reminder = new Reminder();
  #hasProblemListener = false;
  #isDisposed = false;
  #attached: readonly AttachedMesh[] = [];
  #picker: CrowdPicker | undefined;

  /**
   * @param renderer Initialised (`await renderer.init()`), and drawing with WebGPU.
   * @throws ManipleError THREE_UNSUPPORTED, and what `createCrowd` throws
   */
  constructor(
    renderer: WebGPURenderer,
    { materials, shadowDetail = 0.5, ...options }: ManipleCrowdOptions | AdoptedCrowdOptions,
  ) {
    super();
    this.name = 'ManipleCrowd';
    this.castShadow = this.receiveShadow = true;
    this.#renderer = renderer;
    this.#device = deviceOf(renderer);
    this.#isOwner = !('core' in options);
    this.core = 'core' in options ? adopt(options.core, this.#device) : createCrowd(this.#device, options);
    this.#views = new CrowdViews(renderer, this.matrixWorld, shadowDetail);
    this.#materials = new ModelMaterials((thrown) => this.#tell(thrown));
    const shift = this.#originShift.node;
    const materialFor: MaterialFor = (character, primitive) => {
      const own = this.#materials.of(character, primitive.materialIndex);
      return materials ? materials(own, character, primitive) : own;
    };
    try {
      this.#drawn = new DrawnCrowd(renderer, this.#object, this.core, this.#views, shift, materialFor);
    } catch (thrown) {
      if (this.#isOwner) this.core.destroy();
      throw thrown;
    }
    onProblems(this.#object, (problem) => this.#tell(problem));
    this.#places = new ReadPlaces(this.#device, this.core);
    this.#sockets = new FollowedSockets(this.core);
    void this.#device.lost.then((info) => {
      const issue = lostIssue(info);
      if (issue.severity === 'error') this.dispatchEvent({ type: 'lost', issue });
    });
  }

  /**
   * Advances all characters by `dt` seconds and poses and skins those that somebody sees. Call it once per frame, after cameras have
   * been moved and before `render`. Who looks it finds out by itself: cameras, shadow maps and reflections that have
   * drawn the crowd in the last frames. While the crowd is not `visible`, only its state machines run.
   *
   * @param dt Seconds. Below 0 it counts as 0: a page's first frame may have been due before its clock was made.
   * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_DESTROYED, THREE_UNSUPPORTED (a material)
   */
  update(dt: number, options?: UpdateOptions): void;
  update(options: UpdateOptions & { readonly dt: number }): void;
  update(first: number | (UpdateOptions & { readonly dt: number }), more: UpdateOptions = {}): void {
    this.#expectAlive();
    const { dt, cameras = [] } = typeof first === 'object' && first ? first : { ...more, dt: first };
    if (typeof dt !== 'number') {
      const suggestion = 'Pass the seconds since the last frame: crowd.update(timer.getDelta()).';
      fail('CROWD_BAD_ARGUMENT', 'update', `Got ${quoted(dt)} for dt; expected a number.`, suggestion);
    }
    this.updateWorldMatrix(true, false);
    this.#attached = this.#attached.filter(({ parent }) => parent === this.#object);
    for (const mesh of this.#attached) mesh.followCharacters();
    const height = drawnHeight(this.#renderer);
    const views = this.#views.take(cameras.map((camera) => ({ camera, height })));
    const encoder = this.#device.createCommandEncoder({ label: 'maniple' });
    this.#originShift.take(this.core);
    const frame = this.core.encode(encoder, { dt: dt < 0 ? 0 : dt, ...(views && { views }), seen: this.visible });
    try {
      this.#drawn.follow(encoder);
    } finally {
      // a frame that is recorded is submitted, whatever cannot be drawn of it
      this.#device.queue.submit([encoder.finish()]);
      for (const told of [frame.submitted(), this.#places.follow(), this.#sockets.follow()]) {
        told?.catch((thrown: unknown) => this.#tell(thrown));
      }
    }
    const { socketMatrices: matrices, previousSocketMatrices: previousMatrices } = this.core;
    const { residents } = this.core.backend.memory!.crowd;
    const memory = { matrices: matrices!, previousMatrices: previousMatrices!, residents };
    for (const mesh of this.#attached) if (mesh.parent) mesh.followMemory(this.#renderer, memory);
    this.#remind(this.#reminder.updated(this.parent !== null || this.#views.isDrawn, this.core.count));
  }

  /**
   * Hangs one thing on each of many characters, drawn in one call and without delay: swords, torches, riders. The joint has to be a
   * socket of theirs (`addSockets`). `castShadow`, `receiveShadow` and layers are the crowd's. `crowdId` and `crowdTint` in nodes of
   * the material are the carrier's.
   *
   * A thing ends with its character. The mesh of a list ends with the last of them. Those of a group or a function stay until they are
   * disposed of, and new characters carry them from their first frame on.
   *
   * @param carriedBy A list of ids, a group, or a function that is asked once for each character.
   * @param geometry In metres, in the joint's axes; `offset` moves it there.
   * @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT, SOCKET_NOT_FOUND, CROWD_LIMIT. Of characters that come later, `update`
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
    nodeMaterialOf(this.#renderer, material); // fails here, and not in a frame
    const carriers = new Carriers(this.core, carriedBy, socket, options);
    const mesh = new AttachedMesh(this.#object, this.#views, carriers, geometry, material, this.#originShift.node);
    this.#attached = [...this.#attached, mesh];
    this.add(mesh);
    return mesh;
  }

  /**
   * An object that follows a joint of one character, a few frames late; put whatever you like into it.
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
   * For `Raycaster`: characters whose rest bounds its ray meets where they stood when they were last read back. The first call asks
   * for them, and finds nobody yet; `await crowd.readBounds()` has them ready. What is found also says `characterId` and `character`.
   */
  override raycast(raycaster: Raycaster, found: Intersection[]): void {
    found.push(...intersections(raycaster, this.#places, this.matrixWorld, this.#object));
  }

  /** Reads back where everyone stands, for `Raycaster`. @throws ManipleError DEVICE_LOST */
  async readBounds(): Promise<void> {
    this.#expectAlive();
    return this.#places.read();
  }

  /**
   * Who is shown at a point, exactly: as it was posed last, with the shapes and holes of materials. Draws that one pixel of the
   * crowd and waits for the GPU; occluders that are none of the crowd do not count. The first call compiles shaders.
   *
   * @param x CSS pixels from the canvas's left edge, and from its top: an event's `offsetX` and `offsetY`.
   * @param viewport The part of the canvas that the camera's picture fills, in the same pixels: default all of it.
   * @returns undefined where no character is shown, and outside of the viewport
   * @throws ManipleError DEVICE_LOST
   */
  async pick(camera: Camera, x: number, y: number, viewport?: PickViewport): Promise<PickedCharacter | undefined> {
    this.#expectAlive();
    this.#picker ??= new CrowdPicker(this.#renderer, this.#views);
    const { x: left = 0, y: top = 0, width, height } = viewport ?? shownSize(this.#renderer);
    const point = { x: (2 * (x - left)) / width - 1, y: 1 - (2 * (y - top)) / height };
    if (!(Math.abs(point.x) <= 1 && Math.abs(point.y) <= 1)) return undefined;
    const picked = await this.#picker.pick(this.#drawn.meshes, camera, point, { width, height });
    const seen = picked && this.core.seenAt(picked.row);
    if (!seen) return undefined;
    const eye = new Vector3().setFromMatrixPosition(camera.matrixWorld);
    return { ...seen, point: picked.point, distance: eye.distanceTo(picked.point) };
  }

  /** Resolves when the images of all materials that the crowd has made are decoded, and its kernels compiled: see `Crowd.ready`. */
  async ready(): Promise<void> {
    await Promise.all([this.#materials.ready(), this.core.ready()]);
  }

  /** Turns the whole crowd, as any object. @throws ManipleError CROWD_BAD_ARGUMENT: ids, which `core.lookAt` takes */
  override lookAt(...target: [Vector3] | [x: number, y: number, z: number]): void {
    const [at, y, z] = target;
    if (!(typeof at === 'object' && 'isVector3' in at) && ![at, y, z].every((each) => typeof each === 'number')) {
      const message = `Got ${quoted(at)}; expected a Vector3, or x, y and z: lookAt turns the whole crowd.`;
      const suggestion = "For heads of characters: crowd.core.lookAt(ids, 'head', { target }).";
      fail('CROWD_BAD_ARGUMENT', 'lookAt', message, suggestion);
    }
    super.lookAt(...(target as [Vector3]));
  }

  /** Takes an object over, as any object does. @throws ManipleError CROWD_BAD_ARGUMENT: an id, which `socket` and `core.attach` take */
  override attach(...objects: Object3D[]): this {
    const wrong = objects.find((object) => !(object as Partial<Object3D> | undefined)?.isObject3D);
    if (objects.length === 0 || wrong !== undefined) {
      const message = `Got ${quoted(wrong)}; expected an Object3D: attach takes objects of the scene over.`;
      fail(
        'CROWD_BAD_ARGUMENT',
        'attach',
        message,
        'For joints of characters: crowd.socket(id, joint), or crowd.core.attach.',
      );
    }
    for (const object of objects) super.attach(object);
    return this;
  }

  /** Called by three.js for every picture of the scene. */
  override updateMatrixWorld(force?: boolean): void {
    if (!this.#isDisposed) this.#remind(this.#reminder.pictured(this.core.count));
    super.updateMatrixWorld(force);
  }

  override addEventListener<T extends keyof ManipleCrowdEvents>(
    type: T,
    listener: EventListener<ManipleCrowdEvents[T], T, this>,
  ): void {
    if (type === 'problem') this.#hasProblemListener = true;
    super.addEventListener(type, listener);
  }

  /** Fails: the crowd's memory cannot be shared by a copy, nor can its scene be cloned with it. @throws ManipleError THREE_UNSUPPORTED */
  override clone(): this {
    const suggestion =
      'Take it out of the scene before scene.clone(). For more characters call spawn; for another crowd, new ManipleCrowd.';
    return fail('THREE_UNSUPPORTED', 'crowd', 'A ManipleCrowd cannot be cloned.', suggestion);
  }

  /** A saved scene has the crowd as an empty group. */
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
   * Takes it out of its scene and frees all that it holds; textures and materials that came from outside stay. Call it before the
   * renderer's own `dispose`, which destroys all buffers that it has drawn from. A crowd that has been disposed of cannot be used again.
   */
  override dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.removeFromParent();
    for (const mesh of this.#attached) mesh.dispose();
    this.#picker?.dispose();
    this.#drawn.dispose();
    this.#materials.dispose();
    if (this.#isOwner) this.core.destroy();
  }

  /** This, as what events do not matter to takes it. */
  get #object(): Object3D {
    return this as unknown as Object3D;
  }

  /** @throws ManipleError CROWD_DESTROYED */
  #expectAlive(): void {
    if (this.#isDisposed)
      fail('CROWD_DESTROYED', 'crowd', 'The crowd has been disposed of.', 'Make a new ManipleCrowd.');
  }

  #remind(problem: ManipleError | undefined): void {
    if (problem) this.#tell(problem);
  }

  /** The loss of the device is reported as such; of other problems the console hears where nothing listens. */
  #tell(thrown: unknown): void {
    if (thrown instanceof ManipleError && thrown.issues.every(({ code }) => code === 'DEVICE_LOST')) return;
    if (!this.#hasProblemListener) console.warn(thrown instanceof Error ? thrown.message : thrown);
    this.dispatchEvent({ type: 'problem', error: thrown });
  }
}

/** Members of `core`, by their own names. */
export interface ManipleCrowd extends Omit<CrowdMembers, 'count'> {}

/** How large a canvas is shown, which events count in; its own size where it is in no page. */
function shownSize(renderer: WebGPURenderer): PickViewport {
  const { clientWidth = 0, clientHeight = 0 } = renderer.domElement as Partial<HTMLCanvasElement>;
  if (clientWidth > 0 && clientHeight > 0) return { width: clientWidth, height: clientHeight };
  const { x: width, y: height } = renderer.getSize(new Vector2());
  return { width, height };
}

/** @throws ManipleError THREE_UNSUPPORTED */
function adopt(crowd: Crowd, device: GPUDevice): Crowd {
  const memory = crowd.backend.kind === 'gpu' ? crowd.backend.memory : undefined;
  if (memory?.crowd.device !== device) {
    const suggestion = 'Give the renderer the same one: new WebGPURenderer({ device }).';
    fail('THREE_UNSUPPORTED', 'core', 'The crowd is not on the device that three.js draws with.', suggestion);
  }
  return crowd;
}
