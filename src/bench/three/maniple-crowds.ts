import { addLods } from '../../import/index.ts';
import { characterFromModel, ManipleCrowd, modelFromThree } from '../../three/index.ts';
import type { Character } from '../../character/character.ts';
import type { ManipleCrowdOptions } from '../../three/index.ts';
import type { Soldier } from './soldier.ts';
import type { MakeSubject, Subject, SubjectContext } from './subject.ts';

/** The same work as the other subjects: every character at full detail in every frame. */
export function manipleSameWork(context: SubjectContext): Promise<Subject> {
  return manipleCrowd(context, characterOf(context.soldier), { updateRates: false });
}

const LOD_RATIOS = [1 / 2, 1 / 4, 1 / 8];
let withLods: Promise<Character> | undefined;

/** The adapter as it is meant to be used: levels of detail, and its defaults. */
export async function manipleAsUsed(context: SubjectContext): Promise<Subject> {
  withLods ??= addLods(modelOf(context.soldier), { ratios: LOD_RATIOS }).then((model) => characterFromModel(model));
  return manipleCrowd(context, await withLods, {});
}

/** As `manipleSameWork`, with one way of skinning, and two copies as if motion vectors were drawn. */
export function manipleSkinned(skin: 'compute' | 'vertex', copies: 1 | 2): MakeSubject {
  return (context) => manipleCrowd(context, characterOf(context.soldier), { updateRates: false, skin, copies });
}

const modelOf = ({ scene, animations }: Soldier) => modelFromThree({ scene, animations: [...animations] });
let alone: Character | undefined;
const characterOf = (soldier: Soldier): Character => (alone ??= characterFromModel(modelOf(soldier)));

async function manipleCrowd(
  { renderer, plan }: SubjectContext,
  character: Character,
  options: Partial<ManipleCrowdOptions>,
): Promise<Subject> {
  const crowd = await ManipleCrowd.create(renderer, { characters: [character], capacity: plan.count, ...options });
  crowd.addEventListener('error', ({ error }) => console.error(error));
  const army = crowd.spawn(character, {
    count: plan.count,
    place(i, at) {
      const { x, z, yaw } = plan.characters[i]!;
      at.position.set(x, 0, z);
      at.rotation.set(0, Math.sin(yaw / 2), 0, Math.cos(yaw / 2));
    },
  });
  army.setClips((i) => [{ clip: plan.characters[i]!.clip, time: plan.characters[i]!.time }]);
  return {
    object: crowd,
    step: (dt) => crowd.update(dt),
    ownPasses: () => [...crowd.timings.values()].reduce((sum, time) => sum + time, 0),
    ownBytes: () => crowd.byteLength,
    dispose: () => crowd.dispose(),
  };
}
