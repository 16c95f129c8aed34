import { describe, expect, test } from 'vitest';
import { tokensOf } from './readable-wgsl.ts';
import { marked, Shortener, splitDeclarations } from './shorten-wgsl.ts';

/** What becomes of the declarations of a text, marked and shortened together. */
function shortened(code: string, kept: readonly string[] = []): (string | undefined)[] {
  const declarations = [...marked(new Set(splitDeclarations(code)), new Set(kept)).values()];
  const shortener = new Shortener(new Set(declarations), new Set(kept));
  return declarations.map((declaration) => shortener.shorten(declaration));
}

describe('a marked text', () => {
  const markedText = (code: string, kept: readonly string[] = []) =>
    [...marked(new Set(splitDeclarations(code)), new Set(kept)).values()].join('\n\n');

  test('has "_" before names of its module, and is otherwise as it was', () => {
    const code = `struct Point {
  place: vec3f,
  length: f32,
}

fn half(point: Point) -> f32 {
  let SIZE = point.length;
  return SIZE * 0.5 + max(point.place.x, 0.0);
}

@compute @workgroup_size(SIZE) fn main(@builtin(global_invocation_id) id: vec3u) {
  _ = half(Point());
}

override SIZE: u32 = 64;`;
    expect(markedText(code)).toBe(code.replaceAll(/\b(?:Point|half)\b/g, '_$&'));
    expect(markedText(code, ['half'])).toBe(code.replaceAll('Point', '_Point'));
  });

  test('cannot be of a text that has such names', () => {
    expect(() => markedText('fn f(_a: u32) -> u32 {\n  return _a;\n}')).toThrow(/begins with "_"/);
  });
});

describe('a shortened text', () => {
  test('has short names for functions, parameters, variables, bindings and members', () => {
    const code = `@group(0) @binding(3) var<storage, read_write> points: array<Point>;

struct Point {
  place: vec3f,
  xy: vec2f,
}

fn lengthOf(point: Point) -> f32 {
  let flat = point.place.xz + point.xy;
  for (var i = 0u; i < 2u; i++) {
    points[i].place.x = -flat.y - -flat.x;
  }
  return length(flat);
}

@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) place: vec3u) {
  _ = lengthOf(points[place.x]);
}`;
    // the most used get the shortest names: points and Point are named three times, lengthOf twice; of members place alone
    expect(shortened(code)).toEqual([
      '@group(0)@binding(3)var<storage,read_write>_b:array<_a>;',
      'struct _a{c:vec3f,xy:vec2f}',
      'fn _c(a:_a)->f32{let b=a.c.xz+a.xy;for(var c=0u;c<2u;c++){_b[c].c.x=-b.y- -b.x;}return length(b);}',
      '@compute@workgroup_size(1)fn main(@builtin(global_invocation_id)a:vec3u){_=_c(_b[a.x]);}',
    ]);
  });

  test('keeps overrides, entry points, builtins that a variable is named like, and what is to be kept', () => {
    const code = `override SIZE: u32 = 64;

fn helper(v: vec2f) -> f32 {
  let length = length(v);
  return length * f32(SIZE);
}`;
    expect(shortened(code, ['helper'])).toEqual([
      'override SIZE:u32=64;',
      'fn helper(a:vec2f)->f32{let length=length(a);return length*f32(SIZE);}',
    ]);
  });

  test('has numbers in the places of constants, where all texts agree on them', () => {
    const code = `const NONE = 0xffffffffu;

const TURN: f32 = 6.25;

const ROWS: u32 = 3u;

const COUNT = 1u;

override COUNT: u32 = 2u;

const ALL: u32 = ROWS * COUNT;

alias Table = array<u32, ROWS>;`;
    expect(shortened(code)).toEqual([
      undefined,
      'const _b:f32=6.25;',
      undefined,
      'const COUNT=1u;',
      'override COUNT:u32=2u;',
      'const _a:u32=3u*COUNT;',
      'alias _c=array<u32,3u>;',
    ]);
  });

  test('keeps operators apart that would be others together', () => {
    expect(shortened('fn f(a: ptr<function, i32>) -> bool {\n  let b: vec2<i32> = vec2(- -*a);\n  return b.x < -1 && b.y >= 0;\n}')).toEqual([
      'fn _a(a:ptr<function,i32>)->bool{let b:vec2<i32> =vec2(- -*a);return b.x<-1&&b.y>=0;}',
    ]); // prettier-ignore
  });
});

test('tokens are words, numbers and operators as WGSL has them', () => {
  const code = 'x.y1*=0x1p-32+1e-9f-.5;a[0xFFu]>>=2u;b->c';
  expect(tokensOf(code).join(' ')).toBe('x . y1 *= 0x1p-32 + 1e-9f - .5 ; a [ 0xFFu ] >>= 2u ; b -> c');
});
