import type { CrowdOptions, CrowdTier, UpdateRates } from '../crowd/options.ts';
import { deviceTier } from '../device/tier.ts';
import { fail, quoted } from '../errors.ts';
import type { ImpostorOptions } from '../render/impostors/options.ts';
import type { CrowdDrawing, DrawContext } from './crowd-drawing.ts';
import { DrawnCrowd } from './drawn-crowd.ts';
import { type CrowdRenderer, deviceOf, expectRenderer, hasDevice } from './internals.ts';

/** From the best to the one that runs everywhere. */
export const TIERS: readonly CrowdTier[] = ['core', 'compatibility', 'webgl2'];

/** The best tier of a renderer. @throws ManipleError THREE_UNSUPPORTED (not a renderer of three.js, or not initialised) */
export function bestTierOf(renderer: CrowdRenderer): CrowdTier {
  expectRenderer(renderer);
  if (!hasDevice(renderer)) return 'webgl2';
  return deviceTier(deviceOf(renderer));
}

/**
 * The tier that a new crowd gets.
 * @param requested By the application. Default: the best one.
 * @throws ManipleError THREE_UNSUPPORTED (the renderer has no such tier), CROWD_BAD_ARGUMENT (no tier)
 */
export function tierOf(renderer: CrowdRenderer, requested?: CrowdTier): CrowdTier {
  const best = bestTierOf(renderer);
  if (requested === undefined) return best;
  if (!TIERS.includes(requested)) {
    const names = TIERS.map((name) => `'${name}'`).join(', ');
    fail('CROWD_BAD_ARGUMENT', 'tier', `Got ${quoted(requested)} for tier; expected one of ${names}.`);
  }
  if (TIERS.indexOf(requested) < TIERS.indexOf(best)) {
    const message = `The renderer cannot run the tier '${requested}'; its best one is '${best}'.`;
    fail('THREE_UNSUPPORTED', 'tier', message, 'Leave the option out: the default is the best tier.');
  }
  return requested;
}

/** Sizes of the update rates in the WebGL 2 tier: larger than those of the others, because the CPU poses. ADR 0041 has figures. */
const WEBGL_RATES: Required<UpdateRates> = { halfBelowPx: 240, quarterBelowPx: 100, eighthBelowPx: 40 };

/** Options of a crowd without a device, with the defaults of its tier. */
export function webglOptions<T extends Omit<CrowdOptions, 'backend'>>(options: T): T & CrowdOptions {
  const { updateRates = {} } = options;
  const isRecord = typeof updateRates === 'object' && updateRates !== null; // else the crowd refuses it
  const rates = isRecord ? { ...WEBGL_RATES, ...updateRates } : updateRates;
  return { ...options, updateRates: rates, backend: 'cpu', skin: 'vertex' };
}

type Create = (context: DrawContext) => CrowdDrawing;

/** Code of tiers that has been downloaded. */
const loaded = new Map<CrowdTier, Create>([['core', (context) => new DrawnCrowd(context as never)]]);
/** Code of impostors that has been downloaded. */
let withImpostors: ((context: DrawContext, options: ImpostorOptions) => CrowdDrawing) | undefined;

/** Downloads the code of a tier, and that of impostors if they are wanted and it has them. */
export async function loadTier(tier: CrowdTier, wantsImpostors = false): Promise<void> {
  if (tier === 'core' && wantsImpostors && !withImpostors) {
    const { FarCharacters } = await import('./impostors/far-characters.ts');
    withImpostors = (context, options) =>
      new DrawnCrowd(context as never, undefined, new FarCharacters(context as never, options));
  }
  if (loaded.has(tier)) return;
  if (tier === 'compatibility') {
    const { createCopiedCrowd } = await import('./textures/copied-tables.ts');
    loaded.set(tier, (context) => createCopiedCrowd(context as never));
    return;
  }
  const { TexturedCrowd } = await import('./textures/textured-crowd.ts');
  loaded.set(tier, (context) => new TexturedCrowd(context));
}

/**
 * @param impostors Wanted only in the tier core.
 * @throws ManipleError THREE_UNSUPPORTED (code is not loaded), CROWD_BAD_ARGUMENT and RENDER_FAILED (impostors)
 */
export function createDrawing(tier: CrowdTier, context: DrawContext, impostors?: ImpostorOptions): CrowdDrawing {
  const create = impostors ? withImpostors && ((own: DrawContext) => withImpostors!(own, impostors)) : loaded.get(tier);
  if (create) return create(context);
  const message = impostors ? 'The code of impostors is not loaded.' : `The code of the tier '${tier}' is not loaded.`;
  return fail(
    'THREE_UNSUPPORTED',
    impostors ? 'impostors' : 'tier',
    message,
    'Use await ManipleCrowd.create(renderer, options), or ManipleCrowd.adopt.',
  );
}
