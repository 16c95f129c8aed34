import { expectFunction, expectList, expectOptions, type Names, refuseArgument } from '../../crowd/arguments.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { fail, listed, quoted } from '../../errors.ts';
import { COLUMNS_HEAD, floatsBefore } from '../../frame/tables/named-columns.ts';
import type { ShadedSite } from '../visibility/shade-pixels/reference.ts';
import type { Surface } from './shade.ts';
import { internalsOf } from '../../crowd/internals.ts';

/**
 * The application's change to the surfaces of characters before lighting, for example colours by named columns. The
 * pixels that a surface covers do not change, holes of masks included.
 *
 * @example
 *   const surface = {
 *     columns: ['heat'],
 *     code: `fn changeSurface(site: SurfaceSite, surface: LitSurface) -> LitSurface {
 *       var changed = surface;
 *       changed.emissive += heatColumn(site.character) * vec3f(1.0, 0.3, 0.1);
 *       return changed;
 *     }`,
 *   };
 */
export interface SurfaceChange {
  /** Named columns that the code reads: `heatColumn(site.character)`, an f32 or a vector by the column's size. Default: none. */
  readonly columns?: readonly string[];
  /**
   * WGSL with `fn changeSurface(site: SurfaceSite, surface: LitSurface) -> LitSurface`, run for every pixel that shows a character.
   * - `SurfaceSite`: `character` (its row), `primitive` (index among those of its type), `texcoord` (vec2f, the first set);
   * - `LitSurface`: `world` (metres from the crowd's origin), `normal`, `shadingNormal` (with the normal map), `baseColor` (linear, with
   *   texture, vertex colour and tint), `metallic`, `roughness`, `emissive`, `occlusion`, `unlit` (bool).
   *
   * It has no derivatives and no bindings of its own.
   */
  readonly code: string;
  /** The same in TypeScript, for `createReferenceRenderer`. */
  readonly twin?: (site: SurfaceSite, surface: Surface) => Surface;
}

const SURFACE_CHANGE: Names<SurfaceChange> = { columns: true, code: true, twin: true };

/** The place where a surface is changed, as in the WGSL struct of that name. */
export interface SurfaceSite extends ShadedSite {
  /** The character's floats in a named column. */
  readonly column: (name: string) => readonly number[];
}

/**
 * Returns the twin of a change, for a crowd with its columns in CPU memory.
 * @throws ManipleError CROWD_BAD_ARGUMENT, SURFACE_INVALID
 */
export function changeTwin(crowd: Crowd, change: SurfaceChange): NonNullable<SurfaceChange['twin']> {
  expectChange(crowd, change);
  const { twin } = change;
  if (!twin) fail('SURFACE_INVALID', 'surface', 'It has no twin, and the CPU runs no WGSL.', 'Give it one: `twin`.');
  return twin;
}

/** Floats of one character in a named column, as the last frame left them. @throws ManipleError CROWD_BAD_ARGUMENT */
export function columnReader(crowd: Crowd, { columns = [] }: SurfaceChange) {
  const { host } = internalsOf(crowd);
  const { floats } = host.backend.columns;
  const places = new Map(
    host.named.list.map(({ name, size }, index) => [name, { size, before: floatsBefore(host.named.list, index) }]),
  );
  return (name: string, character: number): readonly number[] => {
    const place = columns.includes(name) ? places.get(name) : undefined;
    if (!place || !floats) {
      const message = `Its twin reads the column ${quoted(name)}.`;
      return fail('CROWD_BAD_ARGUMENT', 'surface', message, 'Name it in `columns`.');
    }
    const first = COLUMNS_HEAD + floats[0]! * place.before + character * place.size;
    return Array.from(floats.subarray(first, first + place.size));
  };
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectChange(crowd: Crowd, change: SurfaceChange): void {
  const { host } = internalsOf(crowd);
  expectOptions('surface', change, SURFACE_CHANGE);
  const { code, columns = [], twin } = change;
  if (typeof code !== 'string') refuseArgument('surface.code', code, 'WGSL');
  if (twin !== undefined) expectFunction('surface.twin', twin);
  expectList('surface.columns', columns);
  const unknown = columns.find((name) => !host.named.find(name));
  if (unknown === undefined) return;
  const names = host.named.list.map(({ name }) => name);
  const suggestion = names.length > 0 ? `It has ${listed(names)}.` : `Make it first: crowd.column(name, { size: 1 }).`;
  fail('CROWD_BAD_ARGUMENT', 'surface.columns', `The crowd has no column ${quoted(unknown)}.`, suggestion);
}
