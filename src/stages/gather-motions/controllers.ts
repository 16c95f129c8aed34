import { controllerView, type ControllerView } from '../../animator/controller-view.ts';
import { ANIMATOR_NONE } from '../../animator/layout.ts';
import type { AnimatorMemory } from '../../animator/memory.ts';
import { numberParameter } from '../../animator/motion.ts';
import { isShown, layerMotions, type ListedMotion } from '../../animator/motion-list.ts';
import type { RigTable } from '../../asset/clip-format.ts';
import { LAYER_IS_ADDITIVE } from '../../asset/controller/tables.ts';

const f = Math.fround;

/** A layer of a motion list; the first needs no record of its own where it is plain. */
export interface GatheredLayer {
  readonly additive: boolean;
  readonly weight: number;
  /** Pair of the rig table, or −1. */
  readonly maskPair: number;
  readonly isPlain: boolean;
  readonly motions: readonly ListedMotion[];
}

/** What the layers of a character's controller show; undefined for a character without one. */
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

/** A record of a list that is being fitted into its room. */
type Fitted = { readonly layer: GatheredLayer } | { readonly motion: ListedMotion; readonly heft: number };

/**
 * Layer records and motions in their order, as many as there is room for: a motion that finds none takes the place of the
 * lightest (by weight and layer weight, of equal ones the last) if that is lighter.
 */
export function fitMotions(layers: readonly GatheredLayer[], capacity: number): { records: Fitted[]; dropped: number } {
  const records: Fitted[] = [];
  let dropped = 0;
  const makeRoom = (needed: number, heft: number): boolean => {
    while (records.length + needed > capacity) {
      dropped++;
      let lightest = -1;
      records.forEach((record, i) => {
        if ('layer' in record) return;
        const least = lightest < 0 ? heft : (records[lightest] as { heft: number }).heft;
        if (record.heft < least || (lightest >= 0 && record.heft === least)) lightest = i;
      });
      if (lightest < 0) return false;
      records.splice(lightest, 1);
    }
    return true;
  };
  for (const layer of layers) {
    let begun = layer.isPlain;
    for (const motion of layer.motions) {
      const heft = f(motion.weight * layer.weight);
      if (!makeRoom(begun ? 1 : 2, heft)) continue;
      if (!begun) records.push({ layer });
      begun = true;
      records.push({ motion, heft });
    }
  }
  return { records, dropped };
}
