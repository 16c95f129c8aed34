import { expect, test } from 'vitest';
import { inlineAccessors } from './inline-wgsl.ts';

const READER = 'fn drawnFlags(row: u32) -> u32 {\n  return drawn[row + 8u].z;\n}';
const FLOAT = 'fn knotPhase(row: u32) -> f32 {\n  return bitcast<f32>(rig4[row].w);\n}';
const WRITER = 'fn storeViews(row: u32, value: u32) {\n  drawn[row + 7u].z = bitcast<u32>(value);\n}';
const main = (body: string): string => `@compute @workgroup_size(1) fn main() {\n  ${body}\n}`;
const bodyOf = (body: string): string => {
  const [text, ...others] = inlineAccessors([READER, FLOAT, WRITER, main(body)]);
  expect(others).toEqual([]);
  return text!.slice(text!.indexOf('{\n  ') + 4, -2);
};

test('puts what an accessor does in the place of its calls', () => {
  expect(bodyOf('let a = drawnFlags(row) & 1u;')).toBe('let a = drawn[row + 8u].z & 1u;');
  expect(bodyOf('storeViews(views.row + ROWS * i, left & ~(1u << view));')).toBe(
    'drawn[views.row + ROWS * i + 7u].z = bitcast<u32>(left & ~(1u << view));',
  );
  expect(bodyOf('if (knotPhase(first + f(a, b)) <= drawnFlags(at)) { return; }')).toBe(
    'if (bitcast<f32>(rig4[first + f(a, b)].w) <= drawn[at + 8u].z) { return; }',
  );
});

test('keeps the order of operations', () => {
  expect(bodyOf('let a = drawnFlags(a | b);')).toBe('let a = drawn[(a | b) + 8u].z;');
  expect(bodyOf('let a = drawnFlags(a >> 1u);')).toBe('let a = drawn[(a >> 1u) + 8u].z;');
  expect(bodyOf('let a = drawnFlags((a | b) + c[i & 1u]);')).toBe('let a = drawn[(a | b) + c[i & 1u] + 8u].z;');
  expect(bodyOf('let a = knotPhase(a | b);')).toBe('let a = bitcast<f32>(rig4[a | b].w);');
});

test('goes into arguments', () => {
  expect(bodyOf('storeViews(value.row, row);')).toBe('drawn[value.row + 7u].z = bitcast<u32>(row);');
  expect(bodyOf('storeViews(drawnFlags(a), drawnFlags(b + 1u));')).toBe(
    'drawn[drawn[a + 8u].z + 7u].z = bitcast<u32>(drawn[b + 1u + 8u].z);',
  );
});

test('leaves functions that use a parameter twice, or do more', () => {
  const others = [
    'fn both(row: u32) -> Affine {\n  return Affine(drawn[row], drawn[row + 1u]);\n}',
    'fn storePair(row: u32, value: vec2u) {\n  drawn[row].x = value.x;\n  drawn[row].y = value.y;\n}',
    'fn storeOne(row: u32, value: Pair) {\n  drawn[row] = vec4u(value.a, value.b);\n}',
    'fn next(row: u32) -> u32 {\n  return row + 1u;\n}',
    main('let a = both(next(1u)); storeOne(a, b);'),
  ];
  expect(inlineAccessors(others)).toEqual(others);
});

test('keeps accessors of texts without an entry point: other code calls them', () => {
  const caller = 'fn isDrawn(at: u32) -> bool {\n  return drawnFlags(at) != 0u;\n}';
  const inlined = 'fn isDrawn(at: u32) -> bool {\n  return drawn[at + 8u].z != 0u;\n}';
  expect(inlineAccessors([READER, FLOAT, caller])).toEqual([READER, FLOAT, inlined]);
});
