// Measures whole frames of crowds, stage by stage.
//   --scene host       what the host does per frame, at growing counts of which nothing changes
//   --scene million    as many soldiers as asked for, all of them stepped, listed, gathered and posed
//   --scene savings    what culling, levels, rates and shared poses save in a battle
//   --scene draws      what pictures cost where compute skins, and where draws do
//   --scene pictures   what whole frames cost through the visibility buffer, with shadows and without
//   --scene close      what a near camera's large triangles cost, with scenery and shadows
//   --scene complete   whether pictures at default limits lack a soldier, and which ones where memory is short
//   --scene memory     bytes per character, seen and not
//   [--count N] [--frames 60] [--warm-up 900] [--folder characters] [--props props] [--json]
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Character } from '../src/character/character.ts';
import { nodeDevice } from '../src/node/node-gpu.ts';
import { loadSoldiers } from './tasks/controllers-scene.ts';
import { packBattle } from '../src/bench/scenes.ts';
import { measureClose } from './tasks/crowd-close.ts';
import { measureComplete } from './tasks/crowd-complete.ts';
import { measureDraws } from './tasks/crowd-draws.ts';
import { measurePictures } from './tasks/crowd-pictures.ts';
import { measureHost, measureMemory, measureMillion, measureSavings, type CrowdBench } from './tasks/crowd-measures.ts';

const SCENES = {
  host: measureHost,
  million: measureMillion,
  savings: measureSavings,
  draws: measureDraws,
  pictures: measurePictures,
  close: measureClose,
  complete: measureComplete,
  memory: measureMemory,
} as const;

const { values } = parseArgs({
  options: {
    scene: { type: 'string', multiple: true, default: Object.keys(SCENES) },
    count: { type: 'string' },
    frames: { type: 'string', default: '60' },
    'warm-up': { type: 'string', default: '900' },
    folder: { type: 'string', default: path.resolve('characters') },
    props: { type: 'string', default: path.resolve('props') },
    json: { type: 'boolean', default: false },
  },
});
const { device, info, kind } = await nodeDevice();
device.addEventListener('uncapturederror', (event) => console.error(event.error.message));
const models = await loadSoldiers(values.folder);
let characters: Promise<readonly Character[]> | undefined;
const bench: CrowdBench = {
  device,
  models,
  props: values.props,
  characters: () => (characters ??= packBattle(models)),
  count: values.count === undefined ? undefined : Number(values.count),
  isHardware: kind === 'hardware',
  warmUp: Number(values['warm-up']),
  frames: Number(values.frames),
};
if (!values.json) console.log(info.description || info.vendor);
const results: Record<string, unknown> = {};
for (const name of values.scene) {
  const measure = SCENES[name as keyof typeof SCENES];
  if (!measure) throw new Error(`there is no scene ${name}: use ${Object.keys(SCENES).join(', ')}.`);
  results[name] = await measure(bench, (line) => values.json || console.log(line));
}
if (values.json) console.log(JSON.stringify({ adapter: info, ...results }));
process.exit(0);
