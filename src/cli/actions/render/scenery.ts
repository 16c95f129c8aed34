import { fileURLToPath } from 'node:url';
import { PROPS, type BattleScenery } from '../../../battle/scenery.ts';
import { packScenery } from '../../../character/pack-scenery.ts';
import type { StaticPiece } from '../../../render/scenery/lay-out.ts';
import { openFile } from '../../load.ts';

/** The path is the same from the sources and from the built package. */
const propFile = (prop: string) => fileURLToPath(new URL(`../../../../props/${prop}.glb`, import.meta.url));

/** Loads the props around a battle. @throws ManipleError FILE_… where the package is not whole */
export async function loadScenery({ places }: BattleScenery): Promise<readonly StaticPiece[]> {
  const pieces = PROPS.filter((prop) => places[prop].length > 0).map(async (prop) => {
    const opened = await openFile(propFile(prop));
    const character = opened.kind === 'baked' ? opened.character : packScenery(opened.model);
    return { character, places: places[prop] };
  });
  return Promise.all(pieces);
}
