import * as theme from './theme.ts';
import type { ControllerModel, LayerModel, MachineModel, ParameterModel } from '../controller/model.ts';
import { clipPrefix } from './clip-prefix.ts';
import { drawMachine, drawStates, drawWays, heading } from './draw-machine.ts';
import { legend } from './legend.ts';
import { machineGraph, type MachineGraph } from './machine-graph.ts';
import { placeGraph } from './graph-layout.ts';
import { at, type Block, element, file, flow, rect, stack, text, tooltip } from './svg.ts';
import { clean, counted, fit, short, textWidth, wrap } from './text.ts';
import { treeCards } from './trees.ts';

const MARGIN = 24;
const PANEL_PAD = 18;
/** Panels are never narrower. */
const LEAST_WIDTH = 860;
const LAYER_LIMIT = 64;
const MASK_LINES = 3;

/** Limits of one picture. The rest is counted in a note, so any input makes a file of at most a few MB. */
interface Budget {
  states: number;
  arrows: number;
  trees: number;
}

/**
 * A controller as one SVG file that shows its parameters and, for each layer, the whole machine: states, machines
 * inside, transitions with conditions and timing, and blend trees. Machines that are too large for arrows (more than
 * 160 boxes, 320 pairs of states with transitions, or fewer that lead far) are shown as lists.
 *
 * Any model can be drawn, checked or not. Unknown destinations are drawn as such, and names are escaped and cut with
 * `…`. The rest beyond 1,500 states and 64 layers is counted in a note.
 *
 * Attributes mark the parts of the picture, for programs that show what a character does. A layer's panel has
 * `data-layer` (its index). A box has `data-id`: `state` and its path, or `any`, `entry` or `exit` and the machine's
 * path. An arrow and its label have such ids in `data-from` and `data-to`. The card of a blend tree has `data-tree`
 * (the state's path). A clip in it has `data-clip`.
 */
export function controllerDiagram(model: ControllerModel): string {
  const budget: Budget = { states: 1500, arrows: 1400, trees: 400 };
  const prefix = clipPrefix(model);
  const layers = model.layers.slice(0, LAYER_LIMIT).map((layer, i) => prepareLayer(layer, i, model, budget, prefix));
  const width = Math.max(LEAST_WIDTH, ...layers.map((layer) => layer.width));
  const over = model.layers.length - LAYER_LIMIT;
  const panels = layers.map((layer) => layer.draw(width));
  const more = over > 0 ? [heading(`… ${over} more layers are not shown`, width)] : [];
  const head = [titleBlock(model, width, prefix), parameterList(model, width)];
  const content = stack([...head, ...panels, ...more, legend(width)], 20);
  const height = content.height + 2 * MARGIN;
  const whole = { width: width + 2 * MARGIN, height, svg: at(content, MARGIN, MARGIN) };
  const states = layers.reduce((sum, { stateCount }) => sum + stateCount, 0);
  const parameters = Object.keys(model.parameters).length;
  const counts = [counted(model.layers.length, 'layer'), counted(states, 'state'), counted(parameters, 'parameter')];
  return file(whole, `Animator controller ${clean(model.name)}`, `${counts.join(', ')}.`);
}

function titleBlock(model: ControllerModel, width: number, prefix: string): Block {
  const notes: string[] = [];
  if (model.triggerScope === 'first') notes.push('a trigger serves only the first machine that uses it');
  if (prefix !== '') notes.push(`names of clips begin with “${clean(prefix)}”, which is left out`);
  if (model.latchedExit) notes.push('exit times hold from then on');
  if (model.blendedEvents === 'heaviest') notes.push('only the heaviest clip of a tree fires an event');
  if (model.issues?.length) notes.push(`${model.issues.length} parts were left out or changed on import`);
  const subtitle = notes.length > 0 ? text(0, 42, notes.join(' · '), { fill: theme.MUTED, width }) : '';
  const title = text(0, 22, model.name === '' ? 'Controller' : model.name, { size: 22, bold: true, width });
  return { width, height: notes.length > 0 ? 48 : 28, svg: title + subtitle };
}

/** Places the machine of a layer, which is drawn once the width of all layers is known. */
function prepareLayer(layer: LayerModel, index: number, model: ControllerModel, budget: Budget, prefix: string) {
  const machine = machineOf(layer, model);
  const stateLimit = Math.max(0, Math.min(600, budget.states));
  const graph = machine && machineGraph(machine, { motions: layer.sync?.motions, clipPrefix: prefix, stateLimit });
  const states = graph?.nodes.filter(({ kind }) => kind === 'state') ?? [];
  budget.states -= states.length;
  const placement = graph && !layer.sync && graph.edges.length <= budget.arrows ? placeGraph(graph) : undefined;
  budget.arrows -= placement ? graph!.edges.length : 0;
  const trees = states.flatMap(({ motion, path }) => {
    const cards = treeCards(motion, path, budget.trees, prefix);
    budget.trees -= cards.length;
    return cards;
  });
  const notes = [...(graph?.notes ?? ['This layer has no machine.'])];
  if (trees.length > 0 && budget.trees <= 0) notes.push('Not all blend trees are shown.');
  const draw = (width: number): Block => {
    const inner = width - 2 * PANEL_PAD;
    const parts: Block[] = [layerHead(layer, index, inner)];
    if (graph && placement) parts.push(drawMachine(graph, placement));
    else if (graph) parts.push(...lists(graph, layer, inner));
    const style = { fill: theme.WARN, width: inner };
    for (const note of notes) parts.push({ width: 0, height: 16, svg: text(0, 12, note, style) });
    if (trees.length > 0) parts.push(stack([heading('Blend trees', inner), flow(trees, inner, 14)], 8));
    return panel(stack(parts, 12), width, index);
  };
  return { width: (placement?.width ?? 0) + 2 * PANEL_PAD, stateCount: states.length, draw };
}

/** The machine that a layer runs: its own, or another layer's that it shares, through chains of such layers. */
function machineOf(layer: LayerModel, model: ControllerModel): MachineModel | undefined {
  let source: LayerModel | undefined = layer;
  for (let hops = 0; source?.sync && hops < model.layers.length; hops++) {
    const wanted: string = source.sync.layer;
    source = model.layers.find(({ name }) => name === wanted);
  }
  return source?.sync ? undefined : source?.machine;
}

function lists(graph: MachineGraph, layer: LayerModel, width: number): Block[] {
  const states = drawStates(graph, width);
  const title = heading('Too large to be drawn with arrows; transitions as a list', width);
  return layer.sync ? [states] : [states, stack([title, drawWays(graph, width)], 8)];
}

/** Name, then how the layer lies over those below it, then its mask. */
function layerHead(layer: LayerModel, index: number, width: number): Block {
  const { blend = 'override', weight = 1, weightParameter } = layer;
  const own = weightParameter === undefined ? short(weight) : `= ${clean(weightParameter)}`;
  const facts = index === 0 ? ['base layer', 'weight 1'] : [blend, `weight ${own}`];
  if (layer.sync) facts.push(`in sync with “${clean(layer.sync.layer)}”${layer.sync.timing ? ', its timing too' : ''}`);
  const name = `${index}  ${clean(layer.name)}`;
  const nameWidth = Math.min(width * 0.5, textWidth(name, 16, true));
  const head: Block = {
    width,
    height: 24,
    svg:
      text(0, 18, name, { size: 16, bold: true, width: nameWidth + 1 }) +
      text(nameWidth + 14, 18, facts.join(' · '), { fill: theme.MUTED, width: width - nameWidth - 14 }),
  };
  return stack([head, ...maskLines(layer, width)], 2);
}

function maskLines({ mask }: LayerModel, width: number): Block[] {
  if (!mask) return [];
  const entries = Object.entries(mask);
  const words = entries
    .slice(0, 200)
    .map(([joint, weight]) => (weight === 1 ? clean(joint) : `${clean(joint)} = ${short(weight)}`));
  const lines = wrap(words, width - 120, 12, ', ');
  const shown = entries.length === 0 ? ['no joint'] : lines.slice(0, MASK_LINES);
  if (lines.length > MASK_LINES || entries.length > words.length) shown.push(`… ${entries.length} entries in all`);
  return shown.map((content, i) => {
    const named = i === 0 ? `mask: ${content}` : content;
    return { width: 0, height: 17, svg: text(0, 13, named, { fill: theme.MUTED, width }) };
  });
}

function panel(content: Block, width: number, index: number): Block {
  const height = content.height + 2 * PANEL_PAD;
  const svg = element(
    'g',
    { class: 'layer', 'data-layer': index },
    rect(0.5, 0.5, width - 1, height - 1, { rx: 12, fill: theme.PANEL, stroke: theme.PANEL_EDGE }),
    at(content, PANEL_PAD, PANEL_PAD),
  );
  return { width, height, svg };
}

const PARAMETER_LIMIT = 300;
const CHIP_SIZE = 12;
const TYPE_SIZE = 11;

/** All parameters with their types and defaults. */
function parameterList(model: ControllerModel, width: number): Block {
  const parameters = Object.entries<ParameterModel>(model.parameters);
  if (parameters.length === 0) return heading('No parameters', width);
  const chips = parameters.slice(0, PARAMETER_LIMIT).map(([name, parameter]) => chip(name, parameter));
  const over = parameters.length - PARAMETER_LIMIT;
  const more = over > 0 ? [heading(`… ${over} more parameters are not shown`, width)] : [];
  return stack([heading('Parameters', width), flow(chips, width, 8), ...more], 8);
}

function chip(name: string, parameter: ParameterModel): Block {
  const shown = fit(name, 200, CHIP_SIZE);
  const initial = defaultText(parameter);
  const colour = theme.PARAMETER_COLOURS[parameter.type] ?? theme.MUTED;
  const typeWidth = Math.ceil(textWidth(parameter.type, TYPE_SIZE)) + 14;
  const nameWidth = textWidth(shown, CHIP_SIZE);
  const valueWidth = initial === '' ? 0 : textWidth(initial, CHIP_SIZE) + 8;
  const width = Math.ceil(typeWidth + 8 + nameWidth + valueWidth + 10);
  const svg = element(
    'g',
    { class: 'parameter' },
    tooltip(`${clean(name)}: ${parameter.type} ${initial}`),
    rect(0.5, 0.5, width - 1, 25, { rx: 6, fill: theme.PANEL, stroke: theme.PANEL_EDGE }),
    element('path', { d: `M6.5 .5H${typeWidth}V25.5H6.5a6 6 0 0 1-6-6V6.5a6 6 0 0 1 6-6Z`, fill: colour }),
    text(7, 17, clean(parameter.type), { size: TYPE_SIZE, fill: '#ffffff' }),
    text(typeWidth + 8, 17, shown, { size: CHIP_SIZE }),
    initial === '' ? '' : text(typeWidth + 16 + nameWidth, 17, initial, { size: CHIP_SIZE, fill: theme.MUTED }),
  );
  return { width, height: 26, svg };
}

function defaultText(parameter: ParameterModel): string {
  if (parameter.type === 'trigger') return parameter.default ? '= set' : '';
  if (parameter.type === 'bool') return `= ${parameter.default ?? false}`;
  return `= ${short(Number(parameter.default ?? 0))}`;
}
