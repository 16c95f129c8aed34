import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const guide = path.join('site/guide');

/**
 * What fragments may take for given unless they declare it: a game has these already. A page says otherwise in a comment
 * ahead of its blocks, `<!-- ts: declare const …; -->`, which holds up to the next such comment.
 */
const GIVEN: Readonly<Record<string, string>> = {
  device: 'GPUDevice',
  encoder: 'GPUCommandEncoder',
  dt: 'number',
  crowd: "import('maniple').Crowd",
  army: "import('maniple').CharacterGroup",
  knight: "import('maniple').Character",
  place: "import('maniple').PlaceCallback",
};

/** The same for the README, which has no such comments. */
const README = `
  declare const clipFromWorld: Float32Array; declare const sunFromWorld: Float32Array;
  declare const camera: import('maniple/render').Camera & import('three/webgpu').PerspectiveCamera;
  declare const scene: import('three/webgpu').Scene; declare const bounds: import('maniple/render').Bounds;
  declare const scenery: import('maniple/render').Scenery; declare const canvas: import('maniple/render').CanvasTarget & HTMLCanvasElement;
  declare const width: number; declare const height: number; declare const newDevice: GPUDevice;
`;

/** Names of entries, and where their sources are. */
export const entries: readonly (readonly [name: string, source: string])[] = Object.entries(
  (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { exports: Record<string, { types?: string }> })
    .exports,
).flatMap(([name, { types }]) =>
  types === undefined
    ? []
    : [[path.posix.join('maniple', name), types.replace('./dist/', 'src/').replace('.d.ts', '.ts')] as const],
);

/** What fragments may use without an import: all functions of these entries. */
const EXPORTS = new Map(
  ['maniple', 'maniple/character', 'maniple/controller', 'maniple/import']
    .flatMap((entry) => {
      const source = readFileSync(path.join(root, entries.find(([name]) => name === entry)![1]), 'utf8');
      const names = Array.from(source.matchAll(/export (?!type)\{([^}]*)\}/g), ([, list]) => list!.split(',')).flat();
      return names
        .map((name) => name.trim())
        .filter((name) => /^[a-z]\w*$/.test(name))
        .map((name) => [name, entry] as const);
    })
    .reverse(),
);

/** Code of a document. */
export interface Block {
  /** `site/guide/views.md:12`. */
  readonly place: string;
  /** A module: with what a fragment takes for given. */
  readonly code: string;
}

/** Blocks of TypeScript in a document, each as a module of its own. */
function blocksOf(document: string): Block[] {
  const text = readFileSync(path.join(root, document), 'utf8');
  let given = document === 'README.md' ? README.replace(/\s+/g, ' ').trim() : '';
  return Array.from(text.matchAll(/<!-- ts:([^]*?)-->|^```ts\n([^]*?)^```/gm)).flatMap((match) => {
    const [, directive, code] = match;
    if (directive !== undefined) given = directive;
    if (code === undefined) return [];
    const line = text.slice(0, match.index).split('\n').length + 1;
    return [{ place: `${document}:${line}`, code: moduleOf(code, given) }];
  });
}

function moduleOf(code: string, given: string): string {
  const own = new Set(
    Array.from(code.matchAll(/\b(?:const|let|function|class|import|type) (?:\{([^}]*)\}|\[([^\]]*)\]|(\w+))/g)).flatMap(
      ([, braced, bracketed, name]) =>
        (braced ?? bracketed ?? name!).split(',').map((it) => it.trim().split(/[: ]+/).at(-1)!),
    ),
  );
  // declared by the page, or by the block itself
  const wanted = (name: string) => !own.has(name) && new RegExp(`(?<![.\\w])${name}\\b(?!:)`).test(code);
  const declared = given.split(/(?<=;)\s*/).filter((line) => !own.has(/declare const (\w+)/.exec(line)?.[1] ?? ''));
  const isGiven = (name: string) => declared.some((line) => line.includes(`declare const ${name}:`));
  const imports = Array.from(EXPORTS, ([name, entry]) =>
    wanted(name) && !isGiven(name) ? `import { ${name} } from '${entry}';` : '',
  );
  const declarations = Object.entries(GIVEN).map(([name, type]) =>
    wanted(name) && !isGiven(name) ? `declare const ${name}: ${type};` : '',
  );
  const head = [...imports, ...declarations, ...declared, 'export {};'].filter((line) => line !== '').join(' ');
  return `${head}\n${code}`;
}

/** All blocks of TypeScript in the README and the guide. */
export function docBlocks(): Block[] {
  return ['README.md', ...readdirSync(path.join(root, guide)).map((file) => path.join(guide, file))].flatMap(blocksOf);
}

/** Writes blocks as modules of a project, by their numbers. */
export function writeProject(folder: string, blocks: readonly Block[], config: object): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  blocks.forEach(({ code }, i) => writeFileSync(path.join(folder, `${i}.ts`), code));
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
}

/** What a compiler says of the project, with places of the documents. */
export function inDocuments(output: string, blocks: readonly Block[]): string {
  return output.replace(/^(?:.*\/)?(\d+)\.ts\((\d+),/gm, (_, block: string, line: string) => {
    const [file, first] = blocks[Number(block)]!.place.split(':') as [string, string];
    return `${file}:${Number(first) + Number(line) - 2} (`;
  });
}
