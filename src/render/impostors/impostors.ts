import { internalsOf } from '../../crowd/internals.ts';
import type { Timings } from '../../device/timings.ts';
import type { UploadRing } from '../../device/upload-ring.ts';
import type { Issue } from '../../errors.ts';
import type { DrawnMemory } from '../../frame/backend.ts';
import type { CrowdType } from '../../frame/tables/crowd-types.ts';
import { createUniform } from '../../frame/tables/memory.ts';
import type { DrawnCrowd } from '../forward/drawn-crowd.ts';
import type { Lens } from '../lighting/frame-uniforms.ts';
import { dot, type Vector } from '../camera.ts';
import type { DrawCode } from '../forward/pipelines.ts';
import { kernels as fadedCode } from './draw-faded.gen.ts';
import { Atlas } from './atlas.ts';
import { ImpostorLists, type ImpostorStats, NO_IMPOSTORS } from './lists.ts';
import { ImpostorParams, KEPT_PICTURES } from './layout.ts';
import { planImpostors, refusedTypes, type ImpostorOptions, type ImpostorPlan } from './options.ts';
import { type ImpostorSight, impostorParams } from './params.ts';
import { ImpostorPipelines, type ImpostorForm } from './pipelines.ts';

/** Impostors of a renderer. */
export interface ImpostorReadings {
  /** Types that stay meshes, and why: `IMPOSTOR_REFUSED`. */
  readonly refused: readonly Issue[];
  /** Number of tiles that the atlas holds. */
  readonly tileCount: number;
  /** Bytes of GPU memory. */
  readonly byteLength: number;
  /** Reads the counts of the last picture in light, after all submitted work. @throws ManipleError DEVICE_LOST */
  readStats(): Promise<ImpostorStats>;
}

/** A picture, or the sun. */
interface ImpostorView {
  readonly eye: Vector;
  readonly lens: Lens;
  /** Bit mask of the crowd's views. */
  readonly views: number;
  /** Towards the sun, for shadow maps. */
  readonly sunDirection?: Vector;
}

/** Far characters as quads with tiles of an atlas. Tiles are drawn where characters need them, some in each picture. */
export class Impostors implements ImpostorReadings {
  readonly refused: readonly Issue[];
  readonly tileCount: number;
  /** Shaders of meshes that cross over. */
  readonly drawCode: DrawCode = fadedCode;
  readonly #drawn: DrawnCrowd;
  readonly #plan: ImpostorPlan;
  readonly #heldTypes: ReadonlySet<CrowdType['character']>;
  readonly #params: GPUBuffer;
  readonly #pipelines: ImpostorPipelines;
  #lists: ImpostorLists | undefined;
  #atlas: Atlas | undefined;
  #made: readonly unknown[] = [];
  /** Counts pictures. Tiles that have never been used are older than any that are kept. */
  #frame = KEPT_PICTURES;

  /** @throws ManipleError CROWD_BAD_ARGUMENT: the crowd shares no poses; RENDER_FAILED: sizes */
  constructor(drawn: DrawnCrowd, options: ImpostorOptions, format: GPUTextureFormat, sampleCount: number) {
    const { device, crowd } = drawn;
    this.#drawn = drawn;
    this.#plan = planImpostors(options);
    const refused = refusedTypes(crowd);
    this.refused = [...refused.values()];
    this.tileCount = this.#plan.tileCount;
    const { types } = internalsOf(crowd).host.tables;
    this.#heldTypes = new Set(types.filter((type) => !refused.has(type)).map(({ character }) => character));
    this.#params = createUniform(device, 'impostors', ImpostorParams, {});
    this.#pipelines = new ImpostorPipelines(drawn, format, sampleCount, this.#isHeld);
  }

  get byteLength(): number {
    return (this.#lists?.byteLength ?? 0) + (this.#atlas?.byteLength ?? 0);
  }

  /** Rows that are drawn as meshes. */
  get meshes(): ImpostorLists['meshes'] {
    return this.#lists!.meshes;
  }

  async readStats(): Promise<ImpostorStats> {
    return this.#lists?.readStats(this.#drawn.device) ?? NO_IMPOSTORS;
  }

  /** Before the choices of a picture. @param retired Receives what is no longer used, to be destroyed once all is submitted. */
  open(encoder: GPUCommandEncoder, memory: DrawnMemory, retired: { destroy(): void }[]): void {
    this.#prepare(memory, retired);
    this.#frame++;
    this.#lists!.open(encoder);
  }

  /**
   * Chooses the impostors of a view, and draws tiles for later pictures.
   * @param name Of the measured time.
   */
  choose(encoder: GPUCommandEncoder, uploads: UploadRing, view: ImpostorView, name: string, timings: Timings): void {
    uploads.write(encoder, this.#params, 0, this.#paramsOf(view));
    const first = timings.writes(name, { first: true, last: false });
    const pass = encoder.beginComputePass({ label: name, ...first });
    this.#lists!.encode(pass);
    pass.end();
    const last = timings.writes(name, { first: false, last: true });
    this.#atlas!.fill(encoder, (tiles) => this.#pipelines.drawTiles(tiles, this.#lists!.drawnTiles), last);
  }

  /** Draws the chosen impostors. The caller sets group 0. */
  draw(pass: GPURenderPassEncoder, form: ImpostorForm): void {
    const { targets, quadTargets } = this.#lists!;
    this.#pipelines.set(pass, form);
    pass.drawIndirect(targets, 4 * quadTargets);
  }

  destroy(): void {
    for (const owned of [this.#lists, this.#atlas, this.#params]) owned?.destroy();
  }

  readonly #isHeld = ({ character }: CrowdType): boolean => this.#heldTypes.has(character);

  /** Lists and tiles belong to the crowd's memory and shape, and tiles to the clips that have arrived. */
  #prepare(memory: DrawnMemory, retired: { destroy(): void }[]): void {
    const { device, crowd } = this.#drawn;
    const { host } = internalsOf(crowd);
    const { types } = host.tables;
    const pending = types.reduce((sum, { character }) => sum + (character.arrivals?.pending.length ?? 0), 0);
    const made = [memory.targets, memory.draws, memory.crowd.visible, memory.crowd.residents, host.shape, pending];
    if (made.length === this.#made.length && made.every((part, i) => part === this.#made[i])) return;
    this.#made = made;
    for (const old of [this.#lists, this.#atlas]) if (old) retired.push(old);
    const lists = new ImpostorLists(device, memory, types, host.shape.sharing!, this.#plan, this.#isHeld, this.#params);
    const atlas = new Atlas(device, this.#plan, this.#params, lists.marks);
    this.#pipelines.bind(this.#params, lists, memory, atlas);
    this.#lists = lists;
    this.#atlas = atlas;
  }

  #paramsOf({ eye, lens, views, sunDirection }: ImpostorView): Uint8Array<ArrayBuffer> {
    const { shape } = internalsOf(this.#drawn.crowd).host;
    const sight: ImpostorSight = {
      eye: sunDirection ?? eye,
      isParallel: sunDirection !== undefined,
      depth: [...(lens.skyForward as Vector), -dot(lens.skyForward as Vector, eye)],
      pixelsPerMetre: lens.pictureHeight / 2 / Math.hypot(...(lens.skyUp as Vector)),
      views,
      isCaster: sunDirection !== undefined,
    };
    return impostorParams(this.#plan, this.#lists!, shape, this.#frame, sight);
  }
}
