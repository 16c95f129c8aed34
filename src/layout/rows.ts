import type { Bindings } from './bindings.ts';
import { measureField, struct, type Field, type Fields, type Struct } from './struct.ts';

/** Element of a table. Records of a table of words take any number of words; other records take whole rows of 16 bytes. */
type TableElement = 'vec4u' | 'vec4f' | 'u32' | 'atomic<u32>';

/** A struct with records in a table: an array in scope that holds records of many kinds. */
export interface RecordTable {
  readonly struct: Struct;
  /** Name of the array. */
  readonly table: string;
  /** Fields that kernels load together: `{ shown: ['parts', 'views'] }` gives a struct `NameShown` and its functions. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
}

/** Declarations of a generated WESL module: everything that a `layout.ts` defines, so that kernels define none of it. */
export interface ModuleParts {
  readonly structs?: readonly Struct[];
  /** Structs with records in a table. They get `const NAME_ROWS` (`NAME_WORDS` in a table of words) and accessors (`recordAccessors`). */
  readonly records?: readonly RecordTable[];
  readonly bindings?: Bindings;
  /** `const NAME: u32 = …;` */
  readonly constants?: Readonly<Record<string, number>>;
  /** WESL import statements. */
  readonly imports?: readonly string[];
}

export function layoutModule({
  structs = [],
  records = [],
  bindings,
  constants = {},
  imports = [],
}: ModuleParts): string {
  const all = new Set([...structs, ...records.map((record) => record.struct)]);
  const hasAffine = [...all].some((struct) => Object.values(struct.fields).includes('Affine'));
  const accessors = records.map((record) => {
    const binding = bindings?.entries[record.table];
    const element = binding && 'element' in binding ? (binding.element as TableElement) : 'vec4u';
    const length = recordLength(record.struct, element);
    const unit = element.startsWith('vec4') ? 'ROWS' : 'WORDS';
    return [
      `const ${upperSnake(record.struct.name)}_${unit}: u32 = ${length}u;`,
      ...recordAccessors(record, element, binding?.access === 'write'),
    ];
  });
  return [
    ...imports,
    hasAffine ? 'import package::math::affine::Affine;' : '',
    ...Object.entries(constants).map(([name, value]) => `const ${name}: u32 = ${value}u;`),
    ...Array.from(all, (struct) => struct.wgsl),
    bindings?.wgsl ?? '',
    ...accessors.flat(),
    '',
  ].join('\n');
}

/** `SkinBatch` → `SKIN_BATCH` */
function upperSnake(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase();
}

/**
 * WGSL that reads records, and writes them where `isWritten`. `row` is the record's first row, or word of a table of words.
 *
 *     fn loadName(row: u32) -> Name                       fn storeName(row: u32, value: Name)
 *     fn nameField(row: u32) -> u32                       fn storeNameField(row: u32, value: u32)
 *     struct NameGroup { … }, fn nameGroup(row: u32) …    fn storeNameGroup(row: u32, value: NameGroup)
 *
 * A function accesses only the rows that hold its fields, each of them once. Fields that begin with `pad` have none.
 * Where a struct or a group leaves words of its rows free, `store` writes 0 there.
 *
 * @throws Error when a field is a struct, an array or a matrix, or when a record is not whole rows.
 */
function recordAccessors(record: RecordTable, element: TableElement, isWritten: boolean): string[] {
  const { struct: definition, table, groups = {} } = record;
  const { name, fields, offsets, size } = definition;
  if (size % sizeOf(element) !== 0) throw new Error(`${name}: ${size} bytes is not a whole number of rows`);
  const lower = name[0]!.toLowerCase() + name.slice(1);
  const access = { table, element };
  const texts: string[] = [];
  const add = (suffix: string, parts: readonly Part[], type: string, isWhole = false): void => {
    texts.push(loadText(access, isWhole ? `load${name}` : `${lower}${suffix}`, parts, type));
    if (isWritten) texts.push(storeText(access, `store${name}${suffix}`, parts, type));
  };
  const partsOf = (keys: readonly string[]): Part[] =>
    keys.map((key) => ({ path: `.${key}`, field: fields[key]!, offset: offsets[key]! }));
  add('', partsOf(Object.keys(fields)), name, true);
  for (const [key, keys] of Object.entries(groups)) {
    const group: Struct = struct(
      name + capital(key),
      Object.fromEntries(keys.map((own) => [own, fields[own]!])) as Fields,
    );
    texts.push(group.wgsl);
    add(capital(key), partsOf(keys), group.name);
  }
  for (const [key, field] of Object.entries(fields)) {
    if (key.startsWith('pad')) continue;
    add(capital(key), [{ path: '', field, offset: offsets[key]! }], measureField(field).wgsl);
  }
  return texts;
}

/** Rows, or words of a table of words, that a record takes. */
function recordLength({ size }: Struct, element: TableElement): number {
  return size / sizeOf(element);
}

interface Access {
  readonly table: string;
  readonly element: TableElement;
}

/** A field of a value that a function returns or stores; path '' is the value itself. */
interface Part {
  readonly path: string;
  readonly field: Field;
  readonly offset: number;
}

/** Consecutive words of one row that make a field, or a row of an affine matrix. */
interface Piece {
  readonly path: string;
  /** Type of the words as a value. */
  readonly type: string;
  readonly word: number;
  readonly count: number;
}

function loadText(access: Access, name: string, parts: readonly Part[], type: string): string {
  const { element } = access;
  const pieces = parts.map(piecesOf);
  const rows = [...new Set(pieces.flat().map(({ word }) => word >> 2))];
  // a row that several fields share is read once
  const isNamed = isRows(element) && rows.length < pieces.flat().length;
  const source = (index: number): string => (isNamed ? `r${index >> 2}` : readOf(access, index));
  const values = pieces.map((own) => {
    const read = own.map((piece) => castTo(piece.type, element, wordsOf(source, element, piece)));
    return read.length === 1 ? read[0] : `Affine(${read.join(', ')})`;
  });
  const lines = isNamed ? rows.map((row) => `  let r${row} = ${readOf(access, 4 * row)};\n`) : [];
  const value = parts[0]!.path === '' ? values[0] : `${type}(${values.join(', ')})`;
  return `fn ${name}(row: u32) -> ${type} {\n${lines.join('')}  return ${value};\n}`;
}

function storeText(access: Access, name: string, parts: readonly Part[], type: string): string {
  const pieces = parts.flatMap(piecesOf);
  const isPartOfRow = parts[0]!.path === '' && pieces[0]!.count < 4;
  const lines = isRows(access.element) && !isPartOfRow ? rowStores(access, pieces) : wordStores(access, pieces);
  return `fn ${name}(row: u32, value: ${type}) {\n${lines.map((line) => `  ${line};\n`).join('')}}`;
}

function rowStores(access: Access, pieces: readonly Piece[]): string[] {
  const { element } = access;
  const zero = element === 'vec4f' ? '0.0' : '0u';
  return Array.from(new Set(pieces.map(({ word }) => word >> 2)), (row) => {
    const values: string[] = [];
    let end = 4 * row;
    for (const piece of pieces.filter(({ word }) => word >> 2 === row)) {
      for (; end < piece.word; end++) values.push(zero);
      values.push(castFrom(piece, element));
      end += piece.count;
    }
    for (; end < 4 * row + 4; end++) values.push(zero);
    return `${placeOf(access, 4 * row)} = ${values.length === 1 ? values[0] : `${element}(${values.join(', ')})`}`;
  });
}

function wordStores(access: Access, pieces: readonly Piece[]): string[] {
  const { element } = access;
  return pieces.flatMap((piece) =>
    Array.from({ length: piece.count }, (_, c) => {
      const place = placeOf(access, piece.word + c);
      const value = castFrom(piece, element, c);
      if (element === 'atomic<u32>') return `atomicStore(&${place}, ${value})`;
      return `${place}${isRows(element) ? `.${'xyzw'[(piece.word + c) % 4]}` : ''} = ${value}`;
    }),
  );
}

function piecesOf({ path, field, offset }: Part): Piece[] {
  const word = offset / 4;
  if (field === 'Affine') {
    return [0, 1, 2].map((row) => ({ path: `${path}.row${row}`, type: 'vec4f', word: word + 4 * row, count: 4 }));
  }
  if (typeof field !== 'string' || !/^(?:vec[234])?[fiu](?:32)?$/.test(field)) {
    throw new Error(`${measureField(field).wgsl} ${path} is not a scalar, a vector or affine`);
  }
  return [{ path, type: field, word, count: field.startsWith('vec') ? Number(field[3]) : 1 }];
}

/** The row, or the word of a table of words, with word `index` of a record. */
function placeOf({ table, element }: Access, index: number): string {
  const offset = isRows(element) ? index >> 2 : index;
  return `${table}[row${offset === 0 ? '' : ` + ${offset}u`}]`;
}

function readOf(access: Access, index: number): string {
  const place = placeOf(access, index);
  return access.element === 'atomic<u32>' ? `atomicLoad(&${place})` : place;
}

function wordsOf(source: (index: number) => string, element: TableElement, { word, count }: Piece): string {
  if (isRows(element)) {
    const lane = word % 4;
    return source(word) + (count === 4 ? '' : `.${'xyzw'.slice(lane, lane + count)}`);
  }
  const words = Array.from({ length: count }, (_, c) => source(word + c));
  return count === 1 ? words[0]! : `vec${count}u(${words.join(', ')})`;
}

function castTo(type: string, element: TableElement, words: string): string {
  return kindOf(type) === kindOf(element) ? words : `bitcast<${type}>(${words})`;
}

/** The words of a piece of `value`, or one of them, as the table has them. */
function castFrom({ path, type, count }: Piece, element: TableElement, component?: number): string {
  const isOne = component !== undefined && count > 1;
  const value = `value${path}${isOne ? `.${'xyzw'[component]}` : ''}`;
  if (kindOf(type) === kindOf(element)) return value;
  const kind = kindOf(element);
  return `bitcast<${isOne || count === 1 ? `${kind}32` : `vec${count}${kind}`}>(${value})`;
}

/** `f`, `i` or `u`. */
function kindOf(type: string): string {
  return /([fiu])(?:32)?>?$/.exec(type)![1]!;
}

function isRows(element: TableElement): boolean {
  return element.startsWith('vec4');
}

function sizeOf(element: TableElement): number {
  return isRows(element) ? 16 : 4;
}

function capital(key: string): string {
  return key[0]!.toUpperCase() + key.slice(1);
}
