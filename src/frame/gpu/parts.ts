import { hasUpdates } from '../../stages/providers.ts';
import { MOTION_ROWS } from '../../stages/layout.ts';
import type { DrawMemory, SeenInputs } from '../backend.ts';
import {
  type BackendLimits,
  bindingBytes,
  createCrowdMemory,
  createStorage,
  type CrowdMemory,
  deviceLimits,
  type PageMemory,
  PoseMemory,
  type SocketBuffers,
} from '../tables/memory.ts';
import { bindFrame, createSeenStages, prepareTypes, type BoundFrame, type SeenStages } from './bind-frame.ts';
import type { DeliverEvents, EventQueue } from '../tables/event-queue.ts';
import type { EventRing } from './event-ring.ts';
import { stagesOf } from '../stages.ts';
import { GpuAnimators } from './controllers.ts';
import { GpuPlaces } from './ground-and-origin.ts';
import { GpuSockets } from './sockets.ts';
import { KeptLists } from '../tables/kept-lists.ts';
import { ProviderMemory } from '../tables/provider-memory.ts';
import type { Retired } from '../tables/retired.ts';
import type { CrowdLayout } from '../tables/crowd-layout.ts';
import { FrameTimer, Timings } from '../../device/timings.ts';
import type { UploadRing } from '../../device/upload-ring.ts';

/** A submitted frame with views, and its memory. */
export type ShownFrame = ReturnType<GpuParts['shownFrame']>;

/** Content of the parts of a GPU backend that replace others. */
export interface PartsContent {
  readonly sockets?: SocketBuffers | undefined;
  /** Fills the new memory. Returns the receiver of events. */
  readonly fill: (memory: CrowdMemory, provided: ProviderMemory | undefined) => DeliverEvents | EventQueue | EventRing;
}

/**
 * Parts of a GPU backend that depend on the crowd's shape: memory, stages and their bindings. A resize replaces all of them. The
 * constructor asks for all pipelines that the crowd's types can need.
 */
export class GpuParts {
  readonly device: GPUDevice;
  readonly shape: CrowdLayout;
  readonly limits: BackendLimits;
  readonly crowd: CrowdMemory;
  readonly provided: ProviderMemory | undefined;
  readonly stages: SeenStages;
  readonly animators: GpuAnimators | undefined;
  readonly sockets: GpuSockets;
  readonly places: GpuPlaces;
  readonly timers: Timings;
  /** Times whole frames. */
  readonly frameTimer: FrameTimer;
  /** Lists of the frame before the last one, which can still be drawn. Undefined with two copies. */
  readonly kept: KeptLists | undefined;
  /** Replaced by larger ones. */
  poses: PoseMemory;
  grants: GPUBuffer;
  bound: BoundFrame;
  /** Pages that `bound` was made for: those of the last frame. Pages of the next one may be others. */
  #boundPages: readonly PageMemory[] = [];

  /** @throws ManipleError DEVICE_LIMIT, before anything is created */
  constructor(device: GPUDevice, shape: CrowdLayout, uploads: UploadRing, { sockets, fill }: PartsContent) {
    const { tables, capacity, motionCapacity, kernels, controllers, providers, resources } = shape;
    this.device = device;
    this.shape = shape;
    this.limits = deviceLimits(device, shape);
    const crowd = createCrowdMemory(device, shape);
    this.crowd = crowd;
    this.provided = providers.length > 0 ? new ProviderMemory(device, providers, capacity, resources) : undefined;
    const { root = false, trees = false, large = false } = controllers ?? {};
    const traits = { controllers: controllers !== undefined, root, trees, large };
    const isSharing = shape.sharing !== undefined;
    const skins = { attributeWords: shape.classes.attributeWords, skinnedChannel: shape.skinnedChannel };
    this.stages = createSeenStages(device, traits, kernels, skins, providers, isSharing);
    prepareTypes(this.stages, tables.types, motionCapacity, kernels);
    const events = fill(crowd, this.provided);
    this.animators = controllers && new GpuAnimators(device, shape, controllers, crowd, uploads, events);
    this.sockets = new GpuSockets(device, crowd, uploads, sockets);
    this.places = new GpuPlaces(device, crowd, uploads, capacity);
    this.kept = shape.classes.copies > 2 ? new KeptLists(device, capacity) : undefined;
    this.timers = new Timings(device, stagesOf(controllers !== undefined, hasUpdates(providers)), false);
    this.frameTimer = new FrameTimer(device);
    this.poses = new PoseMemory(device, 1, 1, motionCapacity);
    this.grants = createGrants(device, 1024);
    // without pages, which the next frame binds: until then there may be too many of them
    this.bound = this.#bind([]);
  }

  /** Memory that the last frame with views was drawn from. */
  get drawMemory(): DrawMemory {
    const { targets, plan } = this.bound;
    const pages = this.#boundPages;
    const { palettes, motions } = this.poses;
    return {
      crowd: this.crowd,
      targets,
      draws: plan.draws,
      palettes,
      motions,
      page: (index) => pages[index]!,
      socketMatrices: this.sockets.buffers.matrices,
      previousSocketMatrices: this.sockets.buffers.previousMatrices,
    };
  }

  get byteLength(): number {
    const optional = [this.animators, this.provided, this.kept].filter((owner) => owner !== undefined);
    const owners = [this.crowd, this.poses, this.bound, this.sockets, this.places, ...optional];
    return owners.reduce((sum, { byteLength }) => sum + byteLength, this.grants.size);
  }

  /** Maximum poses and palette rows that fit one binding. */
  get poseLimits(): { readonly characters: number; readonly paletteRows: number } {
    const { motionCapacity, poseLimit, tables } = this.shape;
    const bytes = bindingBytes(this.device);
    const characters = Math.min(poseLimit, Math.floor(bytes / (motionCapacity * MOTION_ROWS * 16)));
    const rows = characters * Math.max(...tables.types.map(({ paletteStride }) => paletteStride));
    return { characters, paletteRows: Math.min(rows, Math.floor(bytes / 16)) };
  }

  /** @param frame Its number; 0 if there was none. */
  shownFrame(frame: number) {
    const { shape, crowd, poses, bound } = this;
    return { frame, types: shape.tables.types, code: shape, crowd, poses, bound, pages: this.#boundPages };
  }

  /** Grows and binds memory for a frame with views. @param retired Receives what it replaces. */
  prepare({ poses, slots }: SeenInputs, pages: readonly PageMemory[], retired: Retired): void {
    const outgrown = [...this.#growPoses(poses), ...this.#growGrants(slots.grants.byteLength)];
    const bound = this.#boundPages;
    const isBound = pages.length === bound.length && pages.every((page, index) => page === bound[index]);
    if (outgrown.length === 0 && isBound) return;
    retired.push(...outgrown, this.bound);
    this.bound = this.#bind(pages);
  }

  /** Everything but the attachments, the timers and the events in flight. */
  get owned(): readonly { destroy(): void }[] {
    const optional = [this.provided, this.kept].filter((owner) => owner !== undefined);
    return [this.crowd, this.poses, this.bound, this.grants, this.places, ...optional];
  }

  /** Replaces the pose buffers where more may have to be posed than ever before. Their content is not kept. */
  #growPoses({ characters, paletteRows }: SeenInputs['poses']): PoseMemory[] {
    const limit = this.poseLimits;
    const { poseCapacity, paletteCapacity } = this.poses;
    const [wanted, rows] = [Math.min(characters, limit.characters), Math.min(paletteRows, limit.paletteRows)];
    if (wanted <= poseCapacity && rows <= paletteCapacity) return [];
    const outgrown = this.poses;
    const grown = (now: number, needed: number, most: number) =>
      Math.min(most, needed <= now ? now : Math.max(needed, 1.5 * now) | 0);
    this.poses = new PoseMemory(
      this.device,
      grown(poseCapacity, wanted, limit.characters),
      grown(paletteCapacity, rows, limit.paletteRows),
      this.shape.motionCapacity,
    );
    return [outgrown];
  }

  #growGrants(byteLength: number): GPUBuffer[] {
    if (byteLength <= this.grants.size) return [];
    const outgrown = this.grants;
    this.grants = createGrants(this.device, byteLength);
    return [outgrown];
  }

  #bind(pages: readonly PageMemory[]): BoundFrame {
    const { tables, capacity, classes, motionCapacity, kernels } = this.shape;
    this.#boundPages = [...pages];
    return bindFrame(this.device, this.stages, {
      types: tables.types,
      capacity,
      classCount: classes.capacities.length,
      motionCapacity,
      kernels,
      crowd: this.crowd,
      poses: this.poses,
      pages,
      grants: this.grants,
      providers: this.provided?.buffers,
    });
  }
}

function createGrants(device: GPUDevice, byteLength: number): GPUBuffer {
  return createStorage(device, 'grants', 2 ** Math.ceil(Math.log2(byteLength)));
}
