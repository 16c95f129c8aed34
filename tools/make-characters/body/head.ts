import { loft, oval, type Ring } from '../geometry/loft.ts';
import { Surface, type Weights } from '../geometry/surface.ts';
import type { Paint, Rgb } from '../geometry/colour.ts';
import type { Vec3 } from '../math/vec.ts';

/** A horizontal slice of the head. */
interface HeadRow {
  readonly y: number;
  readonly wide: number;
  readonly deep: number;
  readonly z: number;
  readonly paint: Paint;
  /** Columns from here round the back to its mirror image are hair. */
  readonly hairFrom?: number;
  /** Sockets, cheeks: column → factor. Mirrored. */
  readonly dents?: Readonly<Record<number, number>>;
  readonly hard?: boolean;
  readonly power?: number;
}

const HEAD_COLUMNS = 12;
const HEAD: Weights = [['head', 1]];

/** The column's mirror image counts as the column itself. */
const folded = (column: number): number => Math.min(column, HEAD_COLUMNS - column);

export function skull(rows: readonly HeadRow[], hair: Rgb): Surface {
  const rings = rows.map((row): Ring => {
    const { hairFrom } = row;
    return {
      points: oval([0, row.y, row.z], [row.wide, 0, 0], [0, 0, row.deep], HEAD_COLUMNS, {
        power: row.power ?? 2.15,
        shape: (column) => row.dents?.[folded(column)] ?? 1,
      }),
      skin: HEAD,
      paint: row.paint,
      columns: (column) =>
        hairFrom !== undefined && column >= hairFrom && column < HEAD_COLUMNS - hairFrom ? hair : undefined,
      hard: row.hard ?? false,
    };
  });
  return loft(rings, { capStart: true });
}

interface FacePlan {
  /** Middle of the left eye. */
  readonly eye: Vec3;
  readonly eyeSize: readonly [number, number];
  readonly white: Rgb;
  readonly iris: Rgb;
  readonly brow: Rgb;
  readonly browTilt: number;
  /** Bridge, tip and foot of the nose, on the middle line. */
  readonly nose: readonly [Vec3, Vec3, Vec3];
  readonly noseWidth: number;
  readonly skin: Rgb;
  readonly skinDeep: Rgb;
  readonly ears?: Vec3;
}

/** Nose, eyes, brows and ears: small plates that sit on the skull. */
export function face(plan: FacePlan): Surface {
  const surface = new Surface();
  const [bridge, tip, base] = plan.nose;
  const half = plan.noseWidth / 2;
  const wing: Vec3 = [half, base[1] + 0.006, base[2] + 0.008];
  surface.polygon([bridge, tip, wing], HEAD, { paint: plan.skin });
  surface.polygon([bridge, wing, [half * 0.75, bridge[1] - 0.012, bridge[2] - 0.016]], HEAD, { paint: plan.skin });
  surface.polygon([tip, base, wing], HEAD, { paint: plan.skinDeep });
  eye(surface, plan);
  if (plan.ears) ear(surface, plan.ears, plan);
  return surface.withMirror();
}

function eye(surface: Surface, { eye: [x, y, z], eyeSize: [w, h], white, iris, brow, browTilt }: FacePlan): void {
  // outer points stand further back, as the face curves away
  const at = (dx: number, dy: number, out: number): Vec3 => [x + dx, y + dy, z - dx * 0.42 + out];
  surface.polygon(
    [
      at(-w, -h * 0.1, 0),
      at(-w * 0.3, -h, 0),
      at(w * 0.6, -h * 0.8, 0),
      at(w, h * 0.3, 0),
      at(w * 0.3, h, 0),
      at(-w * 0.6, h * 0.8, 0),
    ],
    HEAD,
    { paint: white },
  );
  const r = h * 1.22;
  surface.polygon(
    [
      at(-r * 0.9, -r * 0.4, 0.0025),
      at(0, -r, 0.0025),
      at(r * 0.9, -r * 0.4, 0.0025),
      at(r * 0.9, r * 0.5, 0.0025),
      at(0, r * 0.95, 0.0025),
      at(-r * 0.9, r * 0.5, 0.0025),
    ],
    HEAD,
    { paint: iris },
  );
  const lift = h + 0.001;
  surface.polygon(
    [
      at(-w * 1.15, lift - browTilt, 0.006),
      at(w * 1.25, lift + browTilt * 0.4, 0.004),
      at(w * 1.1, lift + browTilt * 0.4 + 0.008, 0.004),
      at(-w * 1.1, lift - browTilt + 0.011, 0.006),
    ],
    HEAD,
    { paint: brow },
  );
}

function ear(surface: Surface, [x, y, z]: Vec3, { skin, skinDeep }: FacePlan): void {
  const rim: Vec3[] = [
    [x, y - 0.03, z + 0.012],
    [x + 0.006, y + 0.012, z + 0.014],
    [x + 0.022, y + 0.034, z - 0.012],
    [x + 0.016, y - 0.01, z - 0.022],
  ];
  surface.polygon([rim[0]!, rim[3]!, rim[2]!, rim[1]!], HEAD, { paint: skin });
  surface.polygon([rim[0]!, rim[1]!, rim[2]!, rim[3]!], HEAD, { paint: skinDeep });
}
