import { View } from '../../layout/index.ts';
import { SeededRandom } from '../../math/seeded-random.ts';
import { normalize, type Camera } from '../camera.ts';
import type { LitFrame } from './lit-frame.ts';
import type { CascadeView } from './cascades.ts';
import { Cascade, FrameUniforms, TONE_FILMIC, TONE_NEUTRAL, TONE_NONE } from './layout.ts';
import { fail, quoted } from '../../errors.ts';
import type { Dust, Lighting } from './scene.ts';

/** How the pixels of a picture look at the world; fields of `FrameUniforms`. */
export type Lens = Pick<
  LitFrame,
  'clipFromWorld' | 'previousClipFromWorld' | 'skyRight' | 'skyUp' | 'skyForward' | 'pictureWidth' | 'pictureHeight'
>;

/**
 * Bit masks of the crowd's views. Characters of these views are drawn: in the picture, and in all shadow maps or in
 * each of them.
 */
export interface DrawnViews {
  readonly picture: number;
  readonly shadow: number | readonly number[];
}

const ALL = 0xffffffff;

/** Mask of the crowd's views: a shadow map draws their characters. */
export function shadowMask(views: DrawnViews | undefined, cascade: number): number {
  const { shadow = ALL } = views ?? {};
  return typeof shadow === 'number' ? shadow : (shadow[cascade] ?? 0);
}

const TONES = { none: TONE_NONE, neutral: TONE_NEUTRAL, filmic: TONE_FILMIC } as const;

/** Views of a picture's shadow maps, and texels of a map each way. */
export interface Shadows {
  readonly cascades: readonly CascadeView[];
  readonly resolution: number;
}

/** Shadow maps of pictures without light, such as the single pixel of a pick. */
export const NO_SHADOWS: Shadows = { cascades: [], resolution: 1 };

export function frameUniforms(
  { camera, views }: { readonly camera: Camera; readonly views?: DrawnViews | undefined },
  scene: Lighting,
  lens: Lens,
  { cascades, resolution }: Shadows,
): Uint8Array<ArrayBuffer> {
  const view = new View(FrameUniforms, 1);
  const { toneMap, seed, dust, ...light } = scene;
  view.assign(0, {
    ...lens,
    ...light,
    eye: camera.eye,
    sunDirection: normalize(scene.sunDirection),
    cascadeCount: cascades.length,
    toneMap: toneOf(toneMap),
    shadowResolution: resolution,
    pictureViews: views?.picture ?? ALL,
    patternOffset: offsetOf(seed),
    ...(dust && dustFields(dust)),
  });
  const { buffer } = view.words;
  const rows = new View(Cascade, buffer, FrameUniforms.offsets.cascades, cascades.length);
  cascades.forEach(({ sunFromWorld, texel, far }, i) => {
    const depthPerMetre = Math.hypot(sunFromWorld[2]!, sunFromWorld[6]!, sunFromWorld[10]!);
    rows.assign(i, { sunFromWorld, texel, far, depthPerMetre, views: shadowMask(views, i) });
  });
  return new Uint8Array(buffer);
}

function toneOf(name: Lighting['toneMap']): number {
  if (!Object.hasOwn(TONES, name)) {
    fail('RENDER_FAILED', 'lighting.toneMap', `is ${quoted(name)}.`, `Use ${Object.keys(TONES).join(', ')}.`);
  }
  return TONES[name];
}

/** Within 128 each way, so that 32-bit floats keep their fractions. */
function offsetOf(seed: number): [x: number, z: number] {
  const random = new SeededRandom(seed);
  return [Math.floor(random.range(-128, 128)), Math.floor(random.range(-128, 128))];
}

function dustFields({ center, size, density, color }: Dust) {
  const [x, y, z] = size;
  return { dustCenter: center, dustReciprocal: [1 / x, 1 / y, 1 / z], dustDensity: density, dustColor: color } as const;
}
