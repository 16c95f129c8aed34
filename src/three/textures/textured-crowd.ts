import { InstancedBufferGeometry, type Material } from 'three/webgpu';
import type { EncodedFrame, FrameOptions } from '../../crowd/frame-options.ts';
import { internalsOf } from '../../crowd/internals.ts';
import type { DrawArrays } from '../../frame/backend.ts';
import { meshesOf } from '../../frame/tables/crowd-types.ts';
import type { PlacedDraws } from '../../frame/tables/plan.ts';
import { View } from '../../layout/index.ts';
import { Transform } from '../../stages/layout.ts';
import type { CarriedDrawing, CrowdDrawing, DrawContext, PickedRow } from '../crowd-drawing.ts';
import type { CrowdPart } from '../crowd-mesh.ts';
import { forget, isClassic } from '../internals.ts';
import { expectDrawable, geometryOf } from '../mesh-ranges.ts';
import { boundVertices } from '../vertex-sources.ts';
import { followColumns, releaseColumnTexture } from './column-texture.ts';
import { CrowdTextures, MatrixTextures, SECTIONS } from './crowd-textures.ts';
import { GlslShading } from './glsl-shading.ts';
import { NodeShading } from './node-shading.ts';
import type { RunMesh } from './run-mesh.ts';
import type { ColumnTables, NewRun, Shading } from './shading.ts';
import { TEXTURE_BYTES, TableTexture, wholeRows } from './table-texture.ts';

/**
 * Draws of the WebGL 2 tier. The crowd has no device: the CPU steps, culls and poses it. Draws read its columns, and the palettes of
 * visible characters, from textures.
 */
export class TexturedCrowd implements CrowdDrawing {
  readonly #context: DrawContext;
  readonly #shading: Shading;
  readonly #matrices = new MatrixTextures();
  #draws: TexturedDraws | undefined;

  /** @throws ManipleError THREE_UNSUPPORTED */
  constructor(context: DrawContext) {
    expectDrawable(context.crowd, true);
    this.#context = context;
    const { renderer } = context;
    this.#shading = isClassic(renderer)
      ? new GlslShading({ ...context, renderer })
      : new NodeShading({ ...context, renderer });
  }

  run(options: FrameOptions, submitted: (frame: EncodedFrame) => void): void {
    const frame = this.#context.crowd.encode(undefined, options);
    try {
      this.#follow();
    } finally {
      submitted(frame);
    }
  }

  #follow(): void {
    const { crowd, renderer } = this.#context;
    const { backend, sockets } = internalsOf(crowd).host;
    const arrays = backend.arrays!;
    if (!this.#draws?.isOf(arrays)) {
      this.#draws?.dispose();
      this.#draws = undefined;
      expectDrawable(crowd, true); // types may have been added
      this.#draws = new TexturedDraws(this.#context, this.#shading, arrays);
    }
    this.#draws.follow(arrays);
    this.#shading.follow();
    this.#matrices.follow(arrays, sockets.inputs.count, renderer);
    followColumns(crowd, renderer);
  }

  expectMaterial(material: Material): void {
    this.#shading.expectMaterial(material);
  }

  carry(mesh: CrowdPart, source: Material): CarriedDrawing {
    return this.#shading.carry(mesh, source, () => ({ ...this.#draws!.columns, ...this.#matrices.tables }));
  }

  pick(...where: Parameters<CrowdDrawing['pick']>): Promise<PickedRow | undefined> {
    return this.#shading.pick(this.#draws?.meshes ?? [], ...where);
  }

  async readTransforms(count: number): Promise<View<(typeof Transform)['fields']>> {
    const { transforms } = internalsOf(this.#context.crowd).host.backend.arrays!;
    return new View(Transform, transforms.words.slice(0, (count * Transform.size) / 4).buffer);
  }

  dispose(): void {
    this.#draws?.dispose();
    this.#draws = undefined;
    this.#matrices.dispose();
    releaseColumnTexture(this.#context.crowd);
    this.#shading.dispose();
  }
}

/** Vertices of a level, and their texture. */
interface BoundTexture {
  readonly texture: TableTexture;
  readonly bound: NewRun['bound'];
}

/** Draws of a crowd from its memory as it is now. */
class TexturedDraws {
  readonly #context: DrawContext;
  readonly #shading: Shading;
  readonly #textures: CrowdTextures;
  readonly #bound = new Map<string, BoundTexture>();
  readonly #runs: { readonly mesh: RunMesh; readonly recordWord: number }[] = [];
  readonly columns: ColumnTables;

  /** @throws ManipleError THREE_UNSUPPORTED, DEVICE_LIMIT */
  constructor(context: DrawContext, shading: Shading, arrays: DrawArrays) {
    this.#context = context;
    this.#shading = shading;
    this.#textures = new CrowdTextures(arrays);
    const tables = SECTIONS.map((name) => [name, this.#textures.section(name)]);
    this.columns = Object.fromEntries(tables) as ColumnTables;
    try {
      for (const draw of arrays.draws) this.#add(draw);
    } catch (thrown) {
      this.dispose();
      throw thrown;
    }
    if (this.#runs.length > 0) context.parent.add(...this.meshes);
  }

  get meshes(): readonly RunMesh[] {
    return this.#runs.map(({ mesh }) => mesh);
  }

  isOf(arrays: DrawArrays): boolean {
    return this.#textures.isOf(arrays);
  }

  /** Updates textures and runs for the last frame. */
  follow(arrays: DrawArrays): void {
    const { crowd, renderer, parent } = this.#context;
    this.#textures.follow(arrays, internalsOf(crowd).host.ids.used, renderer);
    for (const { mesh, recordWord } of this.#runs) {
      if (!mesh.parent) parent.add(mesh); // the crowd was cleared
      mesh.setRun(arrays.targets[recordWord]!, arrays.targets[recordWord + 1]!);
    }
  }

  dispose(): void {
    const { parent } = this.#context;
    parent.remove(...this.meshes);
    for (const { mesh } of this.#runs) {
      forget(mesh);
      mesh.geometry.dispose();
    }
    this.#shading.release();
    this.#textures.dispose();
    for (const { texture } of this.#bound.values()) texture.dispose();
  }

  #add(draw: PlacedDraws): void {
    const { type, levelIndex, pageIndex, recordByte } = draw;
    const { character } = type;
    const vertices = this.#context.meshes.of(meshesOf(character)[levelIndex]!, character);
    const { bound } = this.#boundOf(draw);
    for (const { material: source, firstIndex, indexCount } of vertices.ranges) {
      const geometry = geometryOf(vertices, new InstancedBufferGeometry());
      geometry.setDrawRange(firstIndex, indexCount);
      const page = this.#textures.page(pageIndex);
      const mesh = this.#shading.createMesh({ geometry, source, columns: this.columns, page, bound });
      mesh.name = `${character.name} ${levelIndex} ${source.name}`.trim();
      this.#runs.push({ mesh, recordWord: recordByte / 4 });
    }
  }

  /** Vertices of a level, for all pages. @throws ManipleError DEVICE_LIMIT */
  #boundOf({ type, levelIndex }: PlacedDraws): BoundTexture {
    const key = `${type.index} ${levelIndex}`;
    const known = this.#bound.get(key);
    if (known) return known;
    const { character } = type;
    const vertices = boundVertices(meshesOf(character)[levelIndex]!, character.name, TEXTURE_BYTES);
    const words = new Uint32Array(wholeRows(vertices.words.length));
    words.set(vertices.words);
    const texture = new TableTexture(words, `vertices of ${character.name} ${levelIndex}`);
    const made = { texture, bound: { ...vertices, table: texture.table } };
    this.#bound.set(key, made);
    return made;
  }
}
