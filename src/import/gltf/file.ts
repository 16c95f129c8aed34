import type { AccessorReader } from './accessors.ts';
import type { IssueList } from '../model-builder/issue-list.ts';
import type { ImportLimits } from './limits.ts';
import type { CheckedGltf } from './schema.ts';

/** A file with checked JSON, its limits, and the list for its issues. */
export interface GltfJson {
  readonly json: CheckedGltf;
  readonly limits: ImportLimits;
  readonly issues: IssueList;
}

/** A checked file with its data, as the readers of its parts get it. */
export interface GltfFile extends GltfJson {
  /** The parent of every node, -1 for roots. */
  readonly parents: Int32Array;
  /** The bytes of the buffers that views need, as they were loaded. */
  readonly buffers: readonly (Uint8Array | undefined)[];
  readonly reader: AccessorReader;
}
