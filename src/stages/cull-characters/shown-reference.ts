import type { AnimatorMemory } from '../../controller/eval/memory.ts';
import { gatherLayers } from '../../controller/eval/motion-list.ts';
import { MODIFIER_NONE } from '../layout.ts';
import type { PlayingViews } from '../player-at.ts';

/** A clip that a character shows, with all weights. */
export interface Shown {
  readonly clip: number;
  /** 0.32 fixed point. */
  readonly phase: number;
  readonly weight: number;
  /** True if it is shown as in its file: in a plain base layer, and not mirrored. */
  readonly isPlain: boolean;
}

/**
 * Clips that a character shows: those of all layers of its controller, or those that play on it. The total is that of
 * their weights, at least 1: the rest pose fills what weights leave. Undefined if the character has modifiers.
 */
export function shownClips(
  { modifiers, rig }: PlayingViews,
  modifierCapacity: number,
  memory: AnimatorMemory | undefined,
  i: number,
  played: () => Shown[],
): { readonly clips: readonly Shown[]; readonly total: number } | undefined {
  for (let m = modifierCapacity * i; m < modifierCapacity * (i + 1); m++) {
    if ((modifiers.get(m, 'laneAndBits') & 0xffff) !== MODIFIER_NONE) return undefined;
  }
  const layered = memory && gatherLayers(rig, memory, i);
  const clips = layered ? sampled(layered) : played();
  const sum = clips.reduce((total, { weight }) => total + weight, 0);
  return { clips, total: Math.max(1, sum) };
}

function sampled({ layers, controller }: NonNullable<ReturnType<typeof gatherLayers>>): Shown[] {
  return layers.flatMap((layer) =>
    layer.motions.map(({ rigClip, phase, weight, mirror }) => ({
      clip: rigClip,
      phase,
      weight: weight * layer.weight,
      isPlain: layer.isPlain && !(mirror && controller.mirrorRow >= 0),
    })),
  );
}
