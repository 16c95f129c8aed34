import type { Node, StorageBufferAttribute } from 'three/webgpu';
import { varyingProperty, wgslFn } from 'three/tsl';
import { Resident } from '../stages/layout.ts';
import { readRows } from './rows.ts';

/**
 * Tint of the drawn character, or of the carrier of a drawn attachment, for your own nodes. Linear RGBA, white unless `setTint`
 * changes it. Colours of characters are already multiplied by it, colours of attachments are not. 0 in meshes outside crowds.
 */
export const crowdTint: Node<'vec4'> = varyingProperty('vec4', 'vCrowdTint');

/**
 * Row of the drawn character, or of the carrier of a drawn attachment. It is below the crowd's capacity, and is reused after the
 * character despawns. 0 in meshes outside crowds.
 */
export const crowdId: Node<'uint'> = varyingProperty('uint', 'vCrowdId');

const unpackColor = wgslFn<[Node]>(/* wgsl */ `
  fn unpackColor(word: u32) -> vec4<f32> { return unpack4x8unorm(word); }`);

/**
 * Sets `crowdId` and `crowdTint` to the character in a row. Draws of characters and of attachments both use it. Call it in the
 * vertex stage, inside an `Fn`.
 */
export function assignCharacter(row: Node<'uint'>, residents: StorageBufferAttribute): void {
  crowdId.assign(row);
  crowdTint.assign(unpackColor(readRows(residents, Resident)(row).word('tint')) as Node<'vec4'>);
}
