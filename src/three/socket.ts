import { Matrix4, Object3D } from 'three/webgpu';
import type { Attachment } from '../crowd/attachments.ts';
import type { Crowd } from '../crowd/crowd.ts';

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
