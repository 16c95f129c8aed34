// Pages of the guide and the README about three.js, run as a reader would: all of their code in one page.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { noBrowser } from '../support/chromium.ts';
import { expectMotion } from '../support/example.ts';
import { bundleForBrowser, openPage, type TestPage } from '../support/page.ts';
import { countColors } from '../support/pictures.ts';
import { full, noShared, shared } from '../support/setup.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a page has around the code of a document that takes it for given. */
const SCENE = `
import { Color, HemisphereLight, PerspectiveCamera, Scene } from 'three/webgpu';
const canvas = document.querySelector('canvas')!;
const scene = new Scene();
scene.background = new Color('#cfd6dc');
scene.add(new HemisphereLight('#ffffff', '#6b6146', 3));
const camera = new PerspectiveCamera(50, 192 / 108, 0.1, 200);
camera.position.set(3, 3, 6);
camera.lookAt(3, 1, -3);
`;

/** Blocks as one module, each name imported once, with few characters: software adapters draw them. */
function pageOf(blocks: readonly string[]): string {
  const lines = [SCENE, ...blocks].join('\n').split('\n');
  const names = new Map<string, Set<string>>();
  const code = lines.filter((line) => {
    const [, list, from] = /^import (?:\{ (.*) \}|.*) from '(.*)';$/.exec(line) ?? [];
    if (list === undefined) return true;
    const known = names.get(from!) ?? new Set();
    for (const name of list.split(', ')) known.add(name);
    names.set(from!, known);
    return false;
  });
  const imports = Array.from(names, ([from, list]) => `import { ${[...list].join(', ')} } from '${from}';`);
  return [...imports, ...code].join('\n').replace(/\b(1000|10_000)\b/g, '24');
}

interface PackageJson {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

async function open(name: string, code: string): Promise<TestPage> {
  const folder = path.join(root, 'out/guide');
  mkdirSync(folder, { recursive: true });
  const entry = path.join(folder, `${name}.ts`);
  writeFileSync(entry, code);
  const { exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as PackageJson;
  const alias = Object.fromEntries(
    Object.entries(exports).flatMap(([entry, target]) => {
      if (typeof target === 'string') return [];
      const source = target.default.replace('dist/', 'src/').replace('.js', '.ts');
      return [[entry.replace('.', 'maniple'), path.join(root, source)] as const];
    }),
  );
  return openPage({
    entry,
    body: '<style>body { margin: 0 }</style><canvas width="192" height="108" style="display: block"></canvas>',
    files: {
      '/soldier.glb': path.join(root, 'characters/legionary.glb'),
      '/dance.fbx': path.join(shared, 'rigs/fbx/mixamo-names.fbx'),
      '/pack-worker.js': Buffer.from(await bundleForBrowser(path.join(root, 'src/character/pack/pack-worker.ts'))),
      '/run.bvh': path.join(shared, 'rigs/bvh/cmu-12-01-walk.bvh'),
    },
    viewport: { width: 192, height: 108 },
    bundle: { alias, external: ['fs', 'path', 'node:*'] },
  });
}

const isShown = (image: Parameters<typeof countColors>[0]) => countColors(image) > 200;
const blocksOf = (document: string) =>
  Array.from(readFileSync(path.join(root, document), 'utf8').matchAll(/^```ts\n([^]*?)^```/gm), ([, code]) => code!);

describe.skipIf(noBrowser() || noShared() || !full)('the guide', () => {
  let opened: TestPage | undefined;
  afterEach(() => opened?.close());

  test('has a page about three.js that runs from first to last', async () => {
    const code = pageOf(blocksOf('site/guide/three.md'));
    opened = await open('three', `${code}\nObject.assign(window, { crowd, army, camera, hero });`);
    await expectMotion(opened, isShown);
    const { page } = opened;
    await page.waitForFunction('typeof crowd === "object"');
    expect(await page.evaluate('hero.clips.length')).toBeGreaterThan(2);
    // swords and a lamp; whoever is clicked is coloured
    expect(await page.evaluate('crowd.attachmentCount')).toBe(25);
    const picked = await page.evaluate('crowd.pick(camera, 96, 60).then((hit) => hit?.character.name)');
    expect(picked).toBe('Legionary');
    await page.mouse.click(96, 60);
    expect(opened.errors).toEqual([]);
  });

  test('begins in the README with code that runs', async () => {
    const block = blocksOf('README.md').find((code) => code.includes('new WebGPURenderer'))!;
    opened = await open('readme', pageOf([block]));
    await expectMotion(opened, isShown);
    expect(opened.errors).toEqual([]);
  });

  test('leads from a scene to ten thousand in a file that runs', async () => {
    const block = blocksOf('site/guide/ten-thousand.md').at(-1)!;
    const small = block
      .replace(/10_000/g, '24')
      .replace('COLUMNS = 100', 'COLUMNS = 8')
      .replace('0.5, 0.25, 0.1', '0.3');
    // it makes a canvas of its own
    opened = await open('ten-thousand', small.replace('document.body.append(', 'document.body.replaceChildren('));
    await expectMotion(opened, isShown);
    expect(opened.errors).toEqual([]);
  });
});
