import { describe, expect, test } from 'vitest';
import { all, byClass, outside, parseSvg, pathPoints, textOf } from '../../test/support/svg.ts';
import { textWidth } from './text.ts';
import { type FootCurve, footSlideChart } from './foot-slide.ts';

const NONE: FootCurve = { step: 0.1, planted: [], slide: new Float64Array(11).fill(NaN), freeSlide: new Float64Array(11).fill(NaN) }; // prettier-ignore

/** Planted from 0.2 to 0.5 s; slides by 0, 2, 4, 6 cm without being held. */
function foot(): FootCurve {
  const slide = new Float64Array(11).fill(NaN);
  const freeSlide = new Float64Array(11).fill(NaN);
  for (let i = 2; i <= 5; i++) [slide[i], freeSlide[i]] = [0, 0.02 * (i - 2)];
  return { step: 0.1, planted: [{ first: 2, last: 5 }], slide, freeSlide };
}

describe('the chart of foot slide', () => {
  test('shades planted times, and draws both curves there alone', () => {
    const svg = parseSvg(footSlideChart('walk', { left: foot(), right: NONE }));
    const [times] = byClass(svg, 'times');
    const [left, width] = [Number(times!.attributes.x), Number(times!.attributes.width)];
    const shade = all(svg).find(({ name, attributes }) => name === 'rect' && attributes.fill === '#e3ecdf');
    expect(Number(shade!.attributes.x)).toBeCloseTo(left + 0.2 * width, 0);
    expect(Number(shade!.attributes.width)).toBeCloseTo(0.3 * width, 0);
    const curves = all(svg).filter(({ name }) => name === 'path');
    expect(curves).toHaveLength(2);
    const [free, held] = curves.map((curve) => pathPoints(curve));
    expect(new Set(held!.map(([, y]) => y)).size).toBe(1);
    const heights = free!.map(([, y]) => y);
    expect(heights[0]).toBe(held![0]![1]);
    const steps = heights.slice(1).map((y, i) => heights[i]! - y);
    for (const step of steps) expect(step).toBeCloseTo(steps[0]!, 0);
    expect(textOf(svg)).toContain('never planted');
    expect(outside(svg, textWidth)).toEqual([]);
  });

  test('is small for long clips, and whole for a single pose', () => {
    const pose = { ...NONE, step: 0, slide: new Float64Array([NaN]), freeSlide: new Float64Array([NaN]) };
    expect(textOf(parseSvg(footSlideChart('pose', { left: pose, right: pose })))).toContain('0 s');
    const count = 200_000;
    const long = { step: 1 / 60, planted: [{ first: 0, last: count - 1 }], slide: new Float64Array(count), freeSlide: new Float64Array(count) }; // prettier-ignore
    expect(footSlideChart('long', { left: long, right: long }).length).toBeLessThan(200_000);
  });
});
