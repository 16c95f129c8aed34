import { fail } from '../../errors.ts';
import type { View } from '../../layout/index.ts';
import type { VisibleCharacter } from '../layout.ts';
import { providerRows, type ProvidedSurface, type ProviderSite, type VertexProvider } from './providers.ts';

/** What providers' twins read. */
export interface ProviderViews {
  readonly list: readonly VertexProvider[];
  /** Seconds, modulo 4,096. */
  readonly time: number;
  readonly frame: number;
  /** Per row of the visible list, a bit per view that sees the character. */
  readonly viewMasks: Uint32Array;
  /** Rows of four floats, of all providers. */
  readonly rows: Float32Array;
}

interface Surface {
  readonly position: number[];
  readonly normal: number[];
  readonly tangent: number[];
}

/** Sends a vertex through those of a mesh's providers that work in a space. */
export type ProviderTwins = (space: VertexProvider['space'], vertex: number, surface: Surface) => Surface;

/**
 * The providers whose bits are in `mask`, for a row of the visible list.
 * @throws ManipleError PROVIDER_MISSING: there is none for a bit, or it has no twin
 */
export function providerTwins(
  views: ProviderViews | undefined,
  { mask, visible, who }: { mask: number; visible: View<(typeof VisibleCharacter)['fields']>; who: number },
): ProviderTwins {
  if (mask === 0) return (_, __, surface) => surface;
  const list = views?.list ?? [];
  const first = providerRows(list);
  const seenBy = views?.viewMasks[who] ?? 0;
  const chosen = [...mask.toString(2)].toReversed().flatMap((bit, index) => {
    if (bit === '0') return [];
    const provider = list[index];
    const twin = provider?.twin ?? fail('PROVIDER_MISSING', 'providers', `provider ${index} has no twin for the CPU.`);
    const row = (i: number) => views!.rows.subarray(4 * (first[index]! + i), 4 * (first[index]! + i) + 4);
    return [{ twin, row, space: provider!.space, wanted: ((provider!.views ?? -1) & seenBy) !== 0 }];
  });
  return (space, vertex, surface) => {
    let out: ProvidedSurface = surface;
    for (const { twin, row, ...provider } of chosen) {
      if (provider.space !== space || !provider.wanted) continue;
      const site: ProviderSite = {
        character: visible.get(who, 'character'),
        vertex,
        geometryRow: visible.get(who, 'geometryRow'),
        views: seenBy,
        time: views!.time,
        frame: views!.frame,
        row,
      };
      out = twin(site, out);
    }
    return { position: [...out.position], normal: [...out.normal], tangent: [...out.tangent] };
  };
}
