import type { CrowdOptions } from '../crowd/options.ts';
import { crowdShape } from '../crowd/shape.ts';
import type { VertexProvider } from '../stages/skin-vertices/providers.ts';
import type { CapturedSpace } from './arrays.ts';
import type { CapturedOptions, FrameCapture } from './capture.ts';

/** What a crowd is created with that is like the captured one. */
export function crowdOptionsOf({ skin, characters, ...numbers }: CapturedOptions): CrowdOptions {
  const known = new Map(characters.map((character, index) => [character, skin[index]!]));
  const given = Object.entries(numbers).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), characters, skin: (character) => known.get(character)! } as CrowdOptions;
}

/** The shape of the captured crowd, made anew. */
export function spaceOf(
  { numbers, options, kernels }: FrameCapture,
  providers: readonly VertexProvider[],
): CapturedSpace {
  return { shape: crowdShape({ ...crowdOptionsOf(options), providers }, kernels), numbers };
}
