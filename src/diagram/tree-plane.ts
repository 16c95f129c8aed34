import { type Block, element, line, rect, stack, text, tooltip } from './svg.ts';
import { fit, short, textWidth } from './text.ts';
import * as theme from './theme.ts';

/** A child of a tree as its card shows it. */
export interface ShownChild {
  readonly name: string;
  /** Its threshold, or its position. */
  readonly at: readonly number[];
  /** Its clip, where it is one. */
  readonly clip?: string;
}

const SIZE = 11;
const WIDTH = 330;
const HEIGHT = 240;
const PAD = { x: 64, y: 30 } as const;
const DOT = 4;

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A 2D tree: a plane with a point for each child. `square`: both axes have the same scale, as directions need. */
export function drawPlane(
  children: readonly ShownChild[],
  parameters: readonly [string, string],
  square: boolean,
): Block {
  const scale = scales(children, square);
  const points = children.map((child) => ({ child, x: scale.x(child.at[0]!), y: scale.y(child.at[1]!) }));
  const taken: Area[] = points.map(({ x, y }) => ({
    x: x - DOT - 1,
    y: y - DOT - 1,
    width: 2 * DOT + 2,
    height: 2 * DOT + 2,
  }));
  const corner = { size: SIZE, fill: theme.MUTED };
  const names = [
    text(WIDTH - 6, HEIGHT - 7, `${fit(parameters[0], 150, SIZE)} →`, { ...corner, anchor: 'end' }),
    text(6, 15, `↑ ${fit(parameters[1], 150, SIZE)}`, corner),
  ];
  taken.push({ x: WIDTH - 180, y: HEIGHT - 19, width: 180, height: 19 }, { x: 0, y: 0, width: 180, height: 19 });

  const labels: string[] = [];
  const legend: Block[] = [];
  for (const [i, { child, x, y }] of points.entries()) {
    const place = `(${short(child.at[0]!)}, ${short(child.at[1]!)})`;
    const name = fit(child.name, 120, SIZE);
    const area = freeArea(x, y, textWidth(name, SIZE), taken);
    const shown = area && name === fit(child.name, 1e4, SIZE) ? name : undefined;
    const own = shown === undefined ? freeArea(x, y, textWidth(`${i + 1}`, SIZE, true), taken) : area;
    if (own) {
      taken.push(own);
      labels.push(text(own.x, own.y + 11, shown ?? `${i + 1}`, { size: SIZE, bold: shown === undefined }));
    }
    if (shown === undefined) legend.push(legendLine(`${i + 1}  ${child.name} ${place}`));
  }
  const dots = points.map(({ child, x, y }, i) =>
    element(
      'circle',
      {
        cx: x,
        cy: y,
        r: DOT,
        fill: theme.SERIES[i % theme.SERIES.length],
        stroke: theme.PANEL,
        'data-clip': child.clip,
      },
      tooltip(`${child.name} (${short(child.at[0]!)}, ${short(child.at[1]!)})`),
    ),
  );
  const plane = {
    width: WIDTH,
    height: HEIGHT,
    svg: [frame(scale), ...names, ...dots, ...labels].join(''),
  };
  return stack([plane, ...legend], 2);
}

interface Scales {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
}

function scales(children: readonly ShownChild[], square: boolean): Scales {
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
    x: (value) => WIDTH / 2 + along(value, x, unitX),
    y: (value) => HEIGHT / 2 - along(value, y, unitY),
  };
}

interface Extent {
  readonly centre: number;
  readonly span: number;
}

function frame({ x, y }: Scales): string {
  return [
    rect(0, 0, WIDTH, HEIGHT, { rx: 4, fill: theme.PANEL, stroke: theme.GRID }),
    line(x(0), 1, x(0), HEIGHT - 1, { stroke: theme.PANEL_EDGE }),
    line(1, y(0), WIDTH - 1, y(0), { stroke: theme.PANEL_EDGE }),
  ].join('');
}

/** Free room next to a point for a label of this width. */
function freeArea(x: number, y: number, width: number, taken: readonly Area[]): Area | undefined {
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
  const areas = corners.map(([left, top]): Area => ({ x: left, y: top, width, height }));
  return areas.find(
    (area) =>
      area.x >= 3 &&
      area.y >= 2 &&
      area.x + width <= WIDTH - 3 &&
      area.y + height <= HEIGHT - 2 &&
      !taken.some((other) => overlaps(area, other)),
  );
}

function overlaps(a: Area, b: Area): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function legendLine(content: string): Block {
  return { width: WIDTH, height: 15, svg: text(0, 11, content, { size: SIZE, fill: theme.MUTED, width: WIDTH }) };
}
