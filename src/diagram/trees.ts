import type { ChildModel, MotionModel, TreeModel } from '../controller/model.ts';
import { motionText } from './labels.ts';
import { type Block, at, element, line, rect, stack, text } from './svg.ts';
import { clean, fit, short, textWidth } from './text.ts';
import * as theme from './theme.ts';
import { drawPlane } from './tree-plane.ts';
import { drawThresholds } from './tree-line.ts';

/** Children that a card shows; compiled trees have no more than 16. */
const CHILD_LIMIT = 24;
const DEPTH_LIMIT = 6;
const SIZE = 11;

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
  const width = Math.ceil(Math.max(content.width, Math.min(360, headWidth(title, kind)))) + 24;
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

function headWidth(title: string, kind: string): number {
  return Math.max(textWidth(title, 12, true), textWidth(kind, SIZE));
}

function note(content: string): Block {
  const style = { size: SIZE, fill: theme.MUTED };
  return { width: textWidth(content, SIZE), height: 16, svg: text(0, 12, content, style) };
}

function drawBody(tree: TreeModel, prefix: string): Block {
  if (tree.children.length === 0) return note('no children');
  if (tree.blend === '1d') {
    return drawThresholds(
      tree.children
        .slice(0, CHILD_LIMIT)
        .map((child) => ({ name: childName(child, prefix), at: [child.at], ...clipOf(child) })),
    );
  }
  if (tree.blend === 'direct') return drawDirect(tree, prefix);
  const children = tree.children
    .slice(0, CHILD_LIMIT)
    .map((child) => ({ name: childName(child, prefix), at: child.at, ...clipOf(child) }));
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
