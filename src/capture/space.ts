import type { CrowdOptions } from '../crowd/options.ts';
import { crowdLayout, tableOptions } from '../crowd/crowd-layout.ts';
import { typesAt } from '../frame/tables/crowd-types.ts';
import type { VertexProvider } from '../stages/providers.ts';
import type { CapturedSpace } from './arrays.ts';
import type { CapturedProvider, FrameCapture } from './capture.ts';

/**
 * Options for creating a crowd like the captured one, with providers without code. Their number and sizes affect many
 * other values.
 */
function capturedCrowd({ options, providers, providerSizes }: FrameCapture): CrowdOptions {
  const { skin, characters, ...numbers } = options;
  const skinByCharacter = new Map(characters.map((character, index) => [character, skin[index]!]));
  const given = Object.entries(numbers).filter(([, value]) => value !== undefined);
  const fallbacks = providers.map((name, index): VertexProvider => {
    const { updates, ...rows } = providerSizes[index]!;
    return { name, space: 'model', code: '', ...rows, ...(updates && { update: { code: '' } }) };
  });
  return {
    ...Object.fromEntries(given),
    capacity: options.capacity,
    characters,
    skin: (character) => skinByCharacter.get(character)!,
    providers: fallbacks,
  };
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
 */
export function spaceOf(capture: FrameCapture, providers: readonly VertexProvider[]): CapturedSpace {
  const { numbers, options, kernels, places } = capture;
  const crowd = capturedCrowd(capture);
  const types = typesAt(options.characters, places, tableOptions(crowd, kernels));
  const shape = crowdLayout(crowd, kernels, { types });
  return { shape: { ...shape, providers: isSame(capture, providers) ? providers : shape.providers }, numbers };
}
