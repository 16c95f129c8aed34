import type { Crowd } from '../../crowd/crowd.ts';
import { internalsOf } from '../../crowd/internals.ts';
import type { DrawnMemory } from '../../frame/backend.ts';
import type { PlacedDraws } from '../../frame/tables/plan.ts';
import type { CrowdType } from '../../frame/tables/crowd-types.ts';
import { createBindGroup, type Bindings } from '../../layout/index.ts';
import { geometryBindings } from '../../stages/layout.ts';
import { boundEntries } from '../../stages/provider-resources.ts';
import { failUnknownTypes } from '../checks.ts';
import type { ChangedSurfaces } from '../lighting/changed-surfaces.ts';
import type { MaterialTable } from '../materials/material-table.ts';
import type { DrawnStaticRun, Scenery } from '../scenery/scenery.ts';
import type { RowTextures } from '../compatibility/row-textures.ts';
import type { DrawnProviders } from './drawn-providers.ts';
import { DrawnPrimitive, DrawnRun, pageBindings, surfaceBindings } from './layout.ts';
import {
  createForwardLayouts,
  PROVIDED,
  type DrawContext,
  type DrawKind,
  type ForwardLayouts,
  type PipelineFor,
  type VertexSource,
} from './pipelines.ts';
import {
  createDrawnPrimitives,
  hasStandardVertices,
  PRIMITIVE_STRIDE,
  typesOf,
  type DrawnPrimitives,
} from './primitives.ts';

/** A page's characters of one type and level, or all scenery of one type. */
type Drawn = PlacedDraws | DrawnStaticRun;

/** Forms of group 2. */
const FORMS = {
  page: pageBindings,
  surface: surfaceBindings,
  providedPage: pageBindings,
  providedSurface: surfaceBindings,
} as const satisfies Partial<Record<keyof ForwardLayouts, Bindings>>;

/**
 * Rows of a visible list, with records and arguments of their draws, in place of the crowd's own. They are in the order of the
 * crowd's draws.
 */
export interface DrawnRows {
  readonly visible: GPUBuffer;
  readonly targets: GPUBuffer;
  /** Where in `targets` the crowd's records and arguments would begin. */
  readonly firstByte: number;
  /** Types that have any. With it no scenery is drawn. */
  readonly isDrawn?: (type: CrowdType) => boolean;
}

export type DrawnParts = Pick<DrawContext, 'materials' | 'providers' | 'change' | 'rows'> & {
  readonly scenery: Scenery | undefined;
};

/**
 * Draws a crowd's characters straight from its memory, with one indirect call per draw. It also draws scenery, which is in
 * memory of the same form.
 */
export class DrawnCrowd implements DrawContext {
  readonly materials: MaterialTable;
  readonly providers: DrawnProviders;
  readonly change: ChangedSurfaces | undefined;
  readonly rows: RowTextures | undefined;
  readonly layouts: ForwardLayouts;
  readonly kinds: readonly DrawKind[];
  readonly #scenery: Scenery | undefined;
  readonly #primitives: DrawnPrimitives;
  /** Groups by buffer: crowds that have grown have other buffers. */
  #geometries = new WeakMap<GPUBuffer, GPUBindGroup>();
  /** Groups 2, for the version of the application's resources that is bound, by the visible list of their rows. */
  #groups = new WeakMap<GPUBuffer, Map<string, WeakMap<Drawn, GPUBindGroup>>>();
  #version = -1;
  /** Memory that is drawn; undefined: that of the crowd's last recorded frame. */
  #memory: DrawnMemory | undefined;

  /** @param crowd A crowd with GPU memory and loaded contact points. */
  constructor(
    readonly device: GPUDevice,
    readonly crowd: Crowd,
    { materials, providers, scenery, change, rows }: DrawnParts,
  ) {
    this.materials = materials;
    this.providers = providers;
    this.change = change;
    this.rows = rows;
    this.#scenery = scenery;
    this.layouts = createForwardLayouts(device, materials.layout, providers.used, change, rows);
    const types = typesOf(crowd, scenery);
    this.#primitives = createDrawnPrimitives(device, types, materials);
    this.kinds = types.flatMap((type) => this.#kindsOf(type));
  }

  /** Kinds of the primitives of some of the crowd's types. */
  kindsOf(isWanted: (type: CrowdType) => boolean): readonly DrawKind[] {
    return internalsOf(this.crowd)
      .host.tables.types.filter(isWanted)
      .flatMap((type) => this.#kindsOf(type));
  }

  get memory(): DrawnMemory {
    return this.#memory ?? internalsOf(this.crowd).host.backend.memory!;
  }

  /** Group 3 where surfaces are lit. */
  get litMaterials(): GPUBindGroup {
    return this.change?.group(this.memory) ?? this.materials.group;
  }

  /**
   * Chooses the memory that is drawn. Where draws cannot read buffers, it is copied to textures.
   * @param retired Receives textures that are no longer drawn from.
   */
  show(memory: DrawnMemory | undefined, encoder: GPUCommandEncoder, retired: { destroy(): void }[]): void {
    this.#memory = memory;
    if (this.rows) this.#fillRows(this.rows, encoder, retired);
  }

  readonly rewrite = (code: string): string => this.rows?.shader(code, this.materials) ?? code;

  /** Resources of a group, with textures in place of tables where draws cannot read buffers. */
  tables<N extends string>(
    bound: Readonly<Record<N, GPUBuffer | GPUBufferBinding>>,
  ): Readonly<Record<N, GPUBuffer | GPUBufferBinding | GPUTextureView>> {
    const { rows } = this;
    if (!rows) return bound;
    const entries = Object.entries<GPUBuffer | GPUBufferBinding>(bound);
    const views = entries.map(([name, buffer]) => [name, 'mapState' in buffer ? rows.view(buffer) : buffer] as const);
    return Object.fromEntries(views) as Record<N, GPUBufferBinding | GPUTextureView>;
  }

  /**
   * Draws all primitives of all visible characters, and all scenery. The caller sets groups 0 and 3, the materials.
   * @param form Form of group 2: that of pictures, or the one with last frame's transforms.
   * @param which All primitives, or only the blended or the opaque ones.
   * @param rows Default: those of the crowd.
   */
  draw(
    pass: GPURenderPassEncoder,
    pipelineFor: PipelineFor,
    form: keyof typeof PROVIDED = 'page',
    which: 'all' | 'opaque' | 'blended' = 'all',
    rows: DrawnRows = this.#ownRows,
  ): void {
    const { draws, crowd } = this.memory;
    const { targets, firstByte, isDrawn } = rows;
    const eachPrimitive = (drawn: Drawn, call: (index: number) => void) => {
      const source = sourceOf(drawn.type);
      const group = this.#group(drawn, source === 'provided' ? PROVIDED[form] : form, rows);
      const { firstByte, kinds } = this.#primitives.of(drawn.type.character)!;
      kinds.forEach((kind, index) => {
        if (which !== 'all' && kind.blended !== (which === 'blended')) return;
        pass.setPipeline(pipelineFor({ ...kind, source }));
        pass.setBindGroup(2, group, [firstByte + PRIMITIVE_STRIDE * index]);
        call(index);
      });
    };
    pass.setBindGroup(1, this.#geometry(crowd.geometry));
    pass.setIndexBuffer(crowd.indices, 'uint32');
    for (const draw of draws) {
      if (isDrawn?.(draw.type) === false) continue;
      eachPrimitive(draw, (index) => pass.drawIndexedIndirect(targets, firstByte + draw.primitiveBytes[index]!));
    }
    if (!this.#scenery || isDrawn) return;
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
      pass.setBindGroup(2, this.#group(draw, 'page', this.#ownRows), [contactBytes[draw.levelIndex]!]);
      pass.drawIndirect(targets, draw.quadByte);
    }
  }

  /** @throws ManipleError RENDER_FAILED when the crowd has characters that this renderer cannot draw */
  checkCast(): void {
    const { types } = internalsOf(this.crowd).host.tables;
    if (!types.every(({ character }) => this.#primitives.of(character))) failUnknownTypes();
  }

  destroy(): void {
    this.#primitives.destroy();
    this.rows?.destroy();
  }

  #fillRows(rows: RowTextures, encoder: GPUCommandEncoder, retired: { destroy(): void }[]): void {
    const { crowd, draws, page } = this.memory;
    const pages = new Set(draws.map(({ pageIndex }) => page(pageIndex).vertices));
    const { visible, transforms, previousTransforms, residents } = crowd;
    rows.fill(encoder, crowd.geometry, true);
    for (const buffer of [visible, transforms, previousTransforms, residents, ...pages]) rows.fill(encoder, buffer);
    if (this.#scenery) {
      const { geometry, skinned, ...lists } = this.#scenery;
      const listed = [lists.visible, lists.transforms, lists.residents];
      for (const buffer of [geometry, skinned, ...listed]) rows.fill(encoder, buffer, true);
    }
    if (!rows.endPicture(retired)) return;
    this.#groups = new WeakMap();
    this.#geometries = new WeakMap();
  }

  #geometry(geometry: GPUBuffer): GPUBindGroup {
    const existing = this.#geometries.get(geometry);
    if (existing) return existing;
    const buffers = { geometry4: geometry, geometry1: geometry };
    const { layouts, device } = this;
    const group = createBindGroup(device, 'geometry', layouts.geometry, geometryBindings, this.tables(buffers));
    this.#geometries.set(geometry, group);
    return group;
  }

  get #ownRows(): DrawnRows {
    const { targets, crowd } = this.memory;
    return { visible: crowd.visible, targets, firstByte: 0 };
  }

  #kindsOf(type: CrowdType): DrawKind[] {
    const source = sourceOf(type);
    return this.#primitives.of(type.character)!.kinds.map((kind) => ({ ...kind, source }));
  }

  #group(draw: Drawn, form: keyof typeof FORMS, rows: DrawnRows): GPUBindGroup {
    const { version } = internalsOf(this.crowd).host.shape.resources;
    if (this.#version !== version) this.#groups = new WeakMap();
    this.#version = version;
    let forms = this.#groups.get(rows.visible);
    if (!forms) this.#groups.set(rows.visible, (forms = new Map()));
    const key = `${form} ${rows.firstByte}`;
    let groups = forms.get(key);
    if (!groups) forms.set(key, (groups = new WeakMap()));
    let group = groups.get(draw);
    if (!group) groups.set(draw, (group = this.#createGroup(draw, form, rows)));
    return group;
  }

  /** Binds a draw's memory, and after it the application's own resources in a form that has them. */
  #createGroup(draw: Drawn, form: keyof typeof FORMS, rows: DrawnRows): GPUBindGroup {
    const isScenery = 'run' in draw;
    const skinned = isScenery ? this.#scenery!.skinned : this.memory.page(draw.pageIndex).vertices;
    const { residents, transforms, previousTransforms } = isScenery ? this.#scenery! : this.memory.crowd;
    const visible = isScenery ? this.#scenery!.visible : rows.visible;
    const bound = this.tables({
      run: isScenery ? draw.run : runOf(rows, draw),
      primitive: { buffer: this.#primitives.buffer, size: DrawnPrimitive.size },
      residents,
      visible,
      transforms,
      previousTransforms,
      skinned,
    });
    const own = (Object.keys(FORMS[form].entries) as (keyof typeof bound)[]).map((name, binding) => {
      const resource = bound[name];
      return { binding, resource: 'mapState' in resource ? { buffer: resource } : resource };
    });
    const { find } = internalsOf(this.crowd).host.shape.resources;
    const provided = form.startsWith('provided') ? boundEntries(this.providers.used, find, own.length) : [];
    return this.device.createBindGroup({ label: form, layout: this.layouts[form], entries: [...own, ...provided] });
  }
}

function sourceOf({ skin, keptProviderRows, character }: CrowdType): VertexSource {
  if (skin === 'vertex') return keptProviderRows > 0 ? 'provided' : 'palette';
  return hasStandardVertices(character) ? 'standard' : 'table';
}

/** Rows of the visible list that a draw shows. */
export function runOf(
  { targets, firstByte = 0 }: Pick<DrawnRows, 'targets'> & Partial<Pick<DrawnRows, 'firstByte'>>,
  { recordByte }: PlacedDraws,
): GPUBufferBinding {
  return { buffer: targets, offset: firstByte + recordByte, size: DrawnRun.size };
}
