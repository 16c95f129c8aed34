import type { CulledState, HandedOver, SocketState } from './backend.ts';
import type { CpuSockets } from './cpu-sockets.ts';
import type { FreezeDrops } from './drops.ts';

/** Resources handed to the replacement CPU backend. */
export interface CpuEstate extends Omit<HandedOver, 'sockets' | 'freezes' | 'culled'> {
  readonly sockets: CpuSockets | SocketState;
  readonly freezes: FreezeDrops | HandedOver['freezes'];
  /** Undefined if slots are granted again. */
  readonly culled?: CulledState;
}
