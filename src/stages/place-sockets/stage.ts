import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch } from '../kernel.ts';
import { kernels } from './kernel.gen.ts';
import { placeSocketsBindings } from './layout.ts';

const WORKGROUP_SIZE = 64;

export interface PlaceSocketsBuffers {
  readonly params: GPUBuffer;
  readonly slots: GPUBuffer;
  readonly visible: GPUBuffer;
  readonly palettes: GPUBuffer;
  readonly transforms: GPUBuffer;
  /** `SOCKET_BYTES` for each attachment that there is room for: first what the host says of all, then their joints. */
  readonly sockets: GPUBuffer;
  readonly matrices: GPUBuffer;
}

export interface PlaceSockets {
  /** Binds the buffers; what it returns makes the dispatch of a frame, for the first so many attachments. */
  bind(buffers: PlaceSocketsBuffers): (count: number, isSeen: boolean) => Dispatch;
}

/**
 * Finds out where what characters carry stands in the world: a matrix per attachment, ready to be an instance's.
 *
 * Reads slots, visible, palettes, transforms; reads and writes sockets; writes matrices. One thread per attachment. In a
 * frame that nobody looks at joints stay as they were last posed.
 */
export function createPlaceSockets(device: GPUDevice): PlaceSockets {
  const label = 'place-sockets';
  const layout = createStageLayout(device, label, [placeSocketsBindings]);
  const kernelOf = (isSeen: boolean) =>
    createKernel(device, {
      label,
      variant: 'base',
      code: kernels.base,
      entryPoint: 'placeSockets',
      layout: layout.pipeline,
      constants: { WORKGROUP_SIZE, IS_SEEN: Number(isSeen) },
    });
  const [seen, unseen] = [kernelOf(true), kernelOf(false)];
  return {
    bind(buffers) {
      const groups = [createBindGroup(device, label, layout.groups[0]!, placeSocketsBindings, { ...buffers })];
      return (count, isSeen) => ({
        kernel: isSeen ? seen : unseen,
        groups,
        groupCount: Math.ceil(count / WORKGROUP_SIZE),
      });
    },
  };
}
