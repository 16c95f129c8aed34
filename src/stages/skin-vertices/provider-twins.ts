import { openVertices } from '../../asset/vertex-channels.ts';
import { fail } from '../../errors.ts';
import type { View } from '../../layout/index.ts';
import type { VisibleCharacter } from '../layout.ts';
import {
  ALL_VIEWS,
  providerRows,
  providersOf,
  type ProvidedSurface,
  type ProviderSite,
  type VertexProvider,
} from './providers.ts';

/** What providers' twins read. */
export interface ProviderViews {
  readonly list: readonly VertexProvider[];
  /** Seconds, modulo 4,096. */
  readonly time: number;
  readonly frame: number;
  /** Rows of four floats, of all providers. */
  readonly rows: Float32Array;
}

interface Surface {
  readonly position: number[];
  readonly normal: number[];
  readonly tangent: number[];
  /** Four numbers of the crowd's `skinnedChannel`. */
  readonly skinnedChannel: readonly number[];
}

/** Sends a vertex through those of a mesh's providers that work in a space. */
export type ProviderTwins = (space: VertexProvider['space'], vertex: number, surface: Surface) => Surface;

/** Whose vertices go through providers: a row of the visible list, and the geometry table. */
interface TwinSite {
  readonly variant: number;
  readonly visible: View<(typeof VisibleCharacter)['fields']>;
  readonly who: number;
  readonly geometry: Uint32Array<ArrayBuffer>;
}

/**
 * The providers that a loader variant names, for a row of the visible list.
 * @throws ManipleError PROVIDER_MISSING: one has no twin
 */
export function providerTwins(
  views: ProviderViews | undefined,
  { variant, visible, who, geometry }: TwinSite,
): ProviderTwins {
  const mask = views ? providersOf(variant, views.list.length) : 0;
  if (!views || mask === 0) return (_, __, surface) => surface;
  const first = providerRows(views.list);
  // a row that no view sees is posed for those who follow it
  const seenBy = visible.get(who, 'views') || ALL_VIEWS;
  const chosen = views.list.flatMap(({ name, space, views: wants = ALL_VIEWS, twin }, index) => {
    if (((mask >>> index) & 1) === 0) return [];
    const row = (i: number) => views.rows.subarray(4 * (first[index]! + i), 4 * (first[index]! + i) + 4);
    const missing = () => fail('PROVIDER_MISSING', `provider ${name}`, 'it has no twin, which the CPU takes.');
    return [{ twin: twin ?? missing(), row, space, wanted: (wants & seenBy) !== 0 }];
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
        time: views.time,
        frame: views.frame,
        row,
        channel: (name, of = vertex) =>
          openVertices(geometry, visible.get(who, 'geometryRow'), of).loadChannel(name, of),
      };
      out = { skinnedChannel: out.skinnedChannel!, ...twin(site, out) };
    }
    const { position, normal, tangent, skinnedChannel } = out;
    return {
      position: [...position],
      normal: [...normal],
      tangent: [...tangent],
      skinnedChannel: [0, 1, 2, 3].map((c) => skinnedChannel?.[c] ?? 0),
    };
  };
}
