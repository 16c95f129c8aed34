import {
  Box3,
  type Intersection,
  Matrix4,
  type Object3D,
  Quaternion,
  Ray,
  type Raycaster,
  Sphere,
  Vector3,
} from 'three/webgpu';
import type { Character } from '../character/character.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { CharacterId } from '../crowd/rows/ids.ts';
import type { View } from '../layout/index.ts';
import type { Transform } from '../stages/layout.ts';
import { internalsOf } from '../crowd/internals.ts';
import type { CrowdDrawing } from './crowd-drawing.ts';

/** Number of updates that read transforms back after the last ray test. */
const INTEREST = 60;

type Transforms = View<(typeof Transform)['fields']>;

/** Result of `Raycaster.intersectObject` for a character. */
export interface CrowdIntersection extends Intersection {
  readonly characterId: CharacterId;
  readonly character: Character;
}

/**
 * Transforms of characters from the last readback, for ray tests on the CPU. A few frames old, 32 bytes each. Read back only while
 * rays are tested.
 */
export class ReadPlaces {
  readonly #drawing: Pick<CrowdDrawing, 'readTransforms'>;
  readonly #crowd: Crowd;
  #places: Transforms | undefined;
  #reading: Promise<void> | undefined;
  #interest = 0;

  constructor(drawing: Pick<CrowdDrawing, 'readTransforms'>, crowd: Crowd) {
    this.#drawing = drawing;
    this.#crowd = crowd;
  }

  /** Called once per update. */
  follow(): Promise<void> | undefined {
    return this.#interest-- > 0 ? this.read() : undefined;
  }

  /** Reads transforms back. Resolves when they are available. @throws ManipleError DEVICE_LOST */
  read(): Promise<void> {
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
  }

  /**
   * Intersects the crowd, as an object of its scene, with a ray in world space: characters with rest bounds that the ray hits, in no
   * order. Skips rows that were added after the last readback.
   */
  intersections({ ray, near, far }: Raycaster, object: Object3D): CrowdIntersection[] {
    this.#interest = INTEREST;
    const places = this.#places;
    if (!places) return [];
    const worldFromCrowd = object.matrixWorld;
    const crowdRay = ray.clone().applyMatrix4(worldFromCrowd.clone().invert());
    const [sphere, box] = [new Sphere(), new Box3()];
    const [position, rotation, scale] = [new Vector3(), new Quaternion(), new Vector3()];
    const [crowdFromModel, modelFromCrowd, modelRay] = [new Matrix4(), new Matrix4(), new Ray()];
    const found: CrowdIntersection[] = [];
    for (let row = 0; row < places.count; row++) {
      const seen = internalsOf(this.#crowd).host.seenAt(row);
      if (!seen) continue;
      const { min, max } = seen.character.bounds;
      position.fromArray(places.get(row, 'position'));
      scale.setScalar(places.get(row, 'scale'));
      const reach = Math.hypot(...min.map((low, axis) => Math.max(Math.abs(low), Math.abs(max[axis]!))));
      if (!crowdRay.intersectsSphere(sphere.set(position, reach * scale.x))) continue;
      crowdFromModel.compose(position, rotation.fromArray(places.get(row, 'rotation')), scale);
      modelRay.copy(crowdRay).applyMatrix4(modelFromCrowd.copy(crowdFromModel).invert());
      box.min.fromArray(min as number[]);
      box.max.fromArray(max as number[]);
      const point = modelRay.intersectBox(box, new Vector3());
      if (!point) continue;
      point.applyMatrix4(crowdFromModel).applyMatrix4(worldFromCrowd);
      const distance = point.distanceTo(ray.origin);
      if (!(distance >= near && distance <= far)) continue;
      found.push({ characterId: seen.id, character: seen.character, point, distance, object });
    }
    return found;
  }

  async #read(): Promise<void> {
    this.#places = await this.#drawing.readTransforms(internalsOf(this.#crowd).host.ids.used);
  }
}
