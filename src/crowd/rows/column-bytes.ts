import { planAnimators } from '../../controller/eval/regions.ts';
import type { Character } from '../../character/character.ts';
import { Decision } from '../../stages/cull-characters/layout.ts';
import { Player } from '../../stages/gather-motions/layout.ts';
import { Resident, SlotState, Transform, VisibleCharacter } from '../../stages/layout.ts';
import { controllerTraits } from '../../stages/step-controllers/traits.ts';
import { DEFAULT_MOTIONS } from '../options.ts';

/** Bytes that the columns of a crowd with default options have for each character of this type, visible or not. */
export function columnBytes({ controller }: Character): number {
  const common = 2 * Transform.size + Resident.size + SlotState.size + Decision.size + VisibleCharacter.size;
  if (!controller) return common + DEFAULT_MOTIONS * Player.size;
  const rowsOf = (capacity: number): number =>
    planAnimators({
      capacity,
      machines: controller.machines.length,
      layers: controller.layers.length,
      parameters: controller.parameters.length,
      hasRoot: controllerTraits([controller]).root,
    }).rowCount;
  // columns are rounded up to four characters
  return common + (16 * (rowsOf(8) - rowsOf(4))) / 4;
}
