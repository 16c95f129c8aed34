// The API pages: what the entries of package.json export, by TypeDoc.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Application } from 'typedoc';
import { PAGES, ROOT } from './pages.ts';

interface SidebarItem {
  readonly text: string;
  readonly link?: string;
  readonly collapsed?: boolean;
  readonly items?: readonly SidebarItem[];
}

/** Writes `.pages/api`, and `sidebar.json` in it. @throws Error where TypeDoc has something to complain of */
export async function writeApi(): Promise<void> {
  const entries = publicEntries();
  const app = await Application.bootstrapWithPlugins({
    entryPoints: [...entries.values()],
    tsconfig: path.join(import.meta.dirname, 'tsconfig.json'),
    plugin: ['typedoc-plugin-markdown'],
    readme: 'none',
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true, // what three's classes bring along
    disableSources: true,
    skipErrorChecking: true, // the root's compiler has checked them
    validation: { notExported: false, invalidLink: true, invalidPath: true, rewrittenLink: true, notDocumented: false },
    logLevel: 'Warn',
    ...({ outputs: [{ name: 'markdown', path: path.join(PAGES, 'api') }] } as object),
    ...({
      entryFileName: 'index',
      hidePageHeader: true,
      hideBreadcrumbs: false,
      useCodeBlocks: true,
      parametersFormat: 'table',
      interfacePropertiesFormat: 'list',
      expandObjects: false,
    } as object),
  });
  const project = await app.convert();
  if (!project) throw new Error('TypeDoc found nothing to tell of');
  // TypeDoc calls modules by their paths: `index`, `character`, `node`
  const nameOf = new Map(
    Array.from(entries, ([name, file]) => {
      const module = path.posix.relative(path.join(ROOT, 'src'), file).replace(/\.ts$/, '');
      return [module.replace(/\/index$/, ''), name];
    }),
  );
  for (const module of project.children ?? []) module.name = nameOf.get(module.name) ?? module.name;
  project.name = 'API';
  await app.generateOutputs(project);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error('TypeDoc has complained');
  writeFileSync(path.join(PAGES, 'api/sidebar.json'), JSON.stringify(sidebars([...entries.keys()])));
}

/** Names of entries (`maniple/character`) to their sources. */
function publicEntries(): Map<string, string> {
  const { exports } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>;
  };
  return new Map(
    Object.entries(exports).flatMap(([name, target]) =>
      typeof target === 'string'
        ? []
        : [
            [
              path.posix.join('maniple', name),
              path.join(ROOT, target.types.replace('./dist/', 'src/').replace('.d.ts', '.ts')),
            ] as const,
          ],
    ),
  );
}

const KINDS = ['functions', 'classes', 'interfaces', 'type-aliases', 'variables'];

/** By address: all entries, and of the entry that a page is of what is in it. */
function sidebars(names: readonly string[]): Record<string, SidebarItem[]> {
  const entry = (name: string, items?: readonly SidebarItem[]): SidebarItem => ({
    text: name,
    link: `/api/${name}/`,
    ...(items && { items }),
  });
  const listed = (open?: string) => [
    { text: 'API', link: '/api/', items: names.map((name) => entry(name, name === open ? contents(name) : undefined)) },
  ];
  return Object.fromEntries([['/api/', listed()], ...names.map((name) => [`/api/${name}/`, listed(name)] as const)]);
}

function contents(name: string): SidebarItem[] {
  const folder = path.join(PAGES, 'api', name);
  return KINDS.filter((kind) => existsSync(path.join(folder, kind))).map((kind) => ({
    text: kind.replace('-', ' ').replace(/^./, (letter) => letter.toUpperCase()),
    collapsed: false,
    items: readdirSync(path.join(folder, kind))
      .map((file) => file.replace(/\.md$/, ''))
      .sort((a, b) => a.localeCompare(b))
      .map((item) => ({ text: item, link: `/api/${name}/${kind}/${item}` })),
  }));
}
