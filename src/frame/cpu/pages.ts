import { roundUp, View } from '../../layout/index.ts';
import type { BinRecord } from '../../stages/cull-characters/layout.ts';
import { VisibleCharacter, type Resident, type Transform } from '../../stages/layout.ts';
import type { CpuPage } from '../backend.ts';
import { channelWordBytes, createBuffer, type CrowdMemory, PageMemory } from '../tables/memory.ts';
import type { Page } from '../tables/page.ts';

/** @param hasChannel True if a word of a channel follows for every vertex. */
export function createCpuPage(device: GPUDevice | undefined, page: Page, hasChannel: boolean): CpuPage {
  const words = hasChannel ? channelWordBytes(page.vertexCapacity) / 2 : page.vertexCapacity;
  return {
    skinned: new Uint32Array(page.vertexCapacity * 4),
    skinnedTangents: new Uint32Array(words),
    memory: device && new PageMemory(device, page, hasChannel),
  };
}

/** Inputs and outputs of twins, page by page: the page's rows of the visible list, and its memory. */
export function pageRows(
  pages: readonly CpuPage[],
  bins: View<(typeof BinRecord)['fields']>,
  binCount: number,
  visible: DrawnColumns['visible'],
): (Pick<CpuPage, 'skinned' | 'skinnedTangents'> &
  Pick<DrawnColumns, 'visible'> & { readonly visibleCount: number })[] {
  const runs = binCount / pages.length;
  return pages.map(({ skinned, skinnedTangents }, page) => {
    const first = bins.get(page * runs, 'first');
    const last = (page + 1) * runs - 1;
    const visibleCount = bins.get(last, 'first') + bins.get(last, 'count') - first;
    const rows = new View(VisibleCharacter, visible.words.buffer, first * VisibleCharacter.size, visibleCount);
    return { skinned, skinnedTangents, visible: rows, visibleCount };
  });
}

/** Columns written by twins that draws read. */
export interface DrawnColumns {
  readonly transforms: View<(typeof Transform)['fields']>;
  readonly previous: View<(typeof Transform)['fields']>;
  readonly residents: View<(typeof Resident)['fields']>;
  readonly visible: View<(typeof VisibleCharacter)['fields']>;
}

/** Copies the columns to the GPU buffers that kernels would write. */
export function mirrorColumns(memory: CrowdMemory, { transforms, previous, residents, visible }: DrawnColumns): void {
  const { queue } = memory.device;
  queue.writeBuffer(memory.transforms, 0, transforms.words);
  queue.writeBuffer(memory.previousTransforms, 0, previous.words);
  queue.writeBuffer(memory.residents, 0, residents.words);
  queue.writeBuffer(memory.visible, 0, visible.words);
}

/** Copies skinned vertices to the GPU. */
export function mirrorPages({ queue }: GPUDevice, pages: readonly CpuPage[]): void {
  for (const { memory, skinned, skinnedTangents } of pages) {
    if (!memory) continue;
    queue.writeBuffer(memory.vertices, 0, skinned);
    queue.writeBuffer(memory.vertices, roundUp(skinned.byteLength, 256), skinnedTangents);
  }
}

/** Creates a buffer for the GPU copy of palettes. */
export function createPalettes(device: GPUDevice, byteLength: number): GPUBuffer {
  return createBuffer(device, 'palettes', GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST, byteLength);
}
