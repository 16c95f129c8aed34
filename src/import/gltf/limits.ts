/**
 * Limits of an import. A file over a limit is refused with GLTF_LIMIT (FILE_TOO_LARGE for its bytes) before anything of
 * that size is allocated. So no file takes more than seconds or a gigabyte.
 */
export interface ImportLimits {
  /** The file and everything it refers to, in bytes. */
  readonly fileBytes: number;
  /** The JSON text, in bytes; a glTF with embedded buffers has them all in it. */
  readonly jsonBytes: number;
  /** Values, objects and arrays in the JSON. */
  readonly jsonValues: number;
  /** Nesting of objects and arrays in the JSON; not of nodes, which may be as deep as there are nodes. */
  readonly jsonDepth: number;
  /** Nodes of the file, in the scene or not. */
  readonly nodes: number;
  /** Accessors and attributes under Draco compression. Accessors with sparse overrides count twice. */
  readonly accessors: number;
  /** Buffers and images that are separate files or data URIs. */
  readonly resources: number;
  /** All accessors, sparse overrides included, and all decompressed buffer views, in bytes, as declared. */
  readonly decodedBytes: number;
  /** Keys of all channels of all clips: those of a sampler count for each channel that uses it. */
  readonly keys: number;
  /** (node, primitive) pairs in the scene. */
  readonly meshes: number;
  /** Vertices of all (node, primitive) pairs, before welding. */
  readonly vertices: number;
  /** Triangles of all (node, primitive) pairs. */
  readonly triangles: number;
}

/** Far above any character, and measured to stay within 5 s and 1 GB on two cores. */
export const DEFAULT_IMPORT_LIMITS: ImportLimits = {
  fileBytes: 256 * 2 ** 20,
  jsonBytes: 128 * 2 ** 20,
  jsonValues: 4_000_000,
  jsonDepth: 256,
  nodes: 200_000,
  accessors: 125_000,
  resources: 1_000,
  decodedBytes: 256 * 2 ** 20,
  keys: 4_000_000,
  meshes: 4_096,
  vertices: 2_000_000,
  triangles: 4_000_000,
};
