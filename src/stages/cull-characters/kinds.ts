import { View } from '../../layout/index.ts';
import { ClipBox, CullClass, CullLevel, CullType } from './layout.ts';

/** The table that the kernels bind as `kinds`: all types, then all levels, then all size classes, then boxes of clips. */
export interface Kinds {
  readonly words: Uint32Array<ArrayBuffer>;
  readonly types: View<(typeof CullType)['fields']>;
  readonly levels: View<(typeof CullLevel)['fields']>;
  readonly classes: View<(typeof CullClass)['fields']>;
  readonly boxes: View<(typeof ClipBox)['fields']>;
  /** First rows of levels, classes and boxes. */
  readonly levelRow: number;
  readonly classRow: number;
  readonly boxRow: number;
}

/** A zeroed table for these counts. */
export function createKinds(typeCount: number, levelCount: number, classCount: number, boxCount = 0): Kinds {
  const levelBytes = typeCount * CullType.size;
  const classBytes = levelBytes + levelCount * CullLevel.size;
  const boxBytes = classBytes + classCount * CullClass.size;
  const words = new Uint32Array((boxBytes + boxCount * ClipBox.size) / 4);
  const { buffer } = words;
  return {
    words,
    types: new View(CullType, buffer, 0, typeCount),
    levels: new View(CullLevel, buffer, levelBytes, levelCount),
    classes: new View(CullClass, buffer, classBytes, classCount),
    boxes: new View(ClipBox, buffer, boxBytes, boxCount),
    levelRow: levelBytes / 16,
    classRow: classBytes / 16,
    boxRow: boxBytes / 16,
  };
}
