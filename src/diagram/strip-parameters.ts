import type { SimulatedStep } from './simulated-step.ts';
import { type Block, coordinate, element, line, rect, stack, text, tooltip } from './svg.ts';
import { stripName, STRIP_TEXT, tint } from './strips.ts';
import { short } from './text.ts';
import * as theme from './theme.ts';
import type { TimeScale } from './time-scale.ts';

const NUMBER_HEIGHT = 32;
const FLAG_HEIGHT = 16;
const LIMIT = 32;

/** A line for each number and a bar for each flag; values hold for the whole of their step. */
export function parameterStrips(steps: readonly SimulatedStep[], scale: TimeScale): Block[] {
  const names = new Set<string>();
  for (const { parameters } of steps) for (const name of Object.keys(parameters ?? {})) names.add(name);
  const strips = [...names].slice(0, LIMIT).map((name) => parameterStrip(name, steps, scale));
  if (names.size > LIMIT) {
    const more = text(0, 12, `… ${names.size - LIMIT} more parameters are not shown`, {
      size: STRIP_TEXT,
      fill: theme.MUTED,
    });
    strips.push({ width: scale.width, height: 16, svg: more });
  }
  return strips.length === 0 ? [] : [stack(strips, 6)];
}

function parameterStrip(name: string, steps: readonly SimulatedStep[], scale: TimeScale): Block {
  const values = steps.map(({ parameters }) =>
    parameters && Object.hasOwn(parameters, name) ? parameters[name] : undefined,
  );
  const isFlag = values.every((value) => value === undefined || typeof value === 'boolean');
  return isFlag ? flagStrip(name, values, scale) : numberStrip(name, values.map(Number), scale);
}

function flagStrip(name: string, values: readonly unknown[], scale: TimeScale): Block {
  const runs: { share: number; x0: number; x1: number }[] = [];
  for (const { from, to, x0, x1 } of scale.columns) {
    let count = 0;
    for (let i = from; i < to; i++) count += Number(values[i] === true);
    // where a pixel holds both values the bar is paler
    const share = count === 0 ? 0 : count === to - from ? 0.75 : 0.4;
    const last = runs.at(-1);
    if (last?.share === share && Math.abs(last.x1 - x0) < 0.01) last.x1 = x1;
    else if (share > 0) runs.push({ share, x0, x1 });
  }
  const [left, right] = [scale.x(scale.start), scale.x(scale.end)];
  const ground = rect(left, 2, right - left, FLAG_HEIGHT - 4, { fill: theme.GRID });
  const fill = theme.PARAMETER_COLOURS.bool;
  const bars = runs.map(({ share, x0, x1 }) =>
    rect(x0, 2, Math.max(1, x1 - x0), FLAG_HEIGHT - 4, { fill: tint(fill, share) }),
  );
  const svg = stripName(name, 12) + element('g', { class: 'flag' }, tooltip(name), ground, ...bars);
  return { width: scale.width, height: FLAG_HEIGHT, svg };
}

function numberStrip(name: string, values: readonly number[], scale: TimeScale): Block {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const isFlat = !(high - low > 0) || !Number.isFinite(high - low);
  const y = (value: number) =>
    isFlat ? NUMBER_HEIGHT / 2 : 3 + (NUMBER_HEIGHT - 6) * (1 - (value - low) / (high - low));
  let path = '';
  let [lastX, lastY] = ['', ''];
  for (const { from, to, x0, x1 } of scale.columns) {
    let [least, most, last] = [Infinity, -Infinity, NaN];
    for (let i = from; i < to; i++) {
      if (!Number.isFinite(values[i])) continue;
      last = values[i]!;
      least = Math.min(least, last);
      most = Math.max(most, last);
    }
    if (Number.isNaN(last)) {
      lastX = '';
      continue;
    }
    const [begin, end, at] = [coordinate(x0), coordinate(x1), coordinate(y(last))];
    const range = least < most ? `V${coordinate(y(least))}V${coordinate(y(most))}V${at}` : '';
    if (lastX !== begin) path += `M${begin} ${at}${range}H${end}`;
    else if (lastY === at && range === '' && path.endsWith(`H${lastX}`)) path = `${path.slice(0, -lastX.length)}${end}`;
    else path += `${lastY === at ? '' : `V${at}`}${range}H${end}`;
    [lastX, lastY] = [end, at];
  }
  const [left, right] = [scale.x(scale.start), scale.x(scale.end)];
  const stroke = theme.PARAMETER_COLOURS.float;
  const style = { size: STRIP_TEXT, fill: theme.MUTED, width: 52 };
  const limits = isFlat
    ? text(right + 5, NUMBER_HEIGHT / 2 + 4, Number.isFinite(low) ? short(low) : '', style)
    : text(right + 5, 11, short(high), style) + text(right + 5, NUMBER_HEIGHT - 1, short(low), style);
  const svg = [
    stripName(name, NUMBER_HEIGHT / 2 + 4),
    line(left, NUMBER_HEIGHT - 0.5, right, NUMBER_HEIGHT - 0.5, { stroke: theme.GRID }),
    element(
      'g',
      { class: 'number' },
      tooltip(name),
      element('path', { d: path || 'M0 0', fill: 'none', stroke, 'stroke-width': 1.5 }),
    ),
    limits,
  ];
  return { width: scale.width, height: NUMBER_HEIGHT, svg: svg.join('') };
}
