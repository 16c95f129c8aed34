import { type Character, loadCharacter, withController } from '../../src/index.ts';
import { type BattleScenery, PROPS, type Prop } from '../../src/battle/scenery.ts';
import { createScenery, type Scenery } from '../../src/render/index.ts';
import { LEGIONARY, RAIDER, soldierController, type SoldierFacts } from '../../src/battle/soldier.ts';

/** The battle's characters and props, baked when the page was built. */
export interface Cast {
  readonly legionary: Character;
  readonly raider: Character;
  readonly props: ReadonlyMap<Prop, Character>;
}

/** @param onLoaded Called after each file. @throws ManipleError FILE_…, BAKED_… */
export async function loadCast(folder: string, onLoaded: (done: number, total: number) => void): Promise<Cast> {
  let done = 0;
  const load = async (name: string) => {
    const character = await loadCharacter(`${folder}${name}.maniple`);
    onLoaded(++done, PROPS.length + 2);
    return character;
  };
  // baked files have the clips that a controller needs, but not the controller
  const soldier = async (facts: SoldierFacts) => withController(await load(facts.name), soldierController(facts));
  const [legionary, raider, ...props] = await Promise.all([soldier(LEGIONARY), soldier(RAIDER), ...PROPS.map(load)]);
  return { legionary, raider, props: new Map(PROPS.map((prop, i) => [prop, props[i]!])) };
}

export function placeScenery(device: GPUDevice, { props }: Cast, { places }: BattleScenery): Scenery {
  const pieces = PROPS.filter((prop) => places[prop].length > 0);
  return createScenery(
    device,
    pieces.map((prop) => ({ character: props.get(prop)!, places: places[prop] })),
  );
}
