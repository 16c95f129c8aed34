import { columnWordOf } from '../../controller/eval/regions.ts';
import { View } from '../../layout/index.ts';
import { ListParams, listRows } from '../../stages/gather-motions/layout.ts';
import type { GatherMotions } from '../../stages/gather-motions/stage.ts';
import { encodeDispatch, type Dispatch } from '../../stages/kernel.ts';
import { VisibleCharacter } from '../../stages/layout.ts';
import {
  DROP_FREEZES,
  DROP_SAMPLES,
  DROP_WEIGHT,
  DROP_WEIGHT_ONE,
  LIST_FIRST,
  StepParams,
} from '../../stages/step-controllers/layout.ts';
import { createStepControllers, type StepControllers } from '../../stages/step-controllers/stage.ts';
import type { ControllerTraits } from '../../stages/step-controllers/traits.ts';
import type { AnimatorInputs } from '../backend.ts';
import type { DropCounts } from '../tables/drops.ts';
import type { CrowdLayout } from '../tables/crowd-layout.ts';
import type { DeliverEvents, EventQueue } from '../tables/event-queue.ts';
import { EventRing } from './event-ring.ts';
import type { CrowdMemory } from '../tables/memory.ts';
import { readRanges } from '../../device/read-back.ts';
import { stepParams } from '../tables/parameters.ts';
import type { UploadRing } from '../../device/upload-ring.ts';

/** Bytes of lists that are read in one batch: far below the binding limit of any device. */
const LIST_BYTES = 2 ** 24;

/** The state machines of a crowd on the GPU: their inputs, dispatches and readbacks. */
export class GpuAnimators {
  readonly #device: GPUDevice;
  readonly #shape: CrowdLayout;
  readonly #memory: CrowdMemory;
  readonly #uploads: UploadRing;
  readonly #stage: StepControllers;
  readonly #ring: EventRing;
  readonly #params: GPUBuffer;
  #commands: GPUBuffer;
  #bound: ReturnType<StepControllers['bind']>;
  #outgrown: GPUBuffer[] = [];

  constructor(
    device: GPUDevice,
    shape: CrowdLayout,
    traits: ControllerTraits,
    memory: CrowdMemory,
    uploads: UploadRing,
    events: DeliverEvents | EventQueue | EventRing,
  ) {
    this.#device = device;
    this.#shape = shape;
    this.#memory = memory;
    this.#uploads = uploads;
    this.#stage = createStepControllers(device, traits);
    if (events instanceof EventRing) {
      this.#ring = events;
      this.#ring.moveTo(memory.events);
    } else this.#ring = new EventRing(device, memory.events, events);
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    this.#params = device.createBuffer({ label: 'step params', size: StepParams.size, usage });
    this.#commands = this.#createCommands(1024);
    this.#bound = this.#bind();
  }

  get byteLength(): number {
    return this.#ring.byteLength + this.#params.size + this.#commands.size;
  }

  /** Uploads a frame's inputs. Returns the dispatches of the stage. */
  encode(encoder: GPUCommandEncoder, frame: number, inputs: AnimatorInputs): Dispatch[] {
    const { characterCount, columns, commands, runCount } = inputs;
    const { animators } = this.#shape;
    columns.forEach((column, index) => {
      for (const { byteOffset, bytes } of column.takeChanges()) {
        const firstByte = 4 * columnWordOf(animators.regions, index);
        this.#uploads.write(encoder, this.#memory.animators, firstByte + byteOffset, bytes);
      }
    });
    if (runCount > 0) {
      if (commands.byteLength > this.#commands.size) this.#growCommands(commands.byteLength);
      this.#uploads.write(encoder, this.#commands, 0, new Uint8Array(commands.buffer, 0, commands.byteLength));
    }
    const { words } = stepParams(this.#shape, frame, inputs);
    this.#uploads.write(encoder, this.#params, 0, new Uint8Array(words.buffer));
    return this.#bound(characterCount, runCount);
  }

  /** Records the readback of events. Call the returned function once the commands are submitted. */
  bringEvents(encoder: GPUCommandEncoder, frame: number): () => Promise<void> {
    const unused = this.#outgrown;
    this.#outgrown = [];
    const bring = this.#shape.controllers?.events ? this.#ring.bring(encoder, frame) : () => Promise.resolve();
    return () => {
      unused.forEach((buffer) => buffer.destroy());
      return bring();
    };
  }

  /** Reads the `listMotions` results of characters, all of the same moment. */
  async read(stage: GatherMotions, characters: readonly number[]): Promise<Uint32Array<ArrayBuffer>> {
    const { regions } = this.#shape.animators;
    const listCapacity = listRows(
      regions.get(0, 'machineCapacity'),
      regions.get(0, 'layerCapacity'),
      this.#shape.controllers?.large ?? false,
    );
    const batch = Math.max(1, Math.floor(LIST_BYTES / (16 * listCapacity)));
    const batches = Array.from({ length: Math.ceil(characters.length / batch) }, (_, b) =>
      this.#readBatch(stage, characters.slice(b * batch, (b + 1) * batch), listCapacity),
    );
    const lists = new Uint32Array(4 * listCapacity * characters.length);
    (await Promise.all(batches)).forEach((words, b) => lists.set(words, 4 * listCapacity * batch * b));
    return lists;
  }

  async #readBatch(
    stage: GatherMotions,
    characters: readonly number[],
    listCapacity: number,
  ): Promise<Uint32Array<ArrayBuffer>> {
    const device = this.#device;
    const params = new View(ListParams, 1);
    params.assign(0, { characterCount: characters.length, listCapacity });
    const create = (label: string, words: Uint32Array<ArrayBuffer>, usage: number): GPUBuffer => {
      const buffer = device.createBuffer({ label, size: words.byteLength, usage: usage | GPUBufferUsage.COPY_DST });
      device.queue.writeBuffer(buffer, 0, words);
      return buffer;
    };
    const lists = device.createBuffer({
      label: 'lists',
      size: 16 * listCapacity * characters.length,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC,
    });
    const buffers = {
      params: create('list params', params.words, GPUBufferUsage.UNIFORM),
      characters: create('listed', Uint32Array.from(characters), GPUBufferUsage.STORAGE),
      lists,
    };
    const encoder = device.createCommandEncoder({ label: 'list motions' });
    const pass = encoder.beginComputePass({ label: 'list motions' });
    encodeDispatch(pass, stage.list({ ...buffers, ...this.#shared() }, characters.length));
    pass.end();
    device.queue.submit([encoder.finish()]);
    const [bytes] = await readRanges(device, [[lists, 0, lists.size]]);
    Object.values(buffers).forEach((buffer) => buffer.destroy());
    return new Uint32Array(bytes!);
  }

  /** Counts motions that lists dropped in the last frame (`shown` is its memory), and samples that all freezes so far dropped. */
  async countDropped(stage: GatherMotions, shown: CrowdMemory): Promise<DropCounts> {
    const device = this.#device;
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC;
    const counts = device.createBuffer({ label: 'dropped', size: 8, usage });
    const { params, visible, animators } = shown;
    const rows = Math.floor(visible.size / VisibleCharacter.size);
    const encoder = device.createCommandEncoder({ label: 'count dropped' });
    const pass = encoder.beginComputePass({ label: 'count dropped' });
    encodeDispatch(pass, stage.countDropped({ params, visible, animators, counts }, rows));
    pass.end();
    device.queue.submit([encoder.finish()]);
    const [motions, freezes] = await readRanges(device, [
      [counts, 0, 8],
      [this.#memory.lists, 4 * DROP_FREEZES, 4 * (LIST_FIRST - DROP_FREEZES)],
    ]);
    counts.destroy();
    const numbers = new BigUint64Array(freezes!);
    const at = (word: number) => Number(numbers[(word - DROP_FREEZES) / 2]!);
    return {
      droppedMotions: Number(new BigUint64Array(motions!)[0]!),
      truncatedFreezes: at(DROP_FREEZES),
      droppedSamples: at(DROP_SAMPLES),
      droppedWeight: at(DROP_WEIGHT) / DROP_WEIGHT_ONE,
    };
  }

  /** Delivers events in the order of frames. */
  get queue(): EventQueue {
    return this.#ring.queue;
  }

  /** Frees all but readbacks of events in flight: those still arrive. */
  leave(): void {
    this.handOn().close();
  }

  /** Frees all but the event ring, for the object that replaces this one. */
  handOn(): EventRing {
    [this.#params, this.#commands, ...this.#outgrown].forEach((buffer) => buffer.destroy());
    return this.#ring;
  }

  destroy(): void {
    this.#ring.destroy();
    [this.#params, this.#commands, ...this.#outgrown].forEach((buffer) => buffer.destroy());
  }

  #shared(): Pick<CrowdMemory, 'rig' | 'regions' | 'animators'> {
    const { rig, regions, animators } = this.#memory;
    return { rig, regions, animators };
  }

  #bind(): ReturnType<StepControllers['bind']> {
    const { events, transforms, lists } = this.#memory;
    return this.#stage.bind({
      params: this.#params,
      commands: this.#commands,
      events,
      transforms,
      lists,
      ...this.#shared(),
    });
  }

  #createCommands(byteLength: number): GPUBuffer {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    return this.#device.createBuffer({ label: 'commands', size: byteLength, usage });
  }

  /** Replaces the command buffer by a larger one. It never shrinks. */
  #growCommands(byteLength: number): void {
    this.#outgrown.push(this.#commands);
    this.#commands = this.#createCommands(2 ** Math.ceil(Math.log2(byteLength)));
    this.#bound = this.#bind();
  }
}
