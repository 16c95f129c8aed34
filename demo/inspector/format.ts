/** Bytes for people: `12.3 kB`. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  const units = ['kB', 'MB', 'GB'];
  const power = Math.min(units.length, Math.floor(Math.log10(count) / 3));
  return `${(count / 1000 ** power).toPrecision(3)} ${units[power - 1]}`;
}

/** Metres as millimetres: `0.031 mm`. */
export function millimetres(metres: number): string {
  return `${millimetreDigits(metres)} mm`;
}

/** The same without the unit. */
export function millimetreDigits(metres: number): string {
  const mm = metres * 1000;
  if (mm === 0) return '0';
  if (mm >= 1000) return mm.toFixed(0);
  return mm < 0.0001 ? '< 0.0001' : String(Number(mm.toPrecision(2)));
}

export function seconds(time: number): string {
  return `${time.toFixed(2)} s`;
}
