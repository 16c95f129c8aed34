import { describe, expect, test } from 'vitest';
import { View } from '../../layout/index.ts';
import { clipFromWorld } from '../../render/camera.ts';
import { Transform, VisibleCharacter } from '../layout.ts';
import { BinRange, CullBin, CullParams, VIEW_PLANES } from './layout.ts';
import { viewPlanes } from './planes.ts';
import { cullCharacters, type CullCharactersViews } from './reference.ts';

/** At the origin, looks along −z; a right angle wide and high. */
const AHEAD = viewPlanes(clipFromWorld({ eye: [0, 0, 0], target: [0, 0, -1], fovY: Math.PI / 2, near: 1 }, 1));
const BEHIND = viewPlanes(clipFromWorld({ eye: [0, 0, 0], target: [0, 0, 1], fovY: Math.PI / 2, near: 1 }, 1));

type Home = readonly [bin: number, x: number, y: number, z: number];

function sceneOf(
  homes: readonly Home[],
  radii: readonly number[],
  planes: readonly Float32Array[],
): CullCharactersViews {
  const scene = {
    params: new View(CullParams, 1),
    homes: new View(VisibleCharacter, homes.length),
    transforms: new View(Transform, homes.length),
    bins: new View(CullBin, radii.length),
    masks: new Uint32Array(homes.length),
    ranges: new View(BinRange, radii.length + 1),
    visible: new View(VisibleCharacter, homes.length),
  };
  scene.params.assign(0, { homeCount: homes.length, binCount: radii.length, viewCount: planes.length, motionRows: 4 });
  const words = new Float32Array(scene.params.words.buffer, CullParams.offsets.planes);
  planes.forEach((view, v) => words.set(view, 4 * VIEW_PLANES * v));
  homes.forEach(([bin, ...position], i) => {
    scene.homes.assign(i, { character: i, bin });
    scene.transforms.assign(i, { position, scale: 1, rotation: [0, 0, 0, 1] });
  });
  radii.forEach((radius, bin) => scene.bins.assign(bin, { radius }));
  return scene;
}

function masksOf(...args: Parameters<typeof sceneOf>): number[] {
  const scene = sceneOf(...args);
  cullCharacters(scene);
  return [...scene.masks];
}

describe('cull-characters, by hand', () => {
  test('a sphere is seen as long as it touches what a view sees', () => {
    // left of a right angle by 1/√2 of its distance: at (−11, 0, −10) the plane is 0.7071 away
    const at = (x: number, radius: number) => masksOf([[0, x, 0, -10]], [radius], [AHEAD])[0];
    expect([at(0, 0), at(-11, 0.7), at(-11, 0.71), at(11, 0.7), at(11, 0.71)]).toEqual([1, 0, 1, 0, 1]);
    const ahead = (z: number, radius: number) => masksOf([[0, 0, 0, z]], [radius], [AHEAD])[0];
    // the near plane at z = −1; no far plane
    expect([ahead(-0.5, 0.4), ahead(-0.5, 0.6), ahead(-1e7, 0)]).toEqual([0, 1, 1]);
  });

  test('a bit per view; who has no bounds is seen by all, and by none where there is none', () => {
    const homes: Home[] = [
      [0, 0, 0, -10],
      [0, 0, 0, 10],
      [1, 0, 100, 0],
    ];
    expect(masksOf(homes, [1, -1], [AHEAD, BEHIND])).toEqual([1, 2, 3]);
    expect(masksOf(homes, [1, -1], [])).toEqual([0, 0, 0]);
  });

  test('bounds move, turn and grow with their character', () => {
    const scene = sceneOf([[0, 0, 0, 0]], [1], [AHEAD]);
    // a unit ahead of it in its own space, which looks to the right and is twelve times as large
    scene.bins.assign(0, { center: [0, 0, -1] });
    scene.transforms.assign(0, { scale: 12, rotation: [0, Math.SQRT1_2, 0, Math.SQRT1_2] });
    const margins: number[] = [];
    cullCharacters(scene, (_home, _view, margin) => margins.push(margin));
    expect(scene.masks[0]).toBe(1);
    // 12 to the side, 12 round it: the near plane is 1 away, so 11 of 12 are left; over 12
    expect(margins[0]).toBeCloseTo((12 - 12 * Math.SQRT1_2) / 12, 6);
  });

  test('the list: bin after bin, each in the order of homes', () => {
    const homes: Home[] = [
      [1, 0, 0, -5],
      [0, 0, 0, -5],
      [1, 0, 0, 50],
      [0, 0, 0, 50],
      [1, 0, 0, -6],
      [0, 0, 0, -7],
    ];
    const scene = sceneOf(homes, [1, 1, 1], [AHEAD]);
    cullCharacters(scene);
    const listed = Array.from({ length: 4 }, (_, i) => scene.visible.get(i, 'character'));
    expect(listed).toEqual([1, 5, 0, 4]);
    expect(Array.from({ length: 4 }, (_, i) => scene.visible.get(i, 'motionRow'))).toEqual([0, 4, 8, 12]);
    expect(
      Array.from({ length: 4 }, (_, bin) => [scene.ranges.get(bin, 'first'), scene.ranges.get(bin, 'count')]),
    ).toEqual([
      [0, 2],
      [2, 2],
      [4, 0],
      [4, 4],
    ]);
  });
});
