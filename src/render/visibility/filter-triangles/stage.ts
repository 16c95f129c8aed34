import { createBindGroup } from '../../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch, type IndirectGroups } from '../../../stages/kernel.ts';
import type { Bindings } from '../../../layout/index.ts';
import { kernels as countCode } from './count-batches.gen.ts';
import { kernels as dropCode } from './drop-instances.gen.ts';
import { kernels as filterCode } from './kernel.gen.ts';
import {
  argumentBindings,
  countBindings,
  dropBindings,
  filterBindings,
  instanceBindings,
  planBindings,
  selectBindings,
  sizeBindings,
} from './layout.ts';
import { kernels as argumentCode } from './place-arguments.gen.ts';
import { kernels as planCode } from './plan-lists.gen.ts';
import { kernels as instanceCode } from './place-instances.gen.ts';
import { kernels as selectCode } from './select-instances.gen.ts';
import { kernels as sizeCode } from './size-instances.gen.ts';

const LABEL = 'filter-triangles';
/** Rows of a visible list that a workgroup places. */
const INSTANCE_GROUP = 256;

type Buffers<B extends Bindings> = { readonly [N in keyof B['entries']]: GPUBuffer | GPUBufferBinding };

/** The kernels of filter-triangles, in the order in which they run; each `…` binds its buffers. */
export interface FilterTriangles {
  /** Finds the rows of a visible list that some view sees. Needed only where ids may not last for all rows. */
  sizeInstances(buffers: Buffers<typeof sizeBindings>, rowCount: number): Dispatch;
  /** Chooses which of those are drawn. One workgroup. */
  selectInstances(buffers: Buffers<typeof selectBindings>): Dispatch;
  /** Finds the rows and batches of runs in this frame, and how many workgroups process them. One workgroup. */
  countBatches(buffers: Buffers<typeof countBindings>): Dispatch;
  /** Writes matrices of all rows of a visible list, and which views draw them. */
  placeInstances(buffers: Buffers<typeof instanceBindings>, rowCount: number): Dispatch;
  /**
   * Appends triangles that may be visible to the views' lists, or counts what instances keep. Counts of lists have to
   * be 0 before. A workgroup per batch of a page.
   */
  filter(buffers: Buffers<typeof filterBindings>, groupCount: IndirectGroups): Dispatch;
  /** Finds if lists were long enough, and if triangles are to be counted, or listed again. One workgroup. */
  planLists(buffers: Buffers<typeof planBindings>): Dispatch;
  /** Drops instances where lists together cannot hold all. One workgroup. */
  dropInstances(buffers: Buffers<typeof dropBindings>): Dispatch;
  /** Writes the arguments of rasterisation. */
  placeArguments(buffers: Buffers<typeof argumentBindings>): Dispatch;
}

/**
 * Makes kernels when they are first bound, once per device: that of `filter` at once.
 * @param grouped Batches take places in lists at once, which needs barriers: not for software adapters.
 */
export function createFilterTriangles(device: GPUDevice, grouped: boolean): FilterTriangles {
  const layoutOf = (name: string, bindings: Bindings) => createStageLayout(device, `${LABEL} ${name}`, [bindings]);
  const kernelOf = (name: string, bindings: Bindings, code: string, entryPoint: string) =>
    createKernel(device, {
      label: LABEL,
      variant: name,
      code,
      entryPoint,
      layout: layoutOf(name, bindings).pipeline,
    });
  const step =
    <B extends Bindings>(name: string, bindings: B, code: string, entryPoint: string) =>
    (buffers: Buffers<B>, groupCount: Dispatch['groupCount']): Dispatch => ({
      kernel: kernelOf(name, bindings, code, entryPoint),
      groups: [
        createBindGroup(device, `${LABEL} ${name}`, layoutOf(name, bindings).groups[0]!, bindings, buffers as never),
      ],
      groupCount,
    });
  const size = step('sizes', sizeBindings, sizeCode.base, 'sizeInstances');
  const select = step('selection', selectBindings, selectCode.base, 'selectInstances');
  const plan = step('plan', planBindings, planCode.base, 'planLists');
  const drop = step('drops', dropBindings, dropCode.base, 'dropInstances');
  const count = step('count', countBindings, countCode.base, 'countBatches');
  const place = step('instances', instanceBindings, instanceCode.base, 'placeInstances');
  const filterParts = [
    grouped ? 'filter grouped' : 'filter',
    filterBindings,
    grouped ? filterCode.grouped : filterCode.base,
    'filterTriangles',
  ] as const;
  kernelOf(...filterParts); // pages bind it, and there may be none yet
  const placeArguments = step('arguments', argumentBindings, argumentCode.base, 'placeArguments');
  return {
    sizeInstances: (buffers, rowCount) => size(buffers, Math.ceil(rowCount / INSTANCE_GROUP)),
    selectInstances: (buffers) => select(buffers, 1),
    planLists: (buffers) => plan(buffers, 1),
    dropInstances: (buffers) => drop(buffers, 1),
    countBatches: (buffers) => count(buffers, 1),
    placeInstances: (buffers, rowCount) => place(buffers, Math.ceil(rowCount / INSTANCE_GROUP)),
    filter: step(...filterParts),
    placeArguments: (buffers) => placeArguments(buffers, 1),
  };
}
