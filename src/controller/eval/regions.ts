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

export type AnimatorPlan = ReturnType<typeof planAnimators>;

/** The regions of a crowd's `animators`, and their number of rows. */
export function planAnimators(shape: AnimatorShape) {
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
type RegionCopy = Readonly<Record<'fromRow' | 'toRow' | 'rowCount', number>>;

/** Copies that move the data of the first `count` characters from one plan to another, for regions that both have. */
export function regionCopies(from: AnimatorPlan, to: AnimatorPlan, count: number): RegionCopy[] {
  const least = (key: 'machines' | 'layers' | 'parameters') => Math.min(from.shape[key], to.shape[key]);
  // runs of a region follow each other; each has the rows of all characters of a crowd
  const region = (runCount: number, rowsOf: (characters: number) => number, key?: RegionKey): RegionCopy[] =>
    Array.from({ length: runCount }, (_, run) => {
      const first = ({ regions, shape }: AnimatorPlan) =>
        (key ? regions.get(0, key) : 0) + run * rowsOf(shape.capacity);
      return { fromRow: first(from), toRow: first(to), rowCount: rowsOf(count) };
    });
  return [
    ...region(1, (characters) => characters),
    ...region(2 * least('machines'), (characters) => characters, 'machineRow'),
    ...region(least('layers'), (characters) => FROZEN_ROWS * characters, 'frozenRow'),
    ...region(from.shape.hasRoot && to.shape.hasRoot ? 1 : 0, (characters) => ROOT_ROWS * characters, 'rootRow'),
    ...region(least('parameters') + 1, (characters) => roundUp(characters, 4) / 4, 'columnRow'),
  ].filter(({ rowCount }) => rowCount > 0);
}

type RegionKey = 'machineRow' | 'frozenRow' | 'rootRow' | 'columnRow';
