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
    columnWord: 4 * columnRow,
    machineCapacity: machines,
    layerCapacity: layers,
    columnCapacity,
  });
  return { regions, rowCount: columnRow + roundUp(columnCapacity * capacity, 4) / 4 };
}
