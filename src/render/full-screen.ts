import { lazyRenderPipeline, type LazyPipeline } from '../stages/lazy-pipeline.ts';
import { compileShader } from '../wgsl/compile.ts';

/** Creates a pipeline over all pixels. Vertices are those of `full-screen.wesl`. */
export function createFullScreenPipeline(
  device: GPUDevice,
  label: string,
  code: string,
  bindGroupLayouts: readonly GPUBindGroupLayout[],
  targets: (GPUColorTargetState | null)[],
  { constants, ...state }: Partial<GPURenderPipelineDescriptor & Pick<GPUFragmentState, 'constants'>> = {},
): LazyPipeline<GPURenderPipeline> {
  const module = compileShader(device, label, code);
  return lazyRenderPipeline(device, {
    label,
    layout: device.createPipelineLayout({ bindGroupLayouts: [...bindGroupLayouts] }),
    vertex: { module },
    fragment: { module, targets, ...(constants && { constants }) },
    ...state,
  });
}

/** Records a pass with one draw over all pixels. @param share Constant of the blending. */
export function drawFullScreen(
  encoder: GPUCommandEncoder,
  { label, pipeline }: LazyPipeline<GPURenderPipeline>,
  groups: readonly GPUBindGroup[],
  descriptor: GPURenderPassDescriptor,
  share?: number,
): void {
  const pass = encoder.beginRenderPass({ label, ...descriptor });
  if (share !== undefined) pass.setBlendConstant([share, share, share, share]);
  pass.setPipeline(pipeline);
  groups.forEach((group, index) => pass.setBindGroup(index, group));
  pass.draw(3);
  pass.end();
}
