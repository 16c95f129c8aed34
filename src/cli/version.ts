import { readFileSync } from 'node:fs';

/** The package's version, from the package.json two folders up, in the sources as in the built package. */
export function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
