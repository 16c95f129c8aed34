import {
  AnimationClip,
  Bone,
  Matrix4,
  Object3D,
  QuaternionKeyframeTrack,
  Skeleton,
  Vector3,
  VectorKeyframeTrack,
} from 'three';
import { retargetClip } from 'three/addons/utils/SkeletonUtils.js';
import { describe, expect, it } from 'vitest';
import type { HumanBone } from '../../src/character/humanoid.ts';
import type { ClipModel, TrackModel } from '../../src/character/model.ts';
import { dot, inverse, multiply, rotate, type Vector3 as Point } from '../../src/math/rotations.ts';
import { type Body, bone, SIDES } from '../../src/retarget/body.ts';
import { momentsOf } from '../../src/retarget/moments.ts';
import { retargetHumanoid } from '../../src/retarget/retarget-humanoid.ts';
import { hasTurn, noShared } from '../support/setup.ts';
import { footSlides, percentile, timesOf } from './measure.ts';
import { clipsLike, loadBody, SOURCES, TARGETS } from './skeletons.ts';

/** The same pairs by SkeletonUtils.retargetClip of three.js, with our maps of bones, our scale, and offsets of rest poses. */
describe.skipIf(noShared() || !hasTurn(1))('beside three.js', () => {
  it('arms are as near to the source or nearer, and feet slide less', async () => {
    const rows: { pair: string; three: Measure; ours: Measure }[] = [];
    for (const [from, to] of [
      ['cmu', 'unreal'],
      ['cmu', 'kaykit'],
      ['kaykit', 'unreal'],
      ['legionary', 'kaykit'],
      ['unreal', 'quaternius'],
      ['legionary', 'godette1'],
      ['bandai', 'unreal'],
      ['kaykit', 'zombie'],
    ] as const) {
      // prettier-ignore
      const [, file, pattern] = SOURCES.find(([name]) => name === from)!;
      const [source, target] = [await loadBody(file), await loadBody(TARGETS[to]!)];
      const clip = clipsLike(source.model, pattern)[0]!;
      const made = retargetHumanoid(clip, source, target, { mirror: false, fingers: false, feet: true });
      const { contacts, ground } = made.feet;
      const measure = (bound: ClipModel): Measure => ({
        arms: armError(source, clip, target, bound),
        slide: percentile(footSlides(target, resampled(bound, timesOf(made.clip)), contacts, ground), 0.95),
      });
      rows.push({
        pair: `${from} → ${to}: ${clip.name}`,
        three: measure(byThree(clip, source, target)),
        ours: measure(made.clip),
      });
    }
    for (const { pair, three, ours } of rows) {
      expect(ours.arms, pair).toBeLessThanOrEqual(three.arms + 1e-3);
      expect(ours.slide, pair).toBeLessThan(three.slide);
    }
  }, 120_000);
});

interface Measure {
  readonly arms: number;
  readonly slide: number;
}

/** Mean angle between the directions of arms in both characters' spaces, counted from the T-poses. */
function armError(source: Body, clip: ClipModel, target: Body, bound: ClipModel): number {
  const seconds = timesOf(bound);
  const [from, to] = [momentsOf(source, clip, seconds), momentsOf(target, bound, seconds)];
  const angles = SIDES.flatMap((side) =>
    ['UpperArm', 'LowerArm'].flatMap((part) => {
      const along: Point = [side === 'left' ? 1 : -1, 0, 0];
      const direction = (body: Body, { rotations }: (typeof from)[number]): Point => {
        const joint = body.map[bone(side, part)]!;
        return rotate(multiply(rotations[joint]!, inverse(body.tPose[joint]!)), along);
      };
      return from.map((moment, i) =>
        Math.acos(Math.max(-1, Math.min(1, dot(direction(source, moment), direction(target, to[i]!))))),
      );
    }),
  );
  return angles.reduce((sum, angle) => sum + angle, 0) / angles.length;
}

/** A clip with the given times on its first track: what is measured is sampled there. */
function resampled(clip: ClipModel, seconds: Float32Array): ClipModel {
  const track: TrackModel = {
    path: 'weights',
    targetIndex: 0,
    interpolation: 'STEP',
    times: seconds,
    values: new Float32Array(seconds.length),
  };
  return { ...clip, tracks: [track, ...clip.tracks] };
}

interface Figure {
  readonly root: Object3D & { skeleton: Skeleton };
  readonly bones: readonly Bone[];
}

function figureOf({ model }: Body): Figure {
  const root = new Object3D() as Object3D & { skeleton: Skeleton };
  const bones = model.joints.map(({ translation, rotation, scale }, i) => {
    const made = new Bone();
    made.name = `j${i}`;
    made.position.set(...translation);
    made.quaternion.set(...rotation);
    made.scale.set(...scale);
    return made;
  });
  model.joints.forEach(({ parentIndex }, i) => (parentIndex < 0 ? root : bones[parentIndex]!).add(bones[i]!));
  root.updateMatrixWorld(true);
  root.skeleton = new Skeleton(bones);
  return { root, bones };
}

function byThree(clip: ClipModel, source: Body, target: Body): ClipModel {
  const [from, to] = [figureOf(source), figureOf(target)];
  const shared = (Object.keys(target.map) as HumanBone[]).filter((name) => source.map[name] !== undefined);
  const names = Object.fromEntries(shared.map((name) => [`j${target.map[name]}`, `j${source.map[name]}`]));
  // what a careful user does: offsets between the rest poses
  const localOffsets = Object.fromEntries(shared.map((name) => {
    const [a, b] = [from.bones[source.map[name]!]!, to.bones[target.map[name]!]!];
    const turn = (each: Bone) => new Matrix4().extractRotation(each.matrixWorld);
    return [b.name, turn(a).invert().multiply(turn(b))];
  })); // prettier-ignore
  const tracks = clip.tracks.flatMap(({ path, targetIndex, times, values, interpolation }) => {
    if (interpolation === 'CUBICSPLINE') return [];
    if (path === 'rotation')
      return [new QuaternionKeyframeTrack(`j${targetIndex}.quaternion`, Array.from(times), Array.from(values))];
    if (path === 'translation')
      return [new VectorKeyframeTrack(`j${targetIndex}.position`, Array.from(times), Array.from(values))];
    return [];
  });
  const options = {
    names,
    localOffsets,
    hip: `j${source.map.hips}`,
    scale: target.legLength / source.legLength,
    hipInfluence: new Vector3(1, 1, 1),
  };
  const made = retargetClip(
    to.root,
    from.root as never,
    new AnimationClip(clip.name, clip.duration, tracks),
    options as never,
  );
  return {
    name: clip.name,
    duration: clip.duration,
    tracks: made.tracks.map(({ name, times, values }): TrackModel => ({
      path: name.endsWith('quaternion') ? 'rotation' : 'translation',
      targetIndex: Number(/j(\d+)/.exec(name)![1]),
      interpolation: 'LINEAR',
      times: Float32Array.from(times),
      values: Float32Array.from(values),
    })),
  };
}
