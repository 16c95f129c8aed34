import { Timings } from '../../device/timings.ts';
import { ID_FORMAT, VELOCITY_FORMAT } from '../target.ts';
import { createAttachments, type Attachments } from './attachments.ts';
import type { DrawnCrowd } from './drawn-crowd.ts';
import type { SurfacePipelines, SurfaceShaders } from './surface-shaders.ts';

/** Targets for a picture's motion vectors and ids: one of them, or both. */
interface SurfaceViews {
  readonly velocity?: GPUTextureView | undefined;
  readonly ids?: GPUTextureView | undefined;
}

/** Draws the surface that each pixel shows, and its motion. It takes one sample per pixel: neither can be averaged. */
export interface SurfacePass {
  /**
   * @param depth Depth of the same size, with one sample.
   * @param which 'opaque' for targets: blended surfaces would hide motion and ids of those that they cover. 'all' for picks,
   *   which find blended surfaces where they cover one half or more.
   */
  draw(
    encoder: GPUCommandEncoder,
    views: SurfaceViews,
    depth: GPUTextureView,
    which: 'all' | 'opaque',
    timestamps?: Pick<GPURenderPassDescriptor, 'timestampWrites'>,
  ): void;
}

/** Bind groups of all surfaces without light. */
export interface SurfaceGroups {
  /** Group 0: only the frame's uniforms. */
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

/** Motion vectors and ids of pictures, with depth of the last picture's size. */
export interface SurfaceTargets {
  draw(encoder: GPUCommandEncoder, views: SurfaceViews & { readonly width: number; readonly height: number }): void;
  /** Milliseconds of `draw-surfaces`. */
  readonly timings: Timings;
  /** Returns textures that are no longer used. Destroy them once all recorded commands are submitted. */
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
