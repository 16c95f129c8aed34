import { composeJoints, restPose } from '../evaluate.ts';
import type { CharacterModel } from '../model.ts';
import type { Channel } from './channels.ts';
import type { SkeletonMetrics } from './skeleton-metrics.ts';

/** A channel that moves the vertices of a joint: metres at the farthest of them, for 1 of the channel's unit. */
interface Lever {
  readonly channel: number;
  readonly square: number;
}

const ROUNDS = 40;

/**
 * Divides an error of 1 m among channels, so that their codes take the fewest bits: each in its own unit. Independent errors
 * add up by their squares along the chain to every joint, and each chain has the same limit. The product of all shares is
 * largest where each is 1 / √(Σ weight × lever²), summed over the joints that its channel moves. Weights of joints with a
 * larger error grow until all chains are at their limit or have no weight (multiplicative weights).
 */
export function channelShares(
  model: CharacterModel,
  metrics: SkeletonMetrics,
  channels: readonly Channel[],
): Float64Array {
  const chains = leversOf(model, metrics, channels);
  const weights = new Float64Array(chains.length).fill(1);
  const shares = new Float64Array(channels.length);
  const errors = new Float64Array(chains.length);
  for (let round = 0; round < ROUNDS; round++) {
    shares.fill(0);
    chains.forEach((chain, v) => {
      for (const { channel, square } of chain) shares[channel]! += weights[v]! * square;
    });
    // the square of each share
    for (let c = 0; c < shares.length; c++) shares[c] = 1 / shares[c]!;
    chains.forEach((chain, v) => (errors[v] = chain.reduce((sum, l) => sum + l.square * shares[l.channel]!, 0)));
    const most = errors.reduce((a, b) => Math.max(a, b), 0);
    for (let v = 0; v < weights.length; v++) weights[v]! *= Math.sqrt(errors[v]! / most);
    for (let c = 0; c < shares.length; c++) shares[c]! /= most;
  }
  // joints without vertices may have sockets: their reach counts
  return shares.map((square, c) => Math.min(Math.sqrt(square), channels[c]!.unitsPerMetre));
}

/** Per joint that moves vertices: the channels of the joint and of its ancestors. */
function leversOf(
  model: CharacterModel,
  { shell, parentScale }: SkeletonMetrics,
  channels: readonly Channel[],
): Lever[][] {
  const rest = composeJoints(model, restPose(model));
  const byJoint = model.joints.map((): number[] => []);
  channels.forEach(({ lane }, c) => byJoint[lane]?.push(c));
  return model.joints.flatMap((_, v) => {
    if (!(shell[v]! > 0)) return [];
    const chain: Lever[] = [];
    for (let j = v; j >= 0; j = model.joints[j]!.parentIndex) {
      const arm = Math.hypot(...[3, 7, 11].map((at) => rest[12 * j + at]! - rest[12 * v + at]!));
      for (const channel of byJoint[j]!) {
        const lever = channels[channel]!.kind === 'translation' ? parentScale[j]! : arm + shell[v]!;
        chain.push({ channel, square: lever * lever });
      }
    }
    return chain.length > 0 ? [chain] : [];
  });
}
