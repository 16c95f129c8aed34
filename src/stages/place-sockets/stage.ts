import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch } from '../kernel.ts';
import { kernels } from './kernel.gen.ts';
import { placeSocketsBindings } from './layout.ts';

const WORKGROUP_SIZE = 64;

export interface PlaceSocketsBuffers {
  /** `FrameParams`. Zeros for a frame without views: the list is of an earlier frame, and there is no history. */
  readonly params: GPUBuffer;
  readonly slots: GPUBuffer;
  readonly visible: GPUBuffer;
  readonly palettes: GPUBuffer;
  readonly transforms: GPUBuffer;
  readonly previousTransforms: GPUBuffer;
  /** `SOCKET_BYTES` per attachment: first every `Attachment`, then joints, then history. */
  readonly sockets: GPUBuffer;
  readonly matrices: GPUBuffer;
  readonly previousMatrices: GPUBuffer;
}

export interface PlaceSockets {
  /** Binds the buffers. The returned function makes the dispatch of a frame for the first `count` attachments. */
  bind(buffers: PlaceSocketsBuffers): (count: number) => Dispatch;
}

/**
 * Computes the world matrix of each attachment, ready to be an instance's, and the one of the last frame.
 *
 * Reads slots, visible, palettes, transforms, previousTransforms; reads and writes sockets; writes matrices and
 * previousMatrices. One thread per attachment. In a frame without views joints stay as they were last posed.
 */
export function createPlaceSockets(device: GPUDevice): PlaceSockets {
  const label = 'place-sockets';
  const layout = createStageLayout(device, label, [placeSocketsBindings]);
  const kernel = createKernel(device, {
    label,
    variant: 'base',
    code: kernels.base,
    entryPoint: 'placeSockets',
    layout: layout.pipeline,
    constants: { WORKGROUP_SIZE },
  });
  return {
    bind(buffers) {
      const groups = [createBindGroup(device, label, layout.groups[0]!, placeSocketsBindings, { ...buffers })];
      return (count) => ({ kernel, groups, groupCount: Math.ceil(count / WORKGROUP_SIZE) });
    },
  };
}
