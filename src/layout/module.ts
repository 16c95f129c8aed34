import type { Bindings } from './bindings.ts';
import { recordAccessors, recordLength, type RecordTable, type TableElement } from './rows.ts';
import type { Struct } from './struct.ts';

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

/** The WESL text of a layout module. */
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
export function upperSnake(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase();
}
