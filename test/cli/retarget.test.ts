// Clips of other files: bake and retarget bind them, inspect shows the bones.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readBaked } from '../../src/character/index.ts';
import { noShared, shared, testInTurn } from '../support/setup.ts';
import { answer, legionary, maniple, readGlb, refusal } from './maniple.ts';
import { parseSvg, textOf } from '../support/svg.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const at = (name: string): string => path.join(shared, name);

interface Report {
  readonly clip: string;
  readonly method: string;
  readonly bones: number;
  readonly footSlide?: { readonly median: number; readonly high: number };
}

describe.skipIf(noShared())('clips of other files', () => {
  test('are baked next to those that are named, with a report', async () => {
    const out = path.join(folder, 'a.maniple');
    const files = [`${at('mocap/cmu02.glb')}#cmu_02_01`, at('rigs/bvh/motionbuilder-walk01.bvh')];
    const said = await answer<{ clips: Report[]; issues: { code: string }[] }>([
      'bake',
      legionary,
      '--clips',
      'idle,walk',
      ...files,
      '--out',
      out,
    ]);
    expect(said.clips).toMatchObject([{ clip: 'cmu_02_01', method: 'humanoid' }, { clip: 'motionbuilder-walk01' }]);
    for (const { footSlide } of said.clips) expect(footSlide!.high).toBeLessThan(0.03);
    expect(said.issues.filter(({ code }) => code === 'CLIP_RETARGETED')).toHaveLength(2);
    const { clips } = readBaked(readFileSync(out));
    expect(clips.map(({ name }) => name)).toEqual(['idle', 'walk', 'cmu_02_01', 'motionbuilder-walk01']);
  });

  testInTurn(0)('are written to a GLB that plays them', async () => {
    const out = path.join(folder, 'b.glb');
    const clip = `${at('assets/characters/kaykit-knight.glb')}#Walking_A`;
    const plot = path.join(folder, 'b.svg');
    await answer(['retarget', legionary, '--clips', clip, '--mirror', '--out', out, '--plot', plot]);
    const drawn = textOf(parseSvg(readFileSync(plot, 'utf8')));
    for (const words of ['1 clip on legionary', 'Walking_A', 'left foot', 'upper_arm_l', 'upperarm.l'])
      expect(drawn).toContain(words);
    const { animations } = readGlb(readFileSync(out)) as unknown as { animations: { name: string }[] };
    expect(animations.at(-1)!.name).toBe('Walking_A');
    const seen = await answer<{ clips: { name: string; duration: number }[]; issues: { code: string }[] }>([
      'inspect',
      out,
    ]);
    expect(seen.clips.at(-1)).toMatchObject({ name: 'Walking_A' });
    expect(seen.issues.filter(({ code }) => code.startsWith('GLTF'))).toEqual([]);
  });

  testInTurn(2)('follow a corrected map, which must name joints that there are', async () => {
    const [map, out] = [path.join(folder, 'map.json'), path.join(folder, 'c.maniple')];
    const clip = `${at('mocap/cmu02.glb')}#0`;
    writeFileSync(map, JSON.stringify({ leftHand: null, rightHand: null }));
    const said = await answer<{ clips: Report[] }>([
      'bake',
      legionary,
      '--clips',
      clip,
      '--humanoid',
      map,
      '--out',
      out,
    ]);
    expect(said.clips[0]!.bones).toBe(19);
    writeFileSync(map, JSON.stringify({ hips: 'pelvic' }));
    const [issue] = await refusal(['bake', legionary, '--clips', clip, '--humanoid', map, '--out', out]);
    expect(issue).toMatchObject({ code: 'HUMANOID_INVALID' });
  });

  test('must be there', async () => {
    const out = path.join(folder, 'd.maniple');
    expect((await refusal(['bake', legionary, '--clips', 'missing.glb', '--out', out]))[0]).toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
    const none = at('rigs/gltf/unreal-zombie.glb');
    expect((await refusal(['retarget', legionary, '--clips', none, '--out', out]))[0]).toMatchObject({
      code: 'CLIP_NOT_FOUND',
    });
  });
});

test('inspect shows the bones of a humanoid, and how sure it is', async () => {
  const plot = path.join(folder, 'bones.svg');
  const { humanoid } = await answer<{ humanoid: { confidence: number; bones: Record<string, { joint: string }> } }>([
    'inspect',
    legionary,
  ]);
  expect(humanoid.bones.leftUpperArm!.joint).toBe('upper_arm_l');
  expect(humanoid.confidence).toBe(1);
  const { stdout } = await maniple(['inspect', legionary, '--plot', plot]);
  expect(textOf(parseSvg(readFileSync(plot, 'utf8')))).toMatch(/21 bones by Blender, 100 % sure.*upper_arm_l/);
  expect(stdout).toContain('Humanoid: 21 bones by Blender, 100 % sure');
  expect(stdout).toMatch(/upperArm +upper_arm_l +upper_arm_r/);
});
