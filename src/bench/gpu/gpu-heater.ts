// A GPU that waits for the host lowers its clock, and what is timed then takes longer than it would in a game.
const CODE = `
@group(0) @binding(0) var<storage, read_write> sink: array<f32>;
override ROUNDS: u32 = 1;
@compute @workgroup_size(256)
fn heat(@builtin(global_invocation_id) id: vec3u) {
  var a = f32(id.x);
  for (var i = 0u; i < ROUNDS; i++) { a = fma(a, 0.999, 0.5); }
  if (a == 1.0) { sink[0] = a; }
}`;
const [GROUPS, ROUNDS] = [2048, 100_000];

/** Records arithmetic that touches no memory, a few milliseconds on a large GPU: for the time before a measured pass. */
export function createHeater(device: GPUDevice, rounds: number = ROUNDS): (encoder: GPUCommandEncoder) => void {
  const module = device.createShaderModule({ code: CODE });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module, constants: { ROUNDS: rounds } } });
  const sink = device.createBuffer({ size: 16, usage: GPUBufferUsage.STORAGE });
  const entries = [{ binding: 0, resource: { buffer: sink } }];
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  return (encoder) => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(GROUPS);
    pass.end();
  };
}

/** Seconds of work: a GPU that was idle takes as long to reach its clock. */
const HEAT_SECONDS = 1.5;
/** Milliseconds of arithmetic before a frame. */
const HEAT_MILLISECONDS = 5;
const FEW_ROUNDS = 500;
const PASSES = 16;

/** Runs a GPU until it has reached its clock, and creates a heater that takes some 5 ms on it, on a large or a small GPU. */
export async function createMeasuredHeater(device: GPUDevice): Promise<(encoder: GPUCommandEncoder) => void> {
  const heat = createHeater(device, FEW_ROUNDS);
  let milliseconds = Infinity;
  const start = performance.now();
  while (performance.now() - start < 1000 * HEAT_SECONDS) {
    const encoder = device.createCommandEncoder();
    for (let n = 0; n < PASSES; n++) heat(encoder);
    const before = performance.now();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    milliseconds = Math.min(milliseconds, performance.now() - before);
  }
  const rounds = (FEW_ROUNDS * PASSES * HEAT_MILLISECONDS) / Math.max(milliseconds, 0.01);
  return createHeater(device, Math.max(1, Math.min(4 * ROUNDS, Math.round(rounds))));
}
