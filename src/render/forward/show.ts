import { fail } from '../../errors.ts';
import { pictureAttachments, type Attachments } from './attachments.ts';
import type { DrawnCrowd } from './drawn-crowd.ts';
import {
  SHOW_BOUNDS,
  SHOW_DEPTH,
  SHOW_IDS,
  SHOW_JOINTS,
  SHOW_LEVEL,
  SHOW_NORMALS,
  SHOW_OVERDRAW,
  SHOW_RATE,
  SHOW_SLOT,
  SHOW_VELOCITY,
} from './layout.ts';
import type { SurfaceGroups } from './targets.ts';
import type { ForwardLayouts } from './pipelines.ts';
import type { SurfacePipelines, SurfaceShaders } from './surface-shaders.ts';
import type { ShownView } from './view.ts';
import { Wires, type WireKind } from './wires.ts';

/** All views except the picture in light. */
type DebugView = Exclude<ShownView, 'color'>;

const NUMBERS: Readonly<Record<DebugView, number>> = {
  level: SHOW_LEVEL,
  rate: SHOW_RATE,
  slot: SHOW_SLOT,
  bounds: SHOW_BOUNDS,
  joints: SHOW_JOINTS,
  ids: SHOW_IDS,
  overdraw: SHOW_OVERDRAW,
  velocity: SHOW_VELOCITY,
  depth: SHOW_DEPTH,
  normals: SHOW_NORMALS,
};

/** Layers add up, whatever is in front. */
const ADD: GPUBlendState = {
  color: { srcFactor: 'one', dstFactor: 'one', operation: 'add' },
  alpha: { srcFactor: 'zero', dstFactor: 'one', operation: 'add' },
};

export interface DebugViews {
  /** @throws ManipleError RENDER_FAILED when there is no such view */
  draw(
    encoder: GPUCommandEncoder,
    show: DebugView,
    target: GPUTextureView,
    attachments: Attachments,
    timestamps: Pick<GPURenderPassDescriptor, 'timestampWrites'>,
  ): void;
  /** Returns resources that are no longer used. Destroy them once all recorded commands are submitted. */
  takeRetired(): { destroy(): void }[];
  destroy(): void;
}

/** Pipelines of a debug view. Without backdrop pipelines it is black. */
type ShownPipelines = Pick<SurfacePipelines, 'surface'> & Partial<SurfacePipelines>;

/**
 * Creates debug views of the picture. Pipelines of each view are created when it is first drawn.
 */
export function createDebugViews(
  device: GPUDevice,
  layouts: ForwardLayouts,
  shaders: SurfaceShaders,
  drawn: DrawnCrowd,
  groups: SurfaceGroups,
  { format, sampleCount }: { readonly format: GPUTextureFormat; readonly sampleCount: number },
): DebugViews {
  const known = new Map<DebugView, ShownPipelines>();
  let wires: Wires | undefined;
  return {
    draw(encoder, show, target, attachments, timestamps) {
      const { sky, ground, surface } = pipelines(show);
      const kind: WireKind | undefined = show === 'bounds' || show === 'joints' ? show : undefined;
      if (kind) (wires ??= new Wires(device, layouts, drawn, { format, sampleCount })).prepare(encoder, kind);
      const pass = encoder.beginRenderPass({
        label: 'draw-forward',
        ...pictureAttachments(target, attachments),
        ...timestamps,
      });
      pass.setBindGroup(0, groups.frame);
      pass.setBindGroup(3, groups.materials);
      if (sky && ground) {
        pass.setPipeline(sky.pipeline);
        pass.draw(3);
        pass.setPipeline(ground.pipeline);
        pass.draw(4);
      }
      drawn.draw(pass, surface, 'surface');
      if (kind) wires!.draw(pass, kind);
      pass.end();
    },
    takeRetired: () => wires?.takeRetired() ?? [],
    destroy: () => wires?.destroy(),
  };

  function pipelines(show: DebugView): ShownPipelines {
    let found = known.get(show);
    if (!found) {
      found = createPipelines(show);
      known.set(show, found);
    }
    return found;
  }

  function createPipelines(show: DebugView): ShownPipelines {
    if (!Object.hasOwn(NUMBERS, show)) {
      fail('RENDER_FAILED', 'debugView', `Unknown view ${show}.`, `Use color, ${Object.keys(NUMBERS).join(', ')}.`);
    }
    const look = { sampleCount, fragment: 'showFragment', constants: { show: NUMBERS[show] }, label: `show ${show}` };
    if (show === 'overdraw') {
      const targets = [{ format, blend: ADD }];
      return { surface: shaders.createSurface({ ...look, targets }, { depthCompare: 'always', depthWrite: false }) };
    }
    const targets = [{ format }];
    return { surface: shaders.createSurface({ ...look, targets }), ...shaders.createBackdrop({ ...look, targets }) };
  }
}
