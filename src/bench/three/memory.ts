import { manipleSkinned } from './maniple-crowds.ts';
import type { Plan } from './plan.ts';
import { memoryOfSubject, type Setting } from './run.ts';

/** Bytes of GPU memory of a crowd in three.js, by its own counters. */
export interface CrowdMemory {
  readonly count: number;
  readonly skin: 'compute' | 'vertex';
  readonly copies: 1 | 2;
  /** `crowd.byteLength`. */
  readonly crowd: number;
  /** By the counter of three.js: the adapter's tables, the picture and the ground. */
  readonly three: number;
}

/** Counts memory of crowds with all characters visible, for both ways of skinning, without and with motion vectors. */
export async function countMemory(plan: Plan, setting: Setting): Promise<CrowdMemory[]> {
  const rows: CrowdMemory[] = [];
  for (const skin of ['compute', 'vertex'] as const) {
    for (const copies of [1, 2] as const) {
      const { own, three } = await memoryOfSubject(manipleSkinned(skin, copies), plan, setting);
      rows.push({ count: plan.count, skin, copies, crowd: own, three });
    }
  }
  return rows;
}

/** A row as a line. */
export function memoryLine({ count, skin, copies, crowd, three }: CrowdMemory): string {
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1).padStart(8);
  const name = `${count} characters, skin: '${skin}', ${copies === 1 ? 'one copy' : 'two copies'}`;
  return `${name.padEnd(48)}${mb(crowd)}${mb(three)}${mb(crowd + three)}`;
}
