import { version } from 'playcanvas';
import type { Character } from '../../src/character/character.ts';
import { createSoldiers, runDispatches } from './controllers-crowd.ts';
import { TwinSoldiers } from './cpu-machines.ts';
import type { SoldierScene } from './controllers-scene.ts';
import { playCanvasSoldiers } from '../../src/bench/baselines/playcanvas.ts';
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
  const soldiers = new TwinSoldiers(scene, characters);
  const twin = timeRounds(() => soldiers.step());
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
