import { fileURLToPath } from 'node:url';
import { PROPS, type BattleScenery } from '../../../render/battle-scenery.ts';
import { packScenery } from '../../../asset/scenery/pack-scenery.ts';
import { createStatics, type Statics } from '../../../render/statics/statics.ts';
import { openFile } from '../../load.ts';

/** Beside the sources as beside the built package. */
const propFile = (prop: string) => fileURLToPath(new URL(`../../../../props/${prop}.glb`, import.meta.url));

/** Loads what stands around a battle. @throws ManipleError FILE_… where the package is not whole */
export async function loadScenery(device: GPUDevice, { places }: BattleScenery): Promise<Statics> {
  const pieces = PROPS.filter((prop) => places[prop].length > 0).map(async (prop) => {
    const opened = await openFile(propFile(prop));
    const character = opened.kind === 'baked' ? opened.character : packScenery(opened.model);
    return { character, places: places[prop] };
  });
  return createStatics(device, await Promise.all(pieces));
}
