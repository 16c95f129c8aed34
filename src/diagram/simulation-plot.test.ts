import { describe, expect, test } from 'vitest';
import {
  all,
  boxOfRect,
  byClass,
  outside,
  parseSvg,
  pathPoints,
  type SvgElement,
  textOf,
  titleOf,
} from '../../test/support/svg.ts';
import { stopwatch } from '../../test/support/stopwatch.ts';
import type { SimulatedEvent, SimulatedLayer, SimulatedStep } from './simulated-step.ts';
import { simulationPlot } from './simulation-plot.ts';
import { textWidth } from './text.ts';

/** With the default width: margin 24 and names 168 at the left, 34 and margin 24 at the right. */
const LEFT = 192;
const ROOM = 950;

function layer(state: string, more: Partial<SimulatedLayer> = {}): SimulatedLayer {
  const idle = { cycles: 0, phase: 0, next: null, nextCycles: 0, nextPhase: 0, progress: 0, frozen: false };
  return { name: 'Base', state, ...idle, motions: [{ clip: state, phase: 0, weight: 1 }], ...more };
}

function step(
  time: number,
  layers: readonly SimulatedLayer[],
  parameters?: SimulatedStep['parameters'],
  events: readonly SimulatedEvent[] = [],
): SimulatedStep {
  const root = { position: [0, 0, 0], rotation: [0, 0, 0, 1] } as const;
  return { time, layers, events, root, ...(parameters ? { parameters } : {}) };
}

const footstep = (weight: number): SimulatedEvent => ({ name: 'footstep', clip: 'Run', phase: 0.5, weight });

/** Idle for 2 s, a transition in 2 steps, Run. */
const STEPS: readonly SimulatedStep[] = [
  step(1, [layer('Idle')], { speed: 0, armed: false, stance: 2 }),
  step(2, [layer('Idle')], { speed: 4, armed: true, stance: 2 }, [footstep(0.1)]),
  step(3, [transition(0.25)], { speed: 1, armed: true, stance: 2 }),
  step(4, [transition(0.75)], { speed: 1, armed: false, stance: 2 }, [footstep(1), footstep(1)]),
  step(5, [layer('Run')], { speed: 1, armed: false, stance: 2 }),
];

function transition(progress: number): SimulatedLayer {
  const motions = [
    { clip: 'Idle', phase: 0, weight: 1 - progress },
    { clip: 'Run', phase: 0, weight: progress },
  ];
  return layer('Idle', { next: 'Run', progress, motions });
}

const x = (seconds: number): number => LEFT + (seconds / 5) * ROOM;

function draw(steps: readonly SimulatedStep[], options?: Parameters<typeof simulationPlot>[1]): SvgElement {
  return parseSvg(simulationPlot(steps, options));
}

describe('a plot of a simulation', () => {
  test('shows states as blocks, each over the time of its steps', () => {
    const blocks = byClass(draw(STEPS), 'state').map((block) => {
      const { left, right } = boxOfRect(all(block).find(({ name }) => name === 'rect')!);
      return [titleOf(block), left, right];
    });
    expect(blocks).toEqual([
      ['Idle', x(0), x(2)],
      ['Run', x(4), x(5)],
    ]);
  });

  test('shows a transition as the new state rising by its progress', () => {
    const [wedge, ...others] = byClass(draw(STEPS), 'transition');
    expect(others).toEqual([]);
    expect(titleOf(wedge!)).toBe('Idle → Run');
    const ground = boxOfRect(wedge!.children[1]!);
    expect([ground.left, ground.right, ground.bottom - ground.top]).toEqual([x(2), x(4), 30]);
    const points = pathPoints(wedge!.children[2]!).map(([u, v]) => [u, v - ground.top]);
    // from the top left corner: progress 0, 0.25 and 0.75 of 30 pixels, the top right corner
    expect(points).toEqual([
      [x(2), 0],
      [x(2), 30],
      [x(3), 22.5],
      [x(4), 7.5],
      [x(4), 0],
    ]);
  });

  test('stacks the weights of motions, the heaviest below', () => {
    const areas = byClass(draw(STEPS), 'weights')[0]!.children.filter(({ name }) => name === 'path');
    const top = areas[0]!.y;
    const outline = (i: number) => pathPoints(areas[i]!).map(([u, v]) => [u, v - top]);
    // Idle: 1, 1, 0.75, 0.25, 0 of 64 pixels from the bottom
    expect(outline(0)).toEqual([
      [x(0), 0],
      [x(2), 0],
      [x(3), 16],
      [x(4), 48],
      [x(5), 64],
      [x(0), 64],
    ]);
    expect(outline(1)).toEqual([
      [x(0), 0],
      [x(5), 0],
      [x(5), 64],
      [x(4), 48],
      [x(3), 16],
      [x(2), 0],
      [x(0), 0],
    ]);
  });

  test('shows numbers as steps, flags as bars, with their limits', () => {
    const svg = draw(STEPS);
    const [speed, stance] = byClass(svg, 'number');
    const path = speed!.children.find(({ name }) => name === 'path')!;
    const points = pathPoints(path).map(([u, v]) => [u, v - path.y]);
    // 0 … 4 over 26 pixels above 29
    expect(points).toEqual([
      [x(0), 29],
      [x(1), 29],
      [x(1), 3],
      [x(2), 3],
      [x(2), 22.5],
      [x(5), 22.5],
    ]);
    expect(titleOf(stance!)).toBe('stance');
    const [ground, ...bars] = byClass(svg, 'flag')[0]!
      .children.filter(({ name }) => name === 'rect')
      .map(boxOfRect);
    expect([ground!.left, ground!.right]).toEqual([x(0), x(5)]);
    expect(bars.map(({ left, right }) => [left, right])).toEqual([[x(1), x(3)]]);
  });

  test('marks events and triggers, with their counts', () => {
    const triggers = [
      { name: 'attack', time: 2.5 },
      { name: 'jump', time: 4 },
    ];
    const svg = draw(STEPS, { triggers });
    const rows = byClass(svg, 'ticks').map((row) => {
      const flags = row.children.flatMap(({ attributes }) => Array.from((attributes.d ?? '').matchAll(/M(\S+) 3v/g)));
      return [titleOf(row), ...flags.map(([, place]) => Number(place) + 24)];
    });
    expect(rows).toEqual([
      ['attack: 1', x(2.5)],
      ['jump: 1', x(4)],
      ['footstep: 3', x(2), x(4)],
    ]);
    const opacities = byClass(svg, 'ticks')[2]!.children.flatMap(
      ({ attributes }) => attributes['stroke-opacity'] ?? [],
    );
    expect(opacities).toEqual(['0.4', '1']);
    expect(textOf(svg)).toContain('footstep ×3');
  });

  test.each([
    [5, ['0 s', '0.5 s', '1.0 s'], 0],
    [0.09, ['0 s', '0.01 s', '0.02 s'], 0],
    [1200, ['0 s', '200 s', '400 s'], 0],
  ])('has round numbers on the axis of %d seconds', (seconds, expected) => {
    const steps = Array.from({ length: 50 }, (_, i) => step(((i + 1) * seconds) / 50, [layer('Idle')]));
    const texts = all(draw(steps)).flatMap(({ name, text }) => (name === 'text' && text.endsWith(' s') ? [text] : []));
    const labels = [...new Set(texts)].filter((text) => /^[\d.]+ s$/.test(text));
    expect(labels.slice(0, 3).map(Number.parseFloat)).toEqual(expected.map(Number.parseFloat));
  });

  test('stays inside its frame at any width, and reads without the page', () => {
    for (const width of [100, 1200, 3000]) {
      const svg = draw(STEPS, { width });
      expect(Number(svg.attributes.width)).toBe(Math.max(600, width));
      expect(outside(svg, textWidth)).toEqual([]);
      expect(svg.children.map(({ name }) => name).slice(0, 3)).toEqual(['title', 'desc', 'rect']);
    }
  });
});

describe('long simulations', () => {
  const long = Array.from({ length: 100_000 }, (_, i) => {
    const state = `S${Math.floor(i / 12_500) % 4}`;
    const flicker = i < 12_500 ? layer(i % 2 === 0 ? 'A' : 'B') : layer(state);
    const clips = Array.from({ length: 12 }, (__, c) => ({ clip: `clip ${c}`, phase: 0, weight: 1 / 12 }));
    const parameters = { speed: i === 70_001 ? 9 : Math.sin(i), grounded: i % 3 > 0 };
    return step((i + 1) / 60, [flicker, layer(state, { name: 'Upper', motions: clips })], parameters, [footstep(1)]);
  });

  test('come down to pixels, and what is short is not lost', () => {
    const elapsed = stopwatch();
    const source = simulationPlot(long);
    expect(elapsed()).toBeLessThan(10_000);
    expect(source.length).toBeLessThan(500_000);
    const svg = parseSvg(source);
    expect(outside(svg, textWidth)).toEqual([]);
    expect(byClass(svg, 'state').map(titleOf).slice(-8)).toEqual(['S0', 'S1', 'S2', 'S3', 'S0', 'S1', 'S2', 'S3']);
    expect(textOf(svg)).toContain('many changes within a pixel');
    expect(textOf(svg)).toContain('3 other clips');
    expect(textOf(svg)).toContain('footstep ×100000');
    const path = byClass(svg, 'number')[0]!.children.find(({ name }) => name === 'path')!;
    const peaks = pathPoints(path).filter(([, v]) => v - path.y === 3);
    expect(peaks).toHaveLength(1);
    expect(peaks[0]![0]).toBeCloseTo(LEFT + (70_002 / 100_000) * ROOM, -1);
  });
});

describe('odd input', () => {
  test('no steps, one step, steps without duration', () => {
    expect(textOf(draw([]))).toContain('no steps');
    expect(byClass(draw([step(0, [layer('Idle')])]), 'state')).toHaveLength(1);
    const still = Array.from({ length: 5 }, () => step(1, [layer('Idle')]));
    expect(outside(draw(still), textWidth)).toEqual([]);
  });

  test('invalid numbers, layers that vanish, hostile names', () => {
    const evil = `</text><script>alert(1)</script>&"'\u0000\u202e\ud800`;
    const motions = [
      { clip: evil, phase: NaN, weight: NaN },
      { clip: 'W'.repeat(9999), phase: 0, weight: Infinity },
    ];
    const odd = layer(evil, { name: evil, next: evil, progress: NaN, motions });
    const steps = [
      step(NaN, [odd], { [evil]: NaN, ['W'.repeat(9999)]: true }),
      step(2, [], { [evil]: 1e308 }),
      step(1, [odd, odd], { [evil]: -1e308 }, [{ name: evil, clip: evil, phase: 0, weight: NaN }]),
    ];
    const source = simulationPlot(steps, { title: evil, triggers: [{ name: evil, time: -Infinity }] });
    expect(source).not.toContain('<script');
    expect(source).not.toMatch(/NaN|Infinity/);
    expect(outside(parseSvg(source), textWidth)).toEqual([]);
    expect(source.length).toBeLessThan(20_000);
  });

  test('hundreds of layers, parameters and events are counted', () => {
    const many = Array.from({ length: 200 }, (_, i) => `n${i}`);
    const parameters = Object.fromEntries(many.map((name, i) => [name, i]));
    const events = many.map((name) => ({ name, clip: 'c', phase: 0, weight: 1 }));
    const layers = many.map((name) => layer(name, { name }));
    const text = textOf(draw([step(1, layers, parameters, events)]));
    expect(text).toContain('… 184 more layers');
    expect(text).toContain('… 168 more parameters are not shown');
    expect(text).toContain('185 others ×185');
  });
});
