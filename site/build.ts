// What stands before `vitepress build`: API pages, and the repository's Markdown with links that hold on the site.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeApi } from './api.ts';
import { fixLinks, pageOf, PAGES, repositoryFiles, ROOT, servedAs } from './pages.ts';

rmSync(PAGES, { recursive: true, force: true });
const documents = repositoryFiles();
const pages = new Set(documents);
const dead: string[] = [];
const files = new Set<string>();
for (const document of documents) {
  const { text, ...found } = fixLinks(document, readFileSync(path.join(ROOT, document), 'utf8'), pages);
  const page = path.join(PAGES, pageOf(document));
  mkdirSync(path.dirname(page), { recursive: true });
  writeFileSync(page, text);
  dead.push(...found.dead);
  for (const file of found.files) files.add(file);
}
if (dead.length > 0) throw new Error(`links that lead nowhere:\n  ${dead.join('\n  ')}`);
for (const file of files) cpSync(path.join(ROOT, file), path.join(PAGES, 'public', servedAs(file)));
await writeApi();
