import { createBindGroup, type Bindings } from '../../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch } from '../../../stages/kernel.ts';
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

type Bind<B> = (buffers: B, groupCount: Dispatch['groupCount']) => Dispatch;
type Buffers<B extends Bindings> = { readonly [N in keyof B['entries']]: GPUBuffer | GPUBufferBinding };

/**
 * The kernels of filter-triangles, in the order in which they run; each function binds its buffers. Makes kernels when
 * they are first bound, once per device: that of `filter` at once.
 * @param grouped Batches take places in lists at once, which needs barriers: not for software adapters.
 */
export function createFilterTriangles(device: GPUDevice, grouped: boolean) {
  const layoutOf = (name: string, bindings: Bindings) => createStageLayout(device, `${LABEL} ${name}`, [bindings]);
  const kernelOf = (variant: string, bindings: Bindings, code: string, entryPoint: string) =>
    createKernel(device, { label: LABEL, variant, code, entryPoint, layout: layoutOf(variant, bindings).pipeline });
  const step =
    <B extends Bindings>(name: string, bindings: B, code: string, entryPoint: string) =>
    (buffers: Buffers<B>, groupCount: Dispatch['groupCount']): Dispatch => {
      const [layout] = layoutOf(name, bindings).groups;
      const group = createBindGroup(device, `${LABEL} ${name}`, layout!, bindings, buffers as never);
      return { kernel: kernelOf(name, bindings, code, entryPoint), groups: [group], groupCount };
    };
  /** A kernel of one workgroup. */
  const single =
    <B>(bind: Bind<B>) =>
    (buffers: B) =>
      bind(buffers, 1);
  /** A kernel with a thread per row of a visible list. */
  const perRow =
    <B>(bind: Bind<B>) =>
    (buffers: B, rowCount: number) =>
      bind(buffers, Math.ceil(rowCount / INSTANCE_GROUP));
  const code = grouped ? filterCode.grouped : filterCode.base;
  const filter = [grouped ? 'filter grouped' : 'filter', filterBindings, code, 'filterTriangles'] as const;
  kernelOf(...filter); // pages bind it, and there may be none yet
  return {
    /** Finds the rows of a visible list that some view sees. Needed only where ids may not last for all rows. */
    sizeInstances: perRow(step('sizes', sizeBindings, sizeCode.base, 'sizeInstances')),
    /** Chooses which of those are drawn. */
    selectInstances: single(step('selection', selectBindings, selectCode.base, 'selectInstances')),
    /** Finds the rows and batches of runs in this frame, and how many workgroups process them. */
    countBatches: single(step('count', countBindings, countCode.base, 'countBatches')),
    /** Writes matrices of all rows of a visible list, and which views draw them. */
    placeInstances: perRow(step('instances', instanceBindings, instanceCode.base, 'placeInstances')),
    /**
     * Appends triangles that may be visible to the views' lists, or counts what instances keep. Counts of lists have to
     * be 0 before. A workgroup per batch of a page.
     */
    filter: step(...filter),
    /** Finds if lists were long enough, and if triangles are to be counted, or listed again. */
    planLists: single(step('plan', planBindings, planCode.base, 'planLists')),
    /** Drops instances where lists together cannot hold all. */
    dropInstances: single(step('drops', dropBindings, dropCode.base, 'dropInstances')),
    /** Writes the arguments of rasterisation. */
    placeArguments: single(step('arguments', argumentBindings, argumentCode.base, 'placeArguments')),
  };
}
