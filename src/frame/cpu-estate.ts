import type { CulledState, HandedOver, SocketState } from './backend.ts';
import type { CpuSockets } from './cpu-sockets.ts';
import type { FreezeDrops } from './drops.ts';

/** What a backend goes on with that takes another one's place. */
export interface CpuEstate extends Omit<HandedOver, 'sockets' | 'freezes' | 'culled'> {
  readonly sockets: CpuSockets | SocketState;
  readonly freezes: FreezeDrops | HandedOver['freezes'];
  /** Undefined: slots are given anew. */
  readonly culled?: CulledState;
}
