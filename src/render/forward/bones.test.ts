import { describe, expect, test } from 'vitest';
import { bindingOf, jointAt, meshOf, smallModel } from '../../../test/support/small-model.ts';
import { packCharacter } from '../../character/pack/index.ts';
import { bonesOf } from './wires.ts';

describe('bones', () => {
  /** A chain of three; each stood at its own place when it was bound. */
  const model = (bindings: ReturnType<typeof bindingOf>[]) =>
    packCharacter(
      smallModel({
        joints: [jointAt([1, 0, 0]), jointAt([0, 2, 0], { parentIndex: 0 }), jointAt([0, 0, 3], { parentIndex: 1 })],
        bindings,
        meshes: [
          meshOf([[0, 0, 0], [0, 1, 0], [0, 0, 1]], (v) => [[v % bindings.length, 1]]), // prettier-ignore
        ],
      }),
      { errorBudget: 0 },
    );

  test('go from each joint to those below it, where they stood at bind time', () => {
    const bones = bonesOf(model([bindingOf(0, [1, 0, 0]), bindingOf(1, [1, 2, 0]), bindingOf(2, [1, 2, 3])]));
    expect(bones.map(({ start, end }) => [start.at, end.at])).toEqual([
      [[1, 0, 0], [1, 2, 0]],
      [[1, 2, 0], [1, 2, 3]],
    ]); // prettier-ignore
    expect(bones.map(({ start, end }) => [start.entry, end.entry])).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });

  test('pass joints by that move no vertex, or cannot be turned round', () => {
    const ends = (bindings: ReturnType<typeof bindingOf>[]) =>
      bonesOf(model(bindings)).map(({ start, end }) => [start.at, end.at]);
    expect(ends([bindingOf(0, [1, 0, 0]), bindingOf(2, [1, 2, 3])])).toEqual([[[1, 0, 0], [1, 2, 3]]]); // prettier-ignore
    const flat = { jointIndex: 1, jointFromMesh: Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0) };
    expect(ends([bindingOf(0, [1, 0, 0]), flat, bindingOf(2, [1, 2, 3])])).toEqual([[[1, 0, 0], [1, 2, 3]]]); // prettier-ignore
    expect(ends([bindingOf(1, [0, 0, 0])])).toEqual([]);
  });

  test('a turned and scaled binding is turned round', () => {
    // x, y, z → 2 y + 4, −2 x + 6, 2 z: 0 at x = 3, y = −2
    const turned = { jointIndex: 0, jointFromMesh: Float32Array.of(0, 2, 0, 4, -2, 0, 0, 6, 0, 0, 2, 0) };
    const [bone] = bonesOf(model([turned, bindingOf(1, [0, 0, 0])]));
    expect(bone!.start.at).toEqual([3, -2, 0]);
  });
});
