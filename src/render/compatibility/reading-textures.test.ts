import { expect, test } from 'vitest';
import { readingTextures } from './reading-textures.ts';

const CODE = `struct Row { place: vec3f, count: u32, sides: vec2u, turn: vec2f }
@group(2) @binding(1) var<storage, read> rows: array<Row>;
@group(2) @binding(2) var<storage, read> words: array<u32>;
@group(3) @binding(0) var<storage, read> kept: array<u32>;
struct Out { @location(0) @interpolate(flat) row: u32 }
// a comment; with rows[0] } and a bracket {
fn first(i: u32) -> f32 { return rows[words[i + words[0u]]].place[1]; }
fn other(rows: array<u32, 2>) -> u32 { return rows[0]; }
fn last(i: u32) -> u32 {
  let words = kept[i];
  return words + item.words[2];
}`;

test('tables of the groups become textures, and rows are loaded', () => {
  const text = readingTextures(CODE, [1, 2]);
  expect(text).toContain('@group(2) @binding(1) var rows: texture_2d<u32>;');
  expect(text).toContain('return rows_row(words_row(i + words_row(0u))).place[1];');
  expect(text).toContain('@group(3) @binding(0) var<storage, read> kept: array<u32>;');
  expect(text).toContain('let words = kept[i];');
  expect(text).toContain('@interpolate(flat, either)');
  // locals and members of the same names stay
  expect(text).toContain('fn other(rows: array<u32, 2>) -> u32 { return rows[0]; }');
  expect(text).toContain('return words + item.words[2];');
  expect(text.split('\n').findIndex((line) => line.startsWith('fn last'))).toBe(8);
});

test('structs are made of the parts of their texels', () => {
  const text = readingTextures(CODE, [2]);
  const parts = ['bitcast<vec3f>(texel0.xyz)', 'texel0.w', 'texel1.xy', 'bitcast<vec2f>(texel1.zw)'];
  expect(text).toContain(`return Row(${parts.join(', ')}); }`);
});

test('shortened texts and code without tables are read as well', () => {
  const short =
    'struct a{b:u32,c:u32,d:vec2u}@group(1)@binding(0)var<storage,read>e:array<a>;fn f(g:u32)->u32{return e[g].b;}';
  expect(readingTextures(short, [1])).toContain('return e_row(g).b;');
  expect(readingTextures('fn f() {}', [1])).toBe('fn f() {}\n\n');
});

test('tables that do not fit texels are refused', () => {
  const tableOf = (fields: string) =>
    `struct Row { ${fields} }\n@group(1) @binding(0) var<storage, read> rows: array<Row>;`;
  expect(() => readingTextures(tableOf('a: vec2u'), [1])).toThrow('not a multiple of 16');
  expect(() => readingTextures(tableOf('a: mat4x4f'), [1])).toThrow('Row.a is a mat4x4f');
});
