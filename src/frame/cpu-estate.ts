import type { Backend, PlaceInputs } from './backend.ts';
import type { CpuPage } from './cpu-pages.ts';
import type { CpuSockets } from './cpu-sockets.ts';
import type { EventQueue } from './event-queue.ts';
import type { KernelState } from './kernel-state.ts';

/** What a backend goes on with that takes another one's place. */
export interface CpuEstate {
  readonly pages: readonly CpuPage[];
  /** Undefined: there were no events. */
  readonly queue: EventQueue | undefined;
  readonly residents: Uint32Array<ArrayBuffer>;
  /** The memory of providers. */
  readonly provided: Float32Array<ArrayBuffer>;
  readonly previousTransforms: Uint32Array<ArrayBuffer>;
  readonly wasSeen: boolean;
  readonly state: KernelState;
  readonly sockets: CpuSockets | SocketState;
  readonly frames: Frames;
  /** Events that have not left the ring. */
  readonly events: Uint32Array<ArrayBuffer>;
  /** What freezes have dropped since the crowd began: one for all backends that continue each other. */
  readonly frozen: { truncatedFreezes: number; droppedSamples: number; droppedWeight: number };
  /** Who has which slot; undefined: slots are given anew. */
  readonly culled?: CulledState;
  /** The last frame that was seen. */
  readonly shown: Shown;
}

/** What cull-characters keeps from frame to frame: words of its columns. */
export interface CulledState {
  readonly slots: Words;
  readonly decisions: Words;
  readonly classes: Words;
  readonly rings: Words;
}

/** What characters carry, by attachment: columns as kernels and twins have them. */
export interface SocketState {
  readonly joints: Words;
  readonly previousLocals: Words;
  readonly matrices: Float32Array<ArrayBuffer>;
  readonly previousMatrices: Float32Array<ArrayBuffer>;
  /** Where the device has the matrices, of this frame and of the last one. */
  readonly buffers: readonly [matrices: GPUBuffer, previousMatrices: GPUBuffer] | undefined;
}

type Words = Uint32Array<ArrayBuffer>;

/** The last frame that was seen, as what ran it tells of it. */
export type Shown = Pick<Backend, 'read' | 'readStats' | 'readJoints' | 'memory' | 'arrays' | 'destroy'>;

/** The last frame, the last that somebody looked at, and what places are relative to. */
export interface Frames {
  readonly now: number;
  readonly lastFrame: number;
  readonly origin: PlaceInputs['origin'];
}
