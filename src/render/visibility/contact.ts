import { createBuffer, createFilled } from '../../frame/tables/memory.ts';
import { createBindGroup, createBindGroupLayout, View } from '../../layout/index.ts';
import { lazyRenderPipeline } from '../../stages/lazy-pipeline.ts';
import { createKernel, encodeDispatch } from '../../stages/kernel.ts';
import { perDevice } from '../../stages/per-device.ts';
import { PITCH_PIXELS } from './raster-triangles/layout.ts';
import { CONTACT_FORMAT, DARKEST } from '../forward/pipelines.ts';
import { frameBindings } from '../lighting/layout.ts';
import { compileShader } from '../../wgsl/compile.ts';
import { kernels } from './contact.gen.ts';
import { BODY_POINTS, FOOT_POINTS } from '../contact-codes.ts';
import { contactBindings, ContactPage, ContactParams, LARGE_FIRST_WORD, LARGE_WORDS, splatBindings } from './layout.ts';
import type { TriangleSource } from './source.ts';
import type { TriangleMemory } from './memory.ts';
import { kernels as splatCode } from './splat-contact.gen.ts';

/** Draws the shade that all instances leave on the ground. */
export interface ContactPass {
  /** @param timestamps For the first of its two passes, and the second. */
  draw(
    encoder: GPUCommandEncoder,
    contact: GPUTextureView,
    timestamps?: (part: {
      readonly first: boolean;
      readonly last: boolean;
    }) => Pick<GPUComputePassDescriptor & GPURenderPassDescriptor, 'timestampWrites'>,
  ): void;
  destroy(): void;
}

/** Pixels across up to which discs are drawn by compute. */
const LARGEST_SPLAT = 24;
/** Instances per workgroup of splatContact. */
const SPLAT_GROUP = 64;

/**
 * 4 bytes per pixel, 16 per instance, 64 per run.
 * @param sources Sources of the runs, in the order of the tables.
 * @param instanceCount Capacity in rows of instances.
 */
export function createContactPass(
  device: GPUDevice,
  frame: GPUBuffer,
  { views, drawn }: Pick<TriangleMemory, 'views' | 'drawn'>,
  sources: readonly TriangleSource[],
  instanceCount: number,
  { width, height }: { readonly width: number; readonly height: number },
): ContactPass {
  const made = perDevice(device, 'contact', () => createContactPipelines(device));
  const pitch = Math.ceil(width / PITCH_PIXELS) * PITCH_PIXELS;
  const { STORAGE, INDIRECT, UNIFORM, COPY_DST } = GPUBufferUsage;
  const values = new View(ContactParams, 1);
  values.assign(0, { instanceCount, pitch, largest: LARGEST_SPLAT });
  const params = createFilled(device, 'contact params', UNIFORM | COPY_DST, values.words);
  const splats = createBuffer(device, 'shade of feet', STORAGE | COPY_DST, 4 * pitch * height);
  const large = createBuffer(
    device,
    'large shades',
    STORAGE | INDIRECT | COPY_DST,
    4 * (LARGE_FIRST_WORD + LARGE_WORDS * instanceCount),
  );
  // a strip of four vertices
  device.queue.writeBuffer(large, 0, Uint32Array.of(4, 0, 0, 0));
  const pages = sources.flatMap((source) => source.pages);
  const runs = pages.flatMap((page) => page.runs);
  const words = new Uint32Array((BODY_POINTS + FOOT_POINTS) * Math.max(1, runs.length));
  runs.forEach(
    ({ contactPoints }, run) => contactPoints && words.set(contactPoints, (BODY_POINTS + FOOT_POINTS) * run),
  );
  const points = createFilled(device, 'contact points', STORAGE | COPY_DST, words);
  const resources = { params, views, drawn, splats, large, points };
  const frameGroup = createBindGroup(device, 'contact frame', made.frame, frameBindings, { frame });
  const owned = [params, splats, large, points];
  let firstRun = 0;
  const dispatches = pages.flatMap(({ skinned, runs: ofPage }) => {
    const view = new View(ContactPage, 1);
    view.assign(0, { firstRun, runCount: ofPage.length });
    firstRun += ofPage.length;
    if (ofPage.every(({ contactRadius }) => contactRadius <= 0)) return [];
    const page = createFilled(device, 'contact page', UNIFORM | COPY_DST, view.words);
    owned.push(page);
    const group = createBindGroup(device, 'splat', made.splat, splatBindings, { ...resources, page, skinned });
    return { kernel: made.kernel, groups: [frameGroup, group], groupCount: Math.ceil(instanceCount / SPLAT_GROUP) };
  });
  const contactGroup = createBindGroup(device, 'contact', made.contact, contactBindings, resources);
  return {
    draw(encoder, contact, timestamps) {
      encoder.clearBuffer(splats);
      encoder.clearBuffer(large, 4, 4);
      const compute = encoder.beginComputePass({
        label: 'draw-contact',
        ...timestamps?.({ first: true, last: false }),
      });
      for (const dispatch of dispatches) encodeDispatch(compute, dispatch);
      compute.end();
      const pass = encoder.beginRenderPass({
        label: 'draw-contact',
        colorAttachments: [{ view: contact, clearValue: [1, 1, 1, 1], loadOp: 'clear', storeOp: 'store' }],
        ...timestamps?.({ first: false, last: true }),
      });
      pass.setBindGroup(0, frameGroup);
      pass.setBindGroup(1, contactGroup);
      pass.setPipeline(made.splats.pipeline);
      pass.draw(3);
      pass.setPipeline(made.discs.pipeline);
      pass.drawIndirect(large, 0);
      pass.end();
    },
    destroy: () => owned.forEach((buffer) => buffer.destroy()),
  };
}

function createContactPipelines(device: GPUDevice) {
  const { VERTEX, FRAGMENT, COMPUTE } = GPUShaderStage;
  const frame = createBindGroupLayout(device, 'contact frame', frameBindings, VERTEX | FRAGMENT | COMPUTE);
  const contact = createBindGroupLayout(device, 'contact', contactBindings, VERTEX | FRAGMENT);
  const splat = createBindGroupLayout(device, 'splat', splatBindings);
  const module = compileShader(device, 'contact', kernels.base);
  const layout = device.createPipelineLayout({ bindGroupLayouts: [frame, contact] });
  const pipeline = (name: 'splat' | 'disc', topology: GPUPrimitiveTopology) =>
    lazyRenderPipeline(device, {
      label: `contact ${name}`,
      layout,
      vertex: { module, entryPoint: `${name}Vertex` },
      fragment: {
        module,
        entryPoint: `${name}Fragment`,
        targets: [{ format: CONTACT_FORMAT, blend: { color: DARKEST, alpha: DARKEST } }],
      },
      primitive: { topology },
    });
  return {
    frame,
    contact,
    splat,
    kernel: createKernel(device, {
      label: 'draw-contact',
      variant: 'splat',
      code: splatCode.base,
      entryPoint: 'splatContact',
      layout: device.createPipelineLayout({ bindGroupLayouts: [frame, splat] }),
    }),
    splats: pipeline('splat', 'triangle-list'),
    discs: pipeline('disc', 'triangle-strip'),
  };
}
