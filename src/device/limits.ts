/** Name of a WebGPU limit, as in `GPUSupportedLimits`. */
export type LimitName = Exclude<keyof GPUSupportedLimits, '__brand'>; // which some type packages add

/** One limit that Maniple depends on. */
export interface LimitRow {
  readonly name: LimitName;
  /** The specification's default, which every WebGPU device of the core level has. */
  readonly standard: number;
  /** The default of the compatibility level, which every WebGPU device has. */
  readonly compatibility: number;
  /** Value that Maniple needs. It is never more than `compatibility`, so that any conforming adapter is sufficient. */
  readonly needed: number;
  /** True to request the adapter's value: a larger one selects a faster path, or one with larger capacity. */
  readonly raise: boolean;
  /** Purpose of the limit, as text for reports. */
  readonly use: string;
}

/** Default of the compatibility level where it differs, value that is needed where it is less, and if it is raised. */
type RowOptions = Partial<Pick<LimitRow, 'compatibility' | 'needed' | 'raise'>>;

const row = (name: LimitName, standard: number, use: string, options: RowOptions = {}): LimitRow => {
  const { compatibility = standard, needed = compatibility, raise = true } = options;
  return { name, standard, compatibility, needed, raise, use };
};

const MIB = 2 ** 20;

/**
 * The limits that Maniple's kernels, buffers and targets depend on.
 *
 * Offset alignments are upper bounds, the others lower bounds; see {@link meetsLimit}.
 */
export const LIMITS: readonly LimitRow[] = [
  row('maxStorageBufferBindingSize', 128 * MIB, 'bytes of vertex memory or clip tables in one binding'),
  row('maxBufferSize', 256 * MIB, 'bytes of one buffer'),
  row('maxStorageBuffersPerShaderStage', 8, 'tables and columns of a stage; vertex data providers take two'),
  row('maxStorageBuffersInVertexStage', 8, 'draws that read the crowd (else from textures)', { compatibility: 0 }),
  row('maxStorageBuffersInFragmentStage', 8, 'forward shading', { compatibility: 4 }),
  row('maxUniformBuffersPerShaderStage', 12, 'parameters of a stage', { needed: 4, raise: false }),
  row('maxUniformBufferBindingSize', 64 * 1024, 'bytes of parameters', { compatibility: 16 * 1024, raise: false }),
  row('maxBindGroups', 4, 'frame, view, stage, provider', { raise: false }),
  row('maxBindingsPerBindGroup', 1000, 'entries of one group', { needed: 32, raise: false }),
  row('minStorageBufferOffsetAlignment', 256, 'ranges inside one buffer', { raise: false }),
  row('minUniformBufferOffsetAlignment', 256, 'parameters of several dispatches', { raise: false }),
  row('maxComputeWorkgroupStorageSize', 16 * 1024, 'bytes of joints kept in workgroup memory'),
  row('maxComputeInvocationsPerWorkgroup', 256, 'threads that share one character', { compatibility: 128 }),
  row('maxComputeWorkgroupSizeX', 256, 'threads that share one character', { compatibility: 128 }),
  row('maxComputeWorkgroupSizeY', 256, 'rows of a screen tile', { compatibility: 128, needed: 16 }),
  row('maxComputeWorkgroupsPerDimension', 65_535, 'workgroups of one dispatch'),
  row('maxStorageTexturesPerShaderStage', 4, 'targets that shading writes'),
  row('maxSampledTexturesPerShaderStage', 16, 'array textures and shadow maps'),
  row('maxSamplersPerShaderStage', 16, 'wrap modes and shadow comparison', { raise: false }),
  row('maxTextureDimension2D', 8192, 'pixels of a target or a texture', { compatibility: 4096 }),
  row('maxTextureArrayLayers', 256, 'textures of one size'),
  row('maxColorAttachments', 8, 'targets that a render pass writes', { compatibility: 4, raise: false }),
  row('maxVertexBuffers', 8, 'forward renderer', { needed: 1, raise: false }),
  row('maxInterStageShaderVariables', 16, 'forward renderer', { compatibility: 15, needed: 8, raise: false }),
];

/** Features that select a faster variant, or enable a measurement, if the adapter has them. Maniple requires none. */
export const FEATURES: readonly { readonly name: GPUFeatureName; readonly use: string }[] = [
  { name: 'timestamp-query', use: 'GPU time of every stage' },
  { name: 'subgroups', use: 'faster scans and compaction (no kernel yet)' },
  { name: 'shader-f16', use: 'half-precision variants (no kernel yet)' },
  { name: 'indirect-first-instance', use: 'instance offsets inside indirect draws (not yet)' },
  { name: 'primitive-index', use: 'triangle ids without unshared vertices (not yet)' },
  { name: 'atomic-vec2u-min-max' as GPUFeatureName, use: 'rasterising depths and ids in one pass' },
];

/** Returns true if `value` is at least `needed`; for an alignment, if it is at most `needed`. */
export function meetsLimit(name: LimitName, value: number, needed: number): boolean {
  return name.startsWith('min') ? value <= needed : value >= needed;
}

/** Reported value of each limit in {@link LIMITS}. Limits that an older implementation does not know are left out. */
export function readLimits(limits: GPUSupportedLimits): Partial<Record<LimitName, number>> {
  const known = LIMITS.map(({ name }) => [name, limits[name]] as const);
  return Object.fromEntries(known.filter(([, value]) => typeof value === 'number'));
}
