import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch } from '../kernel.ts';
import { kernels } from './kernel.gen.ts';
import { readJointsBindings, readRowsBindings } from './layout.ts';
import { kernels as rowKernels } from './rows.gen.ts';

const WORKGROUP_SIZE = 64;

export interface ReadJointsBuffers {
  readonly params: GPUBuffer;
  readonly slots: GPUBuffer;
  readonly visible: GPUBuffer;
  readonly palettes: GPUBuffer;
  /** One `AskedJoint` per joint; `answers` takes one `JointAnswer` per joint. */
  readonly asked: GPUBuffer;
  readonly answers: GPUBuffer;
}

export interface ReadRowsBuffers {
  readonly asked: GPUBuffer;
  readonly source: GPUBuffer;
  readonly answers: GPUBuffer;
}

/** Kernels that gather the data of readbacks. They do not run in the frame, and are compiled at the first request. */
export interface ReadJoints {
  /** Joints as the last frame with views posed them: one thread each. */
  joints(buffers: ReadJointsBuffers, count: number): Dispatch;
  /** `rows` neighbours of 16 bytes for each of `count` requested items: one thread each. */
  rows(buffers: ReadRowsBuffers, count: number, rows: number): Dispatch;
}

export function createReadJoints(device: GPUDevice): ReadJoints {
  const [jointsLabel, rowsLabel] = ['read-joints', 'read-joints rows'];
  return {
    joints(buffers, count) {
      const layout = createStageLayout(device, jointsLabel, [readJointsBindings]);
      const kernel = createKernel(device, {
        label: jointsLabel,
        variant: 'base',
        code: kernels.base,
        entryPoint: 'readJoints',
        layout: layout.pipeline,
        constants: { WORKGROUP_SIZE },
      });
      const group = createBindGroup(device, jointsLabel, layout.groups[0]!, readJointsBindings, { ...buffers });
      return { kernel, groups: [group], groupCount: Math.ceil(count / WORKGROUP_SIZE) };
    },
    rows(buffers, count, rows) {
      const layout = createStageLayout(device, rowsLabel, [readRowsBindings]);
      const kernel = createKernel(device, {
        label: rowsLabel,
        variant: 'rows',
        code: rowKernels.base,
        entryPoint: 'readRows',
        layout: layout.pipeline,
        constants: { WORKGROUP_SIZE, ROWS: rows },
      });
      const group = createBindGroup(device, rowsLabel, layout.groups[0]!, readRowsBindings, { ...buffers });
      return { kernel, groups: [group], groupCount: Math.ceil((count * rows) / WORKGROUP_SIZE) };
    },
  };
}
