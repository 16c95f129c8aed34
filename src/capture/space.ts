import type { CrowdOptions } from '../crowd/options.ts';
import { crowdShape, tableOptions } from '../crowd/shape.ts';
import type { VertexProvider } from '../stages/skin-vertices/providers.ts';
import type { CapturedSpace } from './arrays.ts';
import { typesOfPlaces } from './check-places.ts';
import { CaptureReport, coded } from './form.ts';
import type { CapturedOptions, FrameCapture } from './capture.ts';

/** What a crowd is created with that is like the captured one. */
export function crowdOptionsOf({ skin, characters, ...numbers }: CapturedOptions): CrowdOptions {
  const known = new Map(characters.map((character, index) => [character, skin[index]!]));
  const given = Object.entries(numbers).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), characters, skin: (character) => known.get(character)! } as CrowdOptions;
}

/**
 * The shape of the captured crowd, made anew.
 * @param providers Those that are at hand: without them all but skin-vertices runs.
 * @throws ManipleError CAPTURE_INVALID: there can be no such crowd
 */
export function spaceOf(
  { numbers, options, kernels, places, providers: names }: FrameCapture,
  providers: readonly VertexProvider[],
): CapturedSpace {
  // how many there were says who shares poses
  const standIns = names.map((name): VertexProvider => ({ name, space: 'model', code: '' }));
  const crowd = { ...crowdOptionsOf(options), providers: standIns };
  const report = new CaptureReport(undefined);
  const types = typesOfPlaces(options.characters, places, tableOptions(crowd, kernels), report);
  const shape = coded(report, 'options', () => crowdShape(crowd, kernels, { types }));
  return { shape: { ...shape, providers }, numbers };
}
