import { version } from 'playcanvas';
import type { Character } from '../../src/character/character.ts';
import { View } from '../../src/layout/index.ts';
import {
  COMMAND_TRIGGERS,
  EVENT_FIRST_WORD,
  EVENT_WORDS,
  StepParams,
} from '../../src/stages/step-controllers/layout.ts';
import { AnimatorMemory } from '../../src/controller/eval/memory.ts';
import { Transform } from '../../src/stages/layout.ts';
import { stepControllers } from '../../src/stages/step-controllers/reference.ts';
import { SeededRandom } from '../../src/math/seeded-random.ts';
import { createSoldiers, runDispatches, type GpuSoldiers } from './controllers-crowd.ts';
import { readWords } from './controllers-read.ts';
import type { SoldierScene } from './controllers-scene.ts';
import { drawChange, playCanvasSoldiers } from '../../src/bench/baselines/playcanvas.ts';
import { median } from '../../src/bench/statistics.ts';

/** Milliseconds per step of `machines` state machines, two per character. */
export interface PeerTimes {
  readonly machines: number;
  readonly kernel: number;
  readonly twin: number;
  /** Scaled to `machines`, from a measurement with `playcanvasMachines`. */
  readonly playcanvas: number;
  readonly playcanvasMachines: number;
}

const DT = 1 / 60;
/** Seconds that one side may take to be measured. */
const PATIENCE = 20;

/**
 * Steps the same soldiers on the kernel, on its twin, and on PlayCanvas's animator with the nearest graph that it can
 * express, in turn and in one process.
 */
export async function benchPeers(
  device: GPUDevice,
  scene: SoldierScene,
  characters: number,
  say: (text: string) => void,
): Promise<PeerTimes> {
  const machines = 2 * characters;
  const crowd = await createSoldiers(device, scene, characters);
  const step = crowd.step({});
  const times: number[] = [];
  for (let round = 0; round < 40; round++) {
    await runDispatches(device, crowd.drive);
    const start = performance.now();
    await runDispatches(device, step);
    if (round >= 30) times.push(performance.now() - start);
  }
  const kernel = median(times);
  say(`  kernel     ${kernel.toFixed(1)} ms a step`);
  const twin = await timeTwin(device, scene, crowd);
  say(`  twin       ${twin.toFixed(1)} ms`);
  crowd.destroy();
  const theirs = timePlayCanvas(scene.characters[0]!, characters);
  const playcanvas = (theirs.milliseconds * machines) / theirs.machines;
  say(
    `  PlayCanvas ${version}: ${theirs.milliseconds.toFixed(1)} ms for ${theirs.machines} of them` +
      (theirs.machines < machines ? `, ${playcanvas.toFixed(1)} ms for as many` : ''),
  );
  say(`             they are in ${theirs.states} states at the end, ${(100 * theirs.blending).toFixed(1)} % blend`);
  say(`  PlayCanvas ÷ kernel ${(playcanvas / kernel).toFixed(2)}, PlayCanvas ÷ twin ${(playcanvas / twin).toFixed(2)}`);
  return { machines, kernel, twin, playcanvas, playcanvasMachines: theirs.machines };
}

/** From where the kernel has brought the crowd. */
async function timeTwin(device: GPUDevice, { tables }: SoldierScene, crowd: GpuSoldiers): Promise<number> {
  const animators = await readWords(device, crowd.animators, 0, crowd.animators.size);
  const { regions } = crowd.plan;
  const memory = new AnimatorMemory(animators, regions);
  const { parameters } = tables.types[0]!.character.controller!;
  const columns = new Map(parameters.map(({ name, type, trigger }, index) => [name, { index, type, trigger }]));
  const eventCapacity = 65536;
  const events = new Uint32Array(EVENT_FIRST_WORD + EVENT_WORDS * eventCapacity);
  const stepParams = new View(StepParams, 1);
  const transforms = new View(Transform, 1);
  const random = new SeededRandom(5);
  let commands = new Uint32Array(4);
  const prepare = () => {
    const runs: [character: number, bits: number][] = [];
    for (let c = 0; c < crowd.count; c++) {
      const { set, trigger } = drawChange(random);
      for (const [name, value] of Object.entries(set)) {
        const { index, type } = columns.get(name)!;
        const numbers = type === 'float' ? memory.floats : memory.ints;
        numbers[memory.columnWord(1 + index, c)] = Number(value);
      }
      if (trigger) runs.push([c, 1 << columns.get(trigger)!.trigger]);
    }
    commands = new Uint32Array(8 * Math.max(1, runs.length));
    runs.forEach(([character, bits], r) => {
      commands.set([character, r, 1, 0], 4 * r);
      commands.set([COMMAND_TRIGGERS, bits, 0, 0], 4 * (runs.length + r));
    });
    stepParams.assign(0, { dt: DT, frame: 1, characterCount: crowd.count, runCount: runs.length, eventCapacity });
    events.fill(0, 0, EVENT_FIRST_WORD);
  };
  return timeRounds(() => {
    prepare();
    const start = performance.now();
    const rig = tables.rig;
    stepControllers({ stepParams, regions, animators, rig, commands, events, transforms, movesTransforms: false });
    return performance.now() - start;
  });
}

function timePlayCanvas(legionary: Character, count: number) {
  const soldiers = playCanvasSoldiers(legionary, count, PATIENCE);
  const milliseconds = timeRounds(() => soldiers.step());
  return { milliseconds, machines: soldiers.machines, ...soldiers.report() };
}

/** The median over ten steps after thirty, or over as many as patience allows. @param step Returns its milliseconds. */
function timeRounds(step: () => number): number {
  const times: number[] = [];
  const begin = performance.now();
  while (times.length < 40 && performance.now() - begin < 1000 * PATIENCE) times.push(step());
  return median(times.slice(-10));
}
