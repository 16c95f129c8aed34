// Marks in a controller's diagram the states and transitions that a character is in. The diagram itself is drawn once.
import type { ControllerState, LayerState } from '../../src/index.ts';

const SVG = 'http://www.w3.org/2000/svg';

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly path: SVGPathElement;
  readonly group: SVGGElement;
}

interface Layer {
  readonly boxes: ReadonlyMap<string, SVGGElement>;
  readonly arrows: readonly Arrow[];
  readonly trees: ReadonlyMap<string, readonly SVGElement[]>;
  readonly progress: SVGRectElement;
  readonly dot: SVGCircleElement;
}

/** The live part of a diagram. */
export interface Overlay {
  /** Shows a state. Returns its box, in pixels of the diagram. */
  show(state: ControllerState): DOMRect | undefined;
}

export function overlayOn(svg: SVGSVGElement): Overlay {
  const layers = [...svg.querySelectorAll<SVGGElement>('g.layer')].map(prepare);
  return {
    show(state) {
      const boxes = state.layers.map((layer, i) => layers[i] && showLayer(layers[i], layer));
      const box = boxes.find((found) => found !== undefined);
      return box && inDiagram(svg, box);
    },
  };
}

function prepare(panel: SVGGElement): Layer {
  const all = (selector: string) => [...panel.querySelectorAll<SVGGElement>(selector)];
  const boxes = new Map(all('g.node').map((box) => [box.dataset.id!, box]));
  const arrows = all('g.arrow').map((group): Arrow => {
    const { from, to } = group.dataset as { from: string; to: string };
    return { from, to, group, path: group.querySelector('path')! };
  });
  const trees = new Map<string, SVGElement[]>();
  for (const card of all('g.tree')) {
    const marks = trees.get(card.dataset.tree!) ?? [];
    marks.push(...card.querySelectorAll<SVGElement>('[data-clip]'));
    trees.set(card.dataset.tree!, marks);
  }
  panel.querySelector('text')?.classList.add('far-title');
  for (const box of boxes.values()) box.append(farName(box, 'middle'));
  for (const machine of all('g.machine')) machine.append(farName(machine, 'start'));
  const progress = document.createElementNS(SVG, 'rect');
  progress.classList.add('live-progress');
  const dot = document.createElementNS(SVG, 'circle');
  dot.classList.add('live-dot');
  dot.setAttribute('r', '6');
  // boxes, arrows and their marks share one space
  const space = boxes.values().next().value?.parentElement;
  for (const ground of space?.querySelectorAll(':scope > rect') ?? []) ground.classList.add('title-ground');
  space?.append(progress, dot);
  return { boxes, arrows, trees, progress, dot };
}

/** The name of a box, in its middle or at its upper left: for diagrams that are too small for their other text. */
function farName(box: SVGGElement, anchor: 'middle' | 'start'): SVGTextElement {
  const frame = box.querySelector('rect')!;
  const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name) => Number(frame.getAttribute(name)));
  const name = document.createElementNS(SVG, 'text');
  name.classList.add('far-name', anchor);
  name.textContent = box.querySelector(anchor === 'middle' ? 'text' : 'title')?.textContent ?? '';
  name.setAttribute('x', String(anchor === 'middle' ? x! + width! / 2 : x! + 12));
  name.setAttribute('y', String(anchor === 'middle' ? y! + height! / 2 : y! + 8));
  return name;
}

function showLayer(layer: Layer, state: LayerState): SVGGElement | undefined {
  const { boxes, arrows, progress, dot } = layer;
  const [from, to] = [`state ${state.state}`, state.next === null ? undefined : `state ${state.next}`];
  for (const [id, box] of boxes) {
    box.classList.toggle('live', id === from);
    box.classList.toggle('live-next', id === to);
  }
  const way = to === undefined ? [] : wayOf(arrows, from, to);
  for (const arrow of arrows) arrow.group.classList.toggle('live', way.includes(arrow));
  const box = boxes.get(from);
  showPhase(progress, box, state.phase);
  showDot(dot, way, state.progress);
  showWeights(layer, state);
  return boxes.get(to ?? from) ?? box;
}

/** Shows the phase of a state as a bar along the bottom of its box. */
function showPhase(bar: SVGRectElement, box: SVGGElement | undefined, phase: number): void {
  const frame = box?.querySelector('rect');
  bar.style.display = frame ? '' : 'none';
  if (!frame) return;
  const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name) => Number(frame.getAttribute(name))) as [
    number,
    number,
    number,
    number,
  ];
  const values = { x: x + 3, y: y + height - 6, width: Math.max(0, (width - 6) * phase), height: 3, rx: 1.5 };
  for (const [name, value] of Object.entries(values)) bar.setAttribute(name, String(value));
}

function showDot(dot: SVGCircleElement, way: readonly Arrow[], progress: number): void {
  dot.style.display = way.length > 0 ? '' : 'none';
  if (way.length === 0) return;
  const lengths = way.map(({ path }) => path.getTotalLength());
  let left = progress * lengths.reduce((sum, length) => sum + length, 0);
  let i = 0;
  while (i < way.length - 1 && left > lengths[i]!) left -= lengths[i++]!;
  const at = way[i]!.path.getPointAtLength(left);
  dot.setAttribute('cx', String(at.x));
  dot.setAttribute('cy', String(at.y));
}

/** Shows the clip weights in the blend trees of both states, by size. */
function showWeights({ trees }: Layer, { state, next, motions }: LayerState): void {
  const most = Math.max(1e-6, ...motions.map(({ weight }) => weight));
  for (const [tree, marks] of trees) {
    const isLive = tree === state || tree === next;
    for (const mark of marks) {
      const weight = isLive ? (motions.find(({ clip }) => clip === mark.dataset.clip)?.weight ?? 0) : 0;
      mark.setAttribute('r', String(4 + (7 * weight) / most));
      mark.classList.toggle('live', weight > 0.001);
    }
  }
}

/**
 * Finds the arrows from one state to another: one, or several through entries and exits of machines. Transitions from any state
 * begin at that box. Empty for changes without an arrow, such as a cross-fade by the application.
 */
function wayOf(arrows: readonly Arrow[], from: string, to: string): readonly Arrow[] {
  for (const start of [from, 'any ']) {
    const waiting: (readonly Arrow[])[] = arrows.filter((arrow) => arrow.from === start).map((arrow) => [arrow]);
    const seen = new Set<string>();
    for (let way = waiting.shift(); way; way = waiting.shift()) {
      const { to: end } = way.at(-1)!;
      if (end === to) return way;
      if (end.startsWith('state ') || seen.has(end)) continue;
      seen.add(end);
      waiting.push(...arrows.filter((arrow) => arrow.from === end).map((arrow) => [...way!, arrow]));
    }
  }
  return [];
}

/** The bounds of a part, in pixels of the diagram; undefined while the diagram is not drawn. */
export function inDiagram(svg: SVGSVGElement, box: SVGGElement): DOMRect | undefined {
  const [toScreen, boxToScreen] = [svg.getScreenCTM(), box.getScreenCTM()];
  if (!toScreen || !boxToScreen) return undefined;
  const toDiagram = toScreen.inverse().multiply(boxToScreen);
  const { x, y, width, height } = box.getBBox();
  const corner = new DOMPoint(x, y).matrixTransform(toDiagram);
  return new DOMRect(corner.x, corner.y, width * toDiagram.a, height * toDiagram.d);
}
