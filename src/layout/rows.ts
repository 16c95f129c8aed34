import { isStruct, type Field, type Struct } from './struct.ts';

/**
 * WGSL for a struct that lives inside a table of 16-byte rows: `fn loadName(row: u32) -> Name`, reading
 * `table: array<vec4u>` from `row` on. This is how one storage binding holds records of many kinds.
 *
 * @param table Name of an `array<vec4u>` binding that is in scope.
 * @throws Error when a field cannot be loaded (nested structs and arrays have no place in a row record).
 */
export function rowLoader(struct: Struct, table: string): string {
  const rows = Array.from({ length: rowCount(struct) }, (_, r) => `${table}[row + ${r}u]`);
  return `fn load${struct.name}(row: u32) -> ${struct.name} {\n  return ${fromRowsName(struct)}(${rows.join(', ')});\n}`;
}

/** WGSL that assembles a struct from its rows: `fn nameFromRows(r0: vec4u, …) -> Name`. */
export function rowsLoader(struct: Struct): string {
  const rows = Array.from({ length: rowCount(struct) }, (_, r) => `r${r}: vec4u`);
  const values = Object.entries(struct.fields).map(([key, field]) => `    ${loadField(struct, key, field)},`);
  return `fn ${fromRowsName(struct)}(${rows.join(', ')}) -> ${struct.name} {\n  return ${struct.name}(\n${values.join('\n')}\n  );\n}`;
}

function fromRowsName({ name }: Struct): string {
  return `${name[0]!.toLowerCase()}${name.slice(1)}FromRows`;
}

function rowCount({ name, size }: Struct): number {
  if (size % 16 !== 0) throw new Error(`${name}: ${size} bytes is not a whole number of rows`);
  return size / 16;
}

function loadField(struct: Struct, key: string, field: Field): string {
  if (typeof field !== 'string' || isStruct(field)) throw new Error(`${struct.name}.${key} is not a primitive`);
  if (field.startsWith('mat')) throw new Error(`${struct.name}.${key}: load matrices row by row`);
  const offset = struct.offsets[key]!;
  const lane = (offset % 16) / 4;
  const count = field.startsWith('vec') ? Number(field[3]) : 1;
  const words = `r${Math.floor(offset / 16)}.${'xyzw'.slice(lane, lane + count)}`;
  return field === 'u32' || field.endsWith('u') ? words : `bitcast<${field}>(${words})`;
}
