import { CHARACTERS_PER_GROUP, PALETTE_IN_WORKGROUP } from './layout.ts';

/** How the workgroups of skin-vertices read one mesh: the result is the same, the time is not. */
export interface SkinVariant {
  /** Palettes are copied to workgroup memory first; where one does not fit, they are read where they lie all the same. */
  readonly cached: boolean;
  /** Characters that share a workgroup, 1 … 4: each vertex is read once for all of them. At most as many as memory holds. */
  readonly sharers: number;
}

/** Characters that a workgroup can serve, of a mesh with so many palette entries; 0: palettes of that size are never cached. */
export function mostSharers(paletteCount: number, cached: boolean): number {
  if (!cached) return CHARACTERS_PER_GROUP;
  return Math.min(CHARACTERS_PER_GROUP, Math.floor(PALETTE_IN_WORKGROUP / Math.max(1, paletteCount)));
}

/** What a mesh takes that nobody measured: cached where palettes fit, if the device is no software adapter, and shared by as many as can. */
export function ruleVariant(paletteCount: number, cachedPalettes: boolean): SkinVariant {
  return fittingVariant({ cached: cachedPalettes, sharers: CHARACTERS_PER_GROUP }, paletteCount);
}

/** The nearest that is possible: a choice may come from outside, or from before the mesh changed. */
export function fittingVariant({ cached, sharers }: SkinVariant, paletteCount: number): SkinVariant {
  const fits = cached && mostSharers(paletteCount, true) > 0;
  return { cached: fits, sharers: Math.max(1, Math.min(sharers, mostSharers(paletteCount, fits))) };
}

/** Variants worth measuring: 1, 2 and 4 sharers, cached and not, as far as memory holds them, and the rule's, which stands first. */
export function candidateVariants(paletteCount: number): SkinVariant[] {
  const wanted = [true, false].flatMap((cached) => [4, 2, 1].map((sharers): SkinVariant => ({ cached, sharers })));
  const all = [ruleVariant(paletteCount, true), ...wanted.map((variant) => fittingVariant(variant, paletteCount))];
  return all.filter((one, i) => all.findIndex((other) => sameVariant(one, other)) === i);
}

export function sameVariant(a: SkinVariant, b: SkinVariant): boolean {
  return a.cached === b.cached && a.sharers === b.sharers;
}

/** For people: what a variant does. */
export function describeVariant({ cached, sharers }: SkinVariant): string {
  const where = cached ? 'palettes in workgroup memory' : 'palettes in storage';
  return `${where}, ${sharers === 1 ? 'one character' : `${sharers} characters`} per workgroup`;
}

/** Whether a value is a variant that can be chosen. */
export function isVariant(value: unknown): value is SkinVariant {
  if (typeof value !== 'object' || value === null) return false;
  const { cached, sharers } = value as { cached?: unknown; sharers?: number };
  return typeof cached === 'boolean' && Number.isInteger(sharers) && sharers! >= 1 && sharers! <= CHARACTERS_PER_GROUP;
}
