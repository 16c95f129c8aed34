// The sphere that holds what controllers show: mirrored motions, what layers add to morph weights.
import { describe, expect, test } from 'vitest';
import { clipOf, heldAt, jointAt, meshOf, smallModel, trackOf } from '../../../test/support/small-model.ts';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import { readBaked, writeBaked } from '../file/index.ts';
import type { Character } from '../character.ts';
import type { ControllerModel, LayerModel } from '../../controller/model.ts';
import { packCharacter } from './index.ts';
import { updateAndWait } from '../../../test/support/update-and-wait.ts';

type Machine = NonNullable<LayerModel['machine']>;

const playing = (motion: string, mirror = false): Machine => ({
  default: 'Play',
  states: { Play: { motion, mirror } },
});

/** A machine, and layers that add a clip each to what it shows. */
function layered(machine: Machine, ...added: string[]): ControllerModel {
  const over = added.map((motion, i) => ({ name: `added ${i}`, machine: playing(motion), blend: 'additive' as const }));
  return {
    format: 'maniple-controller',
    version: 1,
    name: 'test',
    parameters: {},
    layers: [{ name: 'base', machine }, ...over],
  };
}

/** Vertices after half a second. */
async function shown(character: Character): Promise<number[]> {
  const crowd = createCrowd(undefined, { characters: [character], capacity: 1, backend: 'cpu' });
  const id = crowd.spawn(character).id(0);
  await updateAndWait(crowd, { dt: 0.5 });
  return Array.from(await crowd.readVertices(id));
}

function farthest({ reach }: Character, positions: readonly number[]): number {
  const { center } = reach!;
  const distances = positions.flatMap((_, i) =>
    i % 3 === 0 ? [Math.hypot(...center.map((c, k) => positions[i + k]! - c))] : [],
  );
  return Math.max(...distances);
}

describe('the reach of a character', () => {
  test('holds mirrored motions: worked out by hand', async () => {
    // a root that the clip carries to x = 4, a left hand that it stretches to 3 from there, vertices on the right one
    const joints = [
      { ...jointAt([0, 0, 0]), name: 'root' },
      { ...jointAt([1, 0, 0], { parentIndex: 0 }), name: 'hand.l' },
      { ...jointAt([-1, 0, 0], { parentIndex: 0 }), name: 'hand.r' },
    ];
    const corners = [
      [-1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    const clips = [
      { ...clipOf(1, heldAt('translation', 0, [4, 0, 0]), heldAt('translation', 1, [3, 0, 0])), name: 'lunge' },
    ];
    const model = smallModel({ joints, clips, meshes: [meshOf(corners, () => [[2, 1]])] });
    const character = packCharacter(model, { errorBudget: 0, controller: layered(playing('lunge', true)) });
    const vertices = await shown(character);
    // the root at −4, the hand 3 from it, the vertex 1 from that
    expect(vertices.slice(0, 3)).toEqual([-8, 0, 0]);
    // the sphere holds the corner of the hand's box
    expect(character.reach).toEqual({ center: [0, 0, 0], radius: 4 + 3 + Math.sqrt(3), additiveLayers: 0 });
    expect(character.clips[0]!.bounds).toEqual({ min: [2, 0, 0], max: [3, 1, 1] });
  });

  test('holds morph weights that layers add up to', async () => {
    const positions = Float32Array.of(0, 0, 0, 0, 5, 0, 0, 0, 0);
    const corners = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    const targets = [{ positions, normals: undefined, tangents: undefined }];
    const clips = [
      { ...clipOf(1, heldAt('weights', 0, [1])), name: 'smile' },
      { ...clipOf(1, trackOf('weights', 0, 'STEP', [0, 0.25], [0.25, 1])), name: 'more' },
    ];
    const model = smallModel({
      meshes: [meshOf(corners, () => [[0, 1]], { morphSetIndex: 0, targets })],
      morphSets: [{ nodeIndex: 0, names: ['smile'], weights: [0] }],
      clips,
    });
    const definition = layered(playing('smile'), 'more', 'more');
    const character = packCharacter(model, { errorBudget: 0, controller: definition });
    const vertices = await shown(character);
    // 1 + 0.75 + 0.75 times the target
    expect(vertices.slice(3, 6)).toEqual([0, 1 + 2.5 * 5, 0]);
    expect(farthest(character, vertices)).toBeLessThanOrEqual(character.reach!.radius);
    // clips alone have nothing added to them
    expect(character.clips.map(({ bounds }) => bounds?.max[1])).toEqual([6, 6, undefined]);
  });

  test('is left out where it would be farther than can be computed with', () => {
    // each of 30 nested joints grows a millionfold of a millionfold, one after the other: together they never do
    const joints = Array.from({ length: 30 }, (_, j) => jointAt([0, 0, 0], { parentIndex: j - 1 }));
    const tracks = joints.map((_, j) =>
      trackOf('scale', j, 'STEP', [0, 1, 1, 1], [j + 1, 1e12, 1e12, 1e12], [j + 1.5, 1, 1, 1], [40, 1, 1, 1]),
    );
    const corners = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    const model = smallModel({ joints, clips: [clipOf(40, ...tracks)], meshes: [meshOf(corners, () => [[29, 1]])] });
    const character = packCharacter(model, { errorBudget: 0 });
    expect(character.reach).toBeUndefined();
    const most = Math.fround(1e12);
    expect(character.clips[0]!.bounds).toEqual({ min: [0, 0, 0], max: [most, most, most] });
    // what is baked can be read
    expect(readBaked(writeBaked(character)).reach).toBeUndefined();
  });
});
