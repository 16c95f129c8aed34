import type { Vector } from '../camera.ts';

/**
 * Light and surroundings. Colours are linear RGB, 0 or more, without a physical unit: a sun of 1 adds 1 to a white
 * surface that faces it. All of them go through `exposure` and a filmic curve.
 */
export interface Scene {
  /** From the ground towards the sun, in world space; of any length. */
  readonly sunDirection: Vector;
  readonly sunColor: Vector;
  /** Of the sky overhead, and of the light that falls on what faces up. */
  readonly skyColor: Vector;
  /** What sky and ground fade into. */
  readonly horizonColor: Vector;
  /** Base colour of the ground; about half of it lights what faces down. */
  readonly groundColor: Vector;
  /** Metres: world y of the ground, which is flat and has no end. */
  readonly groundHeight: number;
  /** Factor of all light before the curve. */
  readonly exposure: number;
  /** Metres from the eye at which a twentieth of a thing's own colour is left, and the rest is the horizon's. */
  readonly fadeDistance: number;
}

/** A clear afternoon on dry grass: what a view's `scene` changes parts of. */
export const DEFAULT_SCENE: Scene = {
  sunDirection: [0.55, 0.72, 0.42],
  sunColor: [2.9, 2.55, 2.05],
  skyColor: [0.36, 0.52, 0.8],
  horizonColor: [0.78, 0.8, 0.8],
  groundColor: [0.33, 0.29, 0.17],
  groundHeight: 0,
  exposure: 0.78,
  fadeDistance: 160,
};
