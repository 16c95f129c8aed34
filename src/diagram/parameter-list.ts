import type { ControllerModel, ParameterModel } from '../controller/model.ts';
import { type Block, element, flow, rect, stack, text, tooltip } from './svg.ts';
import { clean, fit, short, textWidth } from './text.ts';
import * as theme from './theme.ts';
import { heading } from './draw-lists.ts';

const LIMIT = 300;
const SIZE = 12;
const TYPE_SIZE = 11;

/** All parameters with their types and defaults. */
export function parameterList(model: ControllerModel, width: number): Block {
  const parameters = Object.entries<ParameterModel>(model.parameters);
  if (parameters.length === 0) return heading('No parameters', width);
  const chips = parameters.slice(0, LIMIT).map(([name, parameter]) => chip(name, parameter));
  const over = parameters.length - LIMIT;
  const more = over > 0 ? [heading(`… ${over} more parameters are not shown`, width)] : [];
  return stack([heading('Parameters', width), flow(chips, width, 8), ...more], 8);
}

function chip(name: string, parameter: ParameterModel): Block {
  const shown = fit(name, 200, SIZE);
  const initial = defaultText(parameter);
  const colour = theme.PARAMETER_COLOURS[parameter.type] ?? theme.MUTED;
  const typeWidth = Math.ceil(textWidth(parameter.type, TYPE_SIZE)) + 14;
  const nameWidth = textWidth(shown, SIZE);
  const valueWidth = initial === '' ? 0 : textWidth(initial, SIZE) + 8;
  const width = Math.ceil(typeWidth + 8 + nameWidth + valueWidth + 10);
  const svg = element(
    'g',
    { class: 'parameter' },
    tooltip(`${clean(name)}: ${parameter.type} ${initial}`),
    rect(0.5, 0.5, width - 1, 25, { rx: 6, fill: theme.PANEL, stroke: theme.PANEL_EDGE }),
    element('path', { d: `M6.5 .5H${typeWidth}V25.5H6.5a6 6 0 0 1-6-6V6.5a6 6 0 0 1 6-6Z`, fill: colour }),
    text(7, 17, clean(parameter.type), { size: TYPE_SIZE, fill: '#ffffff' }),
    text(typeWidth + 8, 17, shown, { size: SIZE }),
    initial === '' ? '' : text(typeWidth + 16 + nameWidth, 17, initial, { size: SIZE, fill: theme.MUTED }),
  );
  return { width, height: 26, svg };
}

function defaultText(parameter: ParameterModel): string {
  if (parameter.type === 'trigger') return parameter.default ? '= set' : '';
  if (parameter.type === 'bool') return `= ${parameter.default ?? false}`;
  return `= ${short(Number(parameter.default ?? 0))}`;
}
