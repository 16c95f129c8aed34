import { mapBuffer } from '../device/device-loss.ts';
import { fail } from '../errors.ts';
import type { FrameInputs, FrameRecorder, RecordedMoment } from '../frame/backend.ts';
import type { FrameViews } from '../frame/cpu/frame.ts';
import type { StageName } from '../frame/stages.ts';
import type { CrowdLayout } from '../frame/tables/crowd-layout.ts';
import type { Dispatch } from '../stages/kernel.ts';
import { arraysOf, isOutput, type CapturedSpace } from './arrays.ts';
import { gpuArrays, twinArrays, type GpuRange } from './bound-arrays.ts';
import type { CapturedArrays, CapturedStage, FrameNumbers } from './capture.ts';

/** A finished copy, or one in flight. */
type Copy = Uint32Array<ArrayBuffer> | { readonly device: GPUDevice; readonly staging: GPUBuffer };

interface Recorded {
  readonly inputs: Map<string, Copy>;
  readonly outputs: Map<string, Copy>;
}

/**
 * Copies arrays that stages bind, up to a number of bytes. An array that no stage has written since its last copy is
 * not copied again.
 */
export class Recorder implements FrameRecorder {
  readonly #shape: CrowdLayout;
  readonly #wanted: ReadonlySet<StageName>;
  readonly #byteLimit: number;
  readonly #stages = new Map<StageName, Recorded>();
  /** Copies that are still current, by their source. */
  readonly #fresh = new Map<GPUBuffer | ArrayBuffer, Map<string, Copy>>();
  /** Ranges that earlier stages have bound: `stage/name`. */
  readonly #bound = new Map<string, GpuRange>();
  #numbers: FrameNumbers | undefined;
  #byteLength = 0;

  constructor(shape: CrowdLayout, wanted: readonly StageName[], byteLimit: number) {
    [this.#shape, this.#wanted, this.#byteLimit] = [shape, new Set(wanted), byteLimit];
  }

  kernels(
    { stage, moment, inputs }: RecordedMoment,
    { device, encoder, dispatches }: { device: GPUDevice; encoder: GPUCommandEncoder; dispatches: readonly Dispatch[] },
  ): void {
    const space = this.#space(inputs);
    const ranges = gpuArrays(stage, dispatches, space);
    for (const [name, range] of ranges) this.#bound.set(`${stage}/${name}`, range);
    // arrays that only twins need, as in the stage that bound them
    for (const [name, key] of Object.entries({ params: 'gather-motions/params', bins: 'cull-characters/bins' })) {
      const range = this.#bound.get(key);
      if (range && !ranges.has(name) && arraysOf(stage, space).has(name)) ranges.set(name, range);
    }
    for (const [name, { buffer, offset, size }] of ranges) {
      if (moment === 'outputs' && !isOutput(stage, name, space)) continue;
      this.#take({ stage, moment }, name, { source: buffer, key: `${offset} ${size}`, size }, () => {
        if (size === 0) return new Uint32Array();
        const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
        const staging = device.createBuffer({ label: 'capture', size, usage });
        encoder.copyBufferToBuffer(buffer, offset, staging, 0, size);
        return { device, staging };
      });
    }
  }

  twins({ stage, moment, inputs }: RecordedMoment, views: FrameViews): void {
    const space = this.#space(inputs);
    for (const [name, words] of twinArrays(stage, views, space)) {
      if (moment === 'outputs' && !isOutput(stage, name, space)) continue;
      const { buffer, byteOffset, byteLength } = words;
      const source = { source: buffer, key: `${byteOffset} ${byteLength}`, size: byteLength };
      this.#take({ stage, moment }, name, source, () => words.slice());
    }
  }

  /**
   * The recorded arrays. Call it after the frame has been submitted. @throws ManipleError CAPTURE_TOO_LARGE,
   * DEVICE_LOST
   */
  async finish(): Promise<{ numbers: FrameNumbers | undefined; stages: CapturedStage[] }> {
    if (this.#byteLength > this.#byteLimit) {
      this.discard();
      const message = `takes over ${this.#byteLength} bytes; the limit is ${this.#byteLimit}. The frame has run all the same.`;
      const suggestion = 'Name fewer stages, raise byteLimit, or take a smaller crowd.';
      fail('CAPTURE_TOO_LARGE', 'captureFrame', message, suggestion);
    }
    const read = new Map<Copy, Promise<Uint32Array<ArrayBuffer>>>();
    const wordsOf = (copy: Copy) => {
      const known = read.get(copy) ?? (copy instanceof Uint32Array ? Promise.resolve(copy) : readStaging(copy));
      read.set(copy, known);
      return known;
    };
    const arraysIn = async (copies: ReadonlyMap<string, Copy>): Promise<CapturedArrays> => {
      const entries = Array.from(copies, async ([name, copy]) => [name, await wordsOf(copy)] as const);
      return Object.fromEntries(await Promise.all(entries));
    };
    try {
      const stages = Array.from(this.#stages, async ([stage, { inputs, outputs }]): Promise<CapturedStage> => {
        return { stage, inputs: await arraysIn(inputs), outputs: await arraysIn(outputs) };
      });
      return { numbers: this.#numbers, stages: await Promise.all(stages) };
    } finally {
      this.discard();
    }
  }

  /** Frees all copies. */
  discard(): void {
    for (const { inputs, outputs } of this.#stages.values()) {
      for (const copy of [...inputs.values(), ...outputs.values()]) if ('staging' in copy) copy.staging.destroy();
    }
    this.#stages.clear();
  }

  #take(
    { stage, moment }: Pick<RecordedMoment, 'stage' | 'moment'>,
    name: string,
    { source, key, size }: { source: GPUBuffer | ArrayBuffer; key: string; size: number },
    copy: () => Copy,
  ): void {
    if (moment === 'outputs') this.#fresh.delete(source);
    if (!this.#wanted.has(stage)) return;
    const known = this.#fresh.get(source)?.get(key);
    if (!known) this.#byteLength += size;
    if (this.#byteLength > this.#byteLimit) return;
    const taken = known ?? copy();
    // uniforms are small, and other commands write them between stages
    if (name !== 'params' && name !== 'clock')
      this.#fresh.set(source, (this.#fresh.get(source) ?? new Map<string, Copy>()).set(key, taken));
    const recorded: Recorded = this.#stages.get(stage) ?? { inputs: new Map(), outputs: new Map() };
    this.#stages.set(stage, recorded);
    recorded[moment].set(name, taken);
  }

  #space({ animators, sockets, seen }: FrameInputs): CapturedSpace {
    this.#numbers ??= {
      characterCount: animators.characterCount,
      runCount: animators.runCount,
      socketCount: sockets.count,
      socketCapacity: sockets.attachments.view.count,
      hasGrants: (seen?.slots.grants.length ?? 0) > 0,
      hasMoves: seen?.slots.hasMoves ?? false,
      hasFollowers: seen?.hasFollowers ?? false,
      isSeen: seen !== undefined,
      pageRows: seen ? [...seen.usedVertices] : [],
    };
    return { shape: this.#shape, numbers: this.#numbers };
  }
}

async function readStaging({ device, staging }: Exclude<Copy, Uint32Array>): Promise<Uint32Array<ArrayBuffer>> {
  if (!(await mapBuffer(device, staging, GPUMapMode.READ))) fail('INTERNAL', 'capture', 'The buffer is gone.');
  return new Uint32Array(staging.getMappedRange().slice(0));
}
