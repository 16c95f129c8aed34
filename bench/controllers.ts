// Measures step-controllers and gather-motions on the battle's own controllers.
import { nodeDevice } from '../src/node/node-gpu.ts';
import { LIST_COUNT } from '../src/stages/step-controllers/layout.ts';
import { readRanges } from '../src/device/read-back.ts';
import type { Dispatch } from '../src/stages/kernel.ts';
import { COMMAND_EVERY, createSoldiers, runDispatches, type GpuSoldiers } from './tasks/controllers-crowd.ts';
import { measureFloor } from './tasks/controllers-floor.ts';
import { timeGather } from './tasks/controllers-gather.ts';
import { readSpread } from './tasks/controllers-read.ts';
import { loadSoldiers, soldierScene, type Change, type SoldierScene } from './tasks/controllers-scene.ts';
import { timePasses } from './tasks/controllers-timer.ts';
import { readOptions } from './tasks/read-options.ts';

const values = readOptions("Measures step-controllers and gather-motions on the battle's own controllers.", {
  characters: {
    type: 'string',
    value: 'N',
    help: 'characters',
    defaultText: '5000000; 200 on a software adapter; 25000 for peers',
  },
  visible: { type: 'string', value: 'N', default: '1000000', help: 'characters that are gathered, at most' },
  'warm-up': { type: 'string', value: 'N', default: '600', help: 'steps before any is measured' },
  folder: { type: 'string', value: 'DIR', default: 'characters', help: 'where legionary.glb and raider.glb are' },
  part: {
    type: 'string',
    value: 'PART',
    default: 'gpu',
    help: "gpu: kernels beside what moving their bytes takes; peers: kernel, twin and PlayCanvas's animator in turn",
  },
});
const { device, info, kind } = await nodeDevice();
// a software adapter takes minutes for what a GPU does in a millisecond
const characters = Number(values.characters ?? (kind === 'hardware' ? 5_000_000 : 200));
const visible = Math.min(characters, Number(values.visible));
const warmUpSteps = Number(values['warm-up']);
device.addEventListener('uncapturederror', (event) => console.error(event.error.message));
const results: Record<string, unknown> = {};
const say = (text: string) => (values.json ? undefined : console.log(text));
say(info.description || info.vendor);
const models = await loadSoldiers(values.folder);
const full = soldierScene(models);

if (values.part === 'gpu') {
  await benchStep();
} else {
  const { benchPeers } = await import('./tasks/playcanvas-mixers.ts');
  const peers = values.characters === undefined ? 25_000 : characters;
  say(`\n${2 * peers} state machines of ${peers} soldiers, ms a step`);
  Object.assign(results, await benchPeers(device, full, peers, say));
}
if (values.json) console.log(JSON.stringify({ adapter: info, characters, visible, results }));
process.exit(0);

async function benchStep(): Promise<void> {
  const machines = full.tables.types[0]!.character.controller!.machines.length;
  const crowd = await warmedUp(full);
  say(
    `\nstep-controllers: ${characters} characters of ${machines} machines, ${(crowd.animators.size / 1e9).toFixed(2)} GB (binding limit ${(device.limits.maxStorageBufferBindingSize / 1e9).toFixed(2)} GB)`,
  );
  const spreads = await readSpread(device, full, crowd);
  for (const { states, inTransition, frozen } of spreads) {
    const shares = Object.entries(states).filter(([, share]) => share > 0);
    say(`  states     ${shares.map(([name, share]) => `${name} ${percent(share)}`).join(', ')}`);
    say(`             in transition ${percent(inTransition)}, of which out of a frozen blend ${percent(frozen)}`);
  }
  const blending = spreads.reduce((sum, { inTransition }) => sum + inTransition, 0);
  const floor = await measureFloor(device, full, crowd, blending);
  say(
    `  floor      ${floor.bytes.toFixed(0)} B a character: ${floor.milliseconds.toFixed(3)} ms to touch them (${rate(floor.milliseconds)}); copying goes at ${(floor.copyRate / 1e12).toFixed(2)} TB/s`,
  );
  results.floor = floor;
  const report = (name: string, milliseconds: StepTimes) => {
    results[name] = milliseconds;
    const { step, quiet, busy, late, counts } = milliseconds;
    say(
      `  ${name.padEnd(34)} ${step.toFixed(3)} ms: ${rate(step)}, ${((machines * characters) / step / 1e6).toFixed(2)} G machine steps/s; ` +
        `quiet ${quiet.toFixed(3)}, busy ${busy.toFixed(3)} for ${percent(counts[0]!)}, late ${late.toFixed(3)} for ${percent(counts[1]!)} and events of ${percent(counts[2]!)}`,
    );
  };
  const plain = await timeSteps(crowd, crowd.step({ commands: false }));
  report('no commands', plain);
  const commanded = await timeSteps(crowd, crowd.step({}));
  report(`triggers for 1 in ${COMMAND_EVERY}`, commanded);
  say(`  ${'  handing commands out'.padEnd(34)} ${commanded.deliver.toFixed(3)} ms`);
  for (let repeat = 0; repeat < 2; repeat++)
    report('no commands, again', await timeSteps(crowd, crowd.step({ commands: false })));
  report('no commands, no events', await timeSteps(crowd, crowd.step({ commands: false, events: false })));
  report('no commands, dt = 0', await timeSteps(crowd, crowd.step({ commands: false, dt: 0 })));

  for (const stride of [1, Math.max(1, Math.floor(characters / visible))]) {
    const gathered = await timeGather(device, full, crowd, { visible, stride });
    const written = 64 * (gathered.motions + gathered.layers) + 16;
    const read = 48 + 16 + 16 * machines + 16 * blending + 4 * 5;
    const least = (visible * (written + read)) / floor.copyRate;
    say(
      `gather-motions, ${visible} characters, one in ${stride}: ${gathered.milliseconds.toFixed(3)} ms (${(visible / gathered.milliseconds / 1e6).toFixed(2)} G characters/s)\n` +
        `  ${gathered.motions.toFixed(2)} motions and ${gathered.layers.toFixed(2)} layers each (room for ${gathered.capacity}); ${written.toFixed(0)} B written and ${read} read, ${(least * 1000).toFixed(3)} ms at copying's rate`,
    );
    results[`gather, one in ${stride}`] = { ...gathered, written, read, least: least * 1000 };
  }
  crowd.destroy();

  say('\nthe controller changed, no commands');
  const kinds: Change[][] = [
    ['no tree'],
    ['no events'],
    ['no second layer'],
    ['no tree', 'no events'],
    ['no tree', 'no events', 'no second layer'],
    ['1D tree'],
    ['simple directional tree'],
    ['direct tree'],
    ['nested trees'],
  ];
  for (const changes of kinds) {
    const scene = soldierScene(models, changes);
    const reduced = await warmedUp(scene);
    report(changes.join(', '), await timeSteps(reduced, reduced.step({ commands: false })));
    reduced.destroy();
  }
  const idle = await createSoldiers(device, full, characters);
  report('all of them in one state', await timeSteps(idle, idle.step({ commands: false }), false));
  idle.destroy();
}

async function warmedUp(scene: SoldierScene): Promise<GpuSoldiers> {
  const crowd = await createSoldiers(device, scene, characters);
  const steps = [...crowd.drive, ...crowd.step({})];
  for (let done = 0; done < warmUpSteps; done += 50) await runDispatches(device, steps, 50);
  return crowd;
}

/** Milliseconds of a whole step and of its dispatches; share of the characters that were on the list. */
interface StepTimes {
  readonly step: number;
  readonly deliver: number;
  readonly quiet: number;
  readonly busy: number;
  readonly late: number;
  readonly counts: readonly number[];
}

async function timeSteps(crowd: GpuSoldiers, dispatches: readonly Dispatch[], driven = true): Promise<StepTimes> {
  const drive = driven ? crowd.drive.map((dispatch) => ({ dispatches: [dispatch] })) : [];
  const { step } = await timePasses(device, [...drive, { name: 'step', dispatches }]);
  const names = ['deliver', 'quiet', 'busy', 'late'] as const;
  const parts = await timePasses(device, [
    ...drive,
    ...names.map((name, i) => ({ name, dispatches: [dispatches[i]!] })),
  ]);
  const [counts] = await readRanges(device, [[crowd.lists, 0, 4 * LIST_COUNT]]);
  const shares = Array.from(new Uint32Array(counts!), (count) => count / characters);
  return { deliver: 0, quiet: 0, busy: 0, late: 0, ...parts, counts: shares, step: step! };
}

function rate(milliseconds: number): string {
  return `${(characters / milliseconds / 1e6).toFixed(2)} G characters/s`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
