import type { CrowdOptions } from '../crowd/options.ts';
import { crowdLayout, tableOptions } from '../crowd/crowd-layout.ts';
import type { VertexProvider } from '../stages/providers.ts';
import type { CapturedSpace } from './arrays.ts';
import { typesOfPlaces } from './check-places.ts';
import { CaptureReport, coded } from './form.ts';
import type { CapturedOptions, CapturedProvider, FrameCapture } from './capture.ts';

/** Options for creating a crowd like the captured one. */
export function crowdOptionsOf({ skin, characters, ...numbers }: CapturedOptions): CrowdOptions {
  const known = new Map(characters.map((character, index) => [character, skin[index]!]));
  const given = Object.entries(numbers).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), characters, skin: (character) => known.get(character)! } as CrowdOptions;
}

/** The same with providers without code. Their number and sizes affect many other values. */
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

/** Sizes of a provider, which a capture contains in addition to its name. */
export function capturedSizes({
  rowCount = 0,
  characterRowCount = 0,
  stateRowCount = 0,
  update,
}: VertexProvider): CapturedProvider {
  return { rowCount, characterRowCount, stateRowCount, updates: update !== undefined };
}

/** Returns true if providers match those of the capture, by their names and rows. */
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
 * Computes the shape of the captured crowd again.
 * @param providers The available providers. Without them all stages except skin-vertices run.
 * @throws ManipleError CAPTURE_INVALID: such a crowd cannot exist
 */
export function spaceOf(capture: FrameCapture, providers: readonly VertexProvider[]): CapturedSpace {
  const { numbers, options, kernels, places } = capture;
  const crowd = capturedCrowd(capture);
  const report = new CaptureReport(undefined);
  const types = typesOfPlaces(options.characters, places, tableOptions(crowd, kernels), report);
  const shape = coded(report, 'options', () => crowdLayout(crowd, kernels, { types }));
  return { shape: { ...shape, providers: isSame(capture, providers) ? providers : shape.providers }, numbers };
}
