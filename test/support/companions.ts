import { packCharacter } from '../../src/character/index.ts';
import { blend1d, defineController, param } from '../../src/controller/index.ts';
import type { Character } from '../../src/index.ts';
import { full } from './setup.ts';
import { clipOf, trackOf } from './small-model.ts';
import { soldierModel } from './soldiers.ts';

/**
 * Further types for a crowd on the GPU. They are never spawned. With them the crowd needs kernels that other tests have compiled
 * already. A software adapter takes ten seconds to compile them. Full runs have no companions, so each crowd has its own kernels.
 */
export const companions = (): Character[] => (full ? [] : [walker()]);

/** Walks a metre along Z in a second, and turns left by a quarter meanwhile: four times make a round. */
export function walker(): Character {
  const turned = [0, 1, 2, 3, 4].map(
    (i) => [i / 4, 0, Math.sin((i * Math.PI) / 16), 0, Math.cos((i * Math.PI) / 16)] as const,
  );
  const walk = {
    ...clipOf(
      1,
      trackOf('translation', 0, 'LINEAR', [0, 0, 0, 0], [1, 0, 0, 1]),
      trackOf('rotation', 0, 'LINEAR', ...turned),
    ),
    name: 'walk',
    events: [{ name: 'step', time: 0.5 }],
  };
  // no state enters these trees; they only make the kernels those that other tests have compiled
  const trees = blend1d('stroll', [0, blend1d('stroll', [0, 'walk'], [1, 'walk'])], [1, 'walk']);
  const machine = { default: 'Walk', states: { Walk: { motion: 'walk' }, Stand: {}, Stroll: { motion: trees } } };
  return packCharacter(soldierModel({ clips: [walk] }), {
    errorBudget: 0,
    rootMotion: { joint: 'root' },
    controller: defineController({
      name: 'walker',
      parameters: { stroll: param.float(0) },
      layers: [{ name: 'feet', machine }],
    }),
  });
}
