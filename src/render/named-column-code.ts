import { COLUMNS_HEAD, floatsBefore, type NamedColumn } from '../frame/tables/named-columns.ts';

/** Name of the buffer of all named columns in WGSL. */
export const COLUMNS_NAME = 'namedColumns';

/** Name of the function that reads a column. */
export const columnFunction = (name: string): string => `${name}Column`;

/**
 * WGSL that reads named columns: the buffer, and for each column `fn heatColumn(character: u32) -> vec4f`, by its size
 * f32 to vec4f.
 * @param columns All of the crowd's, in their order. @param names Those that are read.
 */
export function namedColumnCode(
  columns: readonly Pick<NamedColumn, 'name' | 'size'>[],
  names: readonly string[],
  { group, binding }: { readonly group: number; readonly binding: number },
): string {
  const functions = columns.flatMap(({ name, size }, index) => {
    if (!names.includes(name)) return [];
    const type = size === 1 ? 'f32' : `vec${size}f`;
    const floats = Array.from({ length: size }, (_, i) => `${COLUMNS_NAME}[first + ${i}u]`);
    const first = `${COLUMNS_HEAD}u + u32(${COLUMNS_NAME}[0]) * ${floatsBefore(columns, index)}u + character * ${size}u`;
    return `fn ${columnFunction(name)}(character: u32) -> ${type} {\n  let first = ${first};\n  return ${type}(${floats.join(', ')});\n}`;
  });
  return [`@group(${group}) @binding(${binding}) var<storage, read> ${COLUMNS_NAME}: array<f32>;`, ...functions].join(
    '\n',
  );
}
