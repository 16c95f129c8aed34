import { type BenchRun, pictureSize } from '../context.ts';
import { MANIPLE } from '../report.ts';
import { computedSkins } from './computed-skins.ts';
import { manipleSameWork } from './maniple-crowds.ts';
import { planOf } from './plan.ts';
import { measureSubject, type Setting } from './run.ts';
import { skinnedMeshes } from './skinned-meshes.ts';
import { soldierOf } from './soldier.ts';
import { DoesNotFit, type MakeSubject } from './subject.ts';
import { vertexTextures } from './vertex-textures.ts';

/** Ways of showing a crowd in three.js. All draw every character at full detail. */
const SUBJECTS: Readonly<Record<string, MakeSubject>> = {
  [MANIPLE]: manipleSameWork,
  'mixers and skinned meshes': skinnedMeshes,
  'mixers and compute skinning': computedSkins,
  'vertex textures, no blending': vertexTextures,
};
/** Share of the legionary's triangles. */
const RATIO = 0.5;

/** Crowds in three.js: what a frame costs the CPU and the GPU. */
export async function measureThree(run: BenchRun): Promise<void> {
  const { device, kind, heat, scene, count, pace, samples, once, models, say } = run;
  const [legionary] = await models();
  const soldier = await once('soldier of three.js', () => soldierOf(legionary, RATIO));
  const plan = planOf(
    count,
    soldier.animations.map(({ duration }) => duration),
  );
  const isHardware = kind === 'hardware';
  const setting: Setting = { device, isHardware, soldier, size: pictureSize(run), shadowTexels: undefined, heat };
  const budget = { frames: pace.frames, seconds: pace.seconds / 4 };
  for (const [subject, make] of Object.entries(SUBJECTS)) {
    say(`three.js, ${subject}`);
    try {
      const [hosts, gpus]: [number[], number[]] = [[], []];
      await measureSubject(make, plan, setting, budget, (host, gpu) => {
        hosts.push(host);
        gpus.push(gpu);
      });
      const row = { scene, count, subject, work: count, unit: 'characters' };
      samples.add({ ...row, stage: 'host', samples: hosts });
      samples.add({ ...row, stage: 'gpu', samples: gpus });
    } catch (thrown) {
      // the device is too small for this subject, not for the others
      if (!(thrown instanceof DoesNotFit)) throw thrown;
      say(`${subject} does not fit: ${thrown.message}`);
    }
  }
}
