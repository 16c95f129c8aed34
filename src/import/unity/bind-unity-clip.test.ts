import { describe, expect, it } from 'vitest';
import type { CharacterModel, JointModel, MeshModel, MorphSetModel } from '../../character/model.ts';
import { bindUnityClip } from './bind-unity-clip.ts';
import type { UnityClip, UnityTrack } from './clip.ts';

const joint = (name: string, parentIndex: number, more: Partial<JointModel> = {}): JointModel => ({
  name,
  parentIndex,
  nodeIndex: parentIndex + 1,
  translation: [7, 8, 9],
  rotation: [0, 0, 0, 1],
  scale: [1, 1, 1],
  ...more,
});

function target(
  joints: readonly JointModel[],
  morphSets: readonly MorphSetModel[] = [],
  nodeNames: readonly string[] = [],
): CharacterModel {
  const meshes = nodeNames.map((nodeName, i) => ({ nodeName, nodeIndex: morphSets[i]!.nodeIndex }) as MeshModel);
  return { name: 'Knight', joints, bindings: [], meshes, morphSets, clips: [], materials: [], images: [], issues: [] };
}

function clip(tracks: readonly UnityTrack[], more: Partial<UnityClip> = {}): UnityClip {
  return { name: 'Run', duration: 1, loops: true, facts: {}, tracks, issues: [], ...more };
}

const move = (path: string, value = 0): UnityTrack => ({
  path,
  channel: 'translation',
  interpolation: 'LINEAR',
  times: new Float32Array([0]),
  values: new Float32Array([value, 2, 3]),
});

const targetsOf = (paths: readonly string[], model: CharacterModel) => {
  const { clip: bound, unmatched } = bindUnityClip(clip(paths.map((path, i) => move(path, i))), model);
  return { indices: bound.tracks.map(({ targetIndex }) => targetIndex), unmatched };
};

describe('bindUnityClip', () => {
  // 0 Root; 1 Hips; 2 Arm.L; 3 Hand; 4 Arm.R; 5 Hand
  const rig = target([
    joint('Root', -1),
    joint('Hips', 0),
    joint('Arm.L', 1),
    joint('Hand', 2),
    joint('Arm.R', 1),
    joint('Hand', 4),
  ]);

  it('finds joints by the longest end of their path', () => {
    expect(targetsOf(['Armature/Root/Hips', 'Hips/Arm.R/Hand', 'Other/Arm.L/Hand'], rig)).toEqual({
      indices: [1, 5, 3],
      unmatched: [],
    });
  });

  it('falls back to the last name, and lists what is not there', () => {
    const { indices, unmatched } = targetsOf(['Nowhere/Hand', 'Hips/Tail', 'Hips/Cape/Tail'], rig);
    expect(indices).toEqual([3]);
    expect(unmatched).toEqual(['Hips/Tail', 'Hips/Cape/Tail']);
    const { issues } = bindUnityClip(clip([move('Tail')]), rig);
    expect(issues).toMatchObject([{ code: 'CLIP_JOINTS_UNMATCHED', severity: 'warning', path: 'Run' }]);
  });

  it('lets the first of two paths to one joint move it', () => {
    expect(targetsOf(['A/Hips', 'B/Hips'], rig)).toEqual({ indices: [1], unmatched: ['B/Hips'] });
  });

  it('takes the empty path for the only root', () => {
    expect(targetsOf([''], rig)).toEqual({ indices: [0], unmatched: [] });
    expect(targetsOf([''], target([joint('A', -1), joint('B', -1)]))).toEqual({ indices: [], unmatched: ['(root)'] });
  });

  it('looks past joints that the importer added', () => {
    const helped = target([joint('Hips', -1), joint('', 0, { nodeIndex: -1 }), joint('Arm', 1), joint('Arm', -1)]);
    expect(targetsOf(['Hips/Arm'], helped)).toEqual({ indices: [2], unmatched: [] });
  });

  it('refuses bones of another unit, and takes those of another body', () => {
    const paths = ['Hips', 'Arm.L', 'Arm.R'];
    const lengths = (factor: number) =>
      clip(paths.map((path) => ({ ...move(path), values: new Float32Array([7, 8, 9]).map((v) => v * factor) })));
    expect(bindUnityClip(lengths(1.5), rig).issues).toEqual([]);
    expect(() => bindUnityClip(lengths(100), rig)).toThrow('CLIP_REST_DIFFERS at Run');
    expect(() => bindUnityClip(lengths(0.01), rig)).toThrow('0.139 m from its parent instead of 13.9 m');
  });

  it('fills in what no curve moves from the rest pose', () => {
    const cubic: UnityTrack = {
      ...move('Hips'),
      interpolation: 'CUBICSPLINE',
      values: new Float32Array([1, 0, 0, 2, 0, 0, 3, 0, 0]),
      rest: [1, 2],
    };
    const [track] = bindUnityClip(clip([cubic]), rig).clip.tracks;
    expect(track!.values).toEqual(new Float32Array([1, 0, 0, 2, 8, 9, 3, 0, 0]));
  });

  it('makes one track of a mesh’s morph weights', () => {
    const weights = (path: string, morph: string, values: readonly number[]): UnityTrack => ({
      path,
      channel: 'weights',
      morph,
      interpolation: 'CUBICSPLINE',
      times: new Float32Array([0, 1]),
      values: new Float32Array(values),
    });
    const sets: MorphSetModel[] = [
      { nodeIndex: 20, names: ['Smile'], weights: [0] },
      { nodeIndex: 21, names: ['Blink', 'Frown', 'Smile'], weights: [0.1, 0.2, 0.3] },
    ];
    const model = target([joint('Root', -1)], sets, ['Mask', 'Face']);
    const tracks = [
      weights('Body/Face', 'Smile', [1, 2, 3, 4, 5, 6]),
      weights('Body/Face', 'Blink', [7, 8, 9, 10, 11, 12]),
      weights('Body/Face', 'Wink', [0, 0, 0, 0, 0, 0]),
    ];
    const bound = bindUnityClip(clip(tracks), model);
    expect(bound.unmatched).toEqual(['Wink']);
    expect(bound.clip.tracks).toEqual([
      {
        path: 'weights',
        targetIndex: 1,
        interpolation: 'CUBICSPLINE',
        times: new Float32Array([0, 1]),
        values: new Float32Array(
          [
            [7, 0, 1, 8, 0.2, 2, 9, 0, 3],
            [10, 0, 4, 11, 0.2, 5, 12, 0, 6],
          ].flat(),
        ),
      },
    ]);
  });

  it('passes on what the clip is', () => {
    const root = { times: new Float32Array([0, 1]), positions: new Float32Array(6), rotations: new Float32Array(8) };
    const events = [{ name: 'Step', time: 0.5 }];
    const { clip: bound } = bindUnityClip(clip([], { root, facts: { events }, loops: false }), rig);
    expect(bound).toEqual({ name: 'Run', duration: 1, loops: false, events, root, tracks: [] });
  });
});
