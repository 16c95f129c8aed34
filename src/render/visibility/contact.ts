import { createBindGroup, createBindGroupLayout } from '../../layout/index.ts';
import { perDevice } from '../../stages/per-device.ts';
import { CONTACT_FORMAT, DARKEST } from '../forward/pipelines.ts';
import { frameBindings } from '../lighting/layout.ts';
import { kernels } from './contact.gen.ts';
import { contactBindings } from './layout.ts';
import type { TriangleMemory } from './memory.ts';

/** Draws the shade of the feet of all instances. */
export interface ContactPass {
  draw(
    encoder: GPUCommandEncoder,
    contact: GPUTextureView,
    timestamps?: Pick<GPURenderPassDescriptor, 'timestampWrites'>,
  ): void;
}

/** @param instanceCount Rows of instances that there is room for. */
export function createContactPass(
  device: GPUDevice,
  frame: GPUBuffer,
  { views, drawn }: Pick<TriangleMemory, 'views' | 'drawn'>,
  instanceCount: number,
): ContactPass {
  const { groups, pipeline } = perDevice(device, 'contact', () => {
    const both = GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT;
    const layouts = [
      createBindGroupLayout(device, 'contact frame', frameBindings, both),
      createBindGroupLayout(device, 'contact', contactBindings, both),
    ] as const;
    const module = device.createShaderModule({ label: 'contact', code: kernels.base });
    const blend = { color: DARKEST, alpha: DARKEST };
    return {
      groups: layouts,
      pipeline: device.createRenderPipeline({
        label: 'contact',
        layout: device.createPipelineLayout({ bindGroupLayouts: [...layouts] }),
        vertex: { module },
        fragment: { module, targets: [{ format: CONTACT_FORMAT, blend }] },
        primitive: { topology: 'triangle-strip' },
      }),
    };
  });
  const bound = [
    createBindGroup(device, 'contact frame', groups[0], frameBindings, { frame }),
    createBindGroup(device, 'contact', groups[1], contactBindings, { views, drawn }),
  ];
  return {
    draw(encoder, contact, timestamps) {
      const pass = encoder.beginRenderPass({
        label: 'draw-contact',
        colorAttachments: [{ view: contact, clearValue: [1, 1, 1, 1], loadOp: 'clear', storeOp: 'store' }],
        ...timestamps,
      });
      pass.setPipeline(pipeline);
      bound.forEach((group, index) => pass.setBindGroup(index, group));
      pass.draw(4, instanceCount);
      pass.end();
    },
  };
}
