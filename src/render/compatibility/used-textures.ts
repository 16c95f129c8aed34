import { fail } from '../../errors.ts';
import { TEXTURE_ARRAYS } from '../materials/layout.ts';
import type { MaterialTable } from '../materials/material-table.ts';

/** Combinations of a texture and a sampler that fragment stages of the compatibility level can have. */
const COMBINATIONS = 16;
/** Those that draws take without materials: shadow maps and the shade of feet, or tables of surfaces. */
const OTHERS = 3;

/** `@group(3) @binding(1) var _textures0: texture_2d_array<f32>`: the bindings of materials, from 1 on. */
const ARRAY = /@group\(\s*3\s*\)\s*@binding\(\s*(\d+)\s*\)\s*var\s+(\w+)\s*:\s*texture_2d_array/g;
/** `if (_isKind(kinds, at, 4u)) { return textureSampleGrad(_textures0, …); }`: the kind, and the array. */
const LOOKUP = /if\s*\(\s*\w+\(\s*\w+,\s*\w+,\s*(\d+)u\s*\)\s*\)\s*\{\s*return textureSampleGrad\(\s*(\w+)[^;]*;\s*\}/g;

/**
 * Leaves lookups of textures out that no material takes. The compatibility level counts all combinations of a texture and a sampler
 * in a shader's text. Lines keep their numbers.
 *
 * @throws ManipleError DEVICE_LIMIT: materials take more combinations than the level has
 */
export function withUsedTextures(code: string, { constants }: Pick<MaterialTable, 'constants'>): string {
  const colors = constants.baseColorTextures | constants.emissiveTextures;
  const numbers = constants.metallicRoughnessTextures | constants.normalTextures | constants.occlusionTextures;
  const arrays = new Map(Array.from(code.matchAll(ARRAY), ([, binding, name]) => [name!, Number(binding) - 1]));
  let count = OTHERS;
  const text = code.replaceAll(LOOKUP, (lookup: string, kind: string, name: string) => {
    const isUsed = (((arrays.get(name)! < TEXTURE_ARRAYS ? colors : numbers) >>> Number(kind)) & 1) === 1;
    count += Number(isUsed);
    return isUsed ? lookup : lookup.replaceAll(/[^\n]/g, '');
  });
  if (count <= COMBINATIONS) return text;
  const message = `Materials take ${count - OTHERS} combinations of texture size and wrap mode; the limit is ${COMBINATIONS - OTHERS}.`;
  return fail('DEVICE_LIMIT', 'materials', message, 'Use fewer sizes of textures, or the same wrap modes for all.');
}
