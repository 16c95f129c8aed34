import { Timings } from '../../frame/timings.ts';
import { ID_FORMAT, VELOCITY_FORMAT } from '../target.ts';
import { createAttachments, type Attachments } from './attachments.ts';
import { kernels as backdropCode } from './backdrop.gen.ts';
import type { DrawnCrowd } from './drawn-crowd.ts';
import { createBySides, createDrawPipeline, SOLID, type BySides, type ForwardLayouts } from './pipelines.ts';
import { createSurfaceModules } from './surface-modules.ts';

/** Where motion vectors and ids of one picture go; one of them, or both. */
export interface SurfaceViews {
  readonly velocity?: GPUTextureView | undefined;
  readonly ids?: GPUTextureView | undefined;
  readonly width: number;
  readonly height: number;
}

/** Draws which surface each pixel shows, and how far it has moved, without several samples: neither can be averaged. */
export interface SurfaceTargets {
  draw(encoder: GPUCommandEncoder, views: SurfaceViews): void;
  /** Milliseconds of `draw-surfaces`. */
  readonly timings: Timings;
  /** What is no longer drawn to, to be destroyed once all that was recorded is submitted. */
  takeRetired(): Attachments[];
  destroy(): void;
}

interface Pipelines {
  readonly sky: GPURenderPipeline;
  readonly ground: GPURenderPipeline;
  readonly surface: BySides;
}

/** @param frameGroup Group 0: the frame's uniforms alone. */
export function createSurfaceTargets(
  device: GPUDevice,
  layouts: ForwardLayouts,
  drawn: DrawnCrowd,
  frameGroup: GPUBindGroup,
): SurfaceTargets {
  const { frame, geometry, surface, material } = layouts;
  const surfaceModules = createSurfaceModules(device, drawn.skins);
  const backdropModule = device.createShaderModule({ label: 'backdrop', code: backdropCode.base });
  const surfaceLayout = device.createPipelineLayout({ bindGroupLayouts: [frame, geometry, surface, material] });
  const backdropLayout = device.createPipelineLayout({ bindGroupLayouts: [frame] });
  const timings = new Timings(device, ['draw-surfaces']);
  const known = new Map<string, Pipelines>();
  let depth: Attachments | undefined;
  let retired: Attachments[] = [];
  return {
    timings,
    draw(encoder, { velocity, ids, width, height }) {
      const size = { width, height };
      if (depth?.width !== width || depth.height !== height) {
        if (depth) retired.push(depth);
        depth = createAttachments(device, size, ID_FORMAT, 1);
      }
      const { sky, ground, surface } = pipelines(velocity !== undefined, ids !== undefined);
      const clear = { clearValue: { r: 0, g: 0, b: 0, a: 0 }, loadOp: 'clear', storeOp: 'store' } as const;
      const pass = encoder.beginRenderPass({
        label: 'draw-surfaces',
        colorAttachments: [velocity, ids].map((view) => (view ? { view, ...clear } : null)),
        depthStencilAttachment: {
          view: depth.depth,
          depthClearValue: 0,
          depthLoadOp: 'clear',
          depthStoreOp: 'discard',
        },
        ...timings.writes('draw-surfaces'),
      });
      pass.setBindGroup(0, frameGroup);
      pass.setPipeline(sky);
      pass.draw(3);
      pass.setPipeline(ground);
      pass.draw(4);
      drawn.draw(pass, surface, 'surface');
      pass.end();
    },
    takeRetired: () => retired.splice(0),
    destroy() {
      timings.destroy();
      depth?.destroy();
      for (const unused of retired) unused.destroy();
      retired = [];
    },
  };

  function pipelines(hasVelocity: boolean, hasIds: boolean): Pipelines {
    const key = `${hasVelocity} ${hasIds}`;
    let found = known.get(key);
    if (!found) {
      const targets = [hasVelocity ? { format: VELOCITY_FORMAT } : null, hasIds ? { format: ID_FORMAT } : null];
      const common = { targets, sampleCount: 1, fragment: 'targetFragment' };
      const backdrop = { ...common, module: backdropModule, layout: backdropLayout };
      found = {
        sky: createDrawPipeline(device, {
          ...backdrop,
          label: 'sky without light',
          vertex: 'skyVertex',
          depthCompare: 'always',
          depthWrite: false,
        }),
        ground: createDrawPipeline(device, {
          ...backdrop,
          ...SOLID,
          label: 'ground without light',
          vertex: 'groundVertex',
          topology: 'triangle-strip',
        }),
        surface: createBySides(drawn.skins, (cullMode, skin) =>
          createDrawPipeline(device, {
            ...common,
            ...SOLID,
            label: 'surface',
            module: surfaceModules.get(skin)!,
            layout: surfaceLayout,
            vertex: 'surfaceVertex',
            cullMode,
          }),
        ),
      };
      known.set(key, found);
    }
    return found;
  }
}
