import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { LEGIONARY, soldierController } from '../../src/battle/soldier.ts';
import { writeBaked } from '../../src/character/file/index.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { addLods, importGltf } from '../../src/import/index.ts';
import { openPage, type TestPage } from '../../test/support/page.ts';

/** Shares of the triangles that coarser levels keep. */
const LOD_RATIOS = [1 / 2, 1 / 4, 1 / 8];

/** Headers with which clocks of pages have steps of 5 µs. */
const ISOLATED = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

/** Opens the page that measures tiers, with a legionary. @param folder Contains legionary.glb. */
export async function openTiers(folder: string): Promise<TestPage & { readonly joints: number }> {
  const bytes = await readFile(path.join(folder, 'legionary.glb'));
  const model = await addLods(await importGltf({ name: 'legionary', bytes }), { ratios: LOD_RATIOS });
  const character = packCharacter(model, { controller: soldierController(LEGIONARY) });
  const opened = await openPage({
    entry: fileURLToPath(new URL('tiers.page.ts', import.meta.url)),
    files: { '/legionary.glb': bytes, '/legionary.maniple': writeBaked(character) },
    headers: ISOLATED,
    // glTF decoders name modules of Node's that browsers never use
    bundle: { external: ['fs', 'path', 'node:*'] },
  });
  await opened.page.waitForFunction(() => window.tierBench !== undefined);
  return { ...opened, joints: character.joints.length };
}
