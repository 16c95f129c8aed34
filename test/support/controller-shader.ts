import { animatorBindings } from '../../src/controller/eval/layout.ts';
import { createBindGroup, createBindGroupLayout } from '../../src/layout/index.ts';
import { rigRowBindings } from '../../src/stages/layout.ts';
import type { AnimatorScene } from './animator-scene.ts';
import { readBuffer, uploadBuffer } from './gpu.ts';
import { linkTestShader } from './wesl.ts';

/**
 * Runs a test's own kernel over a scene's controllers and animators, bound as the stages bind them; group 0 is
 * `input` and `output` (arrays of vec4u), one workgroup of 64 threads per 64 rows of input.
 *
 * @param body From `import`s to the statements of main, which knows `i`, its thread.
 */
export async function runOnScene(
  device: GPUDevice,
  scene: AnimatorScene,
  shader: { readonly imports: string; readonly functions?: string; readonly main: string },
  input: Uint32Array<ArrayBuffer>,
  outputRows: number,
): Promise<ArrayBuffer> {
  const code = await linkTestShader(`
${shader.imports}
@group(0) @binding(0) var<storage, read_write> input: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4u>;
${shader.functions ?? ''}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= arrayLength(&input)) { return; }
  ${shader.main}
}`);
  const own = device.createBindGroupLayout({
    entries: [0, 1].map((binding) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'storage' } })),
  });
  const [rigLayout, animatorLayout] = [rigRowBindings, animatorBindings].map((bindings) =>
    createBindGroupLayout(device, 'test', bindings),
  );
  const pipeline = await device.createComputePipelineAsync({
    layout: device.createPipelineLayout({ bindGroupLayouts: [own, rigLayout!, animatorLayout!] }),
    compute: { module: device.createShaderModule({ code }) },
  });
  const storage = GPUBufferUsage.STORAGE;
  const rig = uploadBuffer(device, scene.rig.words, storage);
  const regions = uploadBuffer(device, scene.plan.regions.words, GPUBufferUsage.UNIFORM);
  const animators = uploadBuffer(device, scene.state.animators, storage);
  const buffers = [
    uploadBuffer(device, input, storage),
    uploadBuffer(device, new Uint32Array(4 * outputRows), storage),
  ];
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
  pass.setBindGroup(0, device.createBindGroup({ layout: own, entries }));
  pass.setBindGroup(1, createBindGroup(device, 'test', rigLayout!, rigRowBindings, { rig4: rig }));
  pass.setBindGroup(2, createBindGroup(device, 'test', animatorLayout!, animatorBindings, { regions, animators }));
  pass.dispatchWorkgroups(Math.ceil(input.length / 4 / 64));
  pass.end();
  device.queue.submit([encoder.finish()]);
  const output = await readBuffer(device, buffers[1]!);
  for (const buffer of [rig, regions, animators, ...buffers]) buffer.destroy();
  return output;
}

/** Weights of the only tree of each controller, 16 per character, by the kernels' own functions. */
export async function treeWeightsOnGpu(device: GPUDevice, scene: AnimatorScene): Promise<Float32Array> {
  const rows = Uint32Array.from({ length: 4 * scene.count }, (_, w) =>
    w % 4 === 0 ? scene.rows[scene.of[w >> 2]!]! : 0,
  );
  const output = await runOnScene(
    device,
    scene,
    {
      imports: `
import package::layout::controller::{loadControllerHeader, loadControllerMotion, loadControllerState, loadControllerTree};
import package::controller::eval::tree_weights::{shareOf, sharesOf};
import package::layout::rig::rig4;
import package::layout::animator::{animators, regions};`,
      main: `
  let row = input[i].x;
  let header = loadControllerHeader(row);
  let motion = loadControllerMotion(row + loadControllerState(row + header.stateRow).motionRow);
  let tree = loadControllerTree(row + motion.treeRow);
  let shares = sharesOf(tree, row, i);
  for (var c = 0u; c < ((tree.kind >> 8u) & 0xffu); c++) {
    let weight = shareOf(shares, c, i);
    output[4u * i + (c >> 2u)][c & 3u] = bitcast<u32>(weight);
  }`,
    },
    rows,
    4 * scene.count,
  );
  return new Float32Array(output);
}
