import { fail, quoted } from '../errors.ts';
import type { CrowdDrawing, DrawContext } from './crowd-drawing.ts';
import { DrawnCrowd } from './drawn-crowd.ts';
import { type CrowdRenderer, deviceOf, expectRenderer, hasDevice } from './internals.ts';

/**
 * Tier that a crowd runs in. 'core': kernels on a WebGPU device. 'compatibility': kernels on a device with vertex shaders that read no
 * storage buffers. Draws of three.js do not have it yet. 'webgl2': the CPU steps and poses characters. Vertex shaders skin them, from
 * textures.
 */
export type CrowdTier = 'core' | 'compatibility' | 'webgl2';

/** From the best to the one that runs everywhere. */
export const TIERS: readonly CrowdTier[] = ['core', 'compatibility', 'webgl2'];

/** Storage buffers that vertex shaders of the core tier read. */
const VERTEX_STORAGE_BUFFERS = 8;

/**
 * The best tier of a renderer. Devices of the compatibility level have 'webgl2': three's draws have no other form for them yet.
 * @throws ManipleError THREE_UNSUPPORTED (not a renderer of three.js, or not initialised)
 */
export function bestTierOf(renderer: CrowdRenderer): CrowdTier {
  expectRenderer(renderer);
  if (!hasDevice(renderer)) return 'webgl2';
  const { limits } = deviceOf(renderer);
  const { maxStorageBuffersInVertexStage = VERTEX_STORAGE_BUFFERS } = limits as Partial<GPUSupportedLimits> & {
    readonly maxStorageBuffersInVertexStage?: number;
  };
  return maxStorageBuffersInVertexStage < VERTEX_STORAGE_BUFFERS ? 'webgl2' : 'core';
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
  if (requested === 'compatibility') {
    const message = "Draws of three.js have no tier 'compatibility' yet.";
    fail('THREE_UNSUPPORTED', 'tier', message, "Leave the option out: devices of that level get 'webgl2'.");
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
  if (tier !== 'webgl2' || loaded.has(tier)) return;
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
