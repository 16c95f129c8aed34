// Your own pass: a point for each vertex of each visible character, drawn from the crowd's memory. In your own project,
// import from 'maniple' and 'maniple/render'.
import type { Crowd } from '../../src/index.ts';
import { type DrawMemory, drawMemory } from '../../src/render/index.ts';

/** Crowd buffers that the shader below reads. */
const READ = ['visible', 'transforms', 'previousTransforms', 'vertices'] as const;

const WGSL = /* wgsl */ `
  struct View { clipFromWorld: mat4x4f, framesPerSecond: f32 }
  @group(0) @binding(0) var<uniform> view: View;
  @group(2) @binding(0) var<uniform> run: vec4u;  // first row of the visible list, and row count
  @group(2) @binding(1) var<uniform> part: vec4u;
  struct Point { @builtin(position) position: vec4f, @location(0) color: vec3f }

  // The draw's instances are rows of the visible list; its indices count from the mesh's first vertex.
  @vertex fn point(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Point {
    let row = run.x + instance;
    if (crowdViews(row) == 0u || !crowdShowsPart(row, part.xy)) { return Point(vec4f(0, 0, -1, 0), vec3f(0)); }
    let now = crowdWorldFromModel(row, crowdPosition(crowdVertexOffset(row) + index));
    let before = crowdPreviousWorldFromModel(row, crowdPosition(crowdPreviousVertexOffset(row) + index));
    let speed = distance(now, before) * view.framesPerSecond; // metres per second
    let color = mix(vec3f(0.05, 0.16, 0.4), vec3f(1, 0.55, 0.15), clamp(speed / 2.5, 0, 1));
    return Point(view.clipFromWorld * vec4f(now, 1), color);
  }
  @fragment fn show(in: Point) -> @location(0) vec4f { return vec4f(in.color, 1); }
`;

/** Draws the vertices of a crowd as points. Faster vertices have warmer colours. */
export function createPoints(device: GPUDevice, crowd: Crowd, format: GPUTextureFormat) {
  if (crowd.tier === 'compatibility') {
    throw new Error('This example reads storage buffers in a vertex shader, which needs the core level of WebGPU.');
  }
  const { VERTEX } = GPUShaderStage;
  const { UNIFORM, COPY_DST } = GPUBufferUsage;
  const memory = drawMemory(crowd);
  const uniforms = (count: number) =>
    device.createBindGroupLayout({
      entries: Array.from({ length: count }, (_, binding) => ({ binding, visibility: VERTEX, buffer: {} })),
    });
  const layouts = [
    uniforms(1),
    device.createBindGroupLayout({ entries: memory.layoutEntries(VERTEX, READ) }),
    uniforms(2),
  ] satisfies [GPUBindGroupLayout, GPUBindGroupLayout, GPUBindGroupLayout];
  const module = device.createShaderModule({ code: memory.wgsl(1) + WGSL });
  const add: GPUBlendComponent = { srcFactor: 'one', dstFactor: 'one' };
  const pipeline = device.createRenderPipeline({
    layout: device.createPipelineLayout({ bindGroupLayouts: layouts }),
    vertex: { module },
    fragment: { module, targets: [{ format, blend: { color: add, alpha: add } }] },
    primitive: { topology: 'point-list' },
  });
  const view = device.createBuffer({ size: 80, usage: UNIFORM | COPY_DST });
  const viewGroup = device.createBindGroup({
    layout: layouts[0],
    entries: [{ binding: 0, resource: { buffer: view } }],
  });

  const draw = (bound: DrawMemory) =>
    bound.draws.flatMap((each) => {
      const page = device.createBindGroup({ layout: layouts[1], entries: bound.groupEntries(each.page, READ) });
      return each.primitives.map(({ part, indirectOffset }) => {
        const buffer = device.createBuffer({ size: 16, usage: UNIFORM | COPY_DST });
        device.queue.writeBuffer(buffer, 0, Uint32Array.of(...part, 0, 0));
        const entries = [
          { binding: 0, resource: each.run },
          { binding: 1, resource: { buffer } },
        ];
        return { page, own: device.createBindGroup({ layout: layouts[2], entries }), indirectOffset };
      });
    });
  let bound = memory;
  let draws = draw(bound);

  return {
    /** Records the draw. Call it after the crowd's own commands, with the same encoder or a later one. */
    draw(
      encoder: GPUCommandEncoder,
      target: GPUTextureView,
      clipFromWorld: Iterable<number>,
      dt: number,
      clear: boolean,
    ) {
      // A different object means that the crowd has new buffers.
      if (drawMemory(crowd) !== bound) draws = draw((bound = drawMemory(crowd)));
      device.queue.writeBuffer(view, 0, Float32Array.of(...clipFromWorld, 1 / Math.max(dt, 1e-3)));
      const pass = encoder.beginRenderPass({
        colorAttachments: [
          { view: target, loadOp: clear ? 'clear' : 'load', storeOp: 'store', clearValue: [0, 0, 0.02, 1] },
        ],
      });
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, viewGroup);
      pass.setIndexBuffer(bound.indices, 'uint32');
      for (const { page, own, indirectOffset } of draws) {
        pass.setBindGroup(1, page);
        pass.setBindGroup(2, own);
        pass.drawIndexedIndirect(bound.indirect, indirectOffset);
      }
      pass.end();
    },
  };
}
