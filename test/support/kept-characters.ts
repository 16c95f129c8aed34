// Packed characters in files, so that each is packed once for all worker processes and parts of a test run.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readBaked, writeBaked } from '../../src/character/file/index.ts';
import type { Character } from '../../src/character/character.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const kept = path.join(root, 'node_modules/.cache/maniple-characters');

/** What has a say in a packed character: whoever packs, bakes and reads it. */
const PACKERS = ['src/character', 'src/controller', 'src/layout', 'src/math', 'src/vertex', 'src/errors.ts'];

/**
 * Keeps characters under names. They are forgotten as soon as any source changes: that of packing and baking, or one
 * of those given, which make the models; or Node, whose functions round as they like.
 *
 * @param makers Files, by their paths in the repository.
 */
export function characterStore(...makers: readonly string[]): (name: string, make: () => Character) => Character {
  const hash = createHash('sha256').update(process.version);
  for (const file of [...PACKERS, ...makers].flatMap((place) => sources(path.join(root, place)))) {
    hash.update(readFileSync(file));
  }
  const folder = path.join(kept, hash.digest('hex').slice(0, 32));
  return (name, make) => {
    const file = path.join(folder, `${name}.maniple`);
    try {
      return readBaked(new Uint8Array(readFileSync(file)));
    } catch {
      const character = make();
      keep(file, writeBaked(character));
      return character;
    }
  };
}

function sources(place: string): string[] {
  if (place.endsWith('.ts')) return [place];
  return readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .sort()
    .map((name) => path.join(place, name));
}

/** Others may read it meanwhile: it gets its name when it is whole. What older sources made goes. */
function keep(file: string, bytes: Uint8Array): void {
  const folder = path.dirname(file);
  mkdirSync(folder, { recursive: true });
  const old = readdirSync(kept).filter((name) => name !== path.basename(folder));
  for (const name of old) rmSync(path.join(kept, name), { recursive: true, force: true });
  writeFileSync(`${file}.${process.pid}`, bytes);
  renameSync(`${file}.${process.pid}`, file);
}
