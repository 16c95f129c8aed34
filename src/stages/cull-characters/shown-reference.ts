import type { gatherLayers } from '../../animator/layers.ts';

/** A clip that a character shows, with all weights. */
export interface Shown {
  readonly clip: number;
  /** 0.32 fixed point. */
  readonly phase: number;
  readonly weight: number;
  /** It stands in its file as it is shown. */
  readonly isPlain: boolean;
}

/** What a controller shows, of all layers. */
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
