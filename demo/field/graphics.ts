import type { DeviceKind } from '../../src/device/adapter-kind.ts';
import { type CrowdTier, type Issue, issuesOf, requestDevice } from '../../src/index.ts';
import type { FieldStart, Settings, Wishes } from '../protocol.ts';
import { settled } from './settings.ts';

/** A device of WebGPU, or the CPU and WebGL 2: a field computes and draws with it. */
export interface Graphics {
  /** Undefined with WebGL 2. */
  readonly device: GPUDevice | undefined;
  readonly tier: CrowdTier;
  readonly kind: DeviceKind;
  readonly name: string;
  /** True if times of stages can be measured. */
  readonly hasTimes: boolean;
  /** The reason why there is no WebGPU, a sentence. */
  readonly lack?: string | undefined;
  readonly lost?: Promise<Issue>;
  /** Settings other than the usual ones before a person chooses any. */
  readonly defaults?: Partial<Settings>;
  /** Applies wishes to settings, as `settled`. */
  settle(known: Settings, wishes: Wishes): ReturnType<typeof settled>;
}

/** @throws ManipleError DEVICE_UNAVAILABLE, DEVICE_LIMIT */
export async function openGraphics({ tier: asked, fallsBack }: FieldStart): Promise<Graphics> {
  const openWebgl = async (lack?: string) => (await import('./webgl.ts')).openWebgl(lack);
  if (asked === 'webgl2') return openWebgl();
  try {
    const requested = await requestDevice({ featureLevel: asked ?? 'auto' });
    const { tier, info, features } = requested;
    return {
      ...requested,
      name: info.description || [info.vendor, info.architecture].filter(Boolean).join(' ') || 'a GPU',
      hasTimes: features.includes('timestamp-query'),
      settle: (known, wishes) => settled(known, wishes, tier),
    };
  } catch (thrown) {
    const lack = issuesOf(thrown).find(({ code }) => code === 'DEVICE_UNAVAILABLE');
    if (!lack || !fallsBack) throw thrown;
    return openWebgl(lack.message);
  }
}
