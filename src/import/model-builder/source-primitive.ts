import type { MeshChannelModel } from '../../character/model.ts';

/** One set of four joints and weights per vertex. */
export interface JointSet {
  readonly joints: ArrayLike<number>;
  readonly weights: Float32Array;
}

/** Deltas of one morph target; undefined for an attribute that the target does not change. */
export interface SourceTarget {
  readonly positions: Float32Array | undefined;
  readonly normals: Float32Array | undefined;
  readonly tangents: Float32Array | undefined;
}

/** A primitive as the file has it: floats, triangle list, everything in the order of its POSITION accessor. */
export interface SourcePrimitive {
  readonly path: string;
  readonly vertexCount: number;
  readonly positions: Float32Array;
  readonly normals: Float32Array | undefined;
  readonly tangents: Float32Array | undefined;
  readonly texcoords: Float32Array | undefined;
  /** RGBA. */
  readonly colors: Float32Array | undefined;
  /** Named channels. */
  readonly channels?: readonly MeshChannelModel[] | undefined;
  readonly jointSets: readonly JointSet[];
  readonly targets: readonly SourceTarget[];
  /** Further values of vertices. Vertices with different ones are not welded. */
  readonly others?: readonly { readonly values: Float32Array; readonly width: number }[];
  readonly triangles: Uint32Array;
}
