import { readdirSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
/** Folders of what is made or installed, at any depth. */
const MADE = new Set(['.git', 'node_modules', 'dist', 'out', 'coverage', '.pages', 'shared']);

/** Files of the repository, by their paths from its top, with slashes; without what is made or installed. */
export function trackedFiles(folder = ''): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return [file];
    return MADE.has(entry.name) ? [] : trackedFiles(file);
  });
}
