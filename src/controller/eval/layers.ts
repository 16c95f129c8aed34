import { controllerView, type ControllerView } from './controller-view.ts';
import { ANIMATOR_NONE } from './layout.ts';
import type { AnimatorMemory } from './memory.ts';
import { numberParameter } from './motion.ts';
import { isShown, layerMotions, type ListedMotion } from './motion-list.ts';
import type { RigTable } from '../../character/format/clip-format.ts';
import { LAYER_IS_ADDITIVE } from '../tables.ts';

/** A layer of a motion list. The first needs no layer record if it is plain. */
export interface GatheredLayer {
  readonly additive: boolean;
  readonly weight: number;
  /** Pair of the rig table, or −1. */
  readonly maskPair: number;
  readonly isPlain: boolean;
  readonly motions: readonly ListedMotion[];
}

/** Motions of the layers of a character's controller; undefined for a character without a controller. */
export function gatherLayers(
  rig: RigTable,
  memory: AnimatorMemory,
  character: number,
): { layers: GatheredLayer[]; controller: ControllerView } | undefined {
  const row = memory.head(character, 'controllerRow');
  if (row === ANIMATOR_NONE) return undefined;
  const controller = controllerView(rig, row);
  const parameters = memory.parameters(character);
  const layers = controller.layers.map((layer, index): GatheredLayer => {
    const own = numberParameter(parameters, layer.weightParameter, layer.weight);
    const weight = index === 0 ? 1 : Math.max(0, Math.min(1, own));
    const machine = memory.machine(layer.machine, character);
    const motions = layerMotions(controller, index, machine, memory.frozen(index, character), parameters);
    const additive = (layer.flags & LAYER_IS_ADDITIVE) !== 0;
    return {
      additive,
      weight,
      maskPair: layer.maskRow < 0 ? -1 : 2 * layer.maskRow,
      isPlain: index === 0 && layer.maskRow < 0 && !additive,
      motions: weight > 0 ? motions.filter(isShown) : [],
    };
  });
  return { layers, controller };
}
