import { wrapAngle } from '../../shaders/angle.ts';
import type { Rows } from './rows.ts';
import { ControllerBands } from './tables.ts';

/**
 * What a freeform tree's gradient bands need of each pair of children whatever the parameters are, so that the band
 * itself is two products (formulas: `animator/tree-weights.ts`).
 */

interface PlacedChild {
  readonly x: number;
  readonly y: number;
}

/** Below it 32-bit floats lose their precision: such children stand in one place. */
const LEAST = 2 ** -126;
const NEARLY_OPPOSITE = Math.fround(0.99 * Math.PI);
const NO_BAND = { x: 0, ahead: 0, behind: 0, still: 0 };

type Band = { readonly [K in keyof typeof ControllerBands.fields]: number };

/**
 * Writes the bands of each child toward all children, four to a record.
 *
 * @param children Positions in f32; of a polar tree as magnitude and angle.
 */
export function writeBands(rows: Rows, children: readonly PlacedChild[], polar: boolean): number {
  const perChild = Math.ceil(children.length / 4);
  const row = rows.reserveFor(ControllerBands, perChild * children.length);
  children.forEach((from, i) => {
    const bands = children.map((to) => (polar ? polarBand(from, to) : cartesianBand(from, to)));
    for (let record = 0; record < perChild; record++) {
      const four = bands.slice(4 * record, 4 * record + 4);
      const values = Object.fromEntries(
        Object.keys(ControllerBands.fields).map((key) => [key, four.map((band) => band[key as keyof Band])]),
      );
      rows.put(ControllerBands, row, perChild * i + record, values);
    }
  });
  return row;
}

function cartesianBand(from: PlacedChild, to: PlacedChild): Band {
  const [x, y] = [to.x - from.x, to.y - from.y];
  const squared = x * x + y * y;
  if (squared < LEAST) return NO_BAND;
  return { x: x / squared, ahead: y / squared, behind: y / squared, still: 0 };
}

/** The band from or to the centre depends on where the parameters stand: kernels work it out. */
function polarBand(from: PlacedChild, to: PlacedChild): Band {
  if (from.x === 0 || to.x === 0) return NO_BAND;
  const average = (from.x + to.x) / 2;
  const across = (to.x - from.x) / average;
  const way = wrapAngle(Math.fround(to.y - from.y));
  const along = 2 * Math.abs(way);
  const squared = across * across + along * along;
  if (squared < LEAST) return NO_BAND;
  const turn = (2 * along) / squared;
  const opposite = Math.abs(way) > NEARLY_OPPOSITE;
  return {
    x: across / average / squared,
    ahead: opposite || way >= 0 ? turn : -turn,
    behind: opposite || way < 0 ? -turn : turn,
    still: (along * along) / squared,
  };
}
