import { clean, fit } from './text.ts';
import { INK } from './theme.ts';

/** A drawing with its corner at the origin: `svg` holds its elements. */
export interface Block {
  readonly width: number;
  readonly height: number;
  readonly svg: string;
}

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Coordinates to a tenth of a pixel. */
export function coordinate(value: number): string {
  return Number.isFinite(value) ? String(Math.round(value * 10) / 10) : '0';
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** One element. Attribute values are this project's own, never names from files; children are elements. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  let open = `<${name}`;
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    open += ` ${key}="${typeof value === 'number' ? coordinate(value) : escapeXml(value)}"`;
  }
  return children.length === 0 ? `${open}/>` : `${open}>${children.join('')}</${name}>`;
}

/** The text that viewers show when the pointer rests on the surrounding element. */
export function tooltip(text: string): string {
  return `<title>${escapeXml(clean(text))}</title>`;
}

interface TextStyle {
  readonly size?: number;
  readonly bold?: boolean;
  readonly fill?: string;
  readonly anchor?: 'middle' | 'end';
  /** Cut with … to this width. */
  readonly width?: number;
}

/** A line of text; `y` is its baseline. */
export function text(x: number, y: number, content: string, style: TextStyle = {}): string {
  const { size = 12, bold = false, fill = INK, anchor, width = Infinity } = style;
  const shown = width === Infinity ? clean(content) : fit(content, width, size, bold);
  return element(
    'text',
    {
      x,
      y,
      fill,
      'font-size': size,
      'font-weight': bold ? '600' : undefined,
      'text-anchor': anchor,
    },
    escapeXml(shown),
  );
}

export function rect(x: number, y: number, width: number, height: number, attributes: Attributes): string {
  return element('rect', { x, y, width, height, ...attributes });
}

export function line(x1: number, y1: number, x2: number, y2: number, attributes: Attributes): string {
  return element('line', { x1, y1, x2, y2, ...attributes });
}

/** The elements of a block, moved. */
export function at(block: Block, x: number, y: number): string {
  return block.svg === '' ? '' : `<g transform="translate(${coordinate(x)} ${coordinate(y)})">${block.svg}</g>`;
}

/** Blocks under each other. */
export function stack(blocks: readonly Block[], gap: number): Block {
  const shown = blocks.filter(({ height }) => height > 0);
  let y = 0;
  let svg = '';
  for (const block of shown) {
    svg += at(block, 0, y);
    y += block.height + gap;
  }
  return { width: Math.max(0, ...shown.map(({ width }) => width)), height: Math.max(0, y - gap), svg };
}

/** Blocks in rows that are at most `width` wide (wider only where one block is). */
export function flow(blocks: readonly Block[], width: number, gap: number): Block {
  const rows: Block[] = [];
  let row: Block = { width: 0, height: 0, svg: '' };
  for (const block of blocks) {
    const x = row.width === 0 ? 0 : row.width + gap;
    if (x > 0 && x + block.width > width) {
      rows.push(row);
      row = { width: block.width, height: block.height, svg: at(block, 0, 0) };
    } else {
      row = { width: x + block.width, height: Math.max(row.height, block.height), svg: row.svg + at(block, x, 0) };
    }
  }
  return stack([...rows, row], gap);
}

/** A whole file: its own light background, a name for readers of screens, and the system's sans font. */
export function file(content: Block, name: string, description: string): string {
  const [width, height] = [Math.ceil(content.width), Math.ceil(content.height)];
  const open = [
    '<svg xmlns="http://www.w3.org/2000/svg"',
    `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`,
    'role="img" aria-labelledby="picture-title picture-description"',
    "font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif\">",
  ].join(' ');
  const background = rect(0, 0, width, height, { fill: '#f3f5f8' });
  return [
    open,
    `<title id="picture-title">${escapeXml(clean(name))}</title>`,
    `<desc id="picture-description">${escapeXml(clean(description))}</desc>`,
    background,
    content.svg,
    '</svg>\n',
  ].join('\n');
}

/** A place in a diagram, in pixels from the top left corner. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A rectangle by its centre. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** Coordinates along the ranks of a graph, which follow each other in x (`horizontal`) or y, and across. */
export class Axes {
  constructor(readonly horizontal: boolean) {}

  along({ x, y }: Point): number {
    return this.horizontal ? x : y;
  }

  across({ x, y }: Point): number {
    return this.horizontal ? y : x;
  }

  point(along: number, across: number): Point {
    return this.horizontal ? { x: along, y: across } : { x: across, y: along };
  }

  lengthAlong({ width, height }: Omit<Box, keyof Point>): number {
    return this.horizontal ? width : height;
  }

  lengthAcross({ width, height }: Omit<Box, keyof Point>): number {
    return this.horizontal ? height : width;
  }
}

/** A point of a path. */
export function pair({ x, y }: Point): string {
  return `${coordinate(x)} ${coordinate(y)}`;
}

/** A smooth path through points that follow each other along an axis: it never swings past them, and leaves and arrives along it. */
export function smoothPath(route: readonly Point[], axes: Axes): string {
  const cross = (point: Point | undefined) => point && axes.across(point);
  const points = route.filter((point, i) => {
    const inside = i > 0 && i < route.length - 1;
    return !inside || cross(point) !== cross(route[i - 1]) || cross(point) !== cross(route[i + 1]);
  });
  const u = points.map((point) => axes.along(point));
  const v = points.map((point) => axes.across(point));
  const at = (a: number, b: number) => pair(axes.point(a, b));
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

/** A filled arrow head with its tip at `tip`, for a line from `from` along an axis. */
export function arrowHead(tip: Point, from: Point, axes: Axes): string {
  const sign = Math.sign(axes.along(tip) - axes.along(from)) || 1;
  const corner = (side: number) => pair(axes.point(axes.along(tip) - sign * 9, axes.across(tip) + side * 4));
  return `M${pair(tip)}L${corner(1)}L${corner(-1)}Z`;
}
