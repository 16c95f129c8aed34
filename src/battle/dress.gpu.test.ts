import { expect, test } from 'vitest';
import { noGpu, readBuffer, testDevice } from '../../test/support/gpu.ts';
import { Random } from '../../test/support/random.ts';
import { DYED_CODE, dyed } from './dress.ts';

test.skipIf(noGpu())('shaders dye cloth as their twin does', async () => {
  const { device } = await testDevice();
  const random = new Random(3);
  const cases = Array.from({ length: 64 }, () => {
    // crimson, teal, or anything
    const [r, g, b] = random.pick([[0.5, 0.02, 0.03], [0.02, 0.2, 0.22], random.vector(1).map(Math.abs)]); // prettier-ignore
    const color = [r!, g!, b!].map((value) => value * random.range(0.5, 1.5)) as [number, number, number];
    return { color, dye: [random.range(-3, 3), random.range(0, 1.2), random.range(0.5, 1.3)] };
  });
  const rows = cases.map(({ color, dye }) => `vec3f(${color.join()}), vec3f(${dye.join()})`);
  const code = `${DYED_CODE}
    const cases = array(${rows.join(', ')});
    @group(0) @binding(0) var<storage, read_write> out: array<vec4f>;
    @compute @workgroup_size(64) fn dye(@builtin(global_invocation_id) id: vec3u) {
      out[id.x] = vec4f(dyed(cases[2u * id.x], cases[2u * id.x + 1u]), 0.0);
    }`;
  const module = device.createShaderModule({ code });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const out = device.createBuffer({ size: 1024, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const entries = [{ binding: 0, resource: { buffer: out } }];
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(1);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const floats = new Float32Array(await readBuffer(device, out));
  out.destroy();
  // sines and cosines of WGSL may be 2⁻¹¹ off
  cases.forEach(({ color, dye }, i) => {
    dyed(color, dye).forEach((value, c) => expect(Math.abs(floats[4 * i + c]! - value), `${i}`).toBeLessThan(2 ** -10));
  });
});
