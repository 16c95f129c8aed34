import { createBindGroup, createBindGroupLayout } from '../../layout/index.ts';
import { lazyRenderPipeline, type LazyPipeline } from '../../stages/lazy-pipeline.ts';
import { compileShader } from '../../wgsl/compile.ts';
import type { DrawnCrowd } from '../forward/drawn-crowd.ts';
import { DEPTH_FORMAT, type DrawCode } from '../forward/pipelines.ts';
import { ID_FORMAT, VELOCITY_FORMAT } from '../target.ts';
import { kernels as fadedCode } from './draw-faded.gen.ts';
import { kernels as impostorCode } from './impostor.gen.ts';
import { Impostors, type BoundImpostors, type ImpostorQuads } from './impostors.ts';
import { impostorBindings } from './layout.ts';
import type { ImpostorOptions } from './options.ts';
import { impostorResources } from './resources.ts';

/** The target of impostors: a picture in light, a shadow map, or motion vectors and ids, where there are such targets. */
type ImpostorForm = 'picture' | 'shadow' | 'velocity' | 'ids' | 'velocity ids';

/** Impostors of the forward renderer. */
export type DrawnImpostors = Impostors<QuadPipelines>;

/** Draws impostors as quads. */
class QuadPipelines implements ImpostorQuads {
  readonly choiceCount = 1;
  /** Shaders of meshes that cross over. */
  readonly drawCode: DrawCode = fadedCode;
  readonly #device: GPUDevice;
  readonly #layout: GPUBindGroupLayout;
  readonly #pipelines: Readonly<Record<ImpostorForm, LazyPipeline<GPURenderPipeline>>>;
  #bound: { readonly group: GPUBindGroup; readonly targets: GPUBuffer; readonly byte: number } | undefined;

  constructor({ device, layouts }: DrawnCrowd, format: GPUTextureFormat, sampleCount: number) {
    this.#device = device;
    const both = GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT;
    this.#layout = createBindGroupLayout(device, 'impostors', impostorBindings, both);
    const create = (
      variant: keyof typeof impostorCode,
      first: GPUBindGroupLayout,
      targets: (GPUColorTargetState | null)[],
      samples = 1,
    ) =>
      lazyRenderPipeline(device, {
        label: `impostors ${variant}`,
        layout: device.createPipelineLayout({ label: 'impostors', bindGroupLayouts: [first, this.#layout] }),
        vertex: { module: modules[variant], entryPoint: 'impostorVertex' },
        fragment: {
          module: modules[variant],
          entryPoint: 'impostorFragment',
          targets,
          ...(variant === 'base' && { constants: { samples } }),
        },
        primitive: { topology: 'triangle-strip' },
        depthStencil: { format: DEPTH_FORMAT, depthCompare: 'greater', depthWriteEnabled: true },
        multisample: { count: samples },
      });
    const compile = (variant: keyof typeof impostorCode) =>
      compileShader(device, `impostors ${variant}`, impostorCode[variant]);
    const modules = { base: compile('base'), shadow: compile('shadow'), surface: compile('surface') };
    const [velocity, ids] = [{ format: VELOCITY_FORMAT }, { format: ID_FORMAT }];
    this.#pipelines = {
      picture: create('base', layouts.view, [{ format }], sampleCount),
      shadow: create('shadow', layouts.shadow, []),
      velocity: create('surface', layouts.frame, [velocity, null]),
      ids: create('surface', layouts.frame, [null, ids]),
      'velocity ids': create('surface', layouts.frame, [velocity, ids]),
    };
  }

  bind(bound: BoundImpostors): void {
    const resources = impostorResources(this.#device, bound);
    const group = createBindGroup(this.#device, 'impostors', this.#layout, impostorBindings, resources);
    const { targets } = bound.lists;
    this.#bound = { group, targets, byte: 4 * bound.lists.quadTargets(0) };
  }

  /** Draws the impostors that were chosen last. The caller sets group 0. */
  draw(pass: GPURenderPassEncoder, form: ImpostorForm): void {
    const { group, targets, byte } = this.#bound!;
    pass.setPipeline(this.#pipelines[form].pipeline);
    pass.setBindGroup(1, group);
    pass.drawIndirect(targets, byte);
  }
}

/** @throws ManipleError CROWD_BAD_ARGUMENT: the crowd shares no poses; RENDER_FAILED: sizes */
export function createDrawnImpostors(
  drawn: DrawnCrowd,
  options: ImpostorOptions,
  format: GPUTextureFormat,
  sampleCount: number,
): DrawnImpostors {
  return new Impostors(drawn, options, new QuadPipelines(drawn, format, sampleCount));
}
