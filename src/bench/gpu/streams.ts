import { Timings } from '../../device/timings.ts';

/** Bytes that a stage moves at the least. */
export interface Traffic {
  readonly stage: string;
  readonly read: number;
  readonly written: number;
}

const ROW_BYTES = 16;
/** Rows of one dispatch at most: 128 MiB, which every device binds, and more than its caches hold. */
const BLOCK_ROWS = 2 ** 23;

const CODE = `
@group(0) @binding(0) var<storage, read> source: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> destination: array<vec4u>;
@group(0) @binding(2) var<uniform> rows: vec2u; // read, written
override GROUP: u32 = 256;
@compute @workgroup_size(GROUP)
fn stream(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  var row = vec4u(i, 0u, 0u, 0u);
  if (i < rows.x) { row = source[i]; }
  // the second never holds, as all rows are zero: it keeps reads without a write
  if (i < rows.y || row.w == 1u) { destination[i] = row; }
}`;

/**
 * Floors of stages: one pass each that reads and writes as many bytes as the stage, in order and 16 at a time, and does
 * nothing else. Larger amounts are moved in several dispatches over the same 128 MiB.
 */
export class Streams {
  /** Milliseconds by stage, of the last frame that was read back. Empty without timestamps. */
  readonly latest: ReadonlyMap<string, number>;
  readonly #timings: Timings;
  readonly #pipeline: GPUComputePipeline;
  readonly #owned: GPUBuffer[];
  readonly #streams: readonly { stage: string; group: GPUBindGroup; workgroups: number; repeats: number }[];

  constructor(device: GPUDevice, traffic: readonly Traffic[]) {
    const module = device.createShaderModule({ label: 'stream', code: CODE });
    const { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupsPerDimension } = device.limits;
    const GROUP = Math.min(256, maxComputeInvocationsPerWorkgroup);
    const compute = { module, constants: { GROUP } };
    this.#pipeline = device.createComputePipeline({ label: 'stream', layout: 'auto', compute });
    const blockRows = Math.min(BLOCK_ROWS, GROUP * maxComputeWorkgroupsPerDimension);
    this.#timings = new Timings(
      device,
      traffic.map(({ stage }) => stage),
    );
    this.latest = this.#timings.latest;
    const plans = traffic.map(({ stage, read, written }) => {
      const total = [read, written].map((bytes) => Math.ceil(bytes / ROW_BYTES)) as [number, number];
      const repeats = Math.max(1, Math.ceil(Math.max(...total) / blockRows));
      return { stage, repeats, rows: total.map((count) => Math.ceil(count / repeats)) as [number, number] };
    });
    const most = (of: 0 | 1) => Math.max(1, ...plans.map(({ rows }) => rows[of]));
    const usage = GPUBufferUsage.STORAGE;
    const source = device.createBuffer({ label: 'stream source', size: most(0) * ROW_BYTES, usage });
    const destination = device.createBuffer({ label: 'stream destination', size: most(1) * ROW_BYTES, usage });
    this.#owned = [source, destination];
    this.#streams = plans.map(({ stage, repeats, rows }) => {
      const uniform = device.createBuffer({ size: 8, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
      device.queue.writeBuffer(uniform, 0, Uint32Array.from(rows));
      this.#owned.push(uniform);
      const group = device.createBindGroup({
        layout: this.#pipeline.getBindGroupLayout(0),
        entries: [source, destination, uniform].map((buffer, binding) => ({ binding, resource: { buffer } })),
      });
      return { stage, group, repeats, workgroups: Math.ceil(Math.max(...rows) / GROUP) };
    });
  }

  /** Records all passes. Call the returned function after submitting. Its promise resolves when `latest` has the times. */
  record(encoder: GPUCommandEncoder): () => Promise<void> {
    for (const { stage, group, workgroups, repeats } of this.#streams) {
      const pass = encoder.beginComputePass({ label: `stream ${stage}`, ...this.#timings.writes(stage) });
      pass.setPipeline(this.#pipeline);
      pass.setBindGroup(0, group);
      for (let n = 0; n < repeats; n++) pass.dispatchWorkgroups(workgroups);
      pass.end();
    }
    return this.#timings.resolve(encoder);
  }

  destroy(): void {
    this.#timings.destroy();
    for (const buffer of this.#owned) buffer.destroy();
  }
}
