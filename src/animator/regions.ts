import { View, roundUp } from '../layout/index.ts';
import { AnimatorRegions, FROZEN_ROWS, ROOT_ROWS } from './layout.ts';

/** What the animators of a crowd hold at most. */
export interface AnimatorShape {
  readonly capacity: number;
  readonly machines: number;
  readonly layers: number;
  readonly parameters: number;
  readonly hasRoot: boolean;
}

/** The regions of a crowd's animators, and how many rows they take. */
export interface AnimatorPlan {
  readonly regions: View<(typeof AnimatorRegions)['fields']>;
  readonly rowCount: number;
}

export function planAnimators({ capacity, machines, layers, parameters, hasRoot }: AnimatorShape): AnimatorPlan {
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
  return { regions, rowCount: columnRow + columnCapacity * (roundUp(capacity, 4) / 4) };
}

/** First word of a column: 0 for the characters' speeds, 1 + p for parameter p. */
export function columnWordOf(regions: AnimatorPlan['regions'], column: number): number {
  return 4 * regions.get(0, 'columnRow') + column * roundUp(regions.get(0, 'capacity'), 4);
}
