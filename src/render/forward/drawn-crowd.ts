import type { Character } from '../../asset/character.ts';
import { GeometryHeader } from '../../asset/geometry-layout.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { fail } from '../../errors.ts';
import type { DrawMemory } from '../../frame/backend.ts';
import type { PlacedDraws } from '../../frame/plan.ts';
import { meshesOf, type CrowdType } from '../../frame/types.ts';
import { createBindGroup, View } from '../../layout/index.ts';
import { geometryBindings } from '../../stages/layout.ts';
import { subtract, type Vector } from '../camera.ts';
import { DrawnPrimitive, DrawnRun, pageBindings, surfaceBindings } from './layout.ts';
import type { DrawKind, ForwardLayouts, PipelineFor, VertexSource } from './pipelines.ts';
import { PRIMITIVE_STRIDE, type DrawnPrimitives } from './primitives.ts';

/** Draws a crowd's characters straight from its memory, as its last recorded frame left it: one indirect call per draw. */
export class DrawnCrowd {
  readonly #device: GPUDevice;
  readonly #crowd: Crowd;
  readonly #layouts: ForwardLayouts;
  readonly #primitives: DrawnPrimitives;
  /** Crowds that have grown have other buffers. */
  readonly #geometries = new WeakMap<GPUBuffer, GPUBindGroup>();
  readonly #pages = new WeakMap<PlacedDraws, GPUBindGroup>();
  readonly #surfaces = new WeakMap<PlacedDraws, GPUBindGroup>();

  /** @param crowd One with GPU memory. */
  constructor(device: GPUDevice, crowd: Crowd, layouts: ForwardLayouts, primitives: DrawnPrimitives) {
    this.#device = device;
    this.#crowd = crowd;
    this.#layouts = layouts;
    this.#primitives = primitives;
  }

  /** Of all primitives that there are to draw. */
  get kinds(): readonly DrawKind[] {
    return this.#crowd.tables.types.flatMap((type) => {
      const source = sourceOf(type);
      return this.#primitives.of(type.character)!.kinds.map((kind) => ({ ...kind, source }));
    });
  }

  /** What places of the last recorded frame count from: moves since then are the next one's. */
  get origin(): Vector {
    const { origin, moves } = this.#crowd.host.places;
    return moves.reduce<Vector>((from, [x, y, z]) => subtract(from, [x!, y!, z!]), origin);
  }

  get memory(): DrawMemory {
    return this.#crowd.backend.memory!;
  }

  /**
   * All primitives of all who are seen. Groups 0 and 3, the materials, are the caller's.
   * @param group What group 2 is: that of pictures, or with last frame's transforms.
   */
  draw(pass: GPURenderPassEncoder, pipelineFor: PipelineFor, group: 'page' | 'surface' = 'page'): void {
    const { draws, targets, crowd } = this.memory;
    pass.setBindGroup(1, this.#geometry());
    pass.setIndexBuffer(crowd.indices, 'uint32');
    for (const draw of draws) {
      const page = group === 'page' ? this.#page(draw) : this.#surface(draw);
      const source = sourceOf(draw.type);
      const { firstByte, kinds } = this.#primitives.of(draw.type.character)!;
      kinds.forEach((kind, index) => {
        pass.setPipeline(pipelineFor({ ...kind, source }));
        pass.setBindGroup(2, page, [firstByte + PRIMITIVE_STRIDE * index]);
        pass.drawIndexedIndirect(targets, draw.primitiveBytes[index]!);
      });
    }
  }

  /** A quad for each of them. */
  drawQuads(pass: GPURenderPassEncoder, pipeline: GPURenderPipeline): void {
    pass.setPipeline(pipeline);
    pass.setBindGroup(1, this.#geometry());
    const { draws, targets } = this.memory;
    for (const draw of draws) {
      const { firstByte, kinds } = this.#primitives.of(draw.type.character)!;
      if (kinds.length === 0) continue;
      pass.setBindGroup(2, this.#page(draw), [firstByte]);
      pass.drawIndirect(targets, draw.quadByte);
    }
  }

  /** @throws ManipleError RENDER_FAILED when the crowd has characters that this cannot draw */
  checkCast(): void {
    if (this.#crowd.tables.types.every(({ character }) => this.#primitives.of(character))) return;
    fail('RENDER_FAILED', 'crowd', 'has taken on characters since this renderer was made.', 'Create it anew.');
  }

  #geometry(): GPUBindGroup {
    const { geometry } = this.memory.crowd;
    let group = this.#geometries.get(geometry);
    if (!group) {
      const buffers = { geometry4: geometry, geometry1: geometry };
      group = createBindGroup(this.#device, 'geometry', this.#layouts.geometry, geometryBindings, buffers);
      this.#geometries.set(geometry, group);
    }
    return group;
  }

  #page(draw: PlacedDraws): GPUBindGroup {
    let group = this.#pages.get(draw);
    if (!group) {
      const { page } = this.#layouts;
      const { skinnedTangents } = this.memory.page(draw.pageIndex);
      group = createBindGroup(this.#device, 'page', page, pageBindings, { ...this.#resources(draw), skinnedTangents });
      this.#pages.set(draw, group);
    }
    return group;
  }

  #surface(draw: PlacedDraws): GPUBindGroup {
    let group = this.#surfaces.get(draw);
    if (!group) {
      const { previousTransforms } = this.memory.crowd;
      group = createBindGroup(this.#device, 'surface', this.#layouts.surface, surfaceBindings, {
        ...this.#resources(draw),
        previousTransforms,
      });
      this.#surfaces.set(draw, group);
    }
    return group;
  }

  #resources(draw: PlacedDraws) {
    const { crowd, page } = this.memory;
    const { visible, transforms, residents } = crowd;
    const primitive = { buffer: this.#primitives.buffer, size: DrawnPrimitive.size };
    const { skinned } = page(draw.pageIndex);
    return { run: runOf(this.memory, draw), primitive, residents, visible, transforms, skinned };
  }
}

const sources = new WeakMap<Character, VertexSource>();

function sourceOf({ skin, character }: CrowdType): VertexSource {
  if (skin === 'vertex') return 'palette';
  let source = sources.get(character);
  if (!source) {
    const isStandard = meshesOf(character).every(({ geometry: { buffer, byteOffset } }) => {
      return new View(GeometryHeader, buffer, byteOffset, 1).get(0, 'channelRow') === 0;
    });
    sources.set(character, (source = isStandard ? 'standard' : 'table'));
  }
  return source;
}

/** Which rows of the visible list a draw shows. */
export function runOf({ targets }: DrawMemory, { recordByte }: PlacedDraws): GPUBufferBinding {
  return { buffer: targets, offset: recordByte, size: DrawnRun.size };
}
