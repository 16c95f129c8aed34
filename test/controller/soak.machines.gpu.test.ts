import { describe, expect, test } from 'vitest';
import { compileController, type CompiledController } from '../../src/controller/compile.ts';
import { defineController, param } from '../../src/controller/builder.ts';
import { addCycles, toCycles, ZERO_CYCLES, type Cycles } from '../../src/math/cycles.ts';
import { COMMAND_START } from '../../src/stages/step-controllers/layout.ts';
import { LOOP_CODE, startRun } from '../support/animator-run.ts';
import { AnimatorScene, type SceneCommand, type SceneState } from '../support/animator-scene.ts';
import { compareStates } from '../support/compare-animators.ts';
import { ExactClock } from '../support/exact-clock.ts';
import { noGpu, readBuffer, testDevice, uploadBuffer } from '../support/gpu.ts';
import { randomClips, randomController } from '../support/random-controller.ts';
import { randomCommands, writeParameters } from '../support/random-script.ts';
import { Random } from '../support/random.ts';
import { full } from '../support/setup.ts';
import { linkTestShader } from '../support/wesl.ts';

const f = Math.fround;
/** 24 hours at 60 steps a second. */
const DAY = 24 * 3600 * 60;
const EVENT = 0.375;
/** What clocks in 0.32 fixed point may be off after a day, and how close to an event a clock is too close to tell. */
const DRIFT = 1e-3;

/** Cycles per second: slow ones, whose increments are rounded, and such as games have. */
function rates(random: Random, count: number): number[] {
  return Array.from({ length: count }, (_, i) => f(i % 4 === 0 ? random.range(0.001, 0.1) : random.range(0.12, 4)));
}

/** Runs of steps of one dt each, about 1/60 s, that make so many in all. */
function runs(random: Random, steps: number, each: number): { count: number; dt: number }[] {
  const list = Array.from({ length: Math.ceil(steps / each) }, () => ({
    count: each,
    dt: f(random.range(0.9, 1.1) / 60),
  }));
  list.at(-1)!.count -= list.length * each - steps;
  return list;
}

/** A clip that moves nobody, so that the kernel is the one that other tests have compiled. */
const STILL = {
  root: {
    times: Float32Array.of(0, 1),
    positions: new Float32Array(6),
    rotations: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1),
  },
};

/** One state that plays a looping clip of 1 s with one event; a parameter is its rate. */
function looping(): CompiledController {
  return compileController(
    defineController({
      name: 'looping',
      parameters: { rate: param.float(1) },
      clips: { c: { events: [{ name: 'e', time: EVENT }] } },
      layers: [{ name: 'Base', machine: { default: 'A', states: { A: { motion: 'c', speedParameter: 'rate' } } } }],
    }),
    { resolve: () => STILL },
  );
}

/** A crowd of them, started, each at its rate. */
function loopingScene(all: readonly number[]): AnimatorScene {
  const scene = new AnimatorScene(
    [looping()],
    all.map(() => 0),
    16,
  );
  const start: SceneCommand = { kind: COMMAND_START, target: scene.rows[0]! };
  scene.state = scene.onTwin(0, new Map(all.map((_, c) => [c, [start]]))).state;
  all.forEach((rate, c) => (scene.memory.floats[scene.memory.columnWord(1, c)] = rate));
  return scene;
}

/** Compares clocks with exact sums; the number of firings that these make. */
function judge(clocks: readonly Cycles[], exact: readonly ExactClock[], what: string): number {
  let [worst, firings] = [0, 0];
  clocks.forEach((clock, i) => {
    const off = Math.abs(exact[i]!.distanceTo(clock));
    expect(off, `${what}, clock ${i}`).toBeLessThan(DRIFT);
    worst = Math.max(worst, off);
    const passed = exact[i]!.passed(EVENT, 2 ** -9);
    expect(passed, `${what}: clock ${i} stands on the event; choose another seed`).toBeDefined();
    firings += passed!;
  });
  console.log(`${what}: ${clocks.length} clocks, ${firings} firings, ${worst.toExponential(2)} cycles off at most`);
  return firings;
}

describe('a day of looping clips', () => {
  test.runIf(full)('clock arithmetic of the twin (seed 11)', { timeout: 600_000 }, () => {
    const random = new Random(11);
    const all = rates(random, 16);
    const exact = all.map(() => new ExactClock());
    const clocks = all.map((): Cycles => ZERO_CYCLES);
    for (const { count, dt } of runs(random, DAY, 20_000)) {
      all.forEach((rate, i) => {
        const increment = toCycles(f(rate * dt));
        let clock = clocks[i]!;
        for (let n = 0; n < count; n++) clock = addCycles(clock, increment);
        clocks[i] = clock;
        exact[i]!.add(f(rate * dt), count);
      });
    }
    judge(clocks, exact, `twin’s clocks, ${DAY} steps`);
  });

  const TWIN_STEPS = full ? 1_000_000 : 10_000;
  test(`the whole twin, ${TWIN_STEPS} steps (seed 12)`, { timeout: 600_000 }, () => {
    const random = new Random(12);
    const all = rates(random, 4);
    const scene = loopingScene(all);
    const exact = all.map(() => new ExactClock());
    let fired = 0;
    for (const { count, dt } of runs(random, TWIN_STEPS, 5000)) {
      for (let n = 0; n < count; n++) {
        const { state } = scene.onTwin(dt, new Map());
        fired += state.events[0]! + state.events[1]!;
        scene.state = state;
      }
      all.forEach((rate, i) => exact[i]!.add(f(rate * dt), count));
    }
    const clocks = all.map((_, c) => scene.memory.machine(0, c).currentClock);
    expect(fired).toBe(judge(clocks, exact, `twin, ${TWIN_STEPS} steps`));
  });
});

const CLOCK_CODE = `
import package::math::cycles::{Cycles, addCycles, toCycles};
import package::stages::step_controllers::crossings::{Movement, distanceToPhase, movedBy, reaches};
struct Lane { time: vec2u, fired: u32, rate: f32 }
@group(0) @binding(0) var<storage, read_write> lanes: array<Lane>;
@group(0) @binding(1) var<uniform> run: vec4f;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var lane = lanes[id.x];
  var time = Cycles(bitcast<i32>(lane.time.y), lane.time.x);
  for (var n = 0u; n < u32(run.y); n++) {
    let movement = Movement(time, toCycles(lane.rate * run.x), false);
    let distance = distanceToPhase(time.phase, toCycles(${EVENT}).phase);
    if (reaches(movement, distance)) { lane.fired++; }
    time = movedBy(movement, movement.distance);
  }
  lane.time = vec2u(time.phase, bitcast<u32>(time.cycles));
  lanes[id.x] = lane;
}`;

// full runs alone use them, and sources change in between
test.each([CLOCK_CODE, LOOP_CODE])('the shaders of long runs link', async (code) => {
  await linkTestShader(code);
});

describe.skipIf(noGpu())('on the GPU', () => {
  const CLOCK_STEPS = full ? DAY : DAY / 24;
  test(
    `clock arithmetic and crossings of 64 threads, ${CLOCK_STEPS} steps (seed 13)`,
    { timeout: 600_000 },
    async () => {
      const { device } = await testDevice();
      const random = new Random(13);
      const all = rates(random, 64);
      const exact = all.map(() => new ExactClock());
      const lanes = new Float32Array(all.flatMap((rate) => [0, 0, 0, rate]));
      const buffers = [
        uploadBuffer(device, lanes, GPUBufferUsage.STORAGE),
        uploadBuffer(device, new Float32Array(4), GPUBufferUsage.UNIFORM),
      ];
      const module = device.createShaderModule({ code: await linkTestShader(CLOCK_CODE) });
      const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module } });
      const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
      const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
      for (const { count, dt } of runs(random, CLOCK_STEPS, 20_000)) {
        device.queue.writeBuffer(buffers[1]!, 0, Float32Array.of(dt, count, 0, 0));
        const encoder = device.createCommandEncoder();
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        pass.dispatchWorkgroups(1);
        pass.end();
        device.queue.submit([encoder.finish()]);
        await device.queue.onSubmittedWorkDone();
        all.forEach((rate, i) => exact[i]!.add(f(rate * dt), count));
      }
      const words = new Uint32Array(await readBuffer(device, buffers[0]!));
      for (const buffer of buffers) buffer.destroy();
      const clocks = all.map((_, i): Cycles => ({ phase: words[4 * i]!, cycles: words[4 * i + 1]! | 0 }));
      const firings = judge(clocks, exact, `clocks on the GPU, ${CLOCK_STEPS} steps`);
      expect(all.reduce((sum, _, i) => sum + words[4 * i + 2]!, 0)).toBe(firings);
    },
  );

  const KERNEL_RUNS = full
    ? [
        { steps: DAY, looped: true },
        { steps: 20_000, looped: false },
      ]
    : [];
  test.each(KERNEL_RUNS)(
    'the whole kernel, $steps steps of 4 characters, in a loop: $looped (seed 14)',
    { timeout: 3_600_000 },
    async ({ steps, looped }) => {
      const { device } = await testDevice();
      const random = new Random(14);
      const all = rates(random, 4);
      const scene = loopingScene(all);
      const run = await startRun(device, scene, looped);
      const exact = all.map(() => new ExactClock());
      for (const { count, dt } of runs(random, steps, 2000)) {
        run.steps(count, dt);
        await run.settle();
        all.forEach((rate, i) => exact[i]!.add(f(rate * dt), count));
      }
      const state = await run.read();
      run.destroy();
      const memory = run.memory(state);
      const clocks = all.map((_, c) => memory.machine(0, c).currentClock);
      const firings = judge(clocks, exact, `kernel, ${steps} steps${looped ? ' in a loop' : ''}`);
      // the ring counts what it has no room for
      expect(state.events[0]! + state.events[1]!).toBe(firings);
    },
  );

  const [CHARACTERS, STEPS, ROUNDS] = [20_000, 160, 4];
  // fuzz.machines.gpu.test.ts has some in short runs
  test.runIf(full)(
    `random controllers, ${CHARACTERS} characters × ${STEPS} steps (seed 5000)`,
    { timeout: 1_800_000 },
    async () => {
      const { device } = await testDevice();
      const seed = 5000;
      const random = new Random(seed);
      const controllers = Array.from({ length: 100 }, (_, i) => {
        const model = randomController(new Random(seed + i));
        return compileController(model, { resolve: randomClips(new Random(seed + i), model) });
      });
      const of = Array.from({ length: CHARACTERS }, (_, c) => Math.floor((c * controllers.length) / CHARACTERS));
      const scene = new AnimatorScene(controllers, of, 1 << 18);
      scene.state = scene.onTwin(0, randomCommands(scene, random, true)).state;
      let [machineSteps, nearTies, machines] = [0, 0, 0];
      for (let round = 0; round < ROUNDS; round++) {
        writeParameters(scene, random);
        const commands = randomCommands(scene, random, false);
        // one step against the twin, then many that nobody looks at, from the same state twice
        const dt = f(random.range(0.01, 0.05));
        const twin = scene.onTwin(dt, commands);
        const gpu = await scene.onGpu(device, dt, commands);
        const { problems, counts } = compareStates(scene, twin, gpu, dt);
        expect(problems.slice(0, 5), `round ${round}`).toEqual([]);
        nearTies += counts.nearTies;
        machines += counts.machines;
        scene.state = gpu;
        const ends: SceneState[] = [];
        for (const steps of [10, STEPS / ROUNDS]) {
          const run = await startRun(device, scene);
          run.steps(10, 1 / 60);
          ends.push(await run.read());
          for (let step = 10; step < steps; step += 10) {
            run.steps(10, 1 / 60);
            await run.settle();
          }
          if (ends.length === 2) scene.state = await run.read();
          run.destroy();
        }
        machineSteps += (STEPS / ROUNDS) * counts.machines;
        // the same inputs give the same bits; records of events may stand in another order
        expect(Buffer.from(ends[0]!.animators.buffer).equals(Buffer.from(ends[1]!.animators.buffer))).toBe(true);
        expect(
          Buffer.from(ends[0]!.transforms.words.buffer).equals(Buffer.from(ends[1]!.transforms.words.buffer)),
        ).toBe(true);
        expect([...ends[0]!.events.subarray(0, 2)]).toEqual([...ends[1]!.events.subarray(0, 2)]);
        expectSound(scene);
      }
      console.log(`random controllers: ${machineSteps} machine steps, ${nearTies} near-ties in ${machines} compared`);
      expect(machineSteps).toBeGreaterThan(1e7);
    },
  );
});

/** Whatever happened: states that exist, clocks and weights that are numbers, frozen weights that sum to 1 at most. */
function expectSound(scene: AnimatorScene): void {
  const { memory } = scene;
  const broken: string[] = [];
  for (let character = 0; character < scene.count; character++) {
    const { name, machines, layers, clips } = scene.controllers[scene.of[character]!]!;
    const note = (what: string) => broken.push(`${name}, character ${character}: ${what}`);
    machines.forEach(({ states }, m) => {
      const { started, current, next, inTransition, frozen, fresh } = memory.machine(m, character);
      if (!started || fresh) note(`machine ${m} has not been stepped`);
      if (current >= states.length || (inTransition && next >= states.length)) note(`machine ${m} stands in no state`);
      if (frozen && !inTransition) note(`machine ${m} is frozen outside a transition`);
      layers.forEach((layer, l) => {
        if (layer.machine !== m || !frozen) return;
        const samples = memory.frozen(l, character);
        const sum = samples.reduce((total, { weight }) => total + weight, 0);
        if (!(sum <= 1 + 1e-4)) note(`frozen weights of layer ${l} sum to ${sum}`);
        if (samples.some(({ clip }) => clip >= clips.length)) note(`layer ${l} has frozen a clip that there is not`);
      });
    });
    if (memory.hasRoot) {
      const at = memory.rootWord(character);
      const rotation = memory.floats.subarray(at + 4, at + 8);
      if (!(Math.abs(Math.hypot(...rotation) - 1) < 1e-4)) note(`root rotation ${rotation.join()}`);
      if (!memory.floats.subarray(at, at + 3).every(Number.isFinite)) note('root position');
    }
  }
  expect(broken.slice(0, 5)).toEqual([]);
}
