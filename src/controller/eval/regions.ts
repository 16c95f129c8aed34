import { View, roundUp } from '../../layout/index.ts';
import { AnimatorRegions, FROZEN_ROWS, ROOT_ROWS } from './layout.ts';

/** Capacities of a crowd's `animators`. */
export interface AnimatorShape {
  readonly capacity: number;
  readonly machines: number;
  readonly layers: number;
  readonly parameters: number;
  readonly hasRoot: boolean;
}

/** The regions of a crowd's `animators`, and their number of rows. */
export interface AnimatorPlan {
  readonly shape: AnimatorShape;
  readonly regions: View<(typeof AnimatorRegions)['fields']>;
  readonly rowCount: number;
}

export function planAnimators(shape: AnimatorShape): AnimatorPlan {
  const { capacity, machines, layers, parameters, hasRoot } = shape;
  const machineRow = capacity;
  const frozenRow = machineRow + 2 * machines * capacity;
  const rootRow = frozenRow + FROZEN_ROWS * layers * capacity;
  const columnRow = rootRow + (hasRoot ? ROOT_ROWS * capacity : 0);
  const columnCapacity = parameters + 1;
  const regions = new View(AnimatorRegions, 1);
  regions.assign(0, {
    capacity,
    machineRow,
    frozenRow,
    rootRow,
    columnRow,
    machineCapacity: machines,
    layerCapacity: layers,
    columnCapacity,
  });
  return { shape, regions, rowCount: columnRow + columnCapacity * (roundUp(capacity, 4) / 4) };
}

/** First word of a column: 0 for the characters' speeds, 1 + p for parameter p. */
export function columnWordOf(regions: AnimatorPlan['regions'], column: number): number {
  return 4 * regions.get(0, 'columnRow') + column * roundUp(regions.get(0, 'capacity'), 4);
}

/** A run of 16-byte rows that moves from one plan to another. */
export interface RegionCopy {
  readonly fromRow: number;
  readonly toRow: number;
  readonly rowCount: number;
}

/** Copies that move the data of the first `count` characters from one plan to another, for regions that both have. */
export function regionCopies(from: AnimatorPlan, to: AnimatorPlan, count: number): RegionCopy[] {
  const columnRows = (plan: AnimatorPlan) => roundUp(plan.shape.capacity, 4) / 4;
  const least = (key: 'machines' | 'layers' | 'parameters') => Math.min(from.shape[key], to.shape[key]);
  const runs = (runCount: number, rowCount: number, first: (plan: AnimatorPlan, run: number) => number) =>
    Array.from({ length: runCount }, (_, run): RegionCopy => {
      return { fromRow: first(from, run), toRow: first(to, run), rowCount };
    });
  const at = ({ regions }: AnimatorPlan, key: 'machineRow' | 'frozenRow' | 'rootRow' | 'columnRow') =>
    regions.get(0, key);
  return [
    ...runs(1, count, () => 0),
    ...runs(2 * least('machines'), count, (plan, run) => at(plan, 'machineRow') + run * plan.shape.capacity),
    ...runs(
      least('layers'),
      FROZEN_ROWS * count,
      (plan, run) => at(plan, 'frozenRow') + FROZEN_ROWS * run * plan.shape.capacity,
    ),
    ...runs(from.shape.hasRoot && to.shape.hasRoot ? 1 : 0, ROOT_ROWS * count, (plan) => at(plan, 'rootRow')),
    ...runs(
      least('parameters') + 1,
      roundUp(count, 4) / 4,
      (plan, run) => at(plan, 'columnRow') + run * columnRows(plan),
    ),
  ].filter(({ rowCount }) => rowCount > 0);
}
