import { LEGIONARY, soldierController } from '../../battle/soldier.ts';
import { packCharacter } from '../../character/pack/index.ts';
import { createCrowd } from '../../crowd/create-crowd.ts';
import { SeededRandom } from '../../math/seeded-random.ts';
import { type BenchRun, DT } from '../context.ts';
import { FrameLoop } from '../frames.ts';
import { MANIPLE } from '../report.ts';
import { crowdWork } from '../stage-work.ts';
import { importOptional } from './import-optional.ts';
import { drawChange } from './soldier-changes.ts';

/** Seconds for the creation of soldiers for PlayCanvas. */
const PATIENCE = 4;
/** Steps before those that count. */
const WARM_UP_STEPS = 20;

/**
 * State machines of soldiers, two each, all driven alike by random changes of parameters: step-controllers, the whole
 * frame of a crowd without views, and PlayCanvas's animator on the CPU. The time to set parameters does not count.
 */
export async function runMachines(run: BenchRun): Promise<void> {
  const { device, scene, count, pace, samples, once, models } = run;
  const { playCanvasSoldiers } = await importOptional('playcanvas', () => import('./playcanvas.ts'));
  const [legionary] = await models();
  const character = await once('controlled soldier', () => {
    return packCharacter(legionary, { controller: soldierController(LEGIONARY) });
  });
  const crowd = await createCrowd(device, { characters: [character], capacity: count });
  const army = crowd.spawn(character, { count });
  const random = new SeededRandom(5);
  const options = () => {
    for (const id of army.ids) {
      const { set, trigger } = drawChange(random);
      for (const [name, value] of Object.entries(set)) crowd.setParameter(id, name, value);
      if (trigger) crowd.trigger(id, trigger);
    }
    return { dt: DT, views: [] };
  };
  const loop = new FrameLoop(device, { crowd, options }, run.heat);
  await loop.warmUp({ ...pace, warmUpFrames: WARM_UP_STEPS });
  const work = (await crowdWork(crowd)).filter(({ stage }) => stage === 'step-controllers');
  const { stages, floors, host } = await loop.measure(work, pace);
  crowd.destroy();
  const row = { scene, count, work: 2 * count, unit: 'machines' };
  const bytes = work.reduce((sum, { read, written }) => sum + read + written, 0);
  const [name] = ['step-controllers'];
  const ours = { bytes, samples: stages.get(name) ?? [], floorSamples: floors.get(name) };
  samples.add({ ...row, stage: 'step', subject: MANIPLE, ...ours });
  samples.add({ ...row, stage: 'host', subject: MANIPLE, samples: host });

  const theirs = await once(`${count} soldiers of PlayCanvas`, () => playCanvasSoldiers(character, count, PATIENCE));
  for (let n = 0; n < WARM_UP_STEPS / 2; n++) theirs.step();
  const times = Array.from({ length: Math.min(10, pace.frames) }, () => (theirs.step() * 2 * count) / theirs.machines);
  samples.add({ ...row, stage: 'step', subject: 'PlayCanvas, CPU', samples: times });
}
