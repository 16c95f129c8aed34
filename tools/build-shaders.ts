// Links every variant of every kernel and writes the WGSL next to the kernel as `<kernel>.gen.ts` (see `kernel-files.ts`). Checks
// with Dawn's null backend what was linked, and what the package ships: the shortened texts. With --check it writes nothing,
// also checks the texts with restored names, and fails when a committed file is out of date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { link } from 'wesl/core';
import { nodeDevice } from '../src/node/node-gpu.ts';
import { inlineAccessors } from './inline-wgsl.ts';
import { declarationsOf, kernelFiles, mapDeclarations, type Kernel } from './kernel-files.ts';
import { reader, tokensOf } from './readable-wgsl.ts';
import { SHADERS, moduleName, root, weslSources, type ShaderEntry } from './shader-sources.ts';
import { KEPT_NAMES, marked, Shortener, splitDeclarations } from './shorten-wgsl.ts';

const check = process.argv.includes('--check');
const sources = weslSources();
const device = await nullDevice();
const problems: string[] = [];

const linked: Kernel[] = [];
for (const shader of SHADERS) linked.push(await linkAll(shader));
const marks = marked(declarationsOf(linked), KEPT_NAMES);
const kernels = mapDeclarations(linked, (text) => marks.get(text));
const shortener = new Shortener(declarationsOf(kernels), KEPT_NAMES);
const short = mapDeclarations(kernels, (text) => shortener.shorten(text));
await checkTexts(short, 'shortened');

for (const [name, text] of kernelFiles(kernels)) {
  const file = path.join(root, 'src', name);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  if (check) problems.push(`src/${name} is out of date: run npm run shaders`);
  else if (problems.length === 0) writeFileSync(file, text);
}
if (check && problems.length === 0) await checkWayBack();
device.destroy();
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
} else {
  const count = kernels.reduce((sum, { variants }) => sum + variants.size, 0);
  console.log(`${count} shader variants linked, shortened and checked`);
}

/** Compiles every variant with Dawn's null backend. */
async function checkTexts(all: readonly Kernel[], form: string): Promise<void> {
  for (const { module, variants } of all) {
    for (const [name, declarations] of variants) {
      for (const { message } of await errorsOf(`${module} ${name} ${form}`, declarations.join('\n'))) {
        problems.push(`${module} [${name}], ${form}: ${message}`);
      }
    }
  }
}

/** The names that the package has lead from every shortened declaration back to what was linked. */
async function checkWayBack(): Promise<void> {
  const readable = reader(shortener.names());
  const plain = (tokens: readonly string[]): string => tokens.join(' ').replaceAll(/ ,(?= [)}])/g, '');
  for (const declaration of declarationsOf(kernels)) {
    const text = shortener.shorten(declaration);
    if (text === undefined || plain(tokensOf(readable(text))) === plain(shortener.restored(declaration))) continue;
    problems.push(`the names of this declaration do not come back:\n${declaration}`);
  }
  await checkTexts(mapDeclarations(short, readable), 'readable');
}

async function linkAll({ module, root: rootModule = module, group, variants }: ShaderEntry): Promise<Kernel> {
  const texts = new Map<string, readonly string[]>();
  for (const [name, conditions] of Object.entries(variants)) {
    const { dest, sourceMap } = await link({
      weslSrc: sources,
      rootModuleName: moduleName(rootModule),
      conditions: { ...conditions },
      keepComments: false,
    });
    for (const message of await errorsOf(`${module} ${name}`, dest)) {
      const place = sourceMap.destToSrc(message.offset);
      const line = place.src.text.slice(0, place.position).split('\n').length;
      problems.push(`${place.src.path ?? module}:${line} [${name}] ${message.message}`);
    }
    texts.set(name, inlineAccessors(splitDeclarations(dest)));
  }
  return { module, group, variants: texts };
}

async function errorsOf(label: string, code: string): Promise<GPUCompilationMessage[]> {
  const { messages } = await device.createShaderModule({ label, code }).getCompilationInfo();
  return messages.filter(({ type }) => type === 'error');
}

async function nullDevice(): Promise<GPUDevice> {
  const { device } = await nodeDevice({ kind: 'null' });
  device.addEventListener('uncapturederror', (event: Event) => event.preventDefault());
  return device;
}
