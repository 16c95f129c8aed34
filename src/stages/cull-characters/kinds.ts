import { View } from '../../layout/index.ts';
import { CullClass, CullLevel, CullType } from './layout.ts';

/** The table that the kernels bind as `kinds`: all types, then all levels, then all size classes. */
export interface Kinds {
  readonly words: Uint32Array<ArrayBuffer>;
  readonly types: View<(typeof CullType)['fields']>;
  readonly levels: View<(typeof CullLevel)['fields']>;
  readonly classes: View<(typeof CullClass)['fields']>;
  /** Rows where levels begin, and classes. */
  readonly levelRow: number;
  readonly classRow: number;
}

/** A zeroed table for so many of each. */
export function createKinds(typeCount: number, levelCount: number, classCount: number): Kinds {
  const levelBytes = typeCount * CullType.size;
  const classBytes = levelBytes + levelCount * CullLevel.size;
  const words = new Uint32Array((classBytes + classCount * CullClass.size) / 4);
  const { buffer } = words;
  return {
    words,
    types: new View(CullType, buffer, 0, typeCount),
    levels: new View(CullLevel, buffer, levelBytes, levelCount),
    classes: new View(CullClass, buffer, classBytes, classCount),
    levelRow: levelBytes / 16,
    classRow: classBytes / 16,
  };
}
