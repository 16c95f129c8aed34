import { type Block, element, line, pair, stack, text } from './svg.ts';
import * as theme from './theme.ts';

/** A skeleton at some moments of a clip. */
export interface StickFigures {
  readonly name: string;
  /** Pairs of joints with a line between them. */
  readonly sticks: readonly {
    readonly from: number;
    readonly to: number;
    readonly side: 'left' | 'right' | 'middle';
  }[];
  /** For each moment x, y and z of all joints, as shares of the height: facing +z, the left is +x, the ground y = 0. */
  readonly poses: readonly ArrayLike<number>[];
}

const COLOURS = { left: '#2f6db5', right: '#c2562d', middle: '#4b5769' } as const;
const NAME_WIDTH = 150;
const HEIGHT = 138;
/** Pixels of a character's height, and of the ground from the bottom. */
const [SCALE, GROUND] = [98, 14];
/** Seen from the front and a little from the left. */
const TURN = 0.6;

/** Skeletons under each other, at the same moments. @param times Seconds, one per pose. */
export function stickBlock(rows: readonly StickFigures[], times: readonly number[], width: number): Block {
  const cell = (width - NAME_WIDTH) / Math.max(1, times.length);
  const labels: Block = {
    width,
    height: 16,
    svg: times
      .map((time, i) =>
        text(NAME_WIDTH + (i + 0.5) * cell, 12, `${time.toFixed(2)} s`, {
          size: 11,
          fill: theme.MUTED,
          anchor: 'middle',
        }),
      ) // prettier-ignore
      .join(''),
  };
  const strips = rows.map((row): Block => {
    const figures = row.poses.map((pose, i) => drawPose(row.sticks, pose, NAME_WIDTH + (i + 0.5) * cell, cell));
    const svg = text(0, HEIGHT / 2, row.name, { size: 12, bold: true, width: NAME_WIDTH - 8 }) + figures.join('');
    return { width, height: HEIGHT, svg };
  });
  return stack([...strips, labels], 4);
}

/** One pose, its first joint in the middle of the cell. */
function drawPose(sticks: StickFigures['sticks'], pose: ArrayLike<number>, middle: number, cell: number): string {
  const [cos, sin] = [Math.cos(TURN), Math.sin(TURN)];
  const root = sticks[0]?.from ?? 0;
  const project = (joint: number): { x: number; y: number; depth: number } => {
    const [dx, y, dz] = [
      pose[3 * joint]! - pose[3 * root]!,
      pose[3 * joint + 1]!,
      pose[3 * joint + 2]! - pose[3 * root + 2]!,
    ];
    const toward = -dx * sin + dz * cos;
    return { x: middle + SCALE * (dx * cos + dz * sin), y: HEIGHT - GROUND - SCALE * y + 0.12 * SCALE * toward, depth: toward }; // prettier-ignore
  };
  const drawn = sticks
    .map(({ from, to, side }) => ({ a: project(from), b: project(to), side }))
    .toSorted((one, other) => one.a.depth + one.b.depth - other.a.depth - other.b.depth)
    .map(
      ({ a, b, side }) =>
      element('path', { d: `M${pair(a)}L${pair(b)}`, stroke: COLOURS[side], 'stroke-width': 3.2, 'stroke-linecap': 'round', fill: 'none' }), // prettier-ignore
    );
  const ground = HEIGHT - GROUND;
  const half = Math.min(cell * 0.42, 44);
  return line(middle - half, ground, middle + half, ground, { stroke: theme.CLUSTER_EDGE }) + drawn.join('');
}
