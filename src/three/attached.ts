import { type BufferGeometry, type Material, Matrix4, Object3D } from 'three/webgpu';
import type { Character } from '../character/character.ts';
import { Attachment, type AttachOptions } from '../crowd/attachments.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { CrowdState } from '../crowd/crowd-state.ts';
import { CharacterGroup } from '../crowd/group.ts';
import { internalsOf } from '../crowd/internals.ts';
import { NOT_ATTACHED } from '../crowd/not-attached.ts';
import type { CharacterId } from '../crowd/rows/ids.ts';
import { fail, quoted } from '../errors.ts';
import type { CarriedDrawing, CrowdDrawing } from './crowd-drawing.ts';
import { CrowdPart } from './crowd-mesh.ts';
import type { CrowdViews } from './views.ts';

/** Initial instance capacity. At least 2, because three.js gives a mesh its own shader only if its `count` is above 1. */
const LEAST = 2;

/**
 * One attachment for each of many characters, drawn at their joints in one draw call. Matrices never leave the GPU.
 * It is a child of its crowd, and shares the crowd's layers and shadow flags. Created by `ManipleCrowd.attachMesh`.
 */
export class AttachedMesh extends CrowdPart {
  readonly #carriers: Carriers;
  readonly #drawing: CarriedDrawing;
  #instances: Uint32Array<ArrayBuffer>;

  /** @internal */
  constructor(
    crowd: Object3D,
    views: CrowdViews,
    carriers: Carriers,
    geometry: BufferGeometry,
    material: Material,
    drawing: CrowdDrawing,
  ) {
    super(crowd, views, geometry);
    this.#carriers = carriers;
    this.#drawing = drawing.carry(this, material);
    this.#instances = new Uint32Array(2 * LEAST);
    let isVisible = true;
    Object.defineProperty(this, 'visible', {
      get: () => isVisible && carriers.held.size > 0,
      set(value: boolean) {
        isVisible = value;
      },
    });
    this.#list();
  }

  /** Living characters that carry it. */
  get ids(): readonly CharacterId[] {
    return [...this.#carriers.held.keys()];
  }

  /** Attachment of one character, with `setOffset` and `detach`. Undefined if the character does not carry one. */
  attachmentOf(id: CharacterId): Attachment | undefined {
    return this.#carriers.held.get(id);
  }

  /**
   * @internal Updates the mesh for the living characters. Call it before a frame is recorded, so that new characters carry
   * the attachment in that frame. Disposes of the mesh when it has a list of ids and all of those characters are gone.
   * @throws ManipleError SOCKET_NOT_FOUND, CROWD_LIMIT
   */
  followCharacters(): void {
    if (this.#carriers.follow()) this.#list();
    if (this.#carriers.isOver) this.dispose();
  }

  /** @internal Updates the mesh for the last frame. */
  followFrame(): void {
    this.#drawing.follow();
  }

  /** Removes the mesh from its crowd and detaches it from all characters. Does not dispose of geometry and material. */
  override dispose(): void {
    this.#carriers.detach();
    this.removeFromParent();
    this.#drawing.dispose();
  }

  /** Writes the instances: the matrix row of each attachment, and the row of its character. */
  #list(): void {
    const { held } = this.#carriers;
    if (2 * held.size > this.#instances.length) {
      this.#instances = new Uint32Array(2 * 2 ** Math.ceil(Math.log2(held.size)));
    }
    this.count = Math.max(held.size, LEAST);
    const words = this.#instances;
    words.fill(NOT_ATTACHED);
    let word = 0;
    for (const { index, row } of held.values()) {
      words[word++] = index;
      words[word++] = row;
    }
    this.#drawing.list(words);
  }
}

/**
 * The characters that carry an attachment: a list of ids, a group, or a predicate. The predicate is called once per character, in
 * the first `update` after its spawn.
 */
export type CarriedBy = readonly CharacterId[] | CharacterGroup | ((id: CharacterId, character: Character) => boolean);

/** Attachments at one joint. Follows spawns and despawns. */
export class Carriers {
  readonly #crowd: Crowd;
  readonly #host: CrowdState;
  readonly #by: CarriedBy;
  readonly #socket: string | number;
  readonly #options: AttachOptions;
  readonly #held = new Map<CharacterId, Attachment>();
  /** Row → the character that was checked last in this row. */
  readonly #asked = new Map<number, CharacterId>();
  #changes = -1;
  #releases = -1;

  /** @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT, SOCKET_NOT_FOUND, CROWD_LIMIT */
  constructor(crowd: Crowd, by: CarriedBy, socket: string | number, options: AttachOptions) {
    this.#crowd = crowd;
    this.#host = internalsOf(crowd).host;
    this.#by = by;
    this.#socket = socket;
    this.#options = options;
    if (by instanceof CharacterGroup) {
      if (by.crowd !== crowd) {
        fail('CROWD_BAD_ARGUMENT', 'attachMesh', 'The group belongs to another crowd.', 'Spawn it from this one.');
      }
    } else if (typeof by !== 'function') {
      if (!Array.isArray(by)) {
        const message = `Got ${quoted(by)}; expected a list of ids, a group, or a function.`;
        fail('CROWD_BAD_ARGUMENT', 'attachMesh', message, 'Pass group.ids, group, or (id, character) => boolean.');
      }
      this.#attach([...new Set(by)]);
    }
    this.follow();
  }

  /** Living carriers, and their attachments. */
  get held(): ReadonlyMap<CharacterId, Attachment> {
    return this.#held;
  }

  /** True if the carriers are a list of ids, and all of them are gone. */
  get isOver(): boolean {
    return Array.isArray(this.#by) && this.#held.size === 0;
  }

  /**
   * Applies spawns, despawns and detachments since the last call. Costs nothing if there were none.
   * @returns Whether there were any.
   * @throws ManipleError SOCKET_NOT_FOUND, CROWD_LIMIT, once for the same characters
   */
  follow(): boolean {
    const { ids, sockets } = this.#host;
    if (this.#changes === ids.changes && this.#releases === sockets.releases) return false;
    const newcomers = this.#changes === ids.changes ? [] : this.#newcomers();
    this.#changes = ids.changes;
    this.#attach(newcomers);
    this.#releases = sockets.releases;
    for (const [id, attachment] of this.#held) if (!attachment.isAttached) this.#held.delete(id);
    return true;
  }

  detach(): void {
    for (const attachment of this.#held.values()) attachment.detach();
  }

  #attach(ids: readonly CharacterId[]): void {
    const { indices } = this.#crowd.attach(ids, this.#socket, this.#options);
    ids.forEach((id, i) => {
      const index = indices[i]!;
      if (index !== NOT_ATTACHED) this.#held.set(id, new Attachment(this.#host, index, id));
    });
  }

  /** Characters that were not checked before and must carry the attachment. */
  #newcomers(): CharacterId[] {
    const [by, { ids }] = [this.#by, this.#host];
    if (by instanceof CharacterGroup) return by.ids.filter((id) => this.#isNew(id));
    if (typeof by !== 'function') return [];
    const found: CharacterId[] = [];
    for (let row = 0; row < ids.used; row++) {
      const id = ids.idOf(row);
      if (!ids.lives(row) || !this.#isNew(id)) continue;
      if (by(id, this.#host.typeAt(row)!.character)) found.push(id);
    }
    return found;
  }

  #isNew(id: CharacterId): boolean {
    const row = this.#host.ids.index(id);
    if (this.#asked.get(row) === id) return false;
    this.#asked.set(row, id);
    return true;
  }
}

/**
 * An object that follows a joint of one character. It lags a few frames, because its matrix is read back. Use it for lights, sounds,
 * cameras and small numbers of objects. For many attachments use `ManipleCrowd.attachMesh`, which has no delay. It is a child of its
 * crowd, and is created by `ManipleCrowd.socket`.
 */
export class SocketObject extends Object3D {
  /** Its attachment, with `setOffset`, `detach` and `isAttached`. */
  readonly attachment: Attachment;

  /** @internal */
  constructor(attachment: Attachment) {
    super();
    this.attachment = attachment;
    this.matrixAutoUpdate = false;
    this.visible = false; // until the first readback
  }

  /** Detaches the object from its character and removes it from its crowd. */
  override dispose(): void {
    this.attachment.detach();
    this.removeFromParent();
  }
}

/** All objects of a crowd that follow joints. Reads their matrices in one readback at a time. */
export class FollowedSockets {
  readonly #crowd: Crowd;
  readonly #objects = new Set<SocketObject>();
  #reading: Promise<void> | undefined;

  constructor(crowd: Crowd) {
    this.#crowd = crowd;
  }

  add(object: SocketObject): void {
    this.#objects.add(object);
  }

  /** Called once per update. @throws ManipleError DEVICE_LOST */
  follow(): Promise<void> | undefined {
    for (const object of this.#objects) if (!object.parent) this.#objects.delete(object);
    if (this.#objects.size === 0) return undefined;
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
  }

  async #read(): Promise<void> {
    const objects = [...this.#objects];
    const matrices = await this.#crowd.readSockets(objects.map(({ attachment }) => attachment));
    objects.forEach((object, i) => {
      const matrix = matrices[i];
      if (!matrix) {
        // no matrix yet, or detached
        if (!object.attachment.isAttached) object.visible = false;
        return;
      }
      object.matrix.copy(new Matrix4().fromArray(matrix));
      object.matrix.decompose(object.position, object.quaternion, object.scale);
      object.matrixWorldNeedsUpdate = true;
      // the scale is 0 while its character is hidden, but lights in it would still shine
      object.visible = object.matrix.determinant() !== 0;
    });
  }
}
