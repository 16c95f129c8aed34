import * as theme from './theme.ts';
import type { ChildModel, MotionModel, TreeModel } from '../controller/model.ts';
import { motionText } from './labels.ts';
import { at, type Block, coordinate, element, line, type Point, rect, stack, text, tooltip } from './svg.ts';
import { clean, fit, short, textWidth } from './text.ts';

/** Children that a card shows; compiled trees have no more than 16. */
const CHILD_LIMIT = 24;
const DEPTH_LIMIT = 6;
const SIZE = 11;

/** A child of a tree as its card shows it. */
interface ShownChild {
  readonly name: string;
  /** Its threshold, or its position. */
  readonly at: readonly number[];
  /** Its clip, where it is one. */
  readonly clip?: string;
}

/**
 * A card for a tree and one for each tree inside it; none for a clip. At most `limit` cards.
 *
 * @param prefix What names of clips begin with, and is not shown.
 */
export function treeCards(motion: MotionModel | undefined, title: string, limit: number, prefix: string): Block[] {
  const cards: Block[] = [];
  const visit = (inner: MotionModel | undefined, path: string, depth: number): void => {
    if (inner === undefined || typeof inner === 'string' || cards.length >= limit) return;
    if (depth >= DEPTH_LIMIT) {
      cards.push(note(`${path}: trees inside are not shown, they are nested too deep`));
      return;
    }
    cards.push(card(inner, path, clean(title), prefix));
    for (const [i, child] of inner.children.slice(0, CHILD_LIMIT).entries()) {
      const name = typeof child.motion === 'object' && child.motion.name ? child.motion.name : `child ${i + 1}`;
      visit(child.motion, `${path} › ${clean(name)}`, depth + 1);
    }
  };
  visit(motion, clean(title), 0);
  return cards;
}

function card(tree: TreeModel, title: string, state: string, prefix: string): Block {
  const body = drawBody(tree, prefix);
  const over = tree.children.length - CHILD_LIMIT;
  const notes = over > 0 ? [note(`… ${over} more children are not shown`)] : [];
  const content = stack([body, ...notes], 4);
  const parameters = tree.blend === '1d' ? [tree.parameter] : tree.blend === 'direct' ? [] : tree.parameters;
  const kind = [motionText(tree, prefix), ...parameters.map(clean)].join(' · ');
  const headWidth = Math.max(textWidth(title, 12, true), textWidth(kind, SIZE));
  const width = Math.ceil(Math.max(content.width, Math.min(360, headWidth))) + 24;
  const height = content.height + 58;
  const svg = element(
    'g',
    { class: 'tree', 'data-tree': state },
    rect(0.5, 0.5, width - 1, height - 1, { rx: 8, fill: '#fbfcfd', stroke: theme.PANEL_EDGE }),
    text(12, 20, title, { bold: true, width: width - 24 }),
    text(12, 36, kind, { size: SIZE, fill: theme.MUTED, width: width - 24 }),
    at(content, 12, 46),
  );
  return { width, height, svg };
}

function note(content: string): Block {
  const style = { size: SIZE, fill: theme.MUTED };
  return { width: textWidth(content, SIZE), height: 16, svg: text(0, 12, content, style) };
}

function drawBody(tree: TreeModel, prefix: string): Block {
  if (tree.children.length === 0) return note('no children');
  if (tree.blend === 'direct') return drawDirect(tree, prefix);
  const children = tree.children
    .slice(0, CHILD_LIMIT)
    .map((child) => ({ name: childName(child, prefix), at: [child.at].flat(), ...clipOf(child) }));
  if (tree.blend === '1d') return drawThresholds(children);
  return drawPlane(children, tree.parameters, tree.blend !== 'freeformCartesian');
}

/** The clip that a child is. */
function clipOf({ motion }: ChildModel): { readonly clip?: string } {
  return typeof motion === 'string' ? { clip: clean(motion) } : {};
}

/** A child's motion and how it is played: `Walk ×1.5`. */
function childName({ motion, timeScale = 1, cycleOffset = 0, mirror }: ChildModel, prefix: string): string {
  const parts = [typeof motion === 'object' ? `▸ ${motionText(motion, prefix)}` : motionText(motion, prefix)];
  if (timeScale !== 1) parts.push(`×${short(timeScale)}`);
  if (cycleOffset !== 0) parts.push(`+${short(cycleOffset)}`);
  if (mirror) parts.push('mirrored');
  return parts.join(' ');
}

function drawDirect(tree: Extract<TreeModel, { blend: 'direct' }>, prefix: string): Block {
  const children = tree.children.slice(0, CHILD_LIMIT);
  const names = children.map((child) => fit(childName(child, prefix), 200, SIZE));
  const weights = children.map(({ weightParameter }) => fit(weightParameter, 140, SIZE));
  const left = Math.max(...weights.map((name) => textWidth(name, SIZE))) + 8;
  const rows = children.map((_, i) => {
    const y = 14 + i * 20;
    return [
      text(0, y, weights[i]!, { size: SIZE, fill: theme.MUTED }),
      line(left, y - 4, left + 24, y - 4, { stroke: theme.AXIS, 'stroke-width': 1.4 }),
      element('circle', {
        cx: left + 26,
        cy: y - 4,
        r: 3.5,
        fill: theme.SERIES[i % theme.SERIES.length],
        'data-clip': clipOf(children[i]!).clip,
      }),
      text(left + 36, y, names[i]!, { size: SIZE }),
    ].join('');
  });
  if (tree.normalized)
    rows.push(text(0, 14 + rows.length * 20, 'divided by their sum', { size: SIZE, fill: theme.MUTED }));
  const width = left + 36 + Math.max(120 - left, ...names.map((name) => textWidth(name, SIZE)));
  return { width, height: rows.length * 20, svg: rows.join('') };
}

const PLOT_HEIGHT = 46;
const ROW_HEIGHT = 17;
const GAP = 12;

/** A 1D tree: over a line with its thresholds, the weight of each child; below, their names. */
function drawThresholds(children: readonly ShownChild[]): Block {
  const sorted = [...children].sort((a, b) => a.at[0]! - b.at[0]!);
  const width = Math.min(560, Math.max(300, sorted.length * 74));
  const values = sorted.map((child) => child.at[0]!).filter(Number.isFinite);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const span = high - low;
  const place = (value: number): number => {
    const share = span > 0 && Number.isFinite(span) && Number.isFinite(value) ? (value - low) / span : 0.5;
    return 14 + share * (width - 28);
  };
  const xs = sorted.map((child) => place(child.at[0]!));
  const hills = sorted.map((_, i) => {
    const [x, before, behind] = [xs[i]!, xs[i - 1] ?? 0, xs[i + 1] ?? width];
    const base = PLOT_HEIGHT - 2;
    const points = [
      [before, i === 0 ? 2 : base],
      [x, 2],
      [behind, i === xs.length - 1 ? 2 : base],
      ...(i === xs.length - 1 ? [[behind, base]] : []),
      ...(i === 0 ? [[before, base]] : []),
    ];
    const fill = theme.SERIES[i % theme.SERIES.length];
    const list = points.map(([a, b]) => `${coordinate(a!)},${coordinate(b!)}`).join(' ');
    return element('polygon', { points: list, fill, 'fill-opacity': '0.28', stroke: fill, 'stroke-width': 1.2 });
  });

  const rowEnds: number[] = [];
  const names: string[] = [];
  const leaders: string[] = [];
  for (const [i, child] of sorted.entries()) {
    const value = short(child.at[0]!);
    const name = fit(child.name, 170, SIZE);
    const valueWidth = textWidth(value, SIZE, true);
    const own = valueWidth + 5 + textWidth(name, SIZE);
    const left = Math.max(0, Math.min(width - own, xs[i]! - own / 2));
    const free = rowEnds.findIndex((end) => end + GAP <= left);
    const row = free >= 0 ? free : rowEnds.length;
    rowEnds[row] = left + own;
    const y = PLOT_HEIGHT + 20 + row * ROW_HEIGHT;
    const stroke = theme.SERIES[i % theme.SERIES.length];
    leaders.push(
      line(xs[i]!, PLOT_HEIGHT, xs[i]!, y - 10, { stroke, 'stroke-dasharray': row > 0 ? '2 2' : undefined }),
    );
    leaders.push(element('circle', { cx: xs[i], cy: PLOT_HEIGHT - 2, r: 3.5, fill: stroke, 'data-clip': child.clip }));
    const back = element('rect', { x: left - 2, y: y - 10, width: own + 4, height: 14, fill: '#fbfcfd' });
    const number = text(left, y, value, { size: SIZE, bold: true, fill: theme.MUTED });
    names.push(back + number + text(left + valueWidth + 5, y, name, { size: SIZE }));
  }
  const axis = line(0, PLOT_HEIGHT - 2, width, PLOT_HEIGHT - 2, { stroke: theme.AXIS });
  return {
    width,
    height: PLOT_HEIGHT + 14 + rowEnds.length * ROW_HEIGHT,
    svg: [...hills, axis, ...leaders, ...names].join(''),
  };
}

/** A rectangle by its corner. */
interface Rectangle extends Point {
  readonly width: number;
  readonly height: number;
}

const WIDTH = 330;
const HEIGHT = 240;
const PAD = { x: 64, y: 30 } as const;
const DOT = 4;

/** A 2D tree: a plane with a point for each child. `square`: both axes have the same scale, as directions need. */
function drawPlane(children: readonly ShownChild[], parameters: readonly [string, string], square: boolean): Block {
  const scale = scales(children, square);
  const points = children.map((child) => {
    const [x, y] = [child.at[0]!, child.at[1]!];
    return { child, x: scale.x(x), y: scale.y(y), place: `(${short(x)}, ${short(y)})` };
  });
  const side = 2 * DOT + 2;
  const taken: Rectangle[] = points.map(({ x, y }) => ({ x: x - DOT - 1, y: y - DOT - 1, width: side, height: side }));
  const corner = { size: SIZE, fill: theme.MUTED };
  const names = [
    text(WIDTH - 6, HEIGHT - 7, `${fit(parameters[0], 150, SIZE)} →`, { ...corner, anchor: 'end' }),
    text(6, 15, `↑ ${fit(parameters[1], 150, SIZE)}`, corner),
  ];
  taken.push({ x: WIDTH - 180, y: HEIGHT - 19, width: 180, height: 19 }, { x: 0, y: 0, width: 180, height: 19 });

  const labels: string[] = [];
  const legend: Block[] = [];
  for (const [i, { child, x, y, place }] of points.entries()) {
    const name = fit(child.name, 120, SIZE);
    const area = freeArea(x, y, textWidth(name, SIZE), taken);
    const shown = area && name === fit(child.name, 1e4, SIZE) ? name : undefined;
    const own = shown === undefined ? freeArea(x, y, textWidth(`${i + 1}`, SIZE, true), taken) : area;
    if (own) {
      taken.push(own);
      labels.push(text(own.x, own.y + 11, shown ?? `${i + 1}`, { size: SIZE, bold: shown === undefined }));
    }
    if (shown !== undefined) continue;
    const entry = text(0, 11, `${i + 1}  ${child.name} ${place}`, { ...corner, width: WIDTH });
    legend.push({ width: WIDTH, height: 15, svg: entry });
  }
  const dots = points.map(({ child, x, y, place }, i) => {
    const style = { r: DOT, fill: theme.SERIES[i % theme.SERIES.length], stroke: theme.PANEL };
    return element('circle', { cx: x, cy: y, ...style, 'data-clip': child.clip }, tooltip(`${child.name} ${place}`));
  });
  const plane = { width: WIDTH, height: HEIGHT, svg: [frame(scale), ...names, ...dots, ...labels].join('') };
  return stack([plane, ...legend], 2);
}

type Extent = { readonly centre: number; readonly span: number };

/** Where values are in the plane. */
function scales(children: readonly ShownChild[], square: boolean) {
  const [x, y] = [0, 1].map((axis) => {
    const values = [0, ...children.map(({ at }) => at[axis]!)].filter(Number.isFinite);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const span = high - low;
    return { centre: low + span / 2, span: Number.isFinite(span) ? span : 0 };
  }) as [Extent, Extent];
  const unit = (span: number, room: number) => (span > 0 ? room / span : Infinity);
  let [unitX, unitY] = [unit(x.span, WIDTH - 2 * PAD.x), unit(y.span, HEIGHT - 2 * PAD.y)];
  if (square) unitX = unitY = Math.min(unitX, unitY);
  const along = (value: number, { centre }: Extent, scale: number) =>
    Number.isFinite(scale) && Number.isFinite(value) ? (value - centre) * scale : 0;
  return {
    x: (value: number) => WIDTH / 2 + along(value, x, unitX),
    y: (value: number) => HEIGHT / 2 - along(value, y, unitY),
  };
}

function frame({ x, y }: ReturnType<typeof scales>): string {
  return [
    rect(0, 0, WIDTH, HEIGHT, { rx: 4, fill: theme.PANEL, stroke: theme.GRID }),
    line(x(0), 1, x(0), HEIGHT - 1, { stroke: theme.PANEL_EDGE }),
    line(1, y(0), WIDTH - 1, y(0), { stroke: theme.PANEL_EDGE }),
  ].join('');
}

/** Free room next to a point for a label of this width. */
function freeArea(x: number, y: number, width: number, taken: readonly Rectangle[]): Rectangle | undefined {
  const height = 14;
  const beside = DOT + 3;
  const corners: [number, number][] = [
    [x - width / 2, y + beside],
    [x - width / 2, y - beside - height],
    [x + beside, y - height / 2],
    [x - beside - width, y - height / 2],
    [x + beside - 2, y + 2],
    [x + beside - 2, y - height - 2],
    [x - beside - width + 2, y + 2],
    [x - beside - width + 2, y - height - 2],
  ];
  const areas = corners.map(([left, top]): Rectangle => ({ x: left, y: top, width, height }));
  return areas.find(
    (area) =>
      area.x >= 3 &&
      area.y >= 2 &&
      area.x + width <= WIDTH - 3 &&
      area.y + height <= HEIGHT - 2 &&
      !taken.some((other) => overlaps(area, other)),
  );
}

function overlaps(a: Rectangle, b: Rectangle): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
