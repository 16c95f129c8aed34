import { ANIMATOR_NONE } from '../../src/controller/eval/layout.ts';
import { AnimatorMemory } from '../../src/controller/eval/memory.ts';
import { planAnimators } from '../../src/controller/eval/regions.ts';
import { RigTable } from '../../src/character/format/clip-format.ts';
import type { CompiledController } from '../../src/controller/compile.ts';
import { View } from '../../src/layout/index.ts';
import { Transform } from '../../src/stages/layout.ts';
import { ListParams, listRows } from '../../src/stages/gather-motions/layout.ts';
import { createGatherMotions } from '../../src/stages/gather-motions/stage.ts';
import { encodeDispatch } from '../../src/stages/kernel.ts';
import {
  DROP_FREEZES,
  DROP_SAMPLES,
  DROP_WEIGHT,
  DROP_WEIGHT_ONE,
  EVENT_FIRST_WORD,
  EVENT_FROM_NEXT,
  EVENT_LAYER_SHIFT,
  EVENT_WORDS,
  EventRecord,
  StepParams,
  LIST_COUNT,
  listBytes,
} from '../../src/stages/step-controllers/layout.ts';
import { stepControllers } from '../../src/stages/step-controllers/reference.ts';
import { createStepControllers } from '../../src/stages/step-controllers/stage.ts';
import { controllerTraits, type ControllerTraits } from '../../src/stages/step-controllers/traits.ts';
import { readBuffer, uploadBuffer } from './gpu.ts';

/** What one character does before a step. */
export interface SceneCommand {
  readonly kind: number;
  readonly machine?: number;
  readonly fixed?: boolean;
  readonly target?: number;
  /** As a float, or (clear) as bits. */
  readonly amount?: number;
  readonly clear?: number;
  readonly offset?: number;
}

export interface SceneEvent {
  readonly character: number;
  readonly layer: number;
  readonly id: number;
  readonly fromNext: boolean;
  readonly time: number;
  readonly weight: number;
}

/** State of a whole scene after a step. */
export interface SceneState {
  readonly animators: Uint32Array<ArrayBuffer>;
  readonly events: Uint32Array<ArrayBuffer>;
  readonly transforms: View<(typeof Transform)['fields']>;
}

export interface TwinStep {
  readonly state: SceneState;
  /** Of each character, how close its closest decision was. */
  readonly margins: readonly number[];
  /** What each freeze that dropped samples has dropped. */
  readonly truncated: readonly { readonly samples: number; readonly weight: number }[];
}

export interface GpuStep extends SceneState {
  /** How many entries the kernels' lists had: busy, late, passing. */
  readonly listed: readonly number[];
  /** What freezes dropped in this step. */
  readonly dropped: { readonly freezes: number; readonly samples: number; readonly weight: number };
}

/** Many characters, each on one of many controllers, whose machines a test steps on the twin or on the kernels. */
export class AnimatorScene {
  readonly rig: RigTable;
  readonly rows: readonly number[];
  readonly plan: ReturnType<typeof planAnimators>;
  readonly count: number;
  readonly traits: ControllerTraits;
  state: SceneState;

  /**
   * @param of The controller of each character, by index.
   * @param eventCapacity Records that one step has room for.
   */
  constructor(
    readonly controllers: readonly CompiledController[],
    readonly of: readonly number[],
    readonly eventCapacity: number = 1 << 16,
  ) {
    this.count = of.length;
    const words: number[][] = [];
    let row = 0;
    this.rows = controllers.map(({ table }) => {
      words.push(Array.from(table));
      row += table.length / 4;
      return row - table.length / 4;
    });
    const table = new Uint32Array(4 * row);
    this.rows.forEach((first, i) => table.set(controllers[i]!.table, 4 * first));
    this.rig = new RigTable(table);
    const most = (pick: (controller: CompiledController) => number) => Math.max(...controllers.map(pick));
    this.traits = { ...controllerTraits(controllers), events: true };
    this.plan = planAnimators({
      capacity: this.count,
      machines: most(({ machines }) => machines.length),
      layers: most(({ layers }) => layers.length),
      parameters: most(({ parameters }) => parameters.length),
      hasRoot: this.traits.root,
    });
    const animators = new Uint32Array(4 * this.plan.rowCount);
    for (let c = 0; c < this.count; c++) animators[4 * c] = ANIMATOR_NONE;
    const transforms = new View(Transform, this.count);
    for (let c = 0; c < this.count; c++) transforms.assign(c, { scale: 1, rotation: [0, 0, 0, 1] });
    this.state = { animators, events: this.#emptyRing(), transforms };
    const { floats, ints } = this.memory;
    for (let c = 0; c < this.count; c++) {
      floats[this.memory.columnWord(0, c)] = 1;
      controllers[of[c]!]!.parameters.forEach(({ type, value }, p) => {
        const at = this.memory.columnWord(1 + p, c);
        if (type === 'float') floats[at] = value;
        else ints[at] = value;
      });
    }
  }

  get memory(): AnimatorMemory {
    return new AnimatorMemory(this.state.animators, this.plan.regions);
  }

  memoryOf({ animators }: SceneState): AnimatorMemory {
    return new AnimatorMemory(animators, this.plan.regions);
  }

  #params(dt: number, runCount: number): View<(typeof StepParams)['fields']> {
    const params = new View(StepParams, 1);
    params.assign(0, { dt, frame: 1, characterCount: this.count, runCount, eventCapacity: this.eventCapacity });
    return params;
  }

  #emptyRing(): Uint32Array<ArrayBuffer> {
    return new Uint32Array(EVENT_FIRST_WORD + EVENT_WORDS * this.eventCapacity);
  }

  /** The state after a step on the twin, and the smallest margin of each character's decisions. */
  onTwin(
    dt: number,
    commands: ReadonlyMap<number, readonly SceneCommand[]>,
    onTransition?: NonNullable<Parameters<typeof stepControllers>[0]['onTransition']>,
  ): TwinStep {
    const margins = Array.from({ length: this.count }, () => Infinity);
    const truncated: { samples: number; weight: number }[] = [];
    const state = this.#stepTwin(dt, commands, {
      onMargin: (character, margin) => (margins[character] = Math.min(margins[character]!, margin)),
      onTruncation: (samples, weight) => truncated.push({ samples, weight }),
      ...(onTransition && { onTransition }),
    });
    return { state, margins, truncated };
  }

  /** The state after a step on the twin as frames run it: without margins, so that machines which decide nothing take a short way. */
  onQuickTwin(dt: number, commands: ReadonlyMap<number, readonly SceneCommand[]>): SceneState {
    return this.#stepTwin(dt, commands, {});
  }

  #stepTwin(
    dt: number,
    commands: ReadonlyMap<number, readonly SceneCommand[]>,
    callbacks: Partial<Parameters<typeof stepControllers>[0]>,
  ): SceneState {
    const state = this.#copy();
    stepControllers({
      stepParams: this.#params(dt, commands.size),
      regions: this.plan.regions,
      animators: state.animators,
      rig: this.rig,
      commands: commandRows(commands),
      events: state.events,
      transforms: state.transforms,
      movesTransforms: this.traits.movesTransforms,
      ...callbacks,
    });
    return state;
  }

  /**
   * The same on the kernels, and how many entries their lists had: busy, late, passing.
   * @param dimensionLimit Workgroups in one dispatch dimension; default: WebGPU's limit.
   */
  async onGpu(
    device: GPUDevice,
    dt: number,
    commands: ReadonlyMap<number, readonly SceneCommand[]>,
    dimensionLimit?: number,
  ): Promise<GpuStep> {
    const stage = createStepControllers(device, this.traits);
    const { animators, events, transforms } = this.#copy();
    const buffers = {
      params: uploadBuffer(device, this.#params(dt, commands.size).words, GPUBufferUsage.UNIFORM),
      regions: uploadBuffer(device, this.plan.regions.words, GPUBufferUsage.UNIFORM),
      animators: uploadBuffer(device, animators, GPUBufferUsage.STORAGE),
      commands: uploadBuffer(device, commandRows(commands), GPUBufferUsage.STORAGE),
      events: uploadBuffer(device, events, GPUBufferUsage.STORAGE),
      transforms: uploadBuffer(device, transforms.words, GPUBufferUsage.STORAGE),
      rig: uploadBuffer(device, this.rig.words, GPUBufferUsage.STORAGE),
      lists: createLists(device, this.plan),
    };
    const encoder = device.createCommandEncoder();
    for (const dispatch of stage.bind(buffers)(this.count, commands.size)) {
      const pass = encoder.beginComputePass();
      encodeDispatch(pass, dispatch, dimensionLimit);
      pass.end();
    }
    device.queue.submit([encoder.finish()]);
    const [a, e, t, l] = await Promise.all(
      [buffers.animators, buffers.events, buffers.transforms, buffers.lists].map((buffer) =>
        readBuffer(device, buffer),
      ),
    );
    Object.values(buffers).forEach((buffer) => buffer.destroy());
    const words = new Uint32Array(l!);
    const [freezes, samples, weight] = [DROP_FREEZES, DROP_SAMPLES, DROP_WEIGHT].map(
      (word) => words[word]! + 2 ** 32 * words[word + 1]!,
    ) as [number, number, number];
    return {
      animators: new Uint32Array(a!),
      events: new Uint32Array(e!),
      transforms: new View(Transform, t!),
      listed: [...words.subarray(0, LIST_COUNT)],
      dropped: { freezes, samples, weight: weight / DROP_WEIGHT_ONE },
    };
  }

  /** What `listMotions` tells of every character in the scene's present state, `listRows` rows each. */
  async listOnGpu(device: GPUDevice, dimensionLimit?: number): Promise<Uint32Array<ArrayBuffer>> {
    const [machines, layers] = [this.plan.regions.get(0, 'machineCapacity'), this.plan.regions.get(0, 'layerCapacity')];
    const listCapacity = listRows(machines, layers, this.traits.large);
    const params = new View(ListParams, 1);
    params.assign(0, { characterCount: this.count, listCapacity });
    const { UNIFORM, STORAGE } = GPUBufferUsage;
    const buffers = {
      params: uploadBuffer(device, params.words, UNIFORM),
      regions: uploadBuffer(device, this.plan.regions.words, UNIFORM),
      animators: uploadBuffer(device, this.state.animators, STORAGE),
      characters: uploadBuffer(
        device,
        Uint32Array.from(this.of, (_, c) => c),
        STORAGE,
      ),
      lists: uploadBuffer(device, new Uint32Array(4 * listCapacity * this.count), STORAGE),
      rig: uploadBuffer(device, this.rig.words, STORAGE),
    };
    const dispatch = createGatherMotions(device, { controllers: true, ...this.traits }).list(buffers, this.count);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    encodeDispatch(pass, dispatch, dimensionLimit);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const lists = await readBuffer(device, buffers.lists);
    Object.values(buffers).forEach((buffer) => buffer.destroy());
    return new Uint32Array(lists);
  }

  #copy(): SceneState {
    const { animators, transforms } = this.state;
    return {
      animators: animators.slice(),
      events: this.#emptyRing(),
      transforms: new View(Transform, transforms.words.slice().buffer),
    };
  }
}

function commandRows(commands: ReadonlyMap<number, readonly SceneCommand[]>): Uint32Array<ArrayBuffer> {
  const total = [...commands.values()].reduce((sum, list) => sum + list.length, 0);
  const words = new Uint32Array(4 * Math.max(1, commands.size + total));
  const floats = new Float32Array(words.buffer);
  let [run, next] = [0, 0];
  for (const [character, list] of commands) {
    words.set([character, next, list.length], 4 * run++);
    for (const { kind, machine = 0, fixed, target = 0, amount = 0, clear, offset = 0 } of list) {
      const at = 4 * (commands.size + next++);
      words[at] = kind | (machine << 8) | (fixed ? 0x10000 : 0);
      words[at + 1] = target;
      if (clear === undefined) floats[at + 2] = amount;
      else words[at + 2] = clear;
      floats[at + 3] = offset;
    }
  }
  return words;
}

/** Events of a step, by character, then layer, then time, source before destination. */
export function sceneEvents({ events }: SceneState): SceneEvent[] {
  const records = new View(EventRecord, events.buffer, 4 * EVENT_FIRST_WORD);
  return Array.from({ length: events[0]! }, (_, i): SceneEvent => {
    const place = records.get(i, 'place');
    return {
      character: place & 0xffffff,
      layer: (place >>> EVENT_LAYER_SHIFT) & 31,
      id: records.get(i, 'id'),
      fromNext: (place & EVENT_FROM_NEXT) !== 0,
      time: records.get(i, 'time'),
      weight: records.get(i, 'weight'),
    };
  }).sort(
    (a, b) =>
      a.character - b.character ||
      a.layer - b.layer ||
      Math.round((a.time - b.time) * 1e4) ||
      Number(a.fromNext) - Number(b.fromNext) ||
      a.id - b.id ||
      a.weight - b.weight,
  );
}

/** The lists that a stage's kernels fill for each other. */
export function createLists(device: GPUDevice, { regions }: ReturnType<typeof planAnimators>): GPUBuffer {
  const bytes = listBytes(regions.get(0, 'capacity'), regions.get(0, 'machineCapacity'));
  return uploadBuffer(device, new Uint8Array(bytes), GPUBufferUsage.STORAGE);
}
