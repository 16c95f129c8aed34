// One switch shows the same crowd from the kernels or from their twins: a battle that runs free on both.
import { expect, describe } from 'vitest';
import { noGpu, testDevice } from '../support/gpu.ts';
import { comparePictures, countColors, writeDifference } from '../support/pictures.ts';
import { full, hasTurn, testInTurn } from '../support/setup.ts';
import { clockDifference, openBattle, packSoldiers, placeOf, stepBattle, takePicture } from './backend-switch-scene.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

const [COUNT, FRAMES] = full ? [500, 600] : [100, 120];
const [WIDTH, HEIGHT] = full ? [640, 360] : [320, 180];
const DT = 1 / 60;
/** Decisions closer than this may fall either way: in cycles, or shares of a transition. */
const NEAR_TIE = 2e-5;
const SEED = 11;

describe.skipIf(noGpu() || !hasTurn(1))('the backend switch', () => {
  testInTurn(2)(`${COUNT} soldiers decide and look alike, ${FRAMES} frames`, { timeout: 900_000 }, async () => {
    const { device } = await testDevice();
    const characters = await packSoldiers();
    const options = { count: COUNT, seed: SEED };
    const gpu = openBattle(device, characters, 'gpu', options);
    const cpu = openBattle(device, characters, 'cpu', options);
    expect(gpu.ids).toEqual(cpu.ids);
    expect([internalsOf(gpu.crowd).host.backend.kind, internalsOf(cpu.crowd).host.backend.kind]).toEqual([
      'gpu',
      'cpu',
    ]);

    const diverged = new Map<number, { frame: number; margin: number; gpu: string; cpu: string }>();
    let [worst, transitions, closest] = [0, 0, Infinity];
    let before: string[] = [];
    for (let frame = 1; frame <= FRAMES; frame++) {
      await stepBattle(gpu, DT, frame === FRAMES);
      await stepBattle(cpu, DT, frame === FRAMES);
      const [onGpu, onCpu] = await Promise.all([
        gpu.crowd.readControllers(gpu.ids),
        cpu.crowd.readControllers(cpu.ids),
      ]);
      closest = Math.min(closest, ...cpu.margins);
      const places = onCpu.map(placeOf);
      transitions += places.filter((place, i) => place !== before[i]).length;
      before = places;
      gpu.ids.forEach((id, i) => {
        if (diverged.has(id)) return;
        const place = placeOf(onGpu[i]!);
        if (place === places[i]) worst = Math.max(worst, clockDifference(onGpu[i]!, onCpu[i]!));
        else diverged.set(id, { frame, margin: cpu.margins[i]!, gpu: place, cpu: places[i]! });
      });
    }
    // what is on its way to the host
    for (let i = 0; i < 4; i++) await updateAndWait(gpu.crowd, { dt: 0, views: [] });

    const seen = `seed ${SEED}: ${transitions} changes of state, ${diverged.size} divergences, clocks within ${worst}, closest decision ${closest}`;
    console.log(seen, [...diverged.values()]);
    for (const { margin, ...where } of diverged.values()) expect(margin, JSON.stringify(where)).toBeLessThan(NEAR_TIE);
    expect(closest).toBeLessThan(1); // the twin tells of its decisions
    // many durations are whole frames, and end within a rounding error of one
    expect(diverged.size).toBeLessThan(COUNT / 10);
    expect(worst).toBeLessThan(1e-4);
    expect(transitions).toBeGreaterThan(COUNT);

    // the same events, of everyone who never diverged
    const told = ({ events }: typeof gpu) =>
      events
        .filter(({ character, frame }) => !diverged.has(character) && frame <= FRAMES)
        .map(({ frame, character, layer, clip, name }) => `${frame} ${character} ${layer} ${clip} ${name}`)
        .sort();
    expect(told(gpu)).toEqual(told(cpu));
    expect([gpu.crowd.droppedEventCount, cpu.crowd.droppedEventCount]).toEqual([0, 0]);
    expect(cpu.events.filter(({ name }) => name === 'strike').length).toBeGreaterThan(5);

    const ours = await takePicture(device, gpu, WIDTH, HEIGHT);
    const theirs = await takePicture(device, cpu, WIDTH, HEIGHT);
    const difference = comparePictures(ours, theirs);
    console.log(`pictures: ${JSON.stringify(difference)}`);
    if (difference.mean > 2) console.log(await writeDifference('backend-switch', ours, theirs));
    expect(countColors(ours)).toBeGreaterThan(2000);
    expect(difference.mean).toBeLessThanOrEqual(2);
    gpu.crowd.destroy();
    cpu.crowd.destroy();
  });
});
