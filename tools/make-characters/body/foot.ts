import type { Build } from './humanoid.ts';
import type { Vec3 } from '../math/vec.ts';
import type { Paint } from '../geometry/colour.ts';
import { loft, type Ring } from '../geometry/loft.ts';
import type { Surface, Weights } from '../geometry/surface.ts';
import { chainWeights } from '../geometry/weights.ts';

/** One cross-section of a left foot, from the heel forwards. */
interface FootRow {
  readonly z: number;
  readonly sole: number;
  readonly wide: number;
  readonly high: number;
  /** Towards the body's middle, as big toes are. */
  readonly inward?: number;
  readonly paint: Paint;
  readonly hard?: boolean;
}

const SOLE_THICKNESS = 0.022;

/** A boot or a sandalled foot: a loft along Z with a flat sole. */
export function foot(build: Build, rows: readonly FootRow[], sole: Paint): Surface {
  const middle = build.ankle[0] + 0.006;
  const rings = rows.map((row): Ring => {
    const x = middle - (row.inward ?? 0);
    const at = (side: number, y: number): Vec3 => [x + side, y, row.z];
    const shoulderHeight = Math.max(SOLE_THICKNESS, row.high * 0.62);
    return {
      points: [
        at(row.sole, 0),
        at(row.sole, SOLE_THICKNESS),
        at(row.wide, shoulderHeight),
        at(0, row.high),
        at(-row.wide, shoulderHeight),
        at(-row.sole, SOLE_THICKNESS),
        at(-row.sole, 0),
      ],
      skin: footWeights(row.z, build),
      paint: row.paint,
      columns: (column) => (column === 0 || column >= 5 ? sole : undefined),
      hard: row.hard ?? false,
    };
  });
  return loft(rings, { capStart: true, capEnd: true });
}

const footWeights = (z: number, build: Build): Weights =>
  chainWeights(z, 'foot_l', [{ joint: 'toe_l', at: build.ball[2], width: 0.06 }]);
