import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Entry, GltfBuilder, importBuilt } from '../../test/import/build-gltf.ts';
import { importFile, restBounds, sourcePositions } from '../../test/import/pose-model.ts';
import { noShared, shared } from '../../test/support/setup.ts';
import { composeJoints, evaluatePose } from '../asset/evaluate.ts';
import type { CharacterModel } from '../asset/model.ts';
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

  it('tells joints of one name apart by their parents', async () => {
    const source = await arms(['left', 'right'], 3);
    const target = await arms(['right', 'left'], 2);
    const { clip } = bindClip(source.clips[0]!, source, target);
    const moved = clip.tracks.map(({ targetIndex }) => target.joints[target.joints[targetIndex]!.parentIndex]!.name);
    expect(moved).toEqual(['right']);
    const pose = composeJoints(target, evaluatePose(target, clip, 0));
    expect(target.joints.map((_, i) => pose[12 * i + 3])).toEqual([0, 1, 0, 0]);
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
