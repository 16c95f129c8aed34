import type { Bindings } from './bindings.ts';
import { rowLoader, rowsLoader } from './rows.ts';
import type { Struct } from './struct.ts';

/** Declarations of a generated WESL module: everything that a `layout.ts` defines, so that kernels define none of it. */
export interface ModuleParts {
  readonly structs?: readonly Struct[];
  /**
   * Structs to load from an `array<vec4u>` binding: `fn loadName(row: u32) -> Name`, `fn nameFromRows(r0, …) -> Name`
   * and `const NAME_ROWS`.
   */
  readonly records?: readonly { readonly struct: Struct; readonly table: string }[];
  readonly bindings?: Bindings;
  /** `const NAME: u32 = …;` */
  readonly constants?: Readonly<Record<string, number>>;
  /** WESL import statements. */
  readonly imports?: readonly string[];
}

/** The WESL text of a layout module. */
export function layoutModule({
  structs = [],
  records = [],
  bindings,
  constants = {},
  imports = [],
}: ModuleParts): string {
  const all = new Set([...structs, ...records.map((record) => record.struct)]);
  return [
    ...imports,
    ...Object.entries(constants).map(([name, value]) => `const ${name}: u32 = ${value}u;`),
    ...records.map(({ struct }) => `const ${upperSnake(struct.name)}_ROWS: u32 = ${struct.size / 16}u;`),
    ...Array.from(all, (struct) => struct.wgsl),
    bindings?.wgsl ?? '',
    ...records.flatMap(({ struct, table }) => [rowsLoader(struct), rowLoader(struct, table)]),
    '',
  ].join('\n');
}

/** `SkinBatch` → `SKIN_BATCH` */
export function upperSnake(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase();
}
