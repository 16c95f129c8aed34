import { columnWordOf } from '../../controller/eval/regions.ts';
import { ListParams, listRows } from '../../stages/gather-motions/layout.ts';
import type { GatherMotions } from '../../stages/gather-motions/stage.ts';
import { encodeDispatch, type Dispatch } from '../../stages/kernel.ts';
import { VisibleCharacter } from '../../stages/layout.ts';
import { DROP_FREEZES, LIST_FIRST } from '../../stages/step-controllers/layout.ts';
import { createStepControllers, type StepControllers } from '../../stages/step-controllers/stage.ts';
import type { ControllerTraits } from '../../stages/step-controllers/traits.ts';
import type { AnimatorInputs } from '../backend.ts';
import { type DropCounts, freezeDropsIn } from '../tables/cull-results.ts';
import type { CrowdLayout } from '../tables/crowd-layout.ts';
import type { DeliverEvents, EventQueue } from '../tables/event-queue.ts';
import { EventRing } from './event-ring.ts';
import { createStorage, createUniform, type CrowdMemory } from '../tables/memory.ts';
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
    this.#commands = this.#createCommands(1024);
    this.#bound = this.#bind();
  }

  get byteLength(): number {
    return this.#ring.byteLength + this.#commands.size;
  }

  /** Uploads a frame's inputs, except its parameters, which it sets. Returns the dispatches of the stage. */
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
    stepParams(this.#shape, frame, inputs, this.#memory.parameters.views.step);
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
    const count = characters.length;
    const byteLength = 16 * listCapacity * count;
    const buffers = {
      params: createUniform(device, 'list params', ListParams, { characterCount: count, listCapacity }),
      characters: createStorage(device, 'listed', Uint32Array.from(characters)),
      lists: createStorage(device, 'lists', byteLength),
    };
    this.#run('list motions', stage.list({ ...this.#memory, ...buffers }, count));
    const [bytes] = await readRanges(device, [[buffers.lists, 0, byteLength]]);
    Object.values(buffers).forEach((buffer) => buffer.destroy());
    return new Uint32Array(bytes!);
  }

  /** Counts motions that lists dropped in the last frame (`shown` is its memory), and samples that all freezes so far dropped. */
  async countDropped(stage: GatherMotions, shown: CrowdMemory): Promise<DropCounts> {
    const counts = createStorage(this.#device, 'dropped', 8);
    const rows = Math.floor(shown.visible.size / VisibleCharacter.size);
    this.#run('count dropped', stage.countDropped({ ...shown, counts }, rows));
    const [motions, freezes] = await readRanges(this.#device, [
      [counts, 0, 8],
      [this.#memory.lists, 4 * DROP_FREEZES, 4 * (LIST_FIRST - DROP_FREEZES)],
    ]);
    counts.destroy();
    return { droppedMotions: Number(new BigUint64Array(motions!)[0]!), ...freezeDropsIn(freezes!) };
  }

  /** Runs a kernel in a submission of its own. */
  #run(label: string, dispatch: Dispatch): void {
    const encoder = this.#device.createCommandEncoder({ label });
    const pass = encoder.beginComputePass({ label });
    encodeDispatch(pass, dispatch);
    pass.end();
    this.#device.queue.submit([encoder.finish()]);
  }

  get queue(): EventQueue {
    return this.#ring.queue;
  }

  /** Frees all but readbacks of events in flight: those still arrive. */
  leave(): void {
    this.handOn().close();
  }

  /** Frees all but the event ring, for the object that replaces this one. */
  handOn(): EventRing {
    [this.#commands, ...this.#outgrown].forEach((buffer) => buffer.destroy());
    return this.#ring;
  }

  destroy(): void {
    this.#ring.destroy();
    [this.#commands, ...this.#outgrown].forEach((buffer) => buffer.destroy());
  }

  #bind(): ReturnType<StepControllers['bind']> {
    const params = this.#memory.parameters.binding('step');
    return this.#stage.bind({ ...this.#memory, params, commands: this.#commands });
  }

  #createCommands(byteLength: number): GPUBuffer {
    return createStorage(this.#device, 'commands', byteLength);
  }

  /** Replaces the command buffer by a larger one. It never shrinks. */
  #growCommands(byteLength: number): void {
    this.#outgrown.push(this.#commands);
    this.#commands = this.#createCommands(2 ** Math.ceil(Math.log2(byteLength)));
    this.#bound = this.#bind();
  }
}
