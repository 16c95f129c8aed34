import { type Character, loadCharacter } from '../../src/index.ts';
import { type BattleScenery, createStatics, PROPS, type Prop, type Statics } from '../../src/render/index.ts';

/** The characters and props of the battle, as they were baked when the page was built. */
export interface Cast {
  readonly legionary: Character;
  readonly raider: Character;
  readonly props: ReadonlyMap<Prop, Character>;
}

/** @throws ManipleError FILE_…, BAKED_… */
export async function loadCast(folder: string): Promise<Cast> {
  const load = (name: string) => loadCharacter(`${folder}${name}.maniple`);
  const [legionary, raider, ...props] = await Promise.all(['legionary', 'raider', ...PROPS].map(load));
  return { legionary: legionary!, raider: raider!, props: new Map(PROPS.map((prop, i) => [prop, props[i]!])) };
}

export function createScenery(device: GPUDevice, { props }: Cast, { places }: BattleScenery): Statics {
  const pieces = PROPS.filter((prop) => places[prop].length > 0);
  return createStatics(
    device,
    pieces.map((prop) => ({ character: props.get(prop)!, places: places[prop] })),
  );
}
