import type { Point } from './box.ts';
import { coordinate } from './svg.ts';

/**
 * A smooth path through points that follow each other along x (`horizontal`) or y: it never swings past them, and
 * leaves and arrives along that axis.
 */
export function smoothPath(route: readonly Point[], horizontal: boolean): string {
  const cross = (point: Point | undefined) => (horizontal ? point?.y : point?.x);
  const points = route.filter((point, i) => {
    const inside = i > 0 && i < route.length - 1;
    return !inside || cross(point) !== cross(route[i - 1]) || cross(point) !== cross(route[i + 1]);
  });
  const u = points.map(({ x, y }) => (horizontal ? x : y));
  const v = points.map(({ x, y }) => (horizontal ? y : x));
  const at = (a: number, b: number) =>
    horizontal ? `${coordinate(a)} ${coordinate(b)}` : `${coordinate(b)} ${coordinate(a)}`;
  const slopes = u.slice(1).map((end, i) => (end === u[i] ? 0 : (v[i + 1]! - v[i]!) / (end - u[i]!)));
  const tangents = u.map((_, i) => {
    const [before, behind] = [slopes[i - 1], slopes[i]];
    if (before === undefined || behind === undefined || before * behind <= 0) return 0;
    return Math.sign(before) * Math.min(Math.abs(before), Math.abs(behind), Math.abs(before + behind) / 4);
  });
  let path = `M${at(u[0]!, v[0]!)}`;
  for (let i = 1; i < u.length; i++) {
    const length = (u[i]! - u[i - 1]!) / (slopes[i - 1] === 0 ? 3 : 2);
    if (slopes[i - 1] === 0 && tangents[i - 1] === 0 && tangents[i] === 0) path += `L${at(u[i]!, v[i]!)}`;
    else {
      const first = at(u[i - 1]! + length, v[i - 1]! + tangents[i - 1]! * length);
      path += `C${first} ${at(u[i]! - length, v[i]! - tangents[i]! * length)} ${at(u[i]!, v[i]!)}`;
    }
  }
  return path;
}

/** A filled arrow head with its tip at `tip`, for a line from `from` along one axis. */
export function arrowHead(tip: Point, from: Point, horizontal: boolean): string {
  const [length, half] = [9, 4];
  const sign = horizontal ? Math.sign(tip.x - from.x) || 1 : Math.sign(tip.y - from.y) || 1;
  const corner = (side: number): string =>
    horizontal
      ? `${coordinate(tip.x - sign * length)} ${coordinate(tip.y + side * half)}`
      : `${coordinate(tip.x + side * half)} ${coordinate(tip.y - sign * length)}`;
  return `M${coordinate(tip.x)} ${coordinate(tip.y)}L${corner(1)}L${corner(-1)}Z`;
}
