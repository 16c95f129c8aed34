import { Box3, type Intersection, Matrix4, Quaternion, Ray, type Raycaster, Sphere, Vector3 } from 'three/webgpu';
import type { Character } from '../character/character.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { CharacterId } from '../crowd/rows/ids.ts';
import { readRanges } from '../device/read-back.ts';
import { View } from '../layout/index.ts';
import { Transform } from '../stages/layout.ts';
import { internalsOf } from '../crowd/internals.ts';

/** Number of updates that read transforms back after the last ray test. */
const INTEREST = 60;

type Transforms = View<(typeof Transform)['fields']>;

/** A character hit by a ray. */
export interface CharacterHit {
  readonly id: CharacterId;
  readonly character: Character;
  /** In the crowd's space. */
  readonly point: Vector3;
}

/**
 * Transforms of characters from the last readback, for ray tests on the CPU. A few frames old, 32 bytes each. Read back only while
 * rays are tested.
 */
export class ReadPlaces {
  readonly #device: GPUDevice;
  readonly #crowd: Crowd;
  #places: Transforms | undefined;
  #reading: Promise<void> | undefined;
  #interest = 0;

  constructor(device: GPUDevice, crowd: Crowd) {
    this.#device = device;
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

  /** Yields characters with rest bounds that a ray hits, in no order. Skips rows that were added after the last readback. */
  *hits(ray: Ray): Iterable<CharacterHit> {
    this.#interest = INTEREST;
    const places = this.#places;
    if (!places) return;
    const [sphere, box, point] = [new Sphere(), new Box3(), new Vector3()];
    const [position, rotation, scale] = [new Vector3(), new Quaternion(), new Vector3()];
    const [worldFromModel, modelFromWorld, modelRay] = [new Matrix4(), new Matrix4(), new Ray()];
    for (let row = 0; row < places.count; row++) {
      const seen = internalsOf(this.#crowd).host.seenAt(row);
      if (!seen) continue;
      const { min, max } = seen.character.bounds;
      position.fromArray(places.get(row, 'position'));
      scale.setScalar(places.get(row, 'scale'));
      const reach = Math.hypot(...min.map((low, axis) => Math.max(Math.abs(low), Math.abs(max[axis]!))));
      if (!ray.intersectsSphere(sphere.set(position, reach * scale.x))) continue;
      worldFromModel.compose(position, rotation.fromArray(places.get(row, 'rotation')), scale);
      modelRay.copy(ray).applyMatrix4(modelFromWorld.copy(worldFromModel).invert());
      box.min.fromArray(min as number[]);
      box.max.fromArray(max as number[]);
      if (!modelRay.intersectBox(box, point)) continue;
      yield { ...seen, point: point.clone().applyMatrix4(worldFromModel) };
    }
  }

  async #read(): Promise<void> {
    const count = internalsOf(this.#crowd).host.ids.used;
    const { transforms } = internalsOf(this.#crowd).host.backend.memory!.crowd;
    const [bytes] = count > 0 ? await readRanges(this.#device, [[transforms, 0, count * Transform.size]]) : [];
    this.#places = bytes && new View(Transform, bytes);
  }
}

/** Result of `Raycaster.intersectObject` for a character. */
export interface CrowdIntersection extends Intersection {
  readonly characterId: CharacterId;
  readonly character: Character;
}

/** Intersects a crowd with a ray in world space. */
export function intersections(
  { ray, near, far }: Raycaster,
  places: ReadPlaces,
  worldFromCrowd: Matrix4,
  object: Intersection['object'],
): CrowdIntersection[] {
  const local = ray.clone().applyMatrix4(worldFromCrowd.clone().invert());
  return Array.from(places.hits(local), ({ id, character, point }): CrowdIntersection => {
    point.applyMatrix4(worldFromCrowd);
    return { characterId: id, character, point, distance: point.distanceTo(ray.origin), object };
  }).filter(({ distance }) => distance >= near && distance <= far);
}
