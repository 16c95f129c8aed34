import type { gatherLayers } from '../../controller/eval/motion-list.ts';

/** A clip that a character shows, with all weights. */
export interface Shown {
  readonly clip: number;
  /** 0.32 fixed point. */
  readonly phase: number;
  readonly weight: number;
  /** True if it is shown as in its file: in a plain base layer, and not mirrored. */
  readonly isPlain: boolean;
}

/** Clips that a controller shows, of all layers. */
export function sampled({ layers, controller }: NonNullable<ReturnType<typeof gatherLayers>>): Shown[] {
  return layers.flatMap((layer) =>
    layer.motions.map(({ rigClip, phase, weight, mirror }) => ({
      clip: rigClip,
      phase,
      weight: weight * layer.weight,
      isPlain: layer.isPlain && !(mirror && controller.mirrorRow >= 0),
    })),
  );
}
