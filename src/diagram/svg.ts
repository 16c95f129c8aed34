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
  readonly italic?: boolean;
  readonly fill?: string;
  readonly anchor?: 'start' | 'middle' | 'end';
  /** Cut with … to this width. */
  readonly width?: number;
}

/** A line of text; `y` is its baseline. */
export function text(x: number, y: number, content: string, style: TextStyle = {}): string {
  const { size = 12, bold = false, italic = false, fill = INK, anchor = 'start', width = Infinity } = style;
  const shown = width === Infinity ? clean(content) : fit(content, width, size, bold);
  return element(
    'text',
    {
      x,
      y,
      fill,
      'font-size': size,
      'font-weight': bold ? '600' : undefined,
      'font-style': italic ? 'italic' : undefined,
      'text-anchor': anchor === 'start' ? undefined : anchor,
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
