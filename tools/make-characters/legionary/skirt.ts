import { loft, oval, type Ring } from '../geometry/loft.ts';
import { blendWeights } from '../geometry/weights.ts';
import { newGroup, Surface, type Weights } from '../geometry/surface.ts';
import { blend, type Rgb } from '../geometry/colour.ts';
import { smoothstep, type Vec3 } from '../math/vec.ts';
import { PALETTE as C } from './palette.ts';

/** Two panels share the skirt, front and back; each half also goes a little with its leg. */
function skirtWeights([x, y, z]: Vec3): Weights {
  const front = smoothstep(-0.09, 0.09, z);
  const panels: Weights = [
    ['skirt_front', front],
    ['skirt_back', 1 - front],
  ];
  const legs: Weights = [
    ['thigh_l', smoothstep(-0.08, 0.08, x)],
    ['thigh_r', 1 - smoothstep(-0.08, 0.08, x)],
  ];
  // at the sides no flap is pushed: the leg alone decides
  const legShare = 0.22 + 0.3 * smoothstep(0.06, 0.18, Math.abs(x));
  return blendWeights([['pelvis', 1]], blendWeights(panels, legs, legShare), smoothstep(0.975, 0.82, y));
}

/** The tunic's hem, pleated, with a dark inside. */
function tunic(): Surface {
  const count = 12;
  const pleat = (depth: number) => (column: number) => 1 + (column % 2 === 0 ? depth : -depth);
  const row = (y: number, side: number, front: number, depth: number, paint: Rgb, hard = false): Ring => ({
    points: oval([0, y, -0.004], [side, 0, 0], [0, 0, front], count, { power: 2.2, shape: pleat(depth) }),
    skin: skirtWeights,
    paint,
    hard,
  });
  return loft([
    row(0.98, 0.15, 0.122, 0, C.crimsonDeep),
    row(0.8, 0.19, 0.158, 0.02, C.crimson),
    row(0.64, 0.222, 0.192, 0.045, C.crimsonBright),
    row(0.605, 0.23, 0.2, 0.05, C.lining, true),
    row(0.74, 0.15, 0.13, 0.02, C.lining),
  ]);
}

const STRIPS = 12;
const STRIP_TOP = 0.972;

/** One leather strip with a raised middle and a brass tip. */
function strip(index: number): Surface {
  const surface = new Surface();
  const angle = ((index + 0.5) / STRIPS) * Math.PI * 2;
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const half = (Math.PI / STRIPS) * 0.86;
  const at = (y: number, turn: number, out: number): Vec3 => {
    const open = (STRIP_TOP - y) * 0.2;
    const a = angle + turn * half;
    return [Math.sin(a) * (0.166 + open) + sin * out, y, Math.cos(a) * (0.134 + open * 1.08) - 0.004 + cos * out];
  };
  const heights = [STRIP_TOP, 0.755, 0.72] as const;
  const rows = heights.map((y) => [at(y, -1, 0.004), at(y, 0, 0.016), at(y, 1, 0.004)]);
  const tip = surface.point(at(0.69, 0, 0.012), skirtWeights);
  const grid = rows.map((row) => row.map((p) => surface.point(p, skirtWeights)));
  const leather = index % 2 === 0 ? C.strap : blend(C.strap, C.leather, 0.45);
  const bands = [leather, C.gold];
  for (let i = 0; i < 2; i++) {
    for (let k = 0; k < 2; k++) {
      const corners = [grid[i + 1]![k]!, grid[i + 1]![k + 1]!, grid[i]![k + 1]!, grid[i]![k]!];
      surface.face(corners, { paint: bands[i]!, group: 0, material: i === 1 ? 'metal' : 'matte' });
    }
  }
  const group = newGroup();
  surface.face([grid[2]![0]!, tip, grid[2]![1]!], { paint: C.gold, group, material: 'metal' });
  surface.face([grid[2]![1]!, tip, grid[2]![2]!], { paint: C.gold, group, material: 'metal' });
  return surface;
}

export function skirt(): Surface {
  const surface = tunic();
  for (let i = 0; i < STRIPS; i++) surface.append(strip(i));
  return surface;
}
