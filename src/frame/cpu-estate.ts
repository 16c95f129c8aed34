import type { Backend, PlaceInputs } from './backend.ts';
import type { CpuPage } from './cpu-pages.ts';
import type { CpuSockets } from './cpu-sockets.ts';
import type { FreezeDrops } from './drops.ts';
import type { EventQueue } from './event-queue.ts';
import type { Retired } from './retired.ts';
import type { KernelState } from './kernel-state.ts';

/** What a backend goes on with that takes another one's place. */
export interface CpuEstate {
  readonly pages: readonly CpuPage[];
  readonly queue: EventQueue;
  readonly residents: Uint32Array<ArrayBuffer>;
  /** The memory of providers. */
  readonly provided: Float32Array<ArrayBuffer>;
  readonly previousTransforms: Uint32Array<ArrayBuffer>;
  readonly wasSeen: boolean;
  readonly state: KernelState;
  readonly sockets: CpuSockets;
  /** Memory that frames to come do not need. */
  readonly retired: Retired['all'];
  readonly frames: Frames;
  /** Events that have not left the ring. */
  readonly events: Uint32Array<ArrayBuffer>;
  /** One for all backends that continue each other. */
  readonly freezes: FreezeDrops;
  /** The last frame that was seen. */
  readonly shown: Shown;
}

/** The last frame that was seen, as what ran it tells of it. */
export type Shown = Pick<Backend, 'read' | 'readStats' | 'readJoints' | 'memory' | 'arrays' | 'destroy'>;

/** The last frame, the last that somebody looked at, and what places are relative to. */
export interface Frames {
  readonly now: number;
  readonly lastFrame: number;
  readonly origin: PlaceInputs['origin'];
}
