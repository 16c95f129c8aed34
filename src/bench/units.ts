const PREFIXES = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** A number in three digits with a decimal prefix and a symbol: `17.1 G`, `950 B`, `3.2 kB`. */
export function inUnits(value: number, symbol = ''): string {
  for (const [unit, prefix] of PREFIXES) {
    if (value >= 0.9995 * unit) return `${threeDigits(value / unit)} ${prefix}${symbol}`;
  }
  return `${threeDigits(value)} ${symbol}`.trimEnd();
}

function threeDigits(value: number): string {
  return value === 0 || Number.isInteger(value) ? String(value) : value.toPrecision(3);
}

/** Milliseconds in three digits, down to a tenth of a microsecond. */
export function milliseconds(time: number): string {
  if (time >= 100) return time.toFixed(0);
  return time >= 1 ? time.toPrecision(3) : time.toFixed(4 - Math.min(1, Math.floor(time * 10)));
}

/** How many times as long: `14.2 ×`, `1,500 ×`. */
export function times(ratio: number): string {
  return `${ratio >= 100 ? Math.round(ratio).toLocaleString('en') : ratio.toPrecision(3)} ×`;
}
