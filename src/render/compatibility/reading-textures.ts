import { TEXEL_ROW_BYTES } from '../../frame/tables/texel-rows.ts';

/** Texels of a row of the textures: 16 bytes each. A texture of 4,096 rows holds 128 MiB, the default of a binding. */
export const ROW_TEXELS: number = TEXEL_ROW_BYTES / 16;

/** Such as `@group(2) @binding(5) var<storage, read> skinned: array<vec2u>;`, which `readingTextures` replaces. */
const TABLE =
  /@group\(\s*(\d+)\s*\)\s*@binding\(\s*(\d+)\s*\)\s*var\s*<\s*storage\s*(?:,\s*read\s*)?>\s*(\w+)\s*:\s*array\s*<\s*(\w+)\s*>/;
/** A field of a struct, and its type. */
const FIELD = /(\w+)\s*:\s*(\w+)/g;

/** Number of words of a type, and its alignment in words. */
const TYPES: Readonly<Record<string, readonly [words: number, alignment: number]>> = {
  u32: [1, 1],
  i32: [1, 1],
  f32: [1, 1],
  vec2u: [2, 2],
  vec2f: [2, 2],
  vec3u: [3, 4],
  vec3f: [3, 4],
  vec4u: [4, 4],
  vec4f: [4, 4],
};

/**
 * Rewrites a shader for devices where draws cannot read storage buffers. Tables that it only reads become textures with the same
 * bindings, and `table[row]` becomes a call that loads the row. Flat values may come from any vertex of a triangle, so all of
 * its vertices must have the same. Lines keep their numbers.
 *
 * @param code Any WGSL. Structs of tables have a multiple of 16 bytes.
 * @param groups Bind groups with such tables. Others keep their buffers.
 */
export function readingTextures(code: string, groups: readonly number[]): string {
  let texts = globalsOf(code);
  const loads: string[] = [];
  for (const text of texts) {
    const [declaration, group, binding, table, type] = TABLE.exec(text) ?? [];
    if (declaration === undefined || !groups.includes(Number(group))) continue;
    const load = `${table}_row`;
    loads.push(loadFunction(load, table!, type!, texts));
    const texture = `@group(${group}) @binding(${binding}) var ${table}: texture_2d<u32>`;
    texts = texts.map((other) =>
      other === text ? other.replace(declaration, texture) : callInsteadOfIndex(other, table!, load),
    );
  }
  return `${texts.join('')}\n${loads.join('\n')}\n`.replaceAll(
    /@interpolate\(\s*flat\s*\)/g,
    '@interpolate(flat, either)',
  );
}

/** The declarations of a module, with all text between them. Together they are the module. */
function globalsOf(code: string): string[] {
  const texts: string[] = [];
  let [depth, first] = [0, 0];
  // comments may have brackets of their own
  for (const { 0: token, index } of code.matchAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|[{};]/g)) {
    if (token === '{') depth++;
    if (token === '}') depth--;
    if (depth > 0 || (token !== '}' && token !== ';')) continue;
    texts.push(code.slice(first, index + 1));
    first = index + 1;
  }
  return [...texts, code.slice(first)];
}

/** Replaces `table[row]` by `load(row)`, except where a local has the table's name. */
function callInsteadOfIndex(declaration: string, table: string, load: string): string {
  const isLocal = new RegExp(`\\b(?:let|var|const)\\s+${table}\\b|[(,]\\s*${table}\\s*:`);
  if (isLocal.test(declaration)) return declaration;
  const start = new RegExp(`(?<![\\w.])${table}\\s*\\[`, 'g');
  let [out, from] = ['', 0];
  for (let found = start.exec(declaration); found; found = start.exec(declaration)) {
    const first = start.lastIndex;
    const end = closing(declaration, first);
    const row = callInsteadOfIndex(declaration.slice(first, end), table, load);
    out += `${declaration.slice(from, found.index)}${load}(${row})`;
    start.lastIndex = from = end + 1;
  }
  return out + declaration.slice(from);
}

/** Index of the bracket that closes one that has been opened before `from`. */
function closing(text: string, from: number): number {
  let depth = 1;
  for (let i = from; i < text.length; i++) {
    if (text[i] === '[') depth++;
    else if (text[i] === ']' && --depth === 0) return i;
  }
  throw new Error(`a bracket is not closed: ${text}`);
}

/** The function that loads a row of a table. */
function loadFunction(load: string, table: string, type: string, texts: readonly string[]): string {
  const texel = (index: string) =>
    `textureLoad(${table}, vec2u((${index}) % ${ROW_TEXELS}u, (${index}) / ${ROW_TEXELS}u), 0)`;
  const open = `fn ${load}(row: u32) -> ${type} {`;
  if (type === 'u32') return `${open} return ${texel('row >> 2u')}[row & 3u]; }`;
  if (type === 'vec2u') {
    return `${open} let texel = ${texel('row >> 1u')}; return select(texel.xy, texel.zw, (row & 1u) != 0u); }`;
  }
  if (type === 'vec4u') return `${open} return ${texel('row')}; }`;
  if (type === 'vec4f') return `${open} return bitcast<vec4f>(${texel('row')}); }`;
  const { values, texels } = structValues(type, texts);
  const loaded = Array.from({ length: texels }, (_, k) => `let texel${k} = ${texel(`row * ${texels}u + ${k}u`)};`);
  return `${open} ${loaded.join(' ')} return ${type}(${values.join(', ')}); }`;
}

/** The fields of a struct, as parts of its texels. */
function structValues(name: string, texts: readonly string[]) {
  const start = new RegExp(`\\bstruct\\s+${name}\\s*\\{`);
  const declaration = texts.find((text) => start.test(text));
  if (declaration === undefined) throw new Error(`a table has rows of an unknown type: ${name}`);
  const values: string[] = [];
  let end = 0;
  for (const [, field, type] of declaration.slice(declaration.indexOf('{')).matchAll(FIELD)) {
    const [words, alignment] = TYPES[type!] ?? [];
    if (words === undefined || alignment === undefined) throw new Error(`${name}.${field} is a ${type}`);
    const first = Math.ceil(end / alignment) * alignment;
    end = first + words;
    const part = `texel${first >> 2}.${'xyzw'.slice(first & 3, (first & 3) + words)}`;
    values.push(/u(?:32)?$/.test(type!) ? part : `bitcast<${type}>(${part})`);
  }
  if (end % 4 !== 0) throw new Error(`${name} has ${4 * end} bytes, not a multiple of 16`);
  return { values, texels: end / 4 };
}
