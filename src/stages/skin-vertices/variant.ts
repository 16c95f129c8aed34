import { CHARACTERS_PER_GROUP, PALETTE_IN_WORKGROUP } from './layout.ts';

/** How the workgroups of skin-vertices read one mesh. It changes only the time, not the result. */
export interface SkinVariant {
  /** True to copy palettes to workgroup memory first. If not even one fits, they are read from storage. */
  readonly cached: boolean;
  /** Characters that share a workgroup, 1 … 4: each vertex is read once for all of them. Limited by workgroup memory. */
  readonly sharers: number;
}

/** Characters that a workgroup can serve, for a mesh of `paletteCount` entries; 0 if palettes of that size are never cached. */
export function mostSharers(paletteCount: number, cached: boolean): number {
  if (!cached) return CHARACTERS_PER_GROUP;
  return Math.min(CHARACTERS_PER_GROUP, Math.floor(PALETTE_IN_WORKGROUP / Math.max(1, paletteCount)));
}

/** The variant of a mesh without measurements: cached if palettes fit and `cachedPalettes` is true, shared by as many as possible. */
export function ruleVariant(paletteCount: number, cachedPalettes: boolean): SkinVariant {
  return fittingVariant({ cached: cachedPalettes, sharers: CHARACTERS_PER_GROUP }, paletteCount);
}

/** The nearest possible variant: a choice may be external input, or older than a change of the mesh. */
export function fittingVariant({ cached, sharers }: SkinVariant, paletteCount: number): SkinVariant {
  const fits = cached && mostSharers(paletteCount, true) > 0;
  return { cached: fits, sharers: Math.max(1, Math.min(sharers, mostSharers(paletteCount, fits))) };
}

/** Variants worth measuring: the rule's first, then 1, 2 and 4 sharers, cached and not, as far as memory holds them. */
export function candidateVariants(paletteCount: number): SkinVariant[] {
  const wanted = [true, false].flatMap((cached) => [4, 2, 1].map((sharers): SkinVariant => ({ cached, sharers })));
  const all = [ruleVariant(paletteCount, true), ...wanted.map((variant) => fittingVariant(variant, paletteCount))];
  return all.filter((one, i) => all.findIndex((other) => sameVariant(one, other)) === i);
}

export function sameVariant(a: SkinVariant, b: SkinVariant): boolean {
  return a.cached === b.cached && a.sharers === b.sharers;
}

export function describeVariant({ cached, sharers }: SkinVariant): string {
  const where = cached ? 'palettes in workgroup memory' : 'palettes in storage';
  return `${where}, ${sharers === 1 ? 'one character' : `${sharers} characters`} per workgroup`;
}

export function isVariant(value: unknown): value is SkinVariant {
  if (typeof value !== 'object' || value === null) return false;
  const { cached, sharers } = value as { cached?: unknown; sharers?: number };
  return typeof cached === 'boolean' && Number.isInteger(sharers) && sharers! >= 1 && sharers! <= CHARACTERS_PER_GROUP;
}
