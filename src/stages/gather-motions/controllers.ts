import type { GatheredLayer } from '../../animator/layers.ts';
import type { ListedMotion } from '../../animator/motion-list.ts';

const f = Math.fround;

/** A record of a list that is being fitted into its room. */
type Fitted = { readonly layer: GatheredLayer } | { readonly motion: ListedMotion; readonly heft: number };

/**
 * Layer records and motions in their order, as many as there is room for: a motion that finds none takes the place of the
 * lightest (by weight and layer weight, of equal ones the last) if that is lighter.
 *
 * @param onMargin Told of every motion that goes how much heavier the next one was. Equal ones are no near tie.
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
