import type { CulledState, HandedOver, SocketState } from './backend.ts';
import type { CpuSockets } from './cpu-sockets.ts';

/** What a backend goes on with that takes another one's place. */
export interface CpuEstate extends Omit<HandedOver, 'sockets' | 'culled'> {
  readonly sockets: CpuSockets | SocketState;
  /** Undefined: slots are given anew. */
  readonly culled?: CulledState;
}
