import type { Vector } from '../camera.ts';

/**
 * Light and surroundings. Colours are linear RGB, 0 or more, without a physical unit: a sun of 1 adds 1 to a white
 * surface that faces it. All of them go through `exposure` and `toneMap`.
 */
export interface Scene {
  /** From the ground towards the sun, in world space; of any length. */
  readonly sunDirection: Vector;
  readonly sunColor: Vector;
  /** Of the sky overhead, and of 55 % of the light that falls on what faces up. */
  readonly skyColor: Vector;
  /** What sky and ground fade into, away from the sun; on its side the sun's colour is added. 45 % of the light from above. */
  readonly horizonColor: Vector;
  /** Base colour of the ground; seven tenths of it light what faces down. */
  readonly groundColor: Vector;
  /** Metres: world y of the ground, which is flat and has no end. */
  readonly groundHeight: number;
  /** Factor of the sizes of what lies on the ground, 1 in metres: stones of 3 to 10 cm, bumps of 7 cm to 3 m. */
  readonly groundScale: number;
  /** Height of the highest hill along the horizon, by its distance; 0: a level horizon. */
  readonly hillHeight: number;
  /** Other numbers give other ground, clouds and hills: whole, 0 or more. */
  readonly seed: number;
  /** A cloud of dust over bare ground; none where it is missing. */
  readonly dust?: Dust;
  /**
   * Factor of all light before the curve. At 1 a matt surface in light of 1, sun and surroundings together, shows its own colour: with
   * `DEFAULT_SCENE` a card that reflects 18 % and faces the sun comes out at about sRGB 122. Twice as much is a stop brighter.
   */
  readonly exposure: number;
  /**
   * From light to the screen. `neutral` (Khronos) leaves colours below 0.8 as they are, and brings brighter ones down to white without
   * another hue. `filmic` (Narkowicz's ACES) has more contrast and bleaches. `none` cuts at 1. Default: neutral
   * (docs/adr/0031-tone-and-exposure.md).
   */
  readonly toneMap: 'neutral' | 'filmic' | 'none';
  /** Metres from the eye at which a twentieth of a thing's own colour is left, and the rest is the horizon's. */
  readonly fadeDistance: number;
}

/** Dust in the air, soft all around. The ground below it is trodden. */
export interface Dust {
  /** Metres in world space. */
  readonly center: Vector;
  /** Metres from the centre along x, y and z at which e⁻¹, 37 %, of the density is left; above 0. */
  readonly size: Vector;
  /** Per metre: through as many metres as 1 / density, about 0.6 of what lies behind is hidden in the centre. */
  readonly density: number;
  /** Linear, in white light of 1. */
  readonly color: Vector;
}

/** A clear afternoon on dry grass: what a view's `scene` changes parts of. */
export const DEFAULT_SCENE: Scene = {
  sunDirection: [0.55, 0.72, 0.42],
  sunColor: [0.73, 0.62, 0.48],
  skyColor: [0.16, 0.28, 0.48],
  horizonColor: [0.52, 0.57, 0.62],
  groundColor: [0.3, 0.26, 0.16],
  groundHeight: 0,
  groundScale: 1,
  hillHeight: 0.05,
  seed: 1,
  exposure: 1,
  toneMap: 'neutral',
  fadeDistance: 500,
};
