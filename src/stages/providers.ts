import { LOADER_PROVIDER_SHIFT, PROVIDER_LIMIT } from '../character/format/geometry-layout.ts';

/** A vertex as providers see it. */
export interface ProvidedSurface {
  /** Metres. */
  readonly position: readonly number[];
  /** A vector of any length. */
  readonly normal: readonly number[];
  /** x, y, z of any length, and the handedness. */
  readonly tangent: readonly number[];
  /** WGSL: `skinnedChannel`. Four numbers of the crowd's `skinnedChannel`; a twin that leaves them out keeps them. */
  readonly skinnedChannel?: readonly number[];
}

/** Where a provider's twin is called; as the WGSL struct of that name, with the provider's rows. */
export interface ProviderSite {
  readonly character: number;
  readonly vertex: number;
  readonly geometryRow: number;
  readonly views: number;
  readonly time: number;
  readonly frame: number;
  /** Row i of this provider. */
  readonly row: (i: number) => ArrayLike<number>;
  /** Row i of what this provider has of the character. */
  readonly characterRow: (i: number) => ArrayLike<number>;
  /** Row i of the state that this provider's update has left of the character. */
  readonly state: (i: number) => ArrayLike<number>;
  /** WGSL: `loadChannel`. Four numbers that a vertex of the character (default: this one) has by name; 0 where it lacks them. */
  readonly channel: (name: string, vertex?: number) => readonly number[];
}

/** Where a provider's update runs: which character, and when; as the WGSL struct of that name. */
export interface CharacterSite extends Pick<ProviderSite, 'character' | 'views' | 'time' | 'frame'> {
  /** Seconds that pass in this frame. */
  readonly dt: number;
  /** Seconds since its last update, modulo 4,096: longer than `dt` where it was culled. 0 in the first one. */
  readonly elapsed: number;
  /** Its first update: the state is zero. */
  readonly isNew: boolean;
  /** Position (metres) and rotation (a quaternion), in this frame and in the last one with views. */
  readonly position: readonly number[];
  readonly rotation: readonly number[];
  readonly scale: number;
  readonly previousPosition: readonly number[];
  readonly previousRotation: readonly number[];
  readonly row: ProviderSite['row'];
  readonly characterRow: ProviderSite['row'];
}

/** A row of four floats. */
export type StateRow = readonly [number, number, number, number];

/** Code that runs once per visible character, before skinning. */
export interface ProviderUpdate {
  /**
   * WGSL that declares `fn nameUpdate(site: CharacterSite, state: array<vec4f, N>) -> array<vec4f, N>`, N the provider's
   * `stateRowCount`; without state `fn nameUpdate(site: CharacterSite)`. It may call `nameRow(i)` and `nameCharacterRow(i)`, and
   * write its own writable buffers, at places that belong to `site.character`: characters run in any order.
   */
  readonly code: string;
  /** The same in TypeScript: returns the new state. */
  readonly twin?: (site: CharacterSite, state: readonly StateRow[]) => readonly StateRow[] | undefined;
}

/** A buffer of the application: `array<vec4f>` or a struct of the provider's own code. */
export interface ProviderBuffer {
  /** 'storage' counts against `maxStorageBuffersPerShaderStage`: see ADR 0029 for how many are free. */
  readonly kind: 'storage' | 'uniform';
  /** Its type in WGSL. */
  readonly type: string;
  /** Bytes that a bound buffer must have; default: one element, which WebGPU checks. */
  readonly minBytes?: number;
  /** Storage that the update function may write. Default false. */
  readonly writable?: boolean;
}

/** A texture view of the application. */
export interface ProviderTexture {
  readonly kind: 'texture';
  /** `texture_2d<f32>`, `texture_2d_array<u32>`, `texture_3d<f32>`, `texture_cube<f32>`, `texture_depth_2d` … */
  readonly type: string;
  /** True if samplers may filter it; false for 32-bit float formats. Default true. */
  readonly filterable?: boolean;
}

export interface ProviderSampler {
  readonly kind: 'sampler';
  /** Default 'sampler'. */
  readonly type?: 'sampler' | 'sampler_comparison';
}

/** A buffer, texture or sampler that provider code reads by its name. */
export type ProviderResource = ProviderBuffer | ProviderTexture | ProviderSampler;

/**
 * A system that makes or changes vertices in skin-vertices: wind, cloth, a procedural mesh. It is registered once, and its
 * code runs for the meshes that name it (`packCharacter`, `providers`), on characters that one of its views sees.
 */
export interface VertexProvider {
  /** Name of its WGSL function: letters, digits and underscores. Messages use it, too. */
  readonly name: string;
  /**
   * WGSL that declares `fn name(site: VertexSite, surface: Surface) -> Surface`, and whatever it needs besides. It may call
   * `openVertices(site.geometryRow, vertex)` and `loadPosition(loader, vertex, set)` and its like for any vertex of the
   * character, and `nameRow(i)`, `nameCharacterRow(i)` and `nameState(i)` for its rows. `loadChannel(loader, channel_WIND, vertex)` is what a vertex
   * has by a name that is among `channels`. `skinnedChannel`, a vec4f, is what later passes get of the crowd's `skinnedChannel`:
   * assign to it. No directives, no bindings but its `resources`, and no name that the kernels have.
   */
  readonly code: string;
  /** `mesh`: the stored vertex, before morph targets and joints. `model`: the vertex after the joints. */
  readonly space: 'mesh' | 'model';
  /**
   * A bit per view in which it is wanted, in the order of `update`'s views. Default: all of them. `crowd.setProviderViews` changes
   * it between frames. It runs once for all views that see a character, and for a character that is posed only for its
   * followers whatever sees those.
   */
  readonly views?: number;
  /** Names of channels that its code reads: for each there is a constant, `channel` and the name. Default: none. */
  readonly channels?: readonly string[];
  /** Rows of four floats that it has. Default: none. */
  readonly rowCount?: number;
  /** Rows of four floats that it has of each character: `crowd.setProviderCharacterRows`. Default: none. */
  readonly characterRowCount?: number;
  /** Rows of four floats of each character that its update keeps from frame to frame: at most 16. Default: none. */
  readonly stateRowCount?: number;
  /** Runs once per visible character that uses the provider, in each frame in which one of its views sees the character. */
  readonly update?: ProviderUpdate;
  /** Buffers, textures and samplers of the application, by the names that the code has for them. */
  readonly resources?: Readonly<Record<string, ProviderResource>>;
  /** The same in TypeScript, for the backend on the CPU. */
  readonly twin?: (site: ProviderSite, surface: ProvidedSurface) => ProvidedSurface;
}

/** The constant by which WGSL calls a channel that a provider lists. */
export function channelConstant(name: string): string {
  return `channel${name}`;
}

/**
 * Providers that a loader variant names, a bit each, of the `count` that there are. A mesh may name more than the
 * application has.
 */
export function providersOf(variant: number, count: number): number {
  return (variant >>> LOADER_PROVIDER_SHIFT) & (2 ** Math.min(count, PROVIDER_LIMIT) - 1);
}

/** Returns true if some provider has an update function. */
export function hasUpdates(providers: readonly VertexProvider[]): boolean {
  return providers.some(({ update }) => update);
}
