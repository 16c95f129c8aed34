import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Entry, GltfBuilder, importBuilt } from '../../test/import/build-gltf.ts';
import { importFile, restBounds, sourcePositions } from '../../test/import/pose-model.ts';
import { noShared, shared } from '../../test/support/setup.ts';
import { thrownBy } from '../../test/support/thrown-by.ts';
import { composeJoints, evaluatePose } from '../character/evaluate.ts';
import type { CharacterModel, ClipModel, Interpolation, MeshModel } from '../character/model.ts';
import { bindClip } from './index.ts';

const clipOf = (model: CharacterModel, name: string): CharacterModel['clips'][number] =>
  model.clips.find((clip) => clip.name === name)!;

describe.skipIf(noShared())('a clip of the knight', () => {
  const load = (name: string): Promise<CharacterModel> => importFile(path.join(shared, 'assets', name));

  let loaded: Promise<CharacterModel> | undefined;
  const loadKnight = () => (loaded ??= load('characters/kaykit-knight.glb'));

  it('drives the barbarian as his own does', async () => {
    const [knight, barbarian] = await Promise.all([loadKnight(), load('characters/kaykit-barbarian.glb')]);
    for (const name of ['Walking_A', 'Jump_Full_Long', 'Lie_Pose']) {
      const own = clipOf(barbarian, name);
      const { clip, unmatched, issues } = bindClip(clipOf(knight, name), knight, barbarian);
      expect(clip.name).toBe(name);
      // their rigs differ in nothing that the clips move
      expect(unmatched).toEqual([]);
      expect(issues).toEqual([]);
      expect(clip.duration).toBe(own.duration);
      const { size } = restBounds(barbarian);
      for (const time of [0, 0.3, own.duration]) {
        const expected = sourcePositions(barbarian, own, time);
        sourcePositions(barbarian, clip, time).forEach(({ positions }, i) => {
          const worst = positions.reduce(
            (most, value, k) => Math.max(most, Math.abs(value - expected[i]!.positions[k]!)),
            0,
          );
          expect(worst / size).toBeLessThan(1e-5);
        });
      }
    }
  });

  it('says what a wolf lacks', async () => {
    const [knight, wolf] = await Promise.all([loadKnight(), load('creatures/wolf.glb')]);
    const { clip, unmatched, issues } = bindClip(clipOf(knight, 'Walking_A'), knight, wolf);
    expect(unmatched.length).toBeGreaterThan(10);
    expect(new Set(unmatched).size).toBe(unmatched.length);
    expect(issues).toMatchObject([{ code: 'CLIP_JOINTS_UNMATCHED', severity: 'warning', path: 'Walking_A' }]);
    for (const { targetIndex } of clip.tracks) expect(targetIndex).toBeLessThan(wolf.joints.length);
  });
});

describe('binding', () => {
  /** Two hands under two arms, all with a triangle; the named hand moves by 1. */
  async function arms(order: [string, string], moved: number): Promise<CharacterModel> {
    const gltf = new GltfBuilder();
    for (const arm of order) gltf.meshNode([gltf.triangle()], { name: arm, children: [gltf.nodes.length + 2] });
    gltf.nodes[0]!.children = [2];
    gltf.nodes[1]!.children = [3];
    for (let i = 0; i < 2; i++) gltf.meshNode([gltf.triangle()], { name: 'hand' });
    gltf.clip([{ node: moved, path: 'translation', times: [0], values: [1, 0, 0], type: 'VEC3' }]);
    return importBuilt(gltf);
  }

  it.each([
    [['right', 'left'] as [string, string], [0, 1, 0, 0]],
    // the other hand comes first
    [['left', 'right'] as [string, string], [0, 0, 0, 1]],
  ])('distinguishes joints of one name by their parents, in the order %s', async (order, expected) => {
    const source = await arms(['left', 'right'], 3);
    const target = await arms(order, 2);
    const { clip } = bindClip(source.clips[0]!, source, target);
    const moved = clip.tracks.map(({ targetIndex }) => target.joints[target.joints[targetIndex]!.parentIndex]!.name);
    expect(moved).toEqual(['right']);
    const pose = composeJoints(target, evaluatePose(target, clip, 0));
    expect(target.joints.map((_, i) => pose[12 * i + 3])).toEqual(expected);
  });

  it('takes the first joint of a name if no parents agree', async () => {
    const source = await arms(['left', 'right'], 3);
    const target = await arms(['upper', 'lower'], 2);
    const { clip, unmatched } = bindClip(source.clips[0]!, source, target);
    expect(clip.tracks[0]!.targetIndex).toBe(target.joints.findIndex(({ name }) => name === 'hand'));
    expect(unmatched).toEqual([]);
  });

  it('leaves a clip that ends one that ends', async () => {
    const model = await arms(['upper', 'lower'], 2);
    const ending = { ...model.clips[0]!, loops: false };
    expect(bindClip(ending, model, model).clip.loops).toBe(false);
    expect(bindClip(model.clips[0]!, model, model).clip.loops).toBeUndefined();
  });

  it('moves morph weights to targets of the same name', async () => {
    const build = async (names: string[], node: string, values: number[]): Promise<CharacterModel> => {
      const gltf = new GltfBuilder();
      const targets = names.map(() => ({ POSITION: gltf.accessor([1, 0, 0, 0, 0, 0, 0, 0, 0], 'VEC3') }));
      gltf.meshNode([gltf.triangle({}, { targets })], { name: node });
      (gltf.meshes[0] as Entry).extras = { targetNames: names };
      gltf.meshes[0]!.weights = names.map(() => 0.5);
      gltf.clip([{ node: 0, path: 'weights', times: [0, 1], values, type: 'SCALAR' }]);
      return importBuilt(gltf);
    };
    const source = await build(['smile', 'frown'], 'face', [0.1, 0.2, 0.3, 0.4]);
    const target = await build(['blink', 'frown', 'smile'], 'head', [0, 0, 0, 0, 0, 0]);
    const { clip } = bindClip(source.clips[0]!, source, target);
    const expected = [0.5, 0.2, 0.1, 0.5, 0.4, 0.3];
    clip.tracks[0]!.values.forEach((value, i) => expect(value).toBeCloseTo(expected[i]!));
    const stranger = await build(['x'], 'face', [0, 0]);
    expect(bindClip(source.clips[0]!, source, stranger).unmatched).toEqual(['smile, frown']);
  });
});

describe('rests that differ', () => {
  const scaled = (model: CharacterModel, joint: number, change: Partial<CharacterModel['joints'][number]>) => ({
    ...model,
    joints: model.joints.map((each, i) => (i === joint ? { ...each, ...change } : each)),
  });
  const base = (): CharacterModel => {
    const model = rig('source', [['hips', -1], ['spine', 0], ['head', 1]]); // prettier-ignore
    const raised = model.joints.map((joint, i) => ({ ...joint, translation: [0, i === 0 ? 1 : 0.5, 0] as const }));
    return { ...model, joints: raised };
  };
  const track = (path: 'translation' | 'rotation' | 'scale', targetIndex: number, values: number[]): ClipModel => ({
    name: 'walk',
    duration: 0,
    tracks: [
      { path, targetIndex, interpolation: 'LINEAR', times: Float32Array.of(0), values: Float32Array.from(values) },
    ],
  });
  const half = Math.SQRT1_2;

  it.each([
    [
      'a length',
      { translation: [0, 0.005, 0] as const },
      track('translation', 1, [0, 0.5, 0]),
      'rests 0.5 from its parent instead of 0.005',
    ],
    ['axes', { rotation: [half, 0, 0, half] as const }, track('rotation', 1, [0, 0, 0, 1]), 'rests turned by 90°'],
    ['a scale', { scale: [100, 100, 100] as const }, track('scale', 1, [1, 1, 1]), 'a scale of 1 instead of 100'],
  ])('in %s are refused, with the joint', (_, change, clip, text) => {
    const model = base();
    const refusal = thrownBy(() => bindClip(clip, model, scaled(model, 1, change)));
    expect(refusal.code).toBe('CLIP_REST_DIFFERS');
    expect(refusal.issues[0]!.message).toContain('"spine"');
    expect(refusal.issues[0]!.message).toContain(text);
  });

  it('by little are a warning, and not at all none', () => {
    const model = base();
    const clip = track('translation', 1, [0, 0.5, 0]);
    const { issues } = bindClip(clip, model, scaled(model, 1, { translation: [0, 0.53, 0] }));
    expect(issues).toMatchObject([{ code: 'CLIP_REST_DIFFERS', severity: 'warning', path: 'walk' }]);
    expect(bindClip(clip, model, scaled(model, 1, { translation: [0, 0.505, 0] })).issues).toEqual([]);
  });

  it('do not matter in channels that the clip leaves alone', () => {
    const model = base();
    const other = scaled(model, 1, { translation: [0, 0.005, 0], scale: [100, 100, 100] });
    expect(bindClip(track('rotation', 1, [0, 0, 0, 1]), model, other).issues).toEqual([]);
  });

  it('only as stances, with meshes bound alike, are the same axes', () => {
    const model = base();
    const bound = { ...model, bindings: [0, 1, 2].map((jointIndex) => binding(jointIndex)) };
    const stance = scaled(bound, 1, { rotation: [half, 0, 0, half] });
    expect(bindClip(track('rotation', 1, [0, 0, 0, 1]), bound, stance).issues).toEqual([]);
    expect(() => bindClip(track('rotation', 1, [0, 0, 0, 1]), model, stance)).toThrow('CLIP_REST_DIFFERS');
  });

  /** Bound without a turn, away from the joint. */
  function binding(jointIndex: number): CharacterModel['bindings'][number] {
    return { jointIndex, jointFromMesh: Float32Array.of(1, 0, 0, 0, 0, 1, 0, -1 - jointIndex, 0, 0, 1, 0) };
  }

  it.skipIf(noShared())('refuse the clip of a kit on an armature that is scaled by 100', async () => {
    const load = (name: string): Promise<CharacterModel> => importFile(path.join(shared, 'assets/characters', name));
    const [bee, punk] = await Promise.all([load('astronaut-bee-draco.glb'), load('cyberpunk-character.glb')]);
    const refusal = thrownBy(() => bindClip(clipOf(bee, 'Walk'), bee, punk));
    expect(refusal.issues).toMatchObject([{ code: 'CLIP_REST_DIFFERS', path: 'Walk' }]);
  });
});

/** A joint: its name, its parent, and −1 where no node of a file is behind it. */
type Joint = readonly [name: string, parentIndex: number, nodeIndex?: number];

/** A model of nothing but joints, and one with a track for each. */
function rig(name: string, joints: readonly Joint[], more: Partial<CharacterModel> = {}): CharacterModel {
  const rest = { translation: [0, 0, 0], rotation: [0, 0, 0, 1], scale: [1, 1, 1] } as const;
  return {
    name,
    joints: joints.map(([own, parentIndex, nodeIndex], i) => ({
      ...rest,
      name: own,
      parentIndex,
      nodeIndex: nodeIndex ?? i,
    })),
    bindings: [],
    meshes: [],
    morphSets: [],
    clips: [],
    materials: [],
    images: [],
    issues: [],
    ...more,
  };
}

function clipOfAll({ joints }: CharacterModel): ClipModel {
  const times = Float32Array.of(0);
  const track = { path: 'translation', interpolation: 'LINEAR', times, values: new Float32Array(3) } as const;
  return { name: 'all', duration: 0, tracks: joints.map((_, targetIndex) => ({ ...track, targetIndex })) };
}

/** Where the tracks of a clip that moves all joints of one model lead to in another. */
function bound(from: readonly Joint[], to: readonly Joint[]): { joints: number[]; unmatched: readonly string[] } {
  const [source, target] = [rig('source', from), rig('target', to)];
  const { clip, unmatched } = bindClip(clipOfAll(source), source, target);
  return { joints: clip.tracks.map(({ targetIndex }) => targetIndex), unmatched };
}

describe('joints', () => {
  const limbs = (first: string, second: string): Joint[] =>
    [first, second].flatMap(
      (side, s) =>
        [
          [side, -1],
          ['arm', 3 * s],
          ['hand', 3 * s + 1],
        ] as Joint[],
    );

  it('use the names of all their ancestors, not of the nearest', () => {
    const [left, right] = [limbs('left', 'right'), limbs('right', 'left')];
    expect(bound(left, right).joints).toEqual([3, 4, 5, 0, 1, 2]);
    expect(bound(left, left).joints).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('of one path are the first of it', () => {
    expect(bound([['a', -1], ['b', 0]], [['a', -1], ['b', 0], ['b', 0]]).joints).toEqual([0, 1]); // prettier-ignore
  });

  it('without parents are other ones than those below the first', () => {
    const [inner, outer]: Joint[] = [['b', 0], ['b', -1]]; // prettier-ignore
    expect(bound([['a', -1], inner!, outer!], [['a', -1], outer!, inner!]).joints).toEqual([0, 2, 1]);
  });

  it('with names that begin with digits have no other paths', () => {
    const roots = Array.from({ length: 13 }, (_, i): Joint => [`root ${i}`, -1]);
    // below the second and the thirteenth
    const [a, b]: Joint[] = [['2x', 1], ['x', 12]]; // prettier-ignore
    expect(bound([...roots, a!, b!], [...roots, b!, a!]).joints.slice(13)).toEqual([14, 13]);
  });

  it('that an importer added, or that have no name, are not matched', () => {
    expect(bound([['root', -1]], [['root', -1, -1], ['root', 0, 0]]).joints).toEqual([1]); // prettier-ignore
    expect(bound([['', -1], ['b', 0]], [['', -1], ['b', 0]])).toEqual({ joints: [1], unmatched: [''] }); // prettier-ignore
  });

  it('that are missing are reported, ten of them by name', () => {
    const names = (count: number) => Array.from({ length: count }, (_, i): Joint => [`j${i}`, -1]);
    const message = (missing: number) => {
      const source = rig('dancer', [['known', -1], ...names(missing)]);
      const target = rig('knight', [['known', -1]]);
      const clip = clipOfAll(source);
      // two tracks of one joint are one joint
      const twice = { ...clip, tracks: [...clip.tracks, clip.tracks.at(-1)!] };
      return bindClip(twice, source, target).issues.map(({ message }) => message);
    };
    const ten = 'j0, j1, j2, j3, j4, j5, j6, j7, j8, j9';
    expect(message(0)).toEqual([]);
    expect(message(10)).toEqual([`10 animated joints of "dancer" are not in "knight": ${ten}.`]);
    expect(message(12)).toEqual([`12 animated joints of "dancer" are not in "knight": ${ten} and 2 more.`]);
  });
});

describe('morph weights', () => {
  type Set = readonly [node: string, names: readonly string[], weights?: readonly number[]];
  const shapes = (name: string, sets: readonly Set[], firstNode: number): CharacterModel =>
    rig(name, [], {
      morphSets: sets.map(([, names, weights], i) => ({
        nodeIndex: firstNode + i,
        names,
        weights: weights ?? names.map(() => 0),
      })),
      meshes: sets.map(([nodeName], i) => ({ nodeIndex: firstNode + i, nodeName }) as MeshModel),
    });
  const weighing = (
    targetIndex: number,
    values: readonly number[],
    interpolation: Interpolation = 'LINEAR',
  ): ClipModel => {
    const times = Float32Array.of(0);
    const track = { path: 'weights', targetIndex, interpolation, times, values: Float32Array.from(values) } as const;
    return { name: 'face', duration: 0, tracks: [track] };
  };

  it('go to the node of the same name, else to the first that has one of the targets', () => {
    const source = shapes('source', [['body', ['fat']], ['face', ['smile']]], 0); // prettier-ignore
    const [onBody, onFace] = [['body', ['smile']], ['face', ['smile']]] as const; // prettier-ignore
    const indexIn = (...sets: Set[]) => {
      // nodes have other numbers there
      const { clip, unmatched } = bindClip(weighing(1, [0.5]), source, shapes('target', sets, 1));
      return clip.tracks[0]?.targetIndex ?? unmatched;
    };
    expect(indexIn(onBody, onFace)).toBe(1);
    expect(indexIn(onFace, onBody)).toBe(0);
    expect(indexIn(['hair', ['long']], onBody, ['head', ['smile']])).toBe(1);
    expect(indexIn(['face', ['frown']])).toEqual(['smile']);
  });

  it('of cubic keys: what the clip does not move rests, with tangents of 0', () => {
    const source = shapes('source', [['face', ['smile', 'frown']]], 0);
    const target = shapes('target', [['face', ['blink', 'frown'], [0.25, 0.75]]], 0);
    // in-tangents, values, out-tangents
    const { clip } = bindClip(weighing(0, [1, 2, 3, 4, 5, 6], 'CUBICSPLINE'), source, target);
    expect(Array.from(clip.tracks[0]!.values)).toEqual([0, 2, 0.25, 4, 0, 6]);
  });
});
