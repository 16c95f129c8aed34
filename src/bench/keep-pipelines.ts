const KEPT = [
  'createShaderModule',
  'createBindGroupLayout',
  'createPipelineLayout',
  'createComputePipeline',
  'createComputePipelineAsync',
  'createRenderPipeline',
  'createRenderPipelineAsync',
] as const;

/**
 * Makes the device keep all pipelines and their parts. WebGPU implementations compile equal ones again only after the
 * first have been collected, so that later ones cost nothing.
 */
export function keepPipelines(device: GPUDevice): void {
  const kept: unknown[] = [];
  for (const name of KEPT) {
    const create = device[name].bind(device) as (descriptor: never) => unknown;
    const keep = (descriptor: never) => {
      const made = create(descriptor);
      kept.push(made);
      return made;
    };
    Object.defineProperty(device, name, { value: keep, configurable: true });
  }
}
