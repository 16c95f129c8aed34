import { describe, expect, it } from 'vitest';
import { restPose } from '../../src/character/evaluate.ts';
import { inverse, normalized, rotate, subtract, type Vector3 } from '../../src/math/rotations.ts';
import { type Body, bone, SIDES } from '../../src/retarget/body.ts';
import { momentOf } from '../../src/retarget/moments.ts';
import { noShared } from '../support/setup.ts';
import { loadBody, SOURCES, TARGETS } from './skeletons.ts';

/** The direction from a bone to another one in the T-pose. */
function direction({ model, map, tPose }: Body, from: string, to: string): Vector3 | undefined {
  const [a, b] = [map[from as keyof typeof map]!, map[to as keyof typeof map]];
  if (b === undefined) return undefined;
  const { rotations, positions } = momentOf(model, restPose(model));
  return normalized(rotate(tPose[a]!, rotate(inverse(rotations[a]!), subtract(positions[b]!, positions[a]!))));
}

describe.skipIf(noShared())('the T-pose', () => {
  // feet that are parts of shins, and knees that rest bent: these legs keep their bend
  const files = [...new Set([...SOURCES.map(([, file]) => file), ...Object.values(TARGETS)])].filter(
    (file) => !/cyberpunk|bee/.test(file),
  );

  it.each(files)('of %s has arms to the sides, legs down, feet forward', async (file) => {
    const body = await loadBody(file);
    for (const side of SIDES) {
      const outward = side === 'left' ? 1 : -1;
      for (const [from, to] of [
        ['UpperArm', 'LowerArm'],
        ['LowerArm', 'Hand'],
      ] as const)
        // prettier-ignore
        expect((direction(body, bone(side, from), bone(side, to)) ?? [outward])[0]).toBeCloseTo(outward, 4);
      for (const [from, to] of [
        ['UpperLeg', 'LowerLeg'],
        ['LowerLeg', 'Foot'],
      ] as const)
        // prettier-ignore
        expect(direction(body, bone(side, from), bone(side, to))![1]).toBeCloseTo(-1, 1);
      const toes = direction(body, bone(side, 'Foot'), bone(side, 'Toes')) ?? [0, 0, 1];
      expect(Math.abs(toes[0])).toBeLessThan(0.02);
      expect(toes[2]).toBeGreaterThan(0.5);
    }
    expect(body.ballHeight).toBeGreaterThan(0);
    expect(body.ballHeight).toBeLessThan(0.12 * body.legLength);
  });

  it('is found from clips where the rest pose is a stride, or a heap', async () => {
    const found = await Promise.all(files.map(async (file) => [file, (await loadBody(file)).isCalibrated] as const));
    expect(found.filter(([, isCalibrated]) => isCalibrated).map(([file]) => file)).toEqual([
      'mocap/bandai1.glb',
      'rigs/fbx/pab-run.fbx',
    ]);
  });
});
