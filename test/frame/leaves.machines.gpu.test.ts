// States of many clips in whole crowds: what is seen, against doubles, and what is counted.
import { beforeAll, describe, expect, test } from 'vitest';
import { param } from '../../src/controller/builder.ts';
import type { MotionModel } from '../../src/controller/model.ts';
import { FROZEN_LIMIT } from '../../src/controller/tables.ts';
import { packCharacter } from '../../src/character/index.ts';
import type { Character, Crowd, CrowdOptions } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { farthest } from '../support/crowd-truth.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { durationOf, layeredVertices } from '../support/layer-truth.ts';
import { LEAF_MOTIONS, LEAF_PARAMETERS } from '../support/leaf-motions.ts';
import { trueLeaves, type TrueLeaf } from '../support/leaf-truth.ts';
import { randomModel } from '../support/random-model.ts';
import { Random } from '../support/random.ts';
import { companions } from '../support/companions.ts';
import { hasTurn } from '../support/setup.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const model = randomModel(new Random(77), {
  joints: 9,
  depth: 5,
  influences: 4,
  morphs: 0,
  clips: 32,
  vertices: 40,
  scales: false,
  meshes: 1,
  keys: 4,
  interpolations: ['LINEAR', 'CUBICSPLINE'],
});
const source = { ...model, clips: model.clips.map((clip) => ({ ...clip, loops: true })) };
const clipOf = (name: string) => source.clips.findIndex((clip) => clip.name === name);
const lengthOf = (name: string) => durationOf(source, clipOf(name));

const MANY = LEAF_MOTIONS['32 of different weights, under two direct trees'];
const OTHERS = LEAF_MOTIONS['as many trees as 32 clips can have'];

/** Two states, and one to blend to from the middle of both. */
function character(motion: MotionModel, other: MotionModel): Character {
  const states = { A: { motion }, B: { motion: other }, C: { motion: 'clip 5' } };
  return packCharacter(source, {
    errorBudget: 0,
    controller: {
      format: 'maniple-controller',
      version: 1,
      name: 'leaves',
      parameters: { ...LEAF_PARAMETERS, go: param.trigger() },
      layers: [{ name: 'Base', machine: { default: 'A', states } }],
    },
  });
}

/** A clip at a phase. */
type Sample = TrueLeaf & { readonly phase: number };

/** What a state shows so many seconds after it was entered. */
function shown(motion: MotionModel, seconds: number, share: number): Sample[] {
  const { leaves, length } = trueLeaves(motion, (name) => LEAF_PARAMETERS[name]!.default as number, lengthOf);
  return leaves.map(({ clip, weight }) => ({ clip, weight: weight * share, phase: (seconds / length) % 1 }));
}

/** What is left of a blend: the heaviest, with the weight of all, to be shown with a share. */
function frozen(samples: readonly Sample[], share: number): { kept: Sample[]; dropped: number; weight: number } {
  const total = (list: readonly Sample[]) => list.reduce((sum, { weight }) => sum + weight, 0);
  const order = [...samples].sort((a, b) => b.weight - a.weight);
  const kept = order.slice(0, FROZEN_LIMIT);
  const factor = (share * total(samples)) / total(kept);
  return {
    kept: kept.map((sample) => ({ ...sample, weight: sample.weight * factor })),
    dropped: order.length - kept.length,
    weight: total(samples) - total(kept),
  };
}

// the kernels of large motions take a software adapter twenty seconds
const backends = hasTurn(1) ? (['gpu', 'cpu'] as const) : (['cpu'] as const);
describe.skipIf(noGpu()).each(backends)('states of many clips, on the %s', (backend) => {
  let device: GPUDevice;
  beforeAll(async () => {
    ({ device } = await testDevice());
  });
  const crowdOf = (characters: Character[], more: Partial<CrowdOptions> = {}): Crowd =>
    createCrowd(device, { characters: [...characters, ...companions()], capacity: 8, backend, ...more });

  test('all of them are seen, on both sides of a blend, and the heaviest of what is frozen', async () => {
    const few = character(LEAF_MOTIONS['12 equal ones'], 'clip 3');
    const many = character(MANY, OTHERS);
    const crowd = crowdOf([few, many]);
    const ids = [few, few, many, many, many].map((each) => crowd.spawn(each).id(0));
    await updateAndWait(crowd, { dt: 0.25 });
    for (const i of [1, 3, 4]) crowd.crossFade(ids[i]!, 'B', { duration: 0.5 });
    await updateAndWait(crowd, { dt: 0.25 });
    crowd.crossFade(ids[4]!, 'C', { duration: 0.5 });
    await updateAndWait(crowd, { dt: 0.125 });
    const held = frozen([...shown(MANY, 0.5, 0.5), ...shown(OTHERS, 0.25, 0.5)], 0.75);
    const expected: Sample[][] = [
      shown(LEAF_MOTIONS['12 equal ones'], 0.625, 1),
      [...shown(LEAF_MOTIONS['12 equal ones'], 0.625, 0.25), ...shown('clip 3', 0.375, 0.75)],
      shown(MANY, 0.625, 1),
      [...shown(MANY, 0.625, 0.25), ...shown(OTHERS, 0.375, 0.75)],
      [...held.kept, ...shown('clip 5', 0.125, 0.25)],
    ];
    expect(expected.map(({ length }) => length)).toEqual([12, 13, 32, 64, 9]);
    for (const [i, samples] of expected.entries()) {
      const [state] = await crowd.readControllers(ids[i]!);
      expect(state!.layers[0]!.motions).toHaveLength(samples.length);
      const clips = samples.map(({ clip, weight, phase }) => ({
        clip: clipOf(clip),
        weight,
        time: phase * lengthOf(clip),
      }));
      const actor = { model: source, character: i < 2 ? few : many };
      const vertices = await crowd.readVertices(ids[i]!);
      expect(farthest(actor, vertices, layeredVertices(actor, [{ clips }])), `character ${i}`).toBeLessThan(2e-5);
    }
    const { droppedMotions, truncatedFreezes, droppedSamples, droppedWeight } = await crowd.readStats();
    expect([droppedMotions, truncatedFreezes, droppedSamples]).toEqual([0, 1, held.dropped]);
    expect(droppedWeight).toBeCloseTo(held.weight, 4);
    crowd.destroy();
  });

  test('motions over the limit of a list are counted, of characters that were posed', async () => {
    const many = character(MANY, OTHERS);
    const crowd = crowdOf([many], { maxClips: 20 });
    const group = crowd.spawn(many, { count: 3 });
    await updateAndWait(crowd, { dt: 0.25 });
    expect((await crowd.readStats()).droppedMotions).toBe(3 * 12);
    crowd.crossFade(group.id(0), 'B', { duration: 1 });
    await updateAndWait(crowd, { dt: 0.25 });
    expect((await crowd.readStats()).droppedMotions).toBe(44 + 2 * 12);
    // one that is not there any more, and one that plays a clip alone
    crowd.despawn(group.id(1));
    crowd.playState(group.id(2), 'C');
    await updateAndWait(crowd, { dt: 0.25 });
    expect((await crowd.readStats()).droppedMotions).toBe(44);
    // the machines go on, and no list is made
    await updateAndWait(crowd, { dt: 0.25, views: [] });
    expect((await crowd.readStats()).droppedMotions).toBe(44);
    crowd.destroy();
  });

  test('characters that keep their pose in a frame drop nothing in it', async () => {
    const many = character(MANY, OTHERS);
    const crowd = crowdOf([many], {
      maxClips: 20,
      updateRates: { halfBelowPx: 1e30, quarterBelowPx: 0, eighthBelowPx: 0 },
    });
    crowd.spawn(many, { count: 5 });
    // planes without a direction hold everything
    const views = [{ clipFromWorld: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], height: 100 }];
    const met = new Set<number>();
    for (let frame = 0; frame < 4; frame++) {
      await updateAndWait(crowd, { dt: 0.25, views });
      const { listed, posed, droppedMotions } = await crowd.readStats();
      expect([listed, droppedMotions]).toEqual([5, 12 * posed]);
      met.add(posed);
    }
    expect([...met].sort((a, b) => a - b)).toEqual([2, 3, 5]);
    crowd.destroy();
  });

  test('what freezes drop is counted from the beginning, also while the crowd grows', async () => {
    const many = character(MANY, OTHERS);
    const crowd = crowdOf([many]);
    const { ids } = crowd.spawn(many, { count: 2 });
    const counts = async () => {
      const { truncatedFreezes, droppedSamples, droppedWeight } = await crowd.readStats();
      return [truncatedFreezes, droppedSamples, Math.round(1e4 * droppedWeight) / 1e4];
    };
    await updateAndWait(crowd, { dt: 0.25 });
    expect(await counts()).toEqual([0, 0, 0]);
    for (const id of ids) crowd.crossFade(id, 'B', { duration: 0.5 });
    await updateAndWait(crowd, { dt: 0.25 });
    for (const id of ids) crowd.crossFade(id, 'C', { duration: 0.5 });
    await updateAndWait(crowd, { dt: 0.125 });
    const { dropped, weight } = frozen([...shown(MANY, 0.5, 0.5), ...shown(OTHERS, 0.25, 0.5)], 1);
    const expected = [2, 2 * dropped, expect.closeTo(2 * weight, 3) as number];
    expect(await counts()).toEqual(expected);
    crowd.grow(20);
    expect(await counts()).toEqual(expected);
    await updateAndWait(crowd, { dt: 0 });
    expect(await counts()).toEqual(expected);
    // a frozen blend of eight, and one clip
    crowd.crossFade(ids[0]!, 'B', { duration: 0.5 });
    await updateAndWait(crowd, { dt: 0.125 });
    expect((await counts()).slice(0, 2)).toEqual([3, 2 * dropped + 1]);
    crowd.destroy();
  });
});
