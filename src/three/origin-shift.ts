import { type Node, Vector3 } from 'three/webgpu';
import { uniform } from 'three/tsl';
import type { Crowd } from '../crowd/crowd.ts';
import { internalsOf } from '../crowd/internals.ts';

/**
 * Movement of a crowd's origin between the last frame and this one, in metres. three.js multiplies previous positions by previous
 * matrices, which are relative to the previous origin. The crowd's own history is relative to the current origin.
 */
export class OriginShift {
  readonly #value = new Vector3();
  /** Add it to previous positions. */
  readonly node: Node<'vec3'> = uniform(this.#value) as unknown as Node<'vec3'>;

  /** Call it before the frame is recorded, because recording clears the moves. */
  take(crowd: Crowd): void {
    this.#value.set(0, 0, 0);
    for (const [x, y, z] of internalsOf(crowd).host.places.moves) {
      this.#value.x += x!;
      this.#value.y += y!;
      this.#value.z += z!;
    }
  }
}
