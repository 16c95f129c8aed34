import { fail } from '../../errors.ts';
import * as layout from './layout.ts';
import type { SurfacePipelines, Surfaces } from './surfaces.ts';
import type { ShownView } from './view.ts';
import { Wires, type WireKind } from './wires.ts';

/** All views except the picture in light. */
type DebugView = Exclude<ShownView, 'color'>;

const NUMBERS: Readonly<Record<DebugView, number>> = {
  level: layout.SHOW_LEVEL,
  rate: layout.SHOW_RATE,
  slot: layout.SHOW_SLOT,
  bounds: layout.SHOW_BOUNDS,
  joints: layout.SHOW_JOINTS,
  ids: layout.SHOW_IDS,
  overdraw: layout.SHOW_OVERDRAW,
  velocity: layout.SHOW_VELOCITY,
  depth: layout.SHOW_DEPTH,
  normals: layout.SHOW_NORMALS,
};

/** Layers add up, whatever is in front. */
const ADD: GPUBlendState = {
  color: { srcFactor: 'one', dstFactor: 'one', operation: 'add' },
  alpha: { srcFactor: 'zero', dstFactor: 'one', operation: 'add' },
};

/** Debug views of the picture. Pipelines of each view are created when it is first drawn. */
export class DebugViews {
  readonly #surfaces: Surfaces;
  readonly #format: GPUTextureFormat;
  readonly #sampleCount: number;
  readonly #pipelines = new Map<DebugView, SurfacePipelines>();
  #wires: Wires | undefined;

  constructor(surfaces: Surfaces, format: GPUTextureFormat, sampleCount: number) {
    this.#surfaces = surfaces;
    this.#format = format;
    this.#sampleCount = sampleCount;
  }

  /**
   * @param retired Receives resources that are no longer used, to be destroyed once all is submitted.
   * @throws ManipleError RENDER_FAILED when there is no such view
   */
  draw(
    encoder: GPUCommandEncoder,
    show: DebugView,
    attachments: Pick<GPURenderPassDescriptor, 'colorAttachments' | 'depthStencilAttachment' | 'timestampWrites'>,
    retired: { destroy(): void }[],
  ): void {
    const pipelines = this.#pipelines.get(show) ?? this.#createPipelines(show);
    this.#pipelines.set(show, pipelines);
    const kind: WireKind | undefined = show === 'bounds' || show === 'joints' ? show : undefined;
    if (kind) {
      this.#wires ??= new Wires(this.#surfaces.drawn, this.#format, this.#sampleCount);
      this.#wires.prepare(encoder, kind, retired);
    }
    const descriptor = { label: 'draw-forward', ...attachments };
    this.#surfaces.draw(encoder, descriptor, pipelines, 'all', (pass) => {
      if (kind) this.#wires!.draw(pass, kind);
    });
  }

  destroy(): void {
    this.#wires?.destroy();
  }

  #createPipelines(show: DebugView): SurfacePipelines {
    if (!Object.hasOwn(NUMBERS, show)) {
      fail('RENDER_FAILED', 'debugView', `Unknown view ${show}.`, `Use color, ${Object.keys(NUMBERS).join(', ')}.`);
    }
    const isOverdraw = show === 'overdraw';
    const look = {
      targets: [{ format: this.#format, ...(isOverdraw && { blend: ADD }) }],
      sampleCount: this.#sampleCount,
      fragment: 'showFragment',
      constants: { show: NUMBERS[show] },
    };
    const depth = { depthCompare: 'always', depthWrite: false } as const;
    if (isOverdraw) return { surface: this.#surfaces.createSurface(`show ${show}`, look, depth) };
    return {
      surface: this.#surfaces.createSurface(`show ${show}`, look),
      backdrop: this.#surfaces.createBackdrop(look),
    };
  }
}
