import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BAKED_VERSION } from '../../src/character/file/index.ts';
import { PROPS } from '../../src/battle/scenery.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Names of baked files, without their extension. */
export const BAKED: readonly string[] = ['legionary', 'raider', ...PROPS];

/** Triangles of each coarser level, as shares of the finest. */
export function levelsOf(quick: boolean): readonly number[] {
  return quick ? [] : [0.5, 0.25, 0.125];
}

/** Returns a key for everything that baked files depend on. Nothing is baked again while it is unchanged. */
export async function inputsOf(quick: boolean): Promise<string> {
  const files = [
    ...['legionary', 'raider'].map((name) => `characters/${name}.glb`),
    ...PROPS.map((name) => `props/${name}.glb`),
    'src/battle/soldier.ts',
    'demo/bake/main.ts',
  ];
  const hash = createHash('sha256').update(JSON.stringify([BAKED_VERSION, levelsOf(quick)]));
  for (const file of files) hash.update(await readFile(path.join(root, file)));
  return hash.digest('hex');
}
