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
import { Atlas } from './atlas.ts';
import { ImpostorLists, type ImpostorStats, NO_IMPOSTORS } from './lists.ts';
import { ImpostorParams, KEPT_PICTURES } from './layout.ts';
import { planImpostors, refusedTypes, type ImpostorOptions, type ImpostorPlan } from './options.ts';
import { type ImpostorSight, impostorParams } from './params.ts';
import { TilePipelines } from './tiles.ts';

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

/** Buffers and textures of impostors, for what draws them. */
export interface BoundImpostors {
  readonly params: GPUBuffer;
  readonly lists: ImpostorLists;
  readonly memory: DrawnMemory;
  readonly atlas: Atlas;
}

/** Draws chosen impostors. */
export interface ImpostorQuads {
  /** Number of choices that it draws at once. */
  readonly choiceCount: 1 | 2;
  bind(bound: BoundImpostors): void;
  destroy?(): void;
}

/** Far characters as quads with tiles of an atlas. Tiles are drawn where characters need them, some in each picture. */
export class Impostors<Quads extends ImpostorQuads> implements ImpostorReadings {
  readonly refused: readonly Issue[];
  readonly #drawn: DrawnCrowd;
  readonly #options: ImpostorOptions;
  #plan: ImpostorPlan;
  readonly #heldTypes: ReadonlySet<CrowdType['character']>;
  readonly #params: GPUBuffer;
  readonly #tiles: TilePipelines;
  #lists: ImpostorLists | undefined;
  #atlas: Atlas | undefined;
  #made: readonly unknown[] = [];
  /** Counts pictures. Tiles that have never been used are older than any that are kept. */
  #frame = KEPT_PICTURES;

  /** @throws ManipleError CROWD_BAD_ARGUMENT: the crowd shares no poses; RENDER_FAILED: sizes */
  constructor(
    drawn: DrawnCrowd,
    options: ImpostorOptions,
    readonly quads: Quads,
  ) {
    const { device, crowd } = drawn;
    this.#drawn = drawn;
    this.#options = options;
    const refused = refusedTypes(crowd);
    this.refused = [...refused.values()];
    this.#plan = this.#planFor();
    const { types } = internalsOf(crowd).host.tables;
    this.#heldTypes = new Set(types.filter((type) => !refused.has(type)).map(({ character }) => character));
    this.#params = createUniform(device, 'impostors', ImpostorParams, {});
    this.#tiles = new TilePipelines(drawn, this.#isHeld);
  }

  get tileCount(): number {
    return this.#plan.tileCount;
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
    this.#drawn.show(memory, encoder, retired);
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
    this.#atlas!.fill(encoder, (tiles) => this.#tiles.draw(tiles, this.#lists!.drawnTiles), last);
  }

  destroy(): void {
    for (const owned of [this.#lists, this.#atlas, this.#params]) owned?.destroy();
    this.quads.destroy?.();
  }

  #planFor(): ImpostorPlan {
    const { capacity, sharing } = internalsOf(this.#drawn.crowd).host.shape;
    return planImpostors(this.#options, capacity - sharing!.count);
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
    this.#plan = this.#planFor();
    for (const old of [this.#lists, this.#atlas]) if (old) retired.push(old);
    const { choiceCount } = this.quads;
    const shape = [types, host.shape.sharing!, this.#plan, this.#isHeld] as const;
    const lists = new ImpostorLists(device, memory, ...shape, this.#params, choiceCount);
    const atlas = new Atlas(device, this.#plan, this.#params, lists.marks);
    this.#tiles.bind(this.#params, lists);
    this.quads.bind({ params: this.#params, lists, memory, atlas });
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
    const choice = sunDirection ? 0 : this.quads.choiceCount - 1;
    return impostorParams(this.#plan, this.#lists!, shape, this.#frame, sight, { choice });
  }
}
