import { expectOptions } from '../../crowd/arguments.ts';
import type { Vector } from '../camera.ts';

/**
 * Light and surroundings. Colours are linear RGB, 0 or more, without a physical unit: a sun of 1 adds 1 to a white
 * surface that faces it. `exposure` and `toneMap` apply to all of them.
 */
export interface Lighting {
  /** From the ground towards the sun, in world space; of any length. */
  readonly sunDirection: Vector;
  readonly sunColor: Vector;
  /** Colour of the sky overhead, and of 55 % of the light on surfaces that face up. */
  readonly skyColor: Vector;
  /**
   * Colour that sky and ground fade into; on the sun's side the sun's colour is added. Also 45 % of the light from
   * above.
   */
  readonly horizonColor: Vector;
  /** Base colour of the ground; seven tenths of it light surfaces that face down. */
  readonly groundColor: Vector;
  /** Metres: world y of the ground, which is flat and has no end. */
  readonly groundHeight: number;
  /** Factor of all sizes on the ground. At 1: stones of 3 to 10 cm, bumps of 7 cm to 3 m. */
  readonly groundScale: number;
  /** Height of the highest hill along the horizon, divided by its distance; 0 gives a level horizon. */
  readonly hillHeight: number;
  /** Seed of ground, clouds and hills: a whole number, 0 or more. */
  readonly seed: number;
  /** A cloud of dust over bare ground. Default: no dust. */
  readonly dust?: Dust;
  /**
   * Factor of all light before the tone curve. At 1 a matt surface in light of 1, sun and surroundings together, shows
   * its own colour. With `DEFAULT_LIGHTING` a card that reflects 18 % and faces the sun is about sRGB 122. Twice the
   * factor is a stop brighter.
   */
  readonly exposure: number;
  /**
   * Curve from light to the screen. `neutral` (Khronos) leaves colours below 0.8 as they are, and compresses brighter
   * ones towards white without changing their hue. `filmic` (Narkowicz's ACES) has more contrast and bleaches. `none`
   * cuts at 1. Default: neutral (docs/adr/0031-tone-and-exposure.md).
   */
  readonly toneMap: 'neutral' | 'filmic' | 'none';
  /** Metres from the eye at which a twentieth of a surface's own colour is left, and the rest is the horizon's. */
  readonly fadeDistance: number;
}

/** Dust in the air, soft all around. The ground below it is trodden. */
export interface Dust {
  /** Metres in world space. */
  readonly center: Vector;
  /** Metres from the centre along x, y and z at which e⁻¹, 37 %, of the density is left; above 0. */
  readonly size: Vector;
  /** Density in the centre, per metre. There, 1 / density metres of dust hide about 0.6 of the background. */
  readonly density: number;
  /** Linear, in white light of 1. */
  readonly color: Vector;
}

/** A clear afternoon on dry grass. A view's `lighting` overrides parts of it. */
export const DEFAULT_LIGHTING: Lighting = {
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

const LIGHTING = { ...DEFAULT_LIGHTING, dust: true } satisfies Record<keyof Lighting, unknown>;

/** The lighting of a view: `DEFAULT_LIGHTING` with its changes. @throws ManipleError CROWD_BAD_ARGUMENT (unknown names) */
export function lightingOf({ lighting = {} }: { readonly lighting?: Partial<Lighting> | undefined }): Lighting {
  expectOptions('lighting', lighting, LIGHTING);
  return { ...DEFAULT_LIGHTING, ...lighting };
}
