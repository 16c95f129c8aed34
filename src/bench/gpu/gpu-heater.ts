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
export function createHeater(device: GPUDevice): (encoder: GPUCommandEncoder) => void {
  const module = device.createShaderModule({ code: CODE });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module, constants: { ROUNDS } } });
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
