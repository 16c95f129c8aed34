import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LAYOUTS, moduleName, root } from './shader-sources.ts';

/** Tables of records that a shader imports: rows of 16 bytes, and words for which a layout names a record. */
function tablesOf(text: string): Set<string> {
  const tables = new Set<string>();
  for (const [, module, names] of text.matchAll(/import package::([\w:]+)::(?:(\w+);|\{)/g)) {
    const layout = byModule.get(module!);
    if (!layout) continue;
    const list = names ?? text.slice(text.indexOf(`${module}::{`)).split('}')[0]!;
    for (const [name] of list.matchAll(/\w+/g)) {
      const binding = layout.bindings?.entries[name];
      if (!binding || !('element' in binding) || binding.access === 'uniform') continue;
      const isRows = binding.element === 'vec4u' || binding.element === 'vec4f';
      if (isRows || layout.records?.some(({ table }) => table === name)) tables.add(name);
    }
  }
  return tables;
}

const byModule = new Map(
  Object.entries(LAYOUTS).map(([name, parts]) => [moduleName(name).replaceAll('/', '::'), parts]),
);

/** Accesses to these tables that count an offset by hand: `table[row + 7u]`, `table[row].z`, `table[row][2]`. */
function countedOffsets(text: string, tables: ReadonlySet<string>): string[] {
  const found: string[] = [];
  for (const { 0: name, index } of text.matchAll(/(?<![.\w])\w+(?=\[)/g)) {
    if (!tables.has(name)) continue;
    let [end, depth] = [index + name.length, 0];
    do depth += { '[': 1, ']': -1 }[text[end++]!] ?? 0;
    while (depth > 0);
    const component = /^(?:\.[xyzw]|\[\d+u?\])/.exec(text.slice(end))?.[0] ?? '';
    const access = text.slice(index, end);
    if (component !== '' || /\+\s*\d+u?\b(?!\s*\*)|\[\d+u?\s*\+/.test(access)) found.push(access + component);
  }
  return found;
}

const shaders = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.wesl'),
);

test.each(shaders)('%s counts no offset into a table of records by hand', (file) => {
  const text = readFileSync(path.join(root, 'src', file), 'utf8').replaceAll(/\/\/.*/g, '');
  expect(countedOffsets(text, tablesOf(text))).toEqual([]);
});

test('finds offsets that are counted by hand', () => {
  const text = `
    @if(raster) import package::render::visibility::raster_triangles::layout::{drawn, lists,
      raster, indices1};
    import package::layout::rig::rig4;
    let a = drawn[row + 7u].z + drawn[triangle.run.primitiveRow + middle * ROWS].x + drawn[row][3];
    drawn[at + (2u * i) + 1u] = rig4[row + lists[word + 1u]];
    drawn[1u + at] = other.drawn[row + 1u];`;
  expect([...tablesOf(text)]).toEqual(['drawn', 'lists', 'rig4']);
  expect(countedOffsets(text, tablesOf(text))).toEqual([
    'drawn[row + 7u].z',
    'drawn[triangle.run.primitiveRow + middle * ROWS].x',
    'drawn[row][3]',
    'drawn[at + (2u * i) + 1u]',
    'rig4[row + lists[word + 1u]]',
    'lists[word + 1u]',
    'drawn[1u + at]',
  ]);
  const plain = 'drawn[row + i] = drawn[row + ROWS]; let a = drawn[word >> 2u][word & 3u]; let b = rig4[row + 2u * i];';
  expect(countedOffsets(plain, new Set(['drawn', 'rig4']))).toEqual([]);
});
