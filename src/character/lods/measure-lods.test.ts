import { describe, expect, it } from 'vitest';
import { bindingOf, clipOf, jointAt, meshOf, smallModel, trackOf } from '../../../test/support/small-model.ts';
import type { CharacterModel, MeshModel } from '../model.ts';
import { LodMeter, MARGIN } from './measure-lods.ts';

/** A strip along X: pairs of vertices at z = 0 and 1, moved by the first joint up to x = 1, by the second from 2 on. */
function strip(heights: readonly (readonly [x: number, y: number])[]): MeshModel {
  const positions = heights.flatMap(([x, y]) => [
    [x, y, 0],
    [x, y, 1],
  ]);
  const indices = heights.slice(1).flatMap((_, i) => [2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 1, 2 * i + 3, 2 * i + 2]);
  return meshOf(positions, (v) => [[positions[v]![0]! < 1.5 ? 0 : 1, 1]], { indices: Uint32Array.from(indices) });
}

const QUARTER = Math.SQRT1_2;
/** Two joints, the second at x = 1; a clip that turns it by 90° about Z. */
function bent(mesh: MeshModel): CharacterModel {
  return smallModel({
    joints: [jointAt([0, 0, 0]), jointAt([1, 0, 0], { parentIndex: 0 })],
    bindings: [bindingOf(0, [0, 0, 0]), bindingOf(1, [1, 0, 0])],
    meshes: [mesh],
    clips: [clipOf(1, trackOf('rotation', 1, 'LINEAR', [0, 0, 0, QUARTER, QUARTER], [1, 0, 0, QUARTER, QUARTER]))],
  });
}

describe('the error of a LOD', () => {
  it('is 0 for the finest meshes', () => {
    const model = bent(strip([[0, 0], [1, 0], [2, 0], [3, 0]])); // prettier-ignore
    expect(new LodMeter(model, model.clips).measure(model.meshes)).toBe(0);
  });

  it('is how far a bump was that has gone, and a tenth', () => {
    const model = bent(strip([[0, 0], [0.5, 0.25], [1, 0]])); // prettier-ignore
    const flat = strip([[0, 0], [1, 0]]); // prettier-ignore
    expect(new LodMeter(model, []).measure([flat])).toBeCloseTo(MARGIN * 0.25, 5);
  });

  it('is that of the pose in which it is largest: a bend that is 0 at rest', () => {
    const model = bent(strip([[0, 0], [1, 0], [2, 0], [3, 0]])); // prettier-ignore
    const straight = strip([[0, 0], [3, 0]]); // prettier-ignore
    // without a clip, joints are turned by 30° to see
    const flexed = new LodMeter(model, []).measure([straight]);
    // turned by 90°, the strip goes from (1, 0) straight up; the LOD cuts the corner from (0, 0) to (1, 2)
    const turned = new LodMeter(model, model.clips).measure([straight]);
    expect(turned).toBeCloseTo(MARGIN * (2 / Math.hypot(1, 2)), 2);
    expect(flexed).toBeGreaterThan(0.1);
    expect(flexed).toBeLessThan(turned);
  });

  it('counts what was not there before', () => {
    const model = bent(strip([[0, 0], [1, 0]])); // prettier-ignore
    const roof = strip([[0, 0], [0.5, 0.5], [1, 0]]); // prettier-ignore
    expect(new LodMeter(model, []).measure([roof])).toBeCloseTo(MARGIN * 0.5, 5);
  });

  it('counts what a morph target moves', () => {
    const mesh = strip([[0, 0], [0.5, 0], [1, 0]]); // prettier-ignore
    const up = Float32Array.from({ length: 18 }, (_, i) => (i % 3 === 1 && Math.floor(i / 6) === 1 ? 0.5 : 0));
    const targets = [{ positions: up, normals: undefined, tangents: undefined }];
    const model: CharacterModel = {
      ...bent({ ...mesh, morphSetIndex: 0, targets }),
      morphSets: [{ nodeIndex: 0, names: ['up'], weights: [0] }],
    };
    const flat = strip([[0, 0], [1, 0]]); // prettier-ignore
    expect(new LodMeter(model, []).measure([flat])).toBeCloseTo(MARGIN * 0.5, 5);
  });

  it('is the same every time', () => {
    const model = bent(strip([[0, 0], [1, 0.1], [2, 0.3], [3, 0]])); // prettier-ignore
    const straight = [strip([[0, 0], [3, 0]])]; // prettier-ignore
    const once = new LodMeter(model, model.clips).measure(straight);
    expect(new LodMeter(model, model.clips).measure(straight)).toBe(once);
  });
});
