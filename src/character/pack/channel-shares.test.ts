import { describe, expect, it } from 'vitest';
import { bindingOf, clipOf, jointAt, meshOf, smallModel, trackOf } from '../../../test/support/small-model.ts';
import { channelShares } from './channel-shares.ts';
import { clipChannels } from './channels.ts';
import { measureSkeleton } from './skeleton-metrics.ts';

/** A root with two arms of 1 m, each with a vertex half a metre further. */
function sharesOf(moved: readonly number[]): number[] {
  const model = smallModel({
    joints: [jointAt([0, 0, 0]), jointAt([1, 0, 0], { parentIndex: 0 }), jointAt([-1, 0, 0], { parentIndex: 0 })],
    bindings: [bindingOf(0, [0, 0, 0]), bindingOf(1, [1, 0, 0]), bindingOf(2, [-1, 0, 0])],
    meshes: [
      meshOf(
        [
          [1.5, 0, 0],
          [-1.5, 0, 0],
        ],
        (v) => [[v + 1, 1]],
      ),
    ],
    clips: [clipOf(1, ...moved.map((joint) => trackOf('rotation', joint, 'LINEAR', [0, 0, 0, 0, 1], [1, 0, 0, 1, 0])))],
  });
  const metrics = measureSkeleton(model);
  return [...channelShares(model, metrics, clipChannels(model, metrics, model.clips[0]!))];
}

describe('shares of channels', () => {
  it('are all of the error for a single channel', () => {
    expect(sharesOf([1])[0]).toBeCloseTo(2, 6); // radians at half a metre
  });

  it('give the joint of two chains less than its branches', () => {
    // in each chain 2.25 root² + 0.25 branch² = 1; the product root × branch² is largest for 2.25 root² = 1/3
    const [root, left, right] = sharesOf([0, 1, 2]);
    expect(root).toBeCloseTo(Math.sqrt(1 / 3 / 2.25), 4);
    expect(left).toBeCloseTo(Math.sqrt(2 / 3 / 0.25), 4);
    expect(right).toBeCloseTo(left!, 6);
  });
});
