import { mapBuffer } from '../../device/device-loss.ts';
import { fail } from '../../errors.ts';
import { View } from '../../layout/index.ts';
import { encodeDispatch, type Dispatch } from '../../stages/kernel.ts';
import { SlotState, VisibleCharacter } from '../../stages/layout.ts';
import { AskedJoint, JointAnswer } from '../../stages/read-joints/layout.ts';
import { createReadJoints, type ReadJoints } from '../../stages/read-joints/stage.ts';
import type { Answer, FrameInputs, Frames } from '../backend.ts';
import { createBuffer, createStorage, type CrowdMemory } from '../tables/memory.ts';
import type { UploadRing } from '../../device/upload-ring.ts';

/** Answers of one dispatch: far below the binding limit of any device. */
const BATCH = 2 ** 18;
/** Maximum runs of consecutive rows that are copied directly. More runs need a kernel. */
const COPIES = 16;
/** Maximum bytes of readbacks in flight. */
const FLIGHT_BYTES = 2 ** 28;
/** Bytes of the clock: the frame numbers of answers, and the origin. */
export const CLOCK_BYTES = 48;
/** Byte offset of the origin in the clock: three doubles. */
export const ORIGIN_BYTE = 16;

export interface ReadRange {
  readonly source: GPUBuffer;
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** A range of the source that is the answer. `dispatch`: the kernel that writes it first. */
interface Batch extends ReadRange {
  readonly dispatch?: Dispatch;
}

/** Data that is read back in one submission. */
interface Request {
  /** Caller name, used in the error when too many reads are in flight. Undefined if the read is not limited. */
  readonly path?: string;
  readonly batches: readonly Batch[];
  /** Word of the clock with the frame number of the answer. */
  readonly clockWord?: 0 | 1;
  /** Buffers to destroy once the answer is there. */
  readonly owned?: readonly GPUBuffer[];
  readonly before?: (encoder: GPUCommandEncoder) => void;
}

/** Results of one frame for a character. They are valid if that frame listed it. */
export interface ReadCharacter {
  readonly slot: View<(typeof SlotState)['fields']>;
  readonly row: View<(typeof VisibleCharacter)['fields']>;
  /** Rows of its palette, or of its pose source's palette. Zeros if neither was posed. */
  readonly palette: Float32Array;
  readonly ranges: readonly ArrayBuffer[];
}

/**
 * Reads data back to the CPU, after all commands submitted so far. Each read is one submission, made at once, so that all of
 * its data is of one frame.
 */
export class GpuReads {
  readonly #device: GPUDevice;
  readonly #stage: ReadJoints;
  /** Numbers of the last frame and of the last frame with views. Frames write it, so that it matches their data. */
  readonly clock: GPUBuffer;
  #bytes = 0;

  constructor(device: GPUDevice) {
    this.#device = device;
    this.#stage = createReadJoints(device);
    this.clock = createBuffer(device, 'clock', GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC, CLOCK_BYTES);
  }

  get byteLength(): number {
    return this.clock.size;
  }

  /** Continues from frames that ran on another backend. */
  restore({ now, lastFrame, origin }: Frames): void {
    const { queue } = this.#device;
    queue.writeBuffer(this.clock, 0, Uint32Array.of(now, lastFrame));
    queue.writeBuffer(this.clock, ORIGIN_BYTE, Float64Array.from(origin));
  }

  /** @param lastFrame Number of the last frame with views. */
  mark(
    encoder: GPUCommandEncoder,
    uploads: UploadRing,
    { frame, places }: Pick<FrameInputs, 'frame' | 'places'>,
    lastFrame: number,
  ): void {
    const bytes = new ArrayBuffer(CLOCK_BYTES);
    new Uint32Array(bytes).set([frame, lastFrame]);
    new Float64Array(bytes, ORIGIN_BYTE).set(places.origin);
    uploads.write(encoder, this.clock, 0, new Uint8Array(bytes));
  }

  /** Rows of a buffer for the caller that `path` names; the size of a row is a multiple of 16. @throws ManipleError CROWD_LIMIT, DEVICE_LOST */
  async rows(
    path: string,
    source: GPUBuffer,
    rowBytes: number,
    indices: readonly number[],
  ): Promise<Answer<ArrayBuffer>> {
    const runs = runsOf(indices, COPIES);
    if (runs) {
      const batches = runs.map(({ first, count }): Batch => ({
        source,
        byteOffset: first * rowBytes,
        byteLength: count * rowBytes,
      }));
      return this.#bring({ path, batches });
    }
    const owned: GPUBuffer[] = [];
    this.#expectRoom(path, indices.length * rowBytes);
    const batches = this.#batches(indices.length, (first, count) => {
      const asked = this.#upload(Uint32Array.from(indices.slice(first, first + count)), owned);
      const answers = this.#answers(count * rowBytes, owned);
      const dispatch = this.#stage.rows({ asked, source, answers }, count, rowBytes / 16);
      return { source: answers, byteOffset: 0, byteLength: count * rowBytes, dispatch };
    });
    return this.#bring({ path, batches, owned });
  }

  /** @throws ManipleError CROWD_LIMIT, DEVICE_LOST */
  async joints(
    { params, slots, visible }: CrowdMemory,
    palettes: GPUBuffer,
    asked: View<(typeof AskedJoint)['fields']>,
  ): Promise<Answer<View<(typeof JointAnswer)['fields']>>> {
    const owned: GPUBuffer[] = [];
    this.#expectRoom('readPose', asked.count * JointAnswer.size);
    const words = AskedJoint.size / 4;
    const batches = this.#batches(asked.count, (first, count) => {
      const buffers = { params, slots, visible, palettes };
      const ask = this.#upload(asked.words.slice(first * words, (first + count) * words), owned);
      const answers = this.#answers(count * JointAnswer.size, owned);
      const dispatch = this.#stage.joints({ ...buffers, asked: ask, answers }, count);
      return { source: answers, byteOffset: 0, byteLength: count * JointAnswer.size, dispatch };
    });
    const answer = await this.#bring({ path: 'readPose', batches, clockWord: 1, owned });
    return { ...answer, value: new View(JointAnswer, answer.value) };
  }

  /**
   * Reads a character's slot, its row of the visible list and its palette, together with ranges of buffers. The GPU finds the
   * rows, so that all data is of one frame, even if frames have moved the character meanwhile. @throws ManipleError DEVICE_LOST
   */
  async character(
    { params, slots, visible }: CrowdMemory,
    palettes: GPUBuffer,
    character: number,
    { paletteRows, ranges }: { readonly paletteRows: number; readonly ranges: readonly ReadRange[] },
  ): Promise<Answer<ReadCharacter>> {
    const owned: GPUBuffer[] = [];
    const slot = { source: slots, byteOffset: character * SlotState.size, byteLength: SlotState.size };
    const rowIndex = this.#upload(new Uint32Array(1), owned);
    const row = this.#answers(VisibleCharacter.size, owned);
    const find = this.#stage.rows({ asked: rowIndex, source: visible, answers: row }, 1, VisibleCharacter.size / 16);
    const batches: Batch[] = [
      slot,
      { source: row, byteOffset: 0, byteLength: VisibleCharacter.size, dispatch: find },
      ...ranges,
    ];
    // three palette rows at a time; the last three overlap earlier ones if the count is not a multiple of 3
    const asked = new View(AskedJoint, Math.ceil(paletteRows / 3));
    for (let i = 0; i < asked.count; i++) {
      asked.assign(i, { character, jointRow: Math.max(0, Math.min(3 * i, paletteRows - 3)) });
    }
    if (asked.count > 0) {
      const answers = this.#answers(asked.count * JointAnswer.size, owned);
      const ask = this.#upload(asked.words, owned);
      const dispatch = this.#stage.joints({ params, slots, visible, palettes, asked: ask, answers }, asked.count);
      batches.push({ source: answers, byteOffset: 0, byteLength: asked.count * JointAnswer.size, dispatch });
    }
    const at = slot.byteOffset + SlotState.offsets.visibleRow;
    const before = (encoder: GPUCommandEncoder) => encoder.copyBufferToBuffer(slots, at, rowIndex, 0, 4);
    const answer = await this.#bring({ batches, clockWord: 1, owned, before });
    let end = 0;
    const [slotBytes, rowBytes, ...others] = batches.map(({ byteLength }) =>
      answer.value.slice(end, (end += byteLength)),
    );
    const value = {
      slot: new View(SlotState, slotBytes!),
      row: new View(VisibleCharacter, rowBytes!),
      palette: paletteOf(asked, others[ranges.length], paletteRows),
      ranges: others.slice(0, ranges.length),
    };
    return { ...answer, value };
  }

  destroy(): void {
    this.clock.destroy();
  }

  async #bring({ path, batches, clockWord = 0, owned = [], before }: Request): Promise<Answer<ArrayBuffer>> {
    const device = this.#device;
    const size = batches.reduce((sum, { byteLength }) => sum + byteLength, CLOCK_BYTES);
    if (path) this.#expectRoom(path, size - CLOCK_BYTES);
    const counted = path ? size : 0;
    this.#bytes += counted;
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const copy = device.createBuffer({ label: 'read back', size, usage });
    try {
      const encoder = device.createCommandEncoder({ label: 'read back' });
      encoder.copyBufferToBuffer(this.clock, 0, copy, 0, CLOCK_BYTES);
      before?.(encoder);
      const pass = encoder.beginComputePass({ label: 'read back' });
      for (const { dispatch } of batches) if (dispatch) encodeDispatch(pass, dispatch);
      pass.end();
      let end = CLOCK_BYTES;
      for (const { source, byteOffset, byteLength } of batches) {
        encoder.copyBufferToBuffer(source, byteOffset, copy, end, byteLength);
        end += byteLength;
      }
      device.queue.submit([encoder.finish()]);
      if (!(await mapBuffer(device, copy, GPUMapMode.READ))) fail('INTERNAL', 'read back', 'The buffer is gone.');
      const bytes = copy.getMappedRange();
      const [x, y, z] = new Float64Array(bytes, ORIGIN_BYTE, 3) as unknown as [number, number, number];
      const frame = new Uint32Array(bytes, 0, 2)[clockWord]!;
      return { frame, origin: [x, y, z], value: bytes.slice(CLOCK_BYTES) };
    } finally {
      this.#bytes -= counted;
      for (const buffer of [copy, ...owned]) buffer.destroy();
    }
  }

  #expectRoom(path: string, byteLength: number): void {
    const most = Math.min(FLIGHT_BYTES, this.#device.limits.maxBufferSize) - CLOCK_BYTES;
    if (this.#bytes + byteLength <= most) return;
    const message = `${byteLength} bytes more, with ${this.#bytes} on their way; the limit is ${most}.`;
    fail('CROWD_LIMIT', path, message, 'Wait for what was asked before, or ask for fewer at a time.');
  }

  #batches(count: number, make: (first: number, count: number) => Batch): Batch[] {
    return Array.from({ length: Math.ceil(count / BATCH) }, (_, b) =>
      make(b * BATCH, Math.min(BATCH, count - b * BATCH)),
    );
  }

  #upload(words: Uint32Array<ArrayBuffer>, owned: GPUBuffer[]): GPUBuffer {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
    // exact size: kernels use its length
    const buffer = this.#device.createBuffer({ label: 'asked', size: words.byteLength, usage });
    this.#device.queue.writeBuffer(buffer, 0, words);
    owned.push(buffer);
    return buffer;
  }

  #answers(size: number, owned: GPUBuffer[]): GPUBuffer {
    const buffer = createStorage(this.#device, 'answers', size);
    owned.push(buffer);
    return buffer;
  }
}

function paletteOf(
  asked: View<(typeof AskedJoint)['fields']>,
  bytes: ArrayBuffer | undefined,
  paletteRows: number,
): Float32Array {
  const palette = new Float32Array(4 * paletteRows);
  if (!bytes) return palette;
  const answers = new View(JointAnswer, bytes);
  for (let i = 0; i < asked.count; i++) {
    const row = asked.get(i, 'jointRow');
    palette.set(answers.get(i, 'modelFromJoint').slice(0, 4 * (paletteRows - row)), 4 * row);
  }
  return palette;
}

/** Runs of consecutive indices; undefined if there are more runs than `most`. */
function runsOf(indices: readonly number[], most: number): { first: number; count: number }[] | undefined {
  const runs: { first: number; count: number }[] = [];
  for (const index of indices) {
    const last = runs.at(-1);
    if (last && last.first + last.count === index) last.count++;
    else if (runs.push({ first: index, count: 1 }) > most) return undefined;
  }
  return runs;
}
