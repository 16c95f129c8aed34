import { fail } from '../../errors.ts';
import { pictureAttachments, type Attachments } from './attachments.ts';
import { kernels as backdropCode } from './backdrop.gen.ts';
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
import { createBySides, createDrawPipeline, SOLID, type BySides, type ForwardLayouts } from './pipelines.ts';
import { createSurfaceModules } from './surface-modules.ts';
import type { ShownView } from './view.ts';
import { createWires, type WireKind, type Wires } from './wires.ts';

/** All but the picture in light. */
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

/** Layers add up, whatever lies in front. */
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
  /** What is no longer drawn from, to be destroyed once all that was recorded is submitted. */
  takeRetired(): { destroy(): void }[];
  destroy(): void;
}

interface Pipelines {
  /** None: black. */
  readonly backdrop?: { readonly sky: GPURenderPipeline; readonly ground: GPURenderPipeline };
  readonly surface: BySides;
}

/**
 * Debug views of the picture: pipelines of each are made when it is first asked for.
 * @param frameGroup Group 0: the frame's uniforms alone.
 */
export function createDebugViews(
  device: GPUDevice,
  layouts: ForwardLayouts,
  drawn: DrawnCrowd,
  frameGroup: GPUBindGroup,
  { format, sampleCount }: { readonly format: GPUTextureFormat; readonly sampleCount: number },
): DebugViews {
  const { frame, geometry, surface, material } = layouts;
  const surfaceModules = createSurfaceModules(device, drawn.skins);
  const backdropModule = device.createShaderModule({ label: 'backdrop', code: backdropCode.base });
  const surfaceLayout = device.createPipelineLayout({ bindGroupLayouts: [frame, geometry, surface, material] });
  const backdropLayout = device.createPipelineLayout({ bindGroupLayouts: [frame] });
  const known = new Map<DebugView, Pipelines>();
  let wires: Wires | undefined;
  return {
    draw(encoder, show, target, attachments, timestamps) {
      const { backdrop, surface } = pipelines(show);
      const kind: WireKind | undefined = show === 'bounds' || show === 'joints' ? show : undefined;
      if (kind) (wires ??= createWires(device, layouts, drawn, { format, sampleCount })).prepare(encoder, kind);
      const pass = encoder.beginRenderPass({
        label: 'draw-forward',
        ...pictureAttachments(target, attachments),
        ...timestamps,
      });
      pass.setBindGroup(0, frameGroup);
      if (backdrop) {
        pass.setPipeline(backdrop.sky);
        pass.draw(3);
        pass.setPipeline(backdrop.ground);
        pass.draw(4);
      }
      drawn.draw(pass, surface, 'surface');
      if (kind) wires!.draw(pass, kind);
      pass.end();
    },
    takeRetired: () => wires?.takeRetired() ?? [],
    destroy: () => wires?.destroy(),
  };

  function pipelines(show: DebugView): Pipelines {
    let found = known.get(show);
    if (!found) {
      found = createPipelines(show);
      known.set(show, found);
    }
    return found;
  }

  function createPipelines(show: DebugView): Pipelines {
    if (!Object.hasOwn(NUMBERS, show)) {
      fail('RENDER_FAILED', 'show', `there is no view ${show}.`, `Use color, ${Object.keys(NUMBERS).join(', ')}.`);
    }
    const common = { sampleCount, fragment: 'showFragment', constants: { show: NUMBERS[show] } };
    const isOverdraw = show === 'overdraw';
    const surface = createBySides(drawn.skins, (cullMode, skin) =>
      createDrawPipeline(device, {
        ...common,
        ...(isOverdraw ? { depthCompare: 'always', depthWrite: false } : SOLID),
        label: `show ${show}`,
        module: surfaceModules.get(skin)!,
        layout: surfaceLayout,
        vertex: 'surfaceVertex',
        targets: [isOverdraw ? { format, blend: ADD } : { format }],
        cullMode,
      }),
    );
    if (isOverdraw) return { surface };
    const backdrop = { ...common, module: backdropModule, layout: backdropLayout, targets: [{ format }] };
    const sky = createDrawPipeline(device, {
      ...backdrop,
      label: 'sky without light',
      vertex: 'skyVertex',
      depthCompare: 'always',
      depthWrite: false,
    });
    const ground = createDrawPipeline(device, {
      ...backdrop,
      ...SOLID,
      label: 'ground without light',
      vertex: 'groundVertex',
      topology: 'triangle-strip',
    });
    return { surface, backdrop: { sky, ground } };
  }
}
