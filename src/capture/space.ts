import type { CrowdOptions } from '../crowd/options.ts';
import { crowdShape, tableOptions } from '../crowd/shape.ts';
import type { VertexProvider } from '../stages/providers.ts';
import type { CapturedSpace } from './arrays.ts';
import { typesOfPlaces } from './check-places.ts';
import { CaptureReport, coded } from './form.ts';
import type { CapturedOptions, CapturedProvider, FrameCapture } from './capture.ts';

/** What a crowd is created with that is like the captured one. */
export function crowdOptionsOf({ skin, characters, ...numbers }: CapturedOptions): CrowdOptions {
  const known = new Map(characters.map((character, index) => [character, skin[index]!]));
  const given = Object.entries(numbers).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), characters, skin: (character) => known.get(character)! } as CrowdOptions;
}

/** The same with providers that have all but their code: how many there are and what they take decides much else. */
export function capturedCrowd({
  options,
  providers,
  providerSizes,
}: Pick<FrameCapture, 'options' | 'providers' | 'providerSizes'>): CrowdOptions {
  const standIns = providers.map((name, index): VertexProvider => {
    const { updates, ...rows } = providerSizes[index]!;
    return { name, space: 'model', code: '', ...rows, ...(updates && { update: { code: '' } }) };
  });
  return { ...crowdOptionsOf(options), providers: standIns };
}

/** What a capture says of a provider beside its name. */
export function capturedSizes({
  rowCount = 0,
  characterRowCount = 0,
  stateRowCount = 0,
  update,
}: VertexProvider): CapturedProvider {
  return { rowCount, characterRowCount, stateRowCount, updates: update !== undefined };
}

/** Whether providers are those of the capture, by their names and rows. */
export function isSame(
  { providers: names, providerSizes }: Pick<FrameCapture, 'providers' | 'providerSizes'>,
  providers: readonly VertexProvider[],
): boolean {
  const sizes = providers.map(capturedSizes);
  const keys = ['rowCount', 'characterRowCount', 'stateRowCount', 'updates'] as const;
  return (
    providers.map(({ name }) => name).join() === names.join() &&
    sizes.every((size, index) => keys.every((key) => size[key] === providerSizes[index]![key]))
  );
}

/**
 * The shape of the captured crowd, made anew.
 * @param providers Those that are at hand: without them all but skin-vertices runs.
 * @throws ManipleError CAPTURE_INVALID: there can be no such crowd
 */
export function spaceOf(capture: FrameCapture, providers: readonly VertexProvider[]): CapturedSpace {
  const { numbers, options, kernels, places } = capture;
  const crowd = capturedCrowd(capture);
  const report = new CaptureReport(undefined);
  const types = typesOfPlaces(options.characters, places, tableOptions(crowd, kernels), report);
  const shape = coded(report, 'options', () => crowdShape(crowd, kernels, { types }));
  return { shape: { ...shape, providers: isSame(capture, providers) ? providers : shape.providers }, numbers };
}
