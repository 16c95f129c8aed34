import type { Bounds, Camera, Vector } from '../../src/render/index.ts';
import type { CanvasSize } from '../protocol.ts';

/** Radians: vertical field of view, and the lowest and highest pitch. */
const FOV = 0.62;
const [LEAST_PITCH, MOST_PITCH] = [-0.12, 1.45];
/** Extra pitch between the initial view and the view of the whole field. */
const RISE = 0.4;
/** Distance in metres from which the camera looks at a character that it goes to. */
export const CLOSE_UP = 3.2;
/** Metres from the eye to a face at zoom 1. */
const FACE = 1.05;
/** Distances in metres between which the camera turns from the ground to the character's face. */
const [GROUND_FROM, FACE_FROM] = [6, 2.2];
/** Metres around the soldiers in the view of the whole field. */
const EDGE = 4;
/** Height in metres that the camera looks at from afar. */
export const CHEST = 0.9;
/** Rate at which the camera follows, 1/s, and its automatic orbit, radians a second. */
const [FOLLOW, TURN] = [9, 0.05];

interface Look {
  yaw: number;
  pitch: number;
  zoom: number;
  x: number;
  z: number;
}

/** Character that the near camera looks at: position of its face, and its direction, radians about the vertical. */
export interface Focus {
  readonly face: Vector;
  readonly yaw: number;
}

/** A camera that orbits a place on the ground or, when near, the face of a character there. */
export class Rig {
  readonly #home: number;
  readonly #goal: Look;
  readonly #now: Look;
  #face: Vector | undefined;
  #field: Bounds;
  #aspect = 1;
  /** Offset from the camera's target to the middle of the picture, to the right and up, in picture heights. */
  #shift: readonly [right: number, up: number] = [0, 0];

  /** @param home Initial camera. Its zoom applies when `start` has none. */
  constructor(home: Camera, field: Bounds, start: Partial<Pick<Look, 'yaw' | 'pitch' | 'zoom'>>) {
    this.#field = field;
    const [dx, dy, dz] = [0, 1, 2].map((axis) => home.eye[axis]! - home.target[axis]!) as [number, number, number];
    const distance = Math.hypot(dx, dy, dz);
    this.#home = distance;
    this.#goal = {
      yaw: start.yaw ?? Math.atan2(dx, dz),
      pitch: start.pitch ?? Math.asin(dy / distance),
      zoom: start.zoom ?? this.zoomAt(distance),
      x: home.target[0],
      z: home.target[2],
    };
    this.#now = { ...this.#goal };
  }

  get zoom(): number {
    return this.#goal.zoom;
  }

  set zoom(zoom: number) {
    this.#goal.zoom = Math.min(1, Math.max(0, zoom));
  }

  get look(): { readonly yaw: number; readonly pitch: number; readonly distance: number } {
    const { yaw, pitch, zoom } = this.#now;
    return { yaw, pitch, distance: this.#distanceAt(zoom) };
  }

  /** Place on the ground that the camera looks at, and its distance. */
  get place(): { readonly x: number; readonly z: number; readonly distance: number } {
    return { x: this.#goal.x, z: this.#goal.z, distance: this.#distanceAt(this.#goal.zoom) };
  }

  /** True if the camera looks at a character instead of the ground. */
  get isNear(): boolean {
    return this.#distanceAt(Math.max(this.#goal.zoom, this.#now.zoom)) < GROUND_FROM;
  }

  setField(field: Bounds, { width, height, covered }: CanvasSize): void {
    this.#field = field;
    const { left, right, bottom } = covered;
    this.#aspect = width / Math.max(1, height);
    this.#shift = [(right - left) / 2 / height, -bottom / 2 / height];
  }

  orbit(yaw: number, pitch: number): void {
    this.#goal.yaw += yaw;
    this.#goal.pitch = Math.min(MOST_PITCH, Math.max(LEAST_PITCH, this.#goal.pitch + pitch));
  }

  /** Moves along the ground, in picture heights. */
  pan(right: number, up: number): void {
    const { yaw, zoom } = this.#goal;
    const height = 2 * Math.tan(FOV / 2) * this.#distanceAt(zoom);
    const [sin, cos] = [Math.sin(yaw), Math.cos(yaw)];
    this.goTo(this.#goal.x + height * (right * cos - up * sin), this.#goal.z + height * (-right * sin - up * cos));
  }

  /** Moves the target without a limit, because the field may have grown. */
  setMiddle(x: number, z: number): void {
    Object.assign(this.#goal, { x, z });
  }

  /** Moves the target within the bounds of the field. */
  goTo(x: number, z: number): void {
    const { min, max } = this.#field;
    this.#goal.x = Math.min(max[0], Math.max(min[0], x));
    this.#goal.z = Math.min(max[2], Math.max(min[2], z));
  }

  /** Turns to the front of a character, slightly to the side. */
  face(yaw: number): void {
    const turn = yaw + 0.5 - this.#goal.yaw;
    this.#goal.yaw += turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI));
    this.#goal.pitch = 0.06;
  }

  /** Advances the camera. Returns true if it has moved. @param seconds Real time since the last call. */
  advance(seconds: number, turns: boolean, focus: Focus | undefined): boolean {
    if (turns) this.#goal.yaw += TURN * seconds;
    const share = 1 - Math.exp(-FOLLOW * seconds);
    const before = JSON.stringify([this.#now, this.#face]);
    for (const key of ['yaw', 'pitch', 'zoom', 'x', 'z'] as const) {
      const left = this.#goal[key] - this.#now[key];
      this.#now[key] = Math.abs(left) < 1e-5 ? this.#goal[key] : this.#now[key] + share * left;
    }
    if (focus) {
      const from = this.#face ?? focus.face;
      this.#face = [0, 1, 2].map(
        (axis) => from[axis]! + share * (focus.face[axis]! - from[axis]!),
      ) as unknown as Vector;
      if (this.isNear) this.goTo(focus.face[0], focus.face[2]);
    } else if (!this.isNear) this.#face = undefined;
    return JSON.stringify([this.#now, this.#face]) !== before;
  }

  get camera(): Camera {
    const { yaw, zoom, x, z } = this.#now;
    const distance = this.#distanceAt(zoom);
    const away = Math.log(distance / this.#home) / Math.max(0.1, Math.log(this.#farthest() / this.#home));
    const pitch = Math.min(MOST_PITCH, this.#now.pitch + RISE * smooth(away));
    const nearness = smooth((Math.log(GROUND_FROM) - Math.log(distance)) / Math.log(GROUND_FROM / FACE_FROM));
    const ground: Vector = [x, CHEST, z];
    const face = this.#face ?? ground;
    const target = [0, 1, 2].map(
      (axis) => ground[axis]! + nearness * (face[axis]! - ground[axis]!),
    ) as unknown as Vector;
    const [sin, cos, rise, level] = [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)];
    // a parallel shift, so that the target is in the middle of the uncovered part
    const height = 2 * Math.tan(FOV / 2) * distance;
    const [right, up] = this.#shift.map((share) => share * height) as [number, number];
    const shift: Vector = [right * cos - up * rise * sin, up * level, -right * sin - up * rise * cos];
    const shifted = [0, 1, 2].map((axis) => target[axis]! + shift[axis]!) as unknown as Vector;
    const eye: Vector = [
      shifted[0] + distance * level * sin,
      Math.max(0.25, shifted[1] + distance * rise),
      shifted[2] + distance * level * cos,
    ];
    return { eye, target: shifted, fovY: FOV, near: Math.min(0.3, 0.08 * distance) };
  }

  zoomAt(distance: number): number {
    const far = this.#farthest();
    return Math.min(1, Math.max(0, Math.log(distance / far) / Math.log(FACE / far)));
  }

  #distanceAt(zoom: number): number {
    const far = this.#farthest();
    return far * (FACE / far) ** zoom;
  }

  /** Distance from which the whole field is visible in every direction. */
  #farthest(): number {
    const { min, max } = this.#field;
    const radius = Math.hypot(max[0] - min[0], max[2] - min[2]) / 2;
    return Math.max(1.2 * this.#home, (0.85 * (radius + EDGE)) / Math.tan(FOV / 2) / Math.min(1, this.#aspect));
  }
}

function smooth(share: number): number {
  const s = Math.min(1, Math.max(0, share));
  return s * s * (3 - 2 * s);
}
