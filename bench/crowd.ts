// Measures whole frames of crowds, stage by stage.
import type { Character } from '../src/character/character.ts';
import { nodeDevice } from '../src/node/node-gpu.ts';
import { loadSoldiers } from './tasks/controllers-scene.ts';
import { packBattle } from '../src/bench/scenes.ts';
import { measureClose } from './tasks/crowd-close.ts';
import { measureComplete } from './tasks/crowd-complete.ts';
import { measureDraws } from './tasks/crowd-draws.ts';
import { measurePictures } from './tasks/crowd-pictures.ts';
import { measureHost, measureMemory, measureMillion, measureSavings, type CrowdBench } from './tasks/crowd-measures.ts';
import { readOptions } from './tasks/read-options.ts';

const SCENES = {
  host: [measureHost, 'what the CPU side does per frame, at growing counts of which nothing changes'],
  million: [measureMillion, 'all soldiers are stepped, listed, gathered and posed'],
  savings: [measureSavings, 'what culling, levels, rates and shared poses save in a battle'],
  draws: [measureDraws, 'pictures where compute skins, and where draws do'],
  pictures: [measurePictures, 'whole frames through the visibility buffer, with shadows and without'],
  close: [measureClose, 'large triangles of a near camera, with scenery and shadows'],
  complete: [
    measureComplete,
    'whether pictures at default limits lack a soldier, and which ones where memory is short',
  ],
  memory: [measureMemory, 'bytes per character, visible and not'],
} as const;
const LIST = Object.entries(SCENES).map(([name, [, help]]) => `    ${name.padEnd(10)}${help}`);
const ABOUT = ['Measures whole frames of crowds, stage by stage. Scenes:', ...LIST].join('\n');

const values = readOptions(ABOUT, {
  scene: {
    type: 'string',
    multiple: true,
    value: 'NAME',
    default: Object.keys(SCENES),
    help: 'what to measure',
  },
  count: { type: 'string', value: 'N', help: 'characters', defaultText: 'by scene' },
  frames: { type: 'string', value: 'N', default: '60', help: 'measured frames' },
  'warm-up': { type: 'string', value: 'N', default: '900', help: 'frames before any is measured' },
  folder: { type: 'string', value: 'DIR', default: 'characters', help: 'where legionary.glb and raider.glb are' },
  props: { type: 'string', value: 'DIR', default: 'props', help: 'where the scenery is' },
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
  const [measure] = SCENES[name as keyof typeof SCENES] ?? [];
  if (!measure) throw new Error(`there is no scene ${name}: use ${Object.keys(SCENES).join(', ')}.`);
  results[name] = await measure(bench, (line) => values.json || console.log(line));
}
if (values.json) console.log(JSON.stringify({ adapter: info, ...results }));
process.exit(0);
