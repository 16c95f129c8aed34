/** A whole number for people: `12,345`. Without `Intl`, which refuses the locales of some systems. */
export function countText(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}
