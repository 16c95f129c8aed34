// A GPU that waits for the host lowers its clock, and what is timed then takes longer than it would in a game.
const CODE = `
@group(0) @binding(0) var<storage, read_write> sink: array<f32>;
override ROUNDS: u32 = 1;
override GROUP: u32 = 256;
@compute @workgroup_size(GROUP)
fn heat(@builtin(global_invocation_id) id: vec3u) {
  var a = f32(id.x);
  for (var i = 0u; i < ROUNDS; i++) { a = fma(a, 0.999, 0.5); }
  if (a == 1.0) { sink[0] = a; }
}`;
const [THREADS, ROUNDS] = [2 ** 19, 100_000];

/** Records arithmetic that touches no memory, a few milliseconds on a large GPU: for the time before a measured pass. */
export function createHeater(device: GPUDevice, rounds: number = ROUNDS): (encoder: GPUCommandEncoder) => void {
  const module = device.createShaderModule({ code: CODE });
  const GROUP = Math.min(256, device.limits.maxComputeInvocationsPerWorkgroup);
  const constants = { ROUNDS: rounds, GROUP };
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module, constants } });
  const sink = device.createBuffer({ size: 16, usage: GPUBufferUsage.STORAGE });
  const entries = [{ binding: 0, resource: { buffer: sink } }];
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  return (encoder) => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(Math.ceil(THREADS / GROUP));
    pass.end();
  };
}

/** Milliseconds of arithmetic before a frame. */
const HEAT_MILLISECONDS = 10;
/** Milliseconds of a pass that is timed: far more than the CPU takes to notice its end. */
const TIMED_MILLISECONDS = 40;
/** Seconds of work: a GPU that was idle takes as long to reach its clock. */
const HEAT_SECONDS = 1.5;
const [FEW_ROUNDS, MOST_ROUNDS] = [500, 2 ** 24];

/** Runs a GPU until it has reached its clock, and creates a heater that takes some 10 ms on it, on a large or a small GPU. */
export async function createMeasuredHeater(device: GPUDevice): Promise<(encoder: GPUCommandEncoder) => void> {
  let rounds = FEW_ROUNDS;
  let heat = createHeater(device, rounds);
  let milliseconds = 0;
  for (const start = performance.now(); performance.now() - start < 1000 * HEAT_SECONDS;) {
    const before = performance.now();
    const encoder = device.createCommandEncoder();
    heat(encoder);
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    milliseconds = performance.now() - before;
    if (milliseconds >= TIMED_MILLISECONDS || rounds >= MOST_ROUNDS) continue;
    rounds *= 2;
    heat = createHeater(device, rounds);
  }
  return createHeater(device, Math.max(1, Math.round((rounds * HEAT_MILLISECONDS) / milliseconds)));
}
