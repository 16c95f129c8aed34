import type { Crowd } from '../../crowd/crowd.ts';
import { internalsOf } from '../../crowd/internals.ts';
import { fail } from '../../errors.ts';
import type { DrawnMemory } from '../../frame/backend.ts';
import type { PlacedDraws } from '../../frame/tables/plan.ts';
import type { CrowdType } from '../../frame/tables/crowd-types.ts';
import { createBindGroup } from '../../layout/index.ts';
import { geometryBindings } from '../../stages/layout.ts';
import { boundEntries } from '../../stages/provider-resources.ts';
import { hasStandardVertices, PRIMITIVE_STRIDE, type DrawnPrimitives } from './primitives.ts';
import type { DrawnStaticRun, Scenery } from '../scenery/scenery.ts';
import type { DrawnProviders } from './drawn-providers.ts';
import { DrawnPrimitive, DrawnRun, pageBindings, surfaceBindings } from './layout.ts';
import type { DrawKind, ForwardLayouts, PipelineFor, VertexSource } from './pipelines.ts';

/** A page's characters of one type and level, or all scenery of one type. */
type Drawn = PlacedDraws | DrawnStaticRun;

/**
 * Draws a crowd's characters straight from its memory, with one indirect call per draw. It also draws scenery, which is in
 * memory of the same form.
 */
export class DrawnCrowd {
  readonly #device: GPUDevice;
  readonly #crowd: Crowd;
  readonly #layouts: ForwardLayouts;
  readonly #primitives: DrawnPrimitives;
  /** Groups by buffer: crowds that have grown have other buffers. */
  readonly #geometries = new WeakMap<GPUBuffer, GPUBindGroup>();
  readonly #pages = new WeakMap<Drawn, GPUBindGroup>();
  readonly #surfaces = new WeakMap<Drawn, GPUBindGroup>();
  /** Groups with the application's own resources, for the version that is bound. */
  #provided = { version: -1, pages: new WeakMap<Drawn, GPUBindGroup>(), surfaces: new WeakMap<Drawn, GPUBindGroup>() };
  readonly #scenery: Scenery | undefined;
  /** Memory that is drawn; undefined: that of the crowd's last recorded frame. */
  #memory: DrawnMemory | undefined;

  /** @param crowd A crowd with GPU memory. */
  constructor(
    device: GPUDevice,
    crowd: Crowd,
    layouts: ForwardLayouts,
    primitives: DrawnPrimitives,
    readonly providers: DrawnProviders,
    scenery?: Scenery,
  ) {
    this.#device = device;
    this.#crowd = crowd;
    this.#layouts = layouts;
    this.#primitives = primitives;
    this.#scenery = scenery;
  }

  /** Kinds of all primitives that can be drawn. */
  get kinds(): readonly DrawKind[] {
    const still = this.#scenery?.runs.map(({ type }) => type) ?? [];
    return [...internalsOf(this.#crowd).host.tables.types, ...still].flatMap((type) => {
      const source = sourceOf(type);
      return this.#primitives.of(type.character)!.kinds.map((kind) => ({ ...kind, source }));
    });
  }

  get memory(): DrawnMemory {
    return this.#memory ?? internalsOf(this.#crowd).host.backend.memory!;
  }

  /** Sets the memory that is drawn. */
  show(memory: DrawnMemory | undefined): void {
    this.#memory = memory;
  }

  /**
   * Draws all primitives of all visible characters, and all scenery. The caller sets groups 0 and 3, the materials.
   * @param group Form of group 2: that of pictures, or the one with last frame's transforms.
   * @param which All primitives, or only the blended or the opaque ones.
   */
  draw(
    pass: GPURenderPassEncoder,
    pipelineFor: PipelineFor,
    group: 'page' | 'surface' = 'page',
    which: 'all' | 'opaque' | 'blended' = 'all',
  ): void {
    const { draws, targets, crowd } = this.memory;
    const eachPrimitive = (drawn: Drawn, call: (index: number) => void) => {
      const source = sourceOf(drawn.type);
      const page =
        source === 'provided'
          ? this.#providedGroup(drawn, group)
          : group === 'page'
            ? this.#page(drawn)
            : this.#surface(drawn);
      const { firstByte, kinds } = this.#primitives.of(drawn.type.character)!;
      kinds.forEach((kind, index) => {
        if (which !== 'all' && kind.blended !== (which === 'blended')) return;
        pass.setPipeline(pipelineFor({ ...kind, source }));
        pass.setBindGroup(2, page, [firstByte + PRIMITIVE_STRIDE * index]);
        call(index);
      });
    };
    pass.setBindGroup(1, this.#geometry(crowd.geometry));
    pass.setIndexBuffer(crowd.indices, 'uint32');
    for (const draw of draws) {
      eachPrimitive(draw, (index) => pass.drawIndexedIndirect(targets, draw.primitiveBytes[index]!));
    }
    if (!this.#scenery) return;
    pass.setBindGroup(1, this.#geometry(this.#scenery.geometry));
    pass.setIndexBuffer(this.#scenery.indices, 'uint32');
    for (const run of this.#scenery.runs) {
      const { firstIndex, primitives } = run.type.levels[0]!;
      eachPrimitive(run, (index) => {
        const primitive = primitives[index]!;
        pass.drawIndexed(primitive.indexCount, run.rowCount, firstIndex + primitive.firstIndex);
      });
    }
  }

  /** Draws a quad for each visible character: the shade that it leaves on the ground. */
  drawQuads(pass: GPURenderPassEncoder, pipelineFor: (source: VertexSource) => GPURenderPipeline): void {
    const { draws, targets, crowd } = this.memory;
    pass.setBindGroup(1, this.#geometry(crowd.geometry));
    for (const draw of draws) {
      const { kinds, contactBytes } = this.#primitives.of(draw.type.character)!;
      if (kinds.length === 0) continue;
      pass.setPipeline(pipelineFor(sourceOf(draw.type)));
      pass.setBindGroup(2, this.#page(draw), [contactBytes[draw.levelIndex]!]);
      pass.drawIndirect(targets, draw.quadByte);
    }
  }

  /** @throws ManipleError RENDER_FAILED when the crowd has characters that this renderer cannot draw */
  checkCast(): void {
    if (internalsOf(this.#crowd).host.tables.types.every(({ character }) => this.#primitives.of(character))) return;
    fail('RENDER_FAILED', 'crowd', 'The crowd has types that this renderer lacks.', 'Create a new renderer.');
  }

  #geometry(geometry: GPUBuffer): GPUBindGroup {
    let group = this.#geometries.get(geometry);
    if (!group) {
      const buffers = { geometry4: geometry, geometry1: geometry };
      group = createBindGroup(this.#device, 'geometry', this.#layouts.geometry, geometryBindings, buffers);
      this.#geometries.set(geometry, group);
    }
    return group;
  }

  #page(draw: Drawn): GPUBindGroup {
    let group = this.#pages.get(draw);
    if (!group) {
      const { page } = this.#layouts;
      const { skinnedTangents } = 'run' in draw ? this.#scenery! : this.memory.page(draw.pageIndex);
      group = createBindGroup(this.#device, 'page', page, pageBindings, { ...this.#resources(draw), skinnedTangents });
      this.#pages.set(draw, group);
    }
    return group;
  }

  #surface(draw: Drawn): GPUBindGroup {
    let group = this.#surfaces.get(draw);
    if (!group) {
      const { previousTransforms } = 'run' in draw ? this.#scenery! : this.memory.crowd;
      group = createBindGroup(this.#device, 'surface', this.#layouts.surface, surfaceBindings, {
        ...this.#resources(draw),
        previousTransforms,
      });
      this.#surfaces.set(draw, group);
    }
    return group;
  }

  /** The same group with the application's own resources after it. It is created again when others are bound. */
  #providedGroup(draw: Drawn, kind: 'page' | 'surface'): GPUBindGroup {
    const { resources } = internalsOf(this.#crowd).host.shape;
    if (this.#provided.version !== resources.version) {
      this.#provided = { version: resources.version, pages: new WeakMap(), surfaces: new WeakMap() };
    }
    const isPage = kind === 'page';
    const groups = isPage ? this.#provided.pages : this.#provided.surfaces;
    let group = groups.get(draw);
    if (!group) {
      const { previousTransforms } = this.memory.crowd;
      const skinnedTangents = 'run' in draw ? undefined : this.memory.page(draw.pageIndex).skinnedTangents;
      const bound = { ...this.#resources(draw), previousTransforms, skinnedTangents };
      const bindings = isPage ? pageBindings : surfaceBindings;
      const own = Object.keys(bindings.entries).map((name, binding): GPUBindGroupEntry => {
        const resource = bound[name as keyof typeof bound]!;
        return { binding, resource: 'mapState' in resource ? { buffer: resource } : resource };
      });
      group = this.#device.createBindGroup({
        label: `provided ${kind}`,
        layout: isPage ? this.#layouts.providedPage : this.#layouts.providedSurface,
        entries: [...own, ...boundEntries(this.providers.used, resources.find, own.length)],
      });
      groups.set(draw, group);
    }
    return group;
  }

  #resources(draw: Drawn) {
    const primitive = { buffer: this.#primitives.buffer, size: DrawnPrimitive.size };
    if ('run' in draw) {
      const { residents, visible, transforms, skinned } = this.#scenery!;
      return { run: draw.run, primitive, residents, visible, transforms, skinned };
    }
    const { crowd, page } = this.memory;
    const { visible, transforms, residents } = crowd;
    const { skinned } = page(draw.pageIndex);
    return { run: runOf(this.memory, draw), primitive, residents, visible, transforms, skinned };
  }
}

function sourceOf({ skin, keptProviderRows, character }: CrowdType): VertexSource {
  if (skin === 'vertex') return keptProviderRows > 0 ? 'provided' : 'palette';
  return hasStandardVertices(character) ? 'standard' : 'table';
}

/** Rows of the visible list that a draw shows. */
export function runOf({ targets }: DrawnMemory, { recordByte }: PlacedDraws): GPUBufferBinding {
  return { buffer: targets, offset: recordByte, size: DrawnRun.size };
}
