import { describe, expect, test } from 'vitest';
import { View } from '../../layout/index.ts';
import { clipFromWorld } from '../../render/camera.ts';
import { CullParams } from '../../stages/cull-characters/layout.ts';
import { checkViews, writeViews, type CrowdView } from './crowd-view.ts';

const camera: CrowdView = { clipFromWorld: clipFromWorld({ eye: [0, 0, 3], target: [0, 0, 0] }, 1), height: 720 };
const withNumber = (index: number, value: number): CrowdView => ({
  ...camera,
  clipFromWorld: Array.from(camera.clipFromWorld, (own, i) => (i === index ? value : own)),
});

describe('views', () => {
  test('are 32 at most', () => {
    const views = (count: number) => Array.from({ length: count }, () => camera);
    expect(() => checkViews(views(32))).not.toThrow();
    expect(() => checkViews(views(33))).toThrow('CROWD_BAD_ARGUMENT at views');
    expect(() => writeViews(new View(CullParams, 1), views(33))).toThrow('CROWD_BAD_ARGUMENT at views');
  });

  test.each<[string, CrowdView]>([
    ['a matrix of 15 numbers', { ...camera, clipFromWorld: new Float32Array(15) }],
    ['a matrix of 17 numbers', { ...camera, clipFromWorld: new Float32Array(17) }],
    ['NaN', withNumber(3, NaN)],
    ['infinity', withNumber(15, -Infinity)],
    ['a number that no product holds', withNumber(5, 2e18)],
    ['no height', { ...camera, height: 0 }],
    ['a height of NaN', { ...camera, height: NaN }],
    ['a detail below 0', { ...camera, detail: -1 }],
    ['a detail that makes pixels too many', { ...camera, height: 1e15, detail: 1e6 }],
  ])('with %s are refused', (_, view) => {
    expect(() => checkViews([camera, view])).toThrow('CROWD_BAD_ARGUMENT at views[1]');
  });
});
