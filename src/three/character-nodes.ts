import type { Node, StorageBufferAttribute } from 'three/webgpu';
import { varyingProperty, wgslFn } from 'three/tsl';
import { Resident } from '../stages/layout.ts';
import { readRows } from './rows.ts';

/**
 * The tint of the character that is drawn, or that carries what is drawn: linear RGBA, white unless `setTint` says otherwise. Colours
 * of characters are multiplied with it already; those of things that they carry are not. This is for nodes of yours. 0 in meshes that are no part of a crowd.
 */
export const crowdTint: Node<'vec4'> = varyingProperty('vec4', 'vCrowdTint');

/**
 * A number of the character that is drawn, or that carries what is drawn: its row of the crowd, below its capacity. Another one's
 * once it is gone. 0 in meshes that are no part of a crowd.
 */
export const crowdId: Node<'uint'> = varyingProperty('uint', 'vCrowdId');

const unpackColor = wgslFn<[Node]>(/* wgsl */ `
  fn unpackColor(word: u32) -> vec4<f32> { return unpack4x8unorm(word); }`);

/**
 * Has nodes of materials know the character in a row: one function for whatever draws a character and whatever it carries. Called
 * in a vertex stage, within a function of nodes.
 */
export function assignCharacter(row: Node<'uint'>, residents: StorageBufferAttribute): void {
  crowdId.assign(row);
  crowdTint.assign(unpackColor(readRows(residents, Resident)(row).word('tint')) as Node<'vec4'>);
}
