import type { GatheredLayer } from '../../controller/eval/layers.ts';
import type { ListedMotion } from '../../controller/eval/motion-list.ts';

const f = Math.fround;

/** A record of a list that is being fitted into its room. */
type Fitted = { readonly layer: GatheredLayer } | { readonly motion: ListedMotion; readonly heft: number };

/**
 * Fits layer records and motions into a list, in their order. A motion beyond the capacity replaces the lightest one if
 * that is lighter. Weight is multiplied by layer weight; of equal ones the last is the lightest.
 *
 * @param onMargin Called for every dropped motion: how much heavier the next one was. Equal ones are not near ties.
 */
export function fitMotions(
  layers: readonly GatheredLayer[],
  capacity: number,
  onMargin?: (margin: number) => void,
): { records: Fitted[]; dropped: number } {
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
      if (onMargin) {
        const hefts = [heft, ...records.flatMap((record) => ('heft' in record ? record.heft : []))];
        const least = Math.min(...hefts);
        onMargin(Math.min(...hefts.filter((each) => each > least)) - least);
      }
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
