import type { CrowdTier } from '../crowd/options.ts';
import { deviceTier } from '../device/tier.ts';
import { fail, quoted } from '../errors.ts';
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

type Create = (context: DrawContext) => CrowdDrawing;

/** Code of tiers that has been downloaded. */
const loaded = new Map<CrowdTier, Create>([['core', (context) => new DrawnCrowd(context as never)]]);

/** Downloads the code of a tier. */
export async function loadTier(tier: CrowdTier): Promise<void> {
  if (loaded.has(tier)) return;
  if (tier === 'compatibility') {
    const { createCopiedCrowd } = await import('./textures/copied-tables.ts');
    loaded.set(tier, (context) => createCopiedCrowd(context as never));
    return;
  }
  const { TexturedCrowd } = await import('./textures/textured-crowd.ts');
  loaded.set(tier, (context) => new TexturedCrowd(context));
}

/** @throws ManipleError THREE_UNSUPPORTED (its code is not loaded) */
export function createDrawing(tier: CrowdTier, context: DrawContext): CrowdDrawing {
  const create = loaded.get(tier);
  if (create) return create(context);
  const message = `The code of the tier '${tier}' is not loaded.`;
  return fail(
    'THREE_UNSUPPORTED',
    'tier',
    message,
    'Use await ManipleCrowd.create(renderer, options), or ManipleCrowd.adopt.',
  );
}
