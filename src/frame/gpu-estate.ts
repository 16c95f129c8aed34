import type { DrawMemory, Shown } from './backend.ts';
import type { BoundFrame } from './bind-frame.ts';
import type { EventRing } from './event-ring.ts';
import type { CrowdMemory, PageMemory } from './gpu-memory.ts';
import type { GpuReads } from './gpu-reads.ts';
import type { SocketBuffers } from './gpu-sockets.ts';
import type { ProviderMemory } from './provider-memory.ts';
import type { ReadableFrame } from './read-character.ts';
import type { UploadRing } from './upload-ring.ts';

/** A frame that was shown, with what it ran on. */
export interface ShownFrame extends ReadableFrame {
  readonly bound: BoundFrame;
}

/** What a backend goes on with that takes another one's place. */
export interface GpuEstate {
  readonly uploads: UploadRing;
  readonly pages: readonly PageMemory[];
  readonly retired: readonly { destroy(): void }[];
  /** Undefined: twins ran the frames until now. */
  readonly shown?: { last: ShownFrame | undefined };
  /** What they have shown. */
  readonly before?: Shown | undefined;
  readonly lastFrame: number;
  readonly wasSeen: boolean;
  readonly memory: DrawMemory;
  readonly sockets: SocketBuffers;
  readonly reads: GpuReads;
  readonly placed: { readonly frame: number; readonly matrices: GPUBuffer };
  /** Brings the crowd's memory over, now that there is room; returns the way back of events. */
  readonly moveTo: (memory: CrowdMemory, provided: ProviderMemory | undefined) => EventRing | undefined;
}
