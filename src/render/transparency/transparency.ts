import { deviceTier } from '../../device/tier.ts';
import type { Timings } from '../../device/timings.ts';
import { createBindGroup, createBindGroupLayout } from '../../layout/index.ts';
import type { LazyPipeline } from '../../stages/lazy-pipeline.ts';
import type { DrawnCrowd } from '../forward/drawn-crowd.ts';
import { createLitPipelines, type PipelineFor } from '../forward/pipelines.ts';
import { createFullScreenPipeline, drawFullScreen } from '../full-screen.ts';
import { kernels } from './composite.gen.ts';
import { compositeBindings } from './layout.ts';

/** Formats of a pixel's sums of blended surfaces. The sums do not depend on the order of surfaces. */
const ACCUMULATED_FORMAT: GPUTextureFormat = 'rgba16float';
const REVEALED_FORMAT: GPUTextureFormat = 'r16float';

/** The picture that blended surfaces are drawn over. */
export interface BlendedPicture {
  readonly width: number;
  readonly height: number;
  /** A finished picture of the opaque surfaces. */
  readonly target: GPUTextureView;
  /** Its depth, with the sample count that the pass was created for. */
  readonly depth: GPUTextureView;
  /** Group 0: `viewBindings`. */
  readonly view: GPUBindGroup;
}

/**
 * Weighted blended transparency: McGuire and Bavoil, "Weighted Blended Order-Independent Transparency" (2013). All
 * surfaces with alphaMode BLEND are added, in any order, to a weighted sum of colours and a product of the light that
 * they let through. Then their mean is laid over the picture. One surface over a background is exact. With several,
 * near ones weigh more. See ADR 0027.
 */
export class Transparency {
  readonly #drawn: DrawnCrowd;
  /** Passes that add surfaces up, each to some of the sums. */
  readonly #passes: readonly { readonly sums: readonly (keyof Sums)[]; readonly pipelineFor: PipelineFor }[];
  readonly #composite: LazyPipeline<GPURenderPipeline>;
  readonly #layout: GPUBindGroupLayout;
  readonly #sampleCount: number;
  #sums: ReturnType<typeof createSums> | undefined;

  /** @param format Format of the pictures under the blended surfaces. */
  constructor(drawn: DrawnCrowd, format: GPUTextureFormat, sampleCount: number) {
    const { device } = drawn;
    this.#drawn = drawn;
    this.#sampleCount = sampleCount;
    const blended = drawn.kinds.filter((kind) => kind.blended);
    // at the compatibility level all targets of a pipeline blend in the same way
    const passes = deviceTier(device) === 'core' ? [SUMS] : SUMS.map((sum) => [sum]);
    this.#passes = passes.map((sums) => {
      const targets = SUMS.map((sum) => (sums.includes(sum) ? TARGETS[sum] : null));
      return { sums, pipelineFor: createLitPipelines(drawn, blended, { ...BLENDED, targets, sampleCount }) };
    });
    this.#layout = createBindGroupLayout(device, 'composite', compositeBindings, GPUShaderStage.FRAGMENT);
    const over = { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha', operation: 'add' } as const;
    const opaque = { srcFactor: 'zero', dstFactor: 'one', operation: 'add' } as const;
    const targets = [{ format, blend: { color: over, alpha: opaque } }];
    this.#composite = createFullScreenPipeline(device, 'composite', kernels.base, [this.#layout], targets);
  }

  /**
   * Records a pass or two that add surfaces up, and one that lays their mean over the picture.
   * @param retired Receives resources that are no longer drawn to, to be destroyed once all is submitted.
   */
  draw(
    encoder: GPUCommandEncoder,
    { width, height, target, depth, view }: BlendedPicture,
    retired: { destroy(): void }[],
    timings?: Timings,
  ): void {
    if (this.#sums?.width !== width || this.#sums.height !== height) {
      if (this.#sums) retired.push(this.#sums);
      this.#sums = createSums(this.#drawn.device, this.#layout, { width, height }, this.#sampleCount);
    }
    const { group, ...attachments } = this.#sums;
    this.#passes.forEach(({ sums, pipelineFor }, i) => {
      const blended = encoder.beginRenderPass({
        label: 'draw-blended',
        colorAttachments: SUMS.map((sum) =>
          sums.includes(sum) ? { ...attachments[sum], clearValue: [...CLEARED[sum]], loadOp: 'clear' } : null,
        ),
        depthStencilAttachment: { view: depth, depthReadOnly: true },
        ...timings?.writes('draw-blended', { first: i === 0, last: false }),
      });
      blended.setBindGroup(0, view);
      blended.setBindGroup(3, this.#drawn.litMaterials);
      this.#drawn.draw(blended, pipelineFor, 'page', 'blended');
      blended.end();
    });
    drawFullScreen(encoder, this.#composite, [group], {
      colorAttachments: [{ view: target, loadOp: 'load', storeOp: 'store' }],
      ...timings?.writes('draw-blended', { first: false, last: true }),
    });
  }

  destroy(): void {
    this.#sums?.destroy();
  }
}

type Attachment = Pick<GPURenderPassColorAttachment, 'view' | 'resolveTarget' | 'storeOp'>;

/** 10 bytes per pixel, and per sample where there are several. */
function createSums(
  device: GPUDevice,
  layout: GPUBindGroupLayout,
  { width, height }: { readonly width: number; readonly height: number },
  sampleCount: number,
) {
  const textures: GPUTexture[] = [];
  const { RENDER_ATTACHMENT, TEXTURE_BINDING } = GPUTextureUsage;
  const create = (label: string, format: GPUTextureFormat, usage: number, samples = 1) => {
    const texture = device.createTexture({ label, size: [width, height], format, usage, sampleCount: samples });
    textures.push(texture);
    return texture.createView();
  };
  const createSum = (label: string, format: GPUTextureFormat): { read: GPUTextureView; attachment: Attachment } => {
    const read = create(label, format, RENDER_ATTACHMENT | TEXTURE_BINDING);
    if (sampleCount === 1) return { read, attachment: { view: read, storeOp: 'store' } };
    const view = create(`${label} samples`, format, RENDER_ATTACHMENT, sampleCount);
    return { read, attachment: { view, resolveTarget: read, storeOp: 'discard' } };
  };
  const accumulated = createSum('accumulated', ACCUMULATED_FORMAT);
  const revealed = createSum('revealed', REVEALED_FORMAT);
  const resources = { accumulated: accumulated.read, revealed: revealed.read };
  return {
    width,
    height,
    accumulated: accumulated.attachment,
    revealed: revealed.attachment,
    group: createBindGroup(device, 'composite', layout, compositeBindings, resources),
    destroy: () => textures.forEach((texture) => texture.destroy()),
  };
}

/** Adds up, and multiplies what is let through. */
const ACCUMULATE: GPUBlendComponent = { srcFactor: 'one', dstFactor: 'one', operation: 'add' };
const LET_THROUGH: GPUBlendComponent = { srcFactor: 'zero', dstFactor: 'one-minus-src', operation: 'add' };

/** Sums of a pixel, in the order of the targets. */
const SUMS = ['accumulated', 'revealed'] as const;
type Sums = Readonly<Record<(typeof SUMS)[number], Attachment>>;

const TARGETS: Readonly<Record<keyof Sums, GPUColorTargetState>> = {
  accumulated: { format: ACCUMULATED_FORMAT, blend: { color: ACCUMULATE, alpha: ACCUMULATE } },
  revealed: { format: REVEALED_FORMAT, blend: { color: LET_THROUGH, alpha: LET_THROUGH } },
};
/** Sums where nothing is drawn. */
const CLEARED = { accumulated: [0, 0, 0, 0], revealed: [1, 0, 0, 0] } as const satisfies Record<keyof Sums, unknown>;

/** Pipelines that add blended surfaces to the sums. */
const BLENDED = {
  label: 'blend',
  fragment: 'blendFragment',
  depthCompare: 'greater-equal',
  depthWrite: false,
} as const;
