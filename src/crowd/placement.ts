import { fail, quoted } from '../errors.ts';
import type { View } from '../layout/index.ts';
import type { Transform } from '../stages/layout.ts';
import { expectNumbers, isFloat, refuseArgument } from './arguments.ts';
import { type EulerLike, type QuaternionLike, rotationList, vectorList, type VectorLike } from './vectors.ts';

/** Metres in the world. */
export type Origin = readonly [x: number, y: number, z: number];

class PlacedPosition {
  x = 0;
  y = 0;
  z = 0;

  set(x: number, y: number, z: number): void {
    Object.assign(this, { x, y, z });
  }

  /** Takes a list, or a Vector3 of three.js. @throws ManipleError CROWD_BAD_ARGUMENT */
  copy(from: VectorLike): void {
    const [x, y, z] = expectNumbers('position', vectorList(from), 3);
    this.set(x!, y!, z!);
  }
}

class PlacedRotation {
  x = 0;
  y = 0;
  z = 0;
  w = 1;

  /** A unit quaternion. */
  set(x: number, y: number, z: number, w: number): void {
    Object.assign(this, { x, y, z, w });
  }

  /** Takes a list, or a Quaternion or Euler of three.js. @throws ManipleError CROWD_BAD_ARGUMENT */
  copy(from: QuaternionLike | EulerLike): void {
    const [x, y, z, w] = expectNumbers('rotation', rotationList(from), 4);
    this.set(x!, y!, z!, w!);
  }

  /** Turns about the vertical axis, in radians; 0 looks along +Z as glTF models do. */
  setYaw(angle: number): void {
    this.set(0, Math.sin(angle / 2), 0, Math.cos(angle / 2));
  }
}

/**
 * Transform of a character, passed to `place` callbacks. The crowd takes what they leave in it. Vectors, quaternions and Euler
 * angles of three.js can be assigned: `at.position = mesh.position; at.rotation = mesh.quaternion`.
 */
export class CharacterTransform {
  readonly #position = new PlacedPosition();
  readonly #rotation = new PlacedRotation();
  #scale = 1;

  /** Metres in the world, double precision; see `Crowd.origin`. */
  get position(): PlacedPosition {
    return this.#position;
  }

  set position(from: VectorLike) {
    this.#position.copy(from);
  }

  /** A unit quaternion; not angles, which `setYaw` and an assigned Euler take. */
  get rotation(): PlacedRotation {
    return this.#rotation;
  }

  set rotation(from: QuaternionLike | EulerLike) {
    this.#rotation.copy(from);
  }

  /** The same along all axes: of a vector, all three have to be. */
  get scale(): number {
    return this.#scale;
  }

  set scale(from: number | VectorLike) {
    const [x, y, z] = typeof from === 'number' ? [from, from, from] : expectNumbers('scale', vectorList(from), 3);
    if (typeof from !== 'number' && (x !== y || y !== z)) refuseArgument('scale', [x, y, z], 'one number for all axes');
    this.#scale = x!;
  }

  /** @param origin What transforms are relative to. @internal */
  read(transforms: View<(typeof Transform)['fields']>, row: number, origin: Origin): void {
    const [x, y, z] = transforms.get(row, 'position') as [number, number, number];
    this.position.set(origin[0] + x, origin[1] + y, origin[2] + z);
    const [qx, qy, qz, qw] = transforms.get(row, 'rotation') as [number, number, number, number];
    this.rotation.set(qx, qy, qz, qw);
    this.scale = transforms.get(row, 'scale');
  }

  /** @internal */
  write(transforms: View<(typeof Transform)['fields']>, row: number, origin: Origin): void {
    const { position: p, rotation: r } = this;
    const areNumbers = [p.x, p.y, p.z, r.x, r.y, r.z, r.w].every((c) => typeof c === 'number');
    const position = areNumbers ? [p.x - origin[0], p.y - origin[1], p.z - origin[2]] : [NaN];
    const length = areNumbers ? Math.hypot(r.x, r.y, r.z, r.w) : NaN;
    if (![...position, this.scale].every(isFloat) || !Number.isFinite(1 / length)) {
      const [at, turn] = [quoted([p.x, p.y, p.z]), quoted([r.x, r.y, r.z, r.w])];
      const message = `Position ${at}, rotation ${turn}, scale ${quoted(this.scale)}`;
      const suggestion =
        'Use numbers that a 32-bit float holds, and a quaternion other than 0 for a rotation: setYaw(angle) makes one.';
      fail('CROWD_BAD_ARGUMENT', 'place', `${message}: not a transform.`, suggestion);
    }
    transforms.assign(row, {
      position,
      scale: this.scale,
      rotation: [r.x / length, r.y / length, r.z / length, r.w / length],
    });
  }
}

/** Leaves in `at` the transform of the character of an index (0 to count − 1). */
export type TransformCallback = (index: number, at: CharacterTransform) => void;
