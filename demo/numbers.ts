/** Formats a whole number: `12,345`. Does not use `Intl`, which rejects the locales of some systems. */
export function countText(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}
