import { createItemStage, type ItemStage } from '../kernel.ts';
import { kernels } from './kernel.gen.ts';
import { groundCharactersBindings } from './layout.ts';

export type GroundCharacters = ItemStage<typeof groundCharactersBindings>;

/**
 * Puts characters that follow the ground on it: y from a field of heights, and a lean with the slope.
 *
 * Reads heights, grounded; reads and writes transforms. One thread per character. Running it again changes nothing.
 */
export function createGroundCharacters(device: GPUDevice): GroundCharacters {
  return createItemStage(device, {
    label: 'ground-characters',
    code: kernels.base,
    entryPoint: 'groundCharacters',
    groups: [groundCharactersBindings],
  });
}
