import { Timings } from '../../frame/timings.ts';
import { ID_FORMAT, VELOCITY_FORMAT } from '../target.ts';
import { createAttachments, type Attachments } from './attachments.ts';
import type { DrawnCrowd } from './drawn-crowd.ts';
import type { SurfacePipelines, SurfaceShaders } from './surface-shaders.ts';

/** Where motion vectors and ids of one picture go; one of them, or both. */
interface SurfaceViews {
  readonly velocity?: GPUTextureView | undefined;
  readonly ids?: GPUTextureView | undefined;
}

/** Draws which surface each pixel shows, and how far it has moved, without several samples: neither can be averaged. */
export interface SurfacePass {
  /**
   * @param depth Of the same size, without several samples.
   * @param which What is opaque: motion and ids of blended surfaces would hide those of what is behind. Picks find them, too, where
   *   they cover one half or more.
   */
  draw(
    encoder: GPUCommandEncoder,
    views: SurfaceViews,
    depth: GPUTextureView,
    which: 'all' | 'opaque',
    timestamps?: Pick<GPURenderPassDescriptor, 'timestampWrites'>,
  ): void;
}

/** What surfaces without light are drawn with, whatever they are. */
export interface SurfaceGroups {
  /** Group 0: the frame's uniforms alone. */
  readonly frame: GPUBindGroup;
  /** Group 3. */
  readonly materials: GPUBindGroup;
}

export function createSurfacePass(shaders: SurfaceShaders, drawn: DrawnCrowd, groups: SurfaceGroups): SurfacePass {
  const known = new Map<string, SurfacePipelines>();
  return {
    draw(encoder, { velocity, ids }, depth, which, timestamps) {
      const { sky, ground, surface } = pipelines(velocity !== undefined, ids !== undefined);
      const clear = { clearValue: { r: 0, g: 0, b: 0, a: 0 }, loadOp: 'clear', storeOp: 'store' } as const;
      const pass = encoder.beginRenderPass({
        label: 'draw-surfaces',
        colorAttachments: [velocity, ids].map((view) => (view ? { view, ...clear } : null)),
        depthStencilAttachment: {
          view: depth,
          depthClearValue: 0,
          depthLoadOp: 'clear',
          depthStoreOp: 'discard',
        },
        ...timestamps,
      });
      pass.setBindGroup(0, groups.frame);
      pass.setBindGroup(3, groups.materials);
      pass.setPipeline(sky.pipeline);
      pass.draw(3);
      pass.setPipeline(ground.pipeline);
      pass.draw(4);
      drawn.draw(pass, surface, 'surface', which);
      pass.end();
    },
  };

  function pipelines(hasVelocity: boolean, hasIds: boolean): SurfacePipelines {
    const key = `${hasVelocity} ${hasIds}`;
    let found = known.get(key);
    if (!found) {
      const targets = [hasVelocity ? { format: VELOCITY_FORMAT } : null, hasIds ? { format: ID_FORMAT } : null];
      const look = { targets, sampleCount: 1, fragment: 'targetFragment' };
      found = { ...shaders.createBackdrop(look), surface: shaders.createSurface({ ...look, label: 'surface' }) };
      known.set(key, found);
    }
    return found;
  }
}

/** Motion vectors and ids of pictures, with depth of the last one's size. */
export interface SurfaceTargets {
  draw(encoder: GPUCommandEncoder, views: SurfaceViews & { readonly width: number; readonly height: number }): void;
  /** Milliseconds of `draw-surfaces`. */
  readonly timings: Timings;
  /** What is no longer drawn to, to be destroyed once all that was recorded is submitted. */
  takeRetired(): Attachments[];
  destroy(): void;
}

export function createSurfaceTargets(device: GPUDevice, pass: SurfacePass): SurfaceTargets {
  const timings = new Timings(device, ['draw-surfaces']);
  let depth: Attachments | undefined;
  const retired: Attachments[] = [];
  return {
    timings,
    draw(encoder, views) {
      if (depth?.width !== views.width || depth.height !== views.height) {
        if (depth) retired.push(depth);
        depth = createAttachments(device, views, ID_FORMAT, 1);
      }
      pass.draw(encoder, views, depth.depth, 'opaque', timings.writes('draw-surfaces'));
    },
    takeRetired: () => retired.splice(0),
    destroy() {
      timings.destroy();
      depth?.destroy();
      for (const unused of retired.splice(0)) unused.destroy();
    },
  };
}
