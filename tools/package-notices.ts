// The licences of the packages that the package contains.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Metafile } from 'esbuild';

const root = path.resolve(import.meta.dirname, '..');

/** Names of files that a licence asks to pass on. */
const NOTICE = /^(licen[cs]e|notices?|copying)(\.\w+)?$/i;

/** Lists the packages of a build with their licences. Each text stands once. */
export function packageNotices({ inputs }: Metafile): string {
  const folders = new Set(
    Object.keys(inputs).flatMap((file) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  );
  const packages = [...folders].sort().map(readPackage);
  const texts = new Map<string, string[]>();
  for (const { title, notices } of packages) {
    for (const notice of notices) texts.set(notice, [...(texts.get(notice) ?? []), title]);
  }
  const list = packages.map(({ title, license }) => `- ${title}: ${license}`);
  const parts = Array.from(texts, ([text, titles]) => `${'-'.repeat(80)}\n${titles.join(', ')}\n\n${text}\n`);
  return `Maniple contains code of these packages:\n\n${list.join('\n')}\n\n${parts.join('\n')}`;
}

interface Package {
  readonly title: string;
  readonly license: string;
  readonly notices: readonly string[];
}

function readPackage(name: string): Package {
  const folder = path.join(root, name);
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Record<string, string>;
  const files = readdirSync(folder).filter((file) => NOTICE.test(file));
  const notices = files.map((file) => readFileSync(path.join(folder, file), 'utf8').trim());
  // draco3dgltf ships no text: that of the same licence stands with gltf-validator
  if (notices.length === 0 && manifest.license !== 'Apache-2.0') throw new Error(`${name} has no licence text`);
  return { title: `${manifest.name} ${manifest.version}`, license: manifest.license!, notices };
}
