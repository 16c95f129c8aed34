import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { clipVertices, diagonal, outside, posedVertices } from '../../../test/support/posed-vertices.ts';
import { Random } from '../../../test/support/random.ts';
import { full, noShared, runSeed, shared } from '../../../test/support/setup.ts';
import { importGltf } from '../../import/index.ts';
import { additiveClip } from '../additive-clip.ts';
import { evaluateMorphWeights, evaluatePose, POSE_STRIDE, restPose, type LocalPose } from '../evaluate.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import { measurePoses } from './pose-bounds.ts';
import { finish } from './steps.ts';

const OWN = ['legionary', 'raider'].map((name) => path.join('characters', `${name}.glb`));
const FOREIGN = [
  'basics/AnimatedMorphCube.glb',
  'basics/InterpolationTest-notexture.glb',
  'basics/MorphStressTest.glb',
  'characters/robot-expressive.glb',
  'creatures/khronos-fox.glb',
  'creatures/spider.glb',
].map((name) => path.join(shared, 'assets', name));
const FILES = noShared() ? OWN : [...OWN, ...FOREIGN];
const MOMENTS = full ? 24 : 8;

const measured = (model: CharacterModel, differences: readonly ClipModel[] = [], additiveLayers = 0) =>
  finish(
    measurePoses(model, [...model.clips, ...differences], {
      errorBudget: 0,
      firstDifference: model.clips.length,
      additiveLayers,
    }),
  );

function farthest(center: readonly number[], positions: readonly Float64Array[]): number {
  let most = 0;
  for (const list of positions) {
    for (let at = 0; at < list.length; at += 3) {
      most = Math.max(most, Math.hypot(...center.map((c, k) => list[at + k]! - c)));
    }
  }
  return most;
}

/** Channel by channel: straight lines, rotations normalised, the second one's sign either way. */
function blend(a: LocalPose, b: LocalPose, share: number, sign: number): LocalPose {
  return a.map((value, i) => {
    const channel = i % POSE_STRIDE;
    const isRotation = channel >= 3 && channel < 7;
    const mixed = (pose: LocalPose, k: number) => (isRotation && pose === b ? sign : 1) * pose[k]!;
    if (!isRotation) return value * (1 - share) + b[i]! * share;
    const first = i - channel + 3;
    const whole = [0, 1, 2, 3].map((c) => mixed(a, first + c) * (1 - share) + mixed(b, first + c) * share);
    return whole[channel - 3]! / (Math.hypot(...whole) || 1);
  });
}

/** Lays a difference over a pose, as pose-joints does: its rotation in front of what is there. */
function layOver(pose: LocalPose, difference: LocalPose): LocalPose {
  const out = pose.slice();
  for (let at = 0; at < pose.length; at += POSE_STRIDE) {
    for (let c = 0; c < 3; c++) {
      out[at + c]! += difference[at + c]!;
      out[at + 7 + c]! *= difference[at + 7 + c]!;
    }
  }
  return out;
}

describe('pose bounds', () => {
  test.each(FILES)('hold every pose of each clip, and are not much larger: %s', async (file) => {
    const model = await importGltf({ name: file, bytes: readFileSync(file) });
    const random = new Random(runSeed);
    const { clips } = measured(model);
    model.clips.forEach((clip, c) => {
      const seen = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] };
      for (let n = 0; n < MOMENTS; n++) {
        const time = random.range(0, clip.duration);
        const positions = clipVertices(model, clip, time);
        expect(outside(clips[c]!, positions), `${clip.name} at ${time} s`).toBeLessThanOrEqual(
          1e-6 * diagonal(clips[c]!),
        );
        for (const list of positions) {
          list.forEach((p, i) => {
            seen.min[i % 3] = Math.min(seen.min[i % 3]!, p);
            seen.max[i % 3] = Math.max(seen.max[i % 3]!, p);
          });
        }
      }
      expect(diagonal(clips[c]!), clip.name).toBeLessThan(2 * diagonal(seen));
    });
  });

  test.each(FILES)('hold whatever clips blend to, also under differences: %s', async (file) => {
    const model = await importGltf({ name: file, bytes: readFileSync(file) });
    const random = new Random(runSeed);
    const differences = model.clips.map((clip) => additiveClip(clip, undefined, model, []));
    const plain = measured(model).reach!;
    const layered = measured(model, differences, 2).reach!;
    expect(layered.radius).toBeGreaterThanOrEqual(plain.radius);
    const neutral = restPose(model).map((_, i) => (i % POSE_STRIDE < 6 ? 0 : 1));
    const any = (clips: readonly ClipModel[], base: LocalPose) => {
      const clip = random.pick(clips);
      return evaluatePose(model, clip, random.range(0, clip.duration), base.slice());
    };
    // some poses that bounds are judged by, whatever the random ones are
    const moments = model.clips.flatMap((clip) =>
      [0, 0.3, 0.6].map((share) => clipVertices(model, clip, share * clip.duration)),
    );
    let most = Math.max(0, ...moments.map((positions) => farthest(plain.center, positions)));
    for (let n = 0; n < MOMENTS && model.clips.length > 0; n++) {
      const weights = evaluateMorphWeights(model, random.pick(model.clips), random.range(0, 1));
      const rest = restPose(model);
      const pose = blend(any(model.clips, rest), any(model.clips, rest), random.next(), random.pick([-1, 1]));
      most = Math.max(most, farthest(plain.center, posedVertices(model, pose, weights)));
      const over = layOver(layOver(pose, any(differences, neutral)), any(differences, neutral));
      expect(farthest(layered.center, posedVertices(model, over, weights))).toBeLessThanOrEqual(
        layered.radius * (1 + 1e-6),
      );
    }
    expect(most).toBeLessThanOrEqual(plain.radius * (1 + 1e-6));
    if (model.clips.length === 0) return;
    expect(plain.radius).toBeLessThan(2.5 * most);
  });
});
