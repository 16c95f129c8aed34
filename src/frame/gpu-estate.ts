import type { DrawMemory, Shown } from './backend.ts';
import type { BoundFrame } from './bind-frame.ts';
import type { EventRing } from './event-ring.ts';
import type { CrowdMemory, PageMemory } from './gpu-memory.ts';
import type { GpuReads } from './gpu-reads.ts';
import type { SocketBuffers } from './gpu-sockets.ts';
import type { ProviderMemory } from './provider-memory.ts';
import type { ReadableFrame } from './read-character.ts';
import type { UploadRing } from './upload-ring.ts';

/** A submitted frame with views, and its memory. */
export interface ShownFrame extends ReadableFrame {
  readonly bound: BoundFrame;
}

/** Resources handed to the replacement GPU backend. */
export interface GpuEstate {
  readonly uploads: UploadRing;
  readonly pages: readonly PageMemory[];
  readonly retired: readonly { destroy(): void }[];
  /** Undefined if the previous backend is a CPU backend. */
  readonly shown?: { last: ShownFrame | undefined };
  /** The last frame of the twins, until a frame with views replaces it. */
  readonly before?: Shown | undefined;
  readonly lastFrame: number;
  readonly wasSeen: boolean;
  readonly memory: DrawMemory;
  readonly sockets: SocketBuffers;
  readonly reads: GpuReads;
  readonly placed: { readonly frame: number; readonly matrices: GPUBuffer };
  /** Copies the crowd's state to the new memory. Returns the event ring, if there is one. */
  readonly moveTo: (memory: CrowdMemory, provided: ProviderMemory | undefined) => EventRing | undefined;
}
