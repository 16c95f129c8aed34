import type { AccessorReader } from './accessors.ts';
import type { IssueList } from './issue-list.ts';
import type { ImportLimits } from './limits.ts';
import type { CheckedGltf } from './schema.ts';

/** A checked file, as the readers of its parts get it. */
export interface GltfFile {
  readonly json: CheckedGltf;
  /** The parent of every node, -1 for roots. */
  readonly parents: Int32Array;
  readonly reader: AccessorReader;
  readonly limits: ImportLimits;
  readonly issues: IssueList;
}
