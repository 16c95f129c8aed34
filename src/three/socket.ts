import { Matrix4, Object3D } from 'three/webgpu';
import type { Attachment } from '../crowd/attachments.ts';
import type { Crowd } from '../crowd/crowd.ts';

/**
 * An object that follows a joint of one character, a few frames behind what is drawn: its matrix is read back. For lights,
 * sounds, cameras, and things of which there are few; what many carry, `ManipleCrowd.attachMesh` draws without delay. A child of its crowd;
 * made by `ManipleCrowd.socket`.
 */
export class SocketObject extends Object3D {
  /** What holds it: `setOffset`, `detach`, `isAttached`. */
  readonly attachment: Attachment;

  /** @internal */
  constructor(attachment: Attachment) {
    super();
    this.attachment = attachment;
    this.matrixAutoUpdate = false;
    this.visible = false; // until it has been read
  }

  /** Takes it from its crowd: the character carries it no more. */
  override dispose(): void {
    this.attachment.detach();
    this.removeFromParent();
  }
}

/** All objects of a crowd that follow joints, read in one go; the next reading begins when the last one has come. */
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
        // not placed yet, or over
        if (!object.attachment.isAttached) object.visible = false;
        return;
      }
      object.matrix.copy(new Matrix4().fromArray(matrix));
      object.matrix.decompose(object.position, object.quaternion, object.scale);
      object.matrixWorldNeedsUpdate = true;
      // of no size while its character is hidden: lights in it would shine all the same
      object.visible = object.matrix.determinant() !== 0;
    });
  }
}
