import { createItemStage, type ItemStage } from '../kernel.ts';
import { kernels } from './kernel.gen.ts';
import { placeSocketsBindings } from './layout.ts';

/**
 * `params` are zeros for a frame without views: the list is of an earlier frame, and there is no history. `sockets` has
 * `SOCKET_BYTES` per attachment: first every `Attachment`, then joints, then history.
 */
export type PlaceSockets = ItemStage<typeof placeSocketsBindings>;

/**
 * Computes the world matrix of each attachment, ready to be an instance's, and the one of the last frame.
 *
 * Reads slots, visible, palettes, transforms, previousTransforms; reads and writes sockets; writes matrices and
 * previousMatrices. One thread per attachment. In a frame without views joints stay as they were last posed.
 */
export function createPlaceSockets(device: GPUDevice): PlaceSockets {
  return createItemStage(device, {
    label: 'place-sockets',
    code: kernels.base,
    entryPoint: 'placeSockets',
    groups: [placeSocketsBindings],
  });
}
