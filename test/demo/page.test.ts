// What the demo page computes by itself, by hand-computed numbers.
import { describe, expect, test } from 'vitest';
import { Rig } from '../../demo/field/rig.ts';
import { defaultSettings, drawnBy, settled, TWIN_LIMIT } from '../../demo/field/settings.ts';
import { settledInWebgl } from '../../demo/field/webgl.ts';
import { countText } from '../../demo/numbers.ts';
import type { CanvasSize, Settings } from '../../demo/protocol.ts';
import { budgetOf, FRAME, roundly } from '../../demo/ui/budget.ts';
import { readLink, writeLink } from '../../demo/ui/link.ts';
import { rangesOf } from '../../demo/ui/parameter-ranges.ts';
import { Timeline } from '../../demo/ui/timeline.ts';
import { clipFromWorld, transform, type Vector } from '../../src/render/camera.ts';
import { LEGIONARY, soldierController } from '../../src/battle/soldier.ts';

test('numbers are grouped without asking for a locale', () => {
  expect([0, 999, 1000, 12_345.6, 1_234_567].map(countText)).toEqual(['0', '999', '1,000', '12,346', '1,234,567']);
});

describe('a link', () => {
  test('says what it said before', () => {
    const query =
      'count=500&seed=9&renderer=forward&view=joints&backend=cpu&paused=1&speed=0.5&zoom=0.25&worker=0&tier=compatibility&yaw=1.5';
    const { wishes, ...rest } = readLink(`?${query}`);
    expect(wishes).toMatchObject({ count: 500, renderer: 'forward', view: 'joints', backend: 'cpu', paused: true });
    expect(new URLSearchParams(writeLink(wishes, rest)).toString().split('&').sort()).toEqual(query.split('&').sort());
  });

  test('passes by what makes no sense', () => {
    const { wishes, worker } = readLink('?count=many&renderer=raytraced&view=&zoom=&paused=no');
    expect(Object.entries(wishes).filter(([, value]) => value !== undefined)).toEqual([['paused', false]]);
    expect(worker).toBeUndefined();
  });
});

describe('settings', () => {
  const known: Settings = { ...defaultSettings(false, 1e6), zoom: 0.5 };

  test('stay in their bounds, and say what is other than was wished', () => {
    expect(settled(known, { count: 1e9, zoom: -3, speed: Number.NaN }).settings).toMatchObject({
      count: 100_000,
      zoom: 0,
      speed: 1,
    });
    const { settings, notes } = settled(known, { backend: 'difference' });
    expect(settings.count).toBe(TWIN_LIMIT);
    expect(notes.join()).toContain(`at most ${TWIN_LIMIT}`);
    expect(settled(known, { backend: 'gpu' }).settings.count).toBe(known.count);
  });

  test('name the renderer that can draw it', () => {
    expect(drawnBy({ ...known, renderer: 'three' })).toBe('three');
    expect(drawnBy({ ...known, renderer: 'three', backend: 'cpu' })).toBe('forward');
    expect(drawnBy({ ...known, view: 'depth' })).toBe('forward');
  });

  test('have the forward renderer where the device lacks the core level', () => {
    const { settings, notes } = settled(known, { renderer: 'visibility' }, 'compatibility');
    expect(settings.renderer).toBe('forward');
    expect(notes.join()).toContain('core level');
    expect(settled(known, { renderer: 'three' }, 'compatibility').settings.renderer).toBe('forward');
    expect(settled(known, {}, 'compatibility')).toMatchObject({ settings: { renderer: 'forward' }, notes: [] });
    expect(settled(known, { renderer: 'visibility' }).settings.renderer).toBe('visibility');
  });

  test('are what WebGL 2 can do, and say so where more was wished', () => {
    const start: Settings = { ...known, count: 300 };
    const own = { count: 300, renderer: 'three', view: 'color', backend: 'cpu' };
    expect(settledInWebgl(start, {})).toMatchObject({ settings: own, notes: [] });
    const wishes = { count: 5000, renderer: 'forward', view: 'joints', backend: 'difference' } as const;
    const { settings, notes } = settledInWebgl(start, wishes);
    expect(settings).toMatchObject({ ...own, count: 1000 });
    expect(notes.join()).toMatch(/at most 1,000 soldiers.*need WebGPU/);
    expect(drawnBy(settings, 'webgl2')).toBe('three');
  });

  test('are modest on software adapters', () => {
    const slow = defaultSettings(true, 1280 * 800);
    expect(slow).toMatchObject({ count: 100, renderer: 'forward' });
    expect(slow.resolution ** 2 * 1280 * 800).toBeLessThan(130_000);
    expect(defaultSettings(true, 100).resolution).toBe(1);
  });
});

describe('the budget', () => {
  test('is what is left of a frame, by what a soldier takes', () => {
    const times = new Map([
      ['pose-joints', 1],
      ['skin-vertices', 2],
      ['raster-triangles', 3],
      ['shade-pixels', 1.5],
      ['temporal', 0.5],
    ]);
    const budget = budgetOf(times, 10_000)!;
    expect(budget.total).toBeCloseTo(8);
    expect(budget.fixed).toBeCloseTo(2);
    expect(budget.each).toBeCloseTo(0.6); // 6 ms for 10,000
    expect(budget.characters).toBeCloseTo((FRAME - 2) / 0.0006, 0); // 24,444
    expect(roundly(budget.characters)).toBe('24,000');
  });

  test('is undefined before any measurement, and 0 where pixels take it all', () => {
    expect(budgetOf(new Map(), 100)).toBeUndefined();
    expect(budgetOf(new Map([['shade-pixels', 20], ['pose-joints', 1]]), 10)!.characters).toBe(0); // prettier-ignore
    expect(roundly(Infinity)).toBe('—');
  });
});

test('a timeline keeps seconds, orders stages, and takes the median of what there is now', () => {
  const timeline = new Timeline();
  const frame = (at: number, time: number) => ({ at, stages: [['skin-vertices', time], ['pose-joints', 1]] as const }); // prettier-ignore
  timeline.add([{ at: 0, stages: [['draw-forward', 9]] }, frame(1000, 5), frame(1016, 2), frame(1032, 3)]);
  expect(timeline.stages).toEqual(['pose-joints', 'skin-vertices', 'draw-forward']);
  expect([...timeline.typical]).toEqual([
    ['pose-joints', 1],
    ['skin-vertices', 3],
  ]);
  timeline.add([frame(20_000, 4)]);
  expect(timeline.frames).toHaveLength(1);
});

test('sliders reach what trees and conditions of a controller ask for', () => {
  const ranges = rangesOf(soldierController(LEGIONARY));
  const { run, back, side } = LEGIONARY.speeds;
  const [least, most] = ranges.get('forward')!;
  expect([least, most]).toEqual([expect.closeTo(-1.2 * back), expect.closeTo(1.2 * run)]);
  expect(ranges.get('side')).toEqual([expect.closeTo(-1.2 * side), expect.closeTo(1.2 * side)]);
  expect(ranges.get('alertness')![1]).toBeGreaterThanOrEqual(1);
});

describe('the camera', () => {
  const field = { min: [-30, 0, -20], max: [30, 2.6, 20] } as const;
  const home = { eye: [-12, 4, -1], target: [0, 0.5, 0] } as const;
  const size: CanvasSize = { width: 1200, height: 800, pixelRatio: 1, covered: { left: 0, right: 0, bottom: 0 } };
  const project = (rig: Rig, point: Vector) => {
    const [x, y, , w] = transform(clipFromWorld(rig.camera, size.width / size.height), point);
    return [x / w, y / w, w] as const;
  };

  test('has all of the field in sight at 0, from wherever it looks', () => {
    for (let yaw = 0; yaw < 6.2; yaw += 0.7) {
      const rig = new Rig(home, field, { yaw, zoom: 0 });
      rig.setField(field, size);
      for (const x of [-30, 30]) {
        for (const z of [-20, 20]) {
          const [right, up] = project(rig, [x, 1, z]);
          expect(Math.max(Math.abs(right), Math.abs(up))).toBeLessThan(1);
        }
      }
    }
  });

  test('looks a soldier in the face at 1, and turns to the front', () => {
    const rig = new Rig(home, field, { zoom: 1 });
    rig.setField(field, size);
    const focus = { face: [4, 1.65, -3], yaw: 2 } as const;
    rig.face(focus.yaw);
    for (let i = 0; i < 200; i++) rig.advance(0.05, false, focus);
    const [x, y, distance] = project(rig, focus.face);
    expect([x, y]).toEqual([expect.closeTo(0, 3), expect.closeTo(0, 3)]);
    expect(distance).toBeCloseTo(1.05, 2);
    // before it, half a radian to the side
    const { eye } = rig.camera;
    const front = [Math.sin(focus.yaw), Math.cos(focus.yaw)] as const;
    const away = [eye[0] - 4, eye[2] + 3] as const;
    const cosine = (front[0] * away[0] + front[1] * away[1]) / Math.hypot(...away);
    expect(Math.acos(cosine)).toBeCloseTo(0.5, 2);
  });

  test('looks at the middle of what is not covered', () => {
    const rig = new Rig(home, field, {});
    const covered = { left: 0, right: 300, bottom: 200 };
    rig.setField(field, { ...size, covered });
    const [x, y] = project(rig, [0, 0.9, 0]);
    expect(x).toBeCloseTo(-300 / 1200, 3);
    expect(y).toBeCloseTo(200 / 800, 3);
  });

  test('stays on the field', () => {
    const rig = new Rig(home, field, {});
    for (let i = 0; i < 100; i++) rig.pan(1, 1);
    expect(rig.place).toMatchObject({ x: expect.closeTo(30), z: expect.closeTo(20) });
  });
});
