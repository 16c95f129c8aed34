import type { Shown } from '../backend.ts';
import type { EventRing } from './event-ring.ts';
import type { CrowdMemory, PageMemory } from '../tables/memory.ts';
import type { GpuReads } from './reads.ts';
import type { SocketBuffers } from '../tables/socket-memory.ts';
import type { ProviderMemory } from '../tables/provider-memory.ts';

/** State that a GPU backend takes over from a CPU backend. */
export interface GpuEstate {
  readonly pages: readonly PageMemory[];
  readonly retired: readonly { destroy(): void }[];
  /** The last frame of the twins, until a frame with views replaces it. */
  readonly before: Shown;
  /** The last frame, and the last one with views. */
  readonly now: number;
  readonly lastFrame: number;
  readonly wasSeen: boolean;
  readonly sockets: SocketBuffers;
  readonly reads: GpuReads;
  /** Fills the new memory. Returns the event ring, if there is one. */
  readonly fill: (memory: CrowdMemory, provided: ProviderMemory | undefined) => EventRing | undefined;
}
