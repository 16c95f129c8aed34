import { createItemStage, type BuffersOf, type Dispatch } from '../kernel.ts';
import { kernels } from './kernel.gen.ts';
import { readJointsBindings, readRowsBindings } from './layout.ts';
import { kernels as rowKernels } from './rows.gen.ts';

export type ReadJoints = ReturnType<typeof createReadJoints>;

/** Kernels that gather the data of readbacks. They do not run in the frame, and are compiled at the first request. */
export function createReadJoints(device: GPUDevice) {
  return {
    /** Joints as the last frame with views posed them: one thread each. */
    joints(buffers: BuffersOf<typeof readJointsBindings>, count: number): Dispatch {
      const stage = createItemStage(device, {
        label: 'read-joints',
        code: kernels.base,
        entryPoint: 'readJoints',
        groups: [readJointsBindings],
      });
      return stage.bind(buffers)(count);
    },
    /** `rows` neighbours of 16 bytes for each of `count` requested items: one thread each. */
    rows(buffers: BuffersOf<typeof readRowsBindings>, count: number, rows: number): Dispatch {
      const stage = createItemStage(device, {
        label: 'read-joints rows',
        code: rowKernels.base,
        entryPoint: 'readRows',
        groups: [readRowsBindings],
        constants: { ROWS: rows },
      });
      return stage.bind(buffers)(count * rows);
    },
  };
}
