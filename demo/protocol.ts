// Messages between the page and the field, sent to a worker or by plain calls. They contain only data.
import type { Character } from '../src/character/index.ts';
import type { ControllerModel } from '../src/controller/index.ts';
import type { ControllerState, CrowdTier, Issue } from '../src/index.ts';
import type { ShownView } from '../src/render/index.ts';

export const RENDERERS = ['visibility', 'forward', 'three'] as const;
export type RendererName = (typeof RENDERERS)[number];

/** Processor that computes characters. 'difference': both, from the same state; the picture shows the difference. */
export const BACKENDS = ['gpu', 'cpu', 'difference'] as const;
export type BackendName = (typeof BACKENDS)[number];

export const VIEWS: readonly ShownView[] = [
  'color',
  'level',
  'rate',
  'slot',
  'bounds',
  'joints',
  'ids',
  'overdraw',
  'velocity',
  'depth',
  'normals',
];

/** Fewest and most soldiers, of both peoples together. */
export const COUNTS = { least: 2, most: 100_000 } as const;

/** Most soldiers in a tier. With WebGL 2 one core of the CPU steps and poses them. */
export function mostIn(tier: CrowdTier | undefined): number {
  return tier === 'webgl2' ? 1000 : COUNTS.most;
}

/** Settings that a person can change. */
export interface Settings {
  readonly count: number;
  /** The same seed gives the same battle. */
  readonly seed: number;
  readonly renderer: RendererName;
  readonly view: ShownView;
  readonly backend: BackendName;
  readonly paused: boolean;
  /** How fast time goes: 1 is real time. */
  readonly speed: number;
  /** 0: the whole field, 1: one face. */
  readonly zoom: number;
  /** True if the camera orbits automatically. */
  readonly orbit: boolean;
  /** Pixels to draw per screen pixel, in each direction. */
  readonly resolution: number;
}

/** Wished settings. The field chooses the missing ones and reports them. */
export type Wishes = { readonly [K in keyof Settings]?: Settings[K] | undefined };

export interface CanvasSize {
  /** Layout pixels. */
  readonly width: number;
  readonly height: number;
  readonly pixelRatio: number;
  /** Covered widths at its edges. The camera centres its target in the rest. */
  readonly covered: { readonly left: number; readonly right: number; readonly bottom: number };
}

/** Inputs of a new field. */
export interface FieldStart {
  readonly wishes: Wishes;
  readonly size: CanvasSize;
  /** Radians, for links. Default: along the line where the two peoples meet. */
  readonly yaw?: number | undefined;
  readonly pitch?: number | undefined;
  /** Level of WebGPU to request, or WebGL 2. Default: the best one. */
  readonly tier?: CrowdTier | undefined;
  /** True if the field draws with WebGL 2 where there is no WebGPU. */
  readonly fallsBack: boolean;
  /** Folder of the baked files, ending with a slash. */
  readonly baked: string;
}

export type Command =
  /** The field returns `turn` with the resulting settings. */
  | { readonly kind: 'set'; readonly wishes: Wishes; readonly turn: number }
  | { readonly kind: 'resize'; readonly size: CanvasSize }
  /** Radians around the target, and up. */
  | { readonly kind: 'orbit'; readonly yaw: number; readonly pitch: number }
  /** Moves along the ground, in picture heights: to the right and up on the screen. */
  | { readonly kind: 'pan'; readonly right: number; readonly up: number }
  /**
   * Selects the character at a place, in layout pixels, or the nearest one within `reach`. Without one, ends the selection.
   * `go`: moves the camera there, too.
   */
  | { readonly kind: 'pick'; readonly x: number; readonly y: number; readonly reach: number; readonly go: boolean }
  /** Selects the character nearest to the camera's target. */
  | { readonly kind: 'pickNearest' }
  | { readonly kind: 'release' }
  /** Sets a parameter of the selected soldier. From then on only a person directs the soldier. */
  | { readonly kind: 'parameter'; readonly name: string; readonly value: number }
  | { readonly kind: 'trigger'; readonly name: string }
  | { readonly kind: 'hold'; readonly held: boolean }
  | { readonly kind: 'play'; readonly clip: string }
  /**
   * Adds a troop of a character. A troop of the same key gets the character instead. `plays`: clips that it plays; default: all that
   * move.
   */
  | {
      readonly kind: 'join';
      readonly key: number;
      readonly name: string;
      readonly character: Character;
      readonly plays?: readonly string[] | undefined;
    }
  /** Adds a troop that runs a controller: of the last joined character, or of legionaries if the controller names their clips. */
  | { readonly kind: 'control'; readonly name: string; readonly controller: ControllerModel };

/** Milliseconds by stage for one measured frame. */
export interface StageTimes {
  /** Milliseconds since the page began. */
  readonly at: number;
  readonly stages: readonly (readonly [stage: string, milliseconds: number])[];
}

export interface Figures {
  /** Frames drawn per second, and CPU milliseconds per frame. */
  readonly frameRate: number;
  readonly hostTime: number;
  /** Frames since the field began. */
  readonly frames: number;
  /** Seconds of the battle. */
  readonly time: number;
  readonly characters: number;
  /** Characters that were visible and that were posed in the last frame. */
  readonly visible: number;
  readonly posed: number;
  /** Visible characters that were dropped because vertex memory ran out. */
  readonly undrawn: number;
  /** Triangles rasterised for the picture; undefined if the renderer does not count them. */
  readonly triangles: number | undefined;
  readonly bytes: { readonly crowd: number; readonly renderer: number; readonly scenery: number };
  /** Pixels of the picture. */
  readonly width: number;
  readonly height: number;
  readonly times: readonly StageTimes[];
  readonly difference: Difference | undefined;
}

/** Difference between two pictures, in codes 0 … 255. */
export interface Difference {
  readonly most: number;
  readonly mean: number;
  /** Share of pixels that differ. */
  readonly share: number;
}

/** Current state of the selected soldier. */
export interface Watched {
  readonly id: number;
  /** Its troop: 0 legion, 1 raiders, then troops that joined. */
  readonly troop: number;
  readonly name: string;
  /** Undefined if it has no controller and the field plays its clips. */
  readonly state: ControllerState | undefined;
  readonly parameters: readonly WatchedParameter[];
  readonly clips: readonly string[];
  /** True if only a person directs it. */
  readonly held: boolean;
  readonly position: readonly [x: number, y: number, z: number];
}

export interface WatchedParameter {
  readonly name: string;
  readonly type: 'float' | 'int' | 'bool' | 'trigger';
  readonly value: number;
}

export interface AdapterFacts {
  readonly name: string;
  readonly kind: 'hardware' | 'software' | 'null';
  readonly tier: CrowdTier;
  /** True if the link asks for this tier. */
  readonly isAsked: boolean;
  /** The reason why there is no WebGPU, if it was requested and is missing: a sentence. */
  readonly lack?: string | undefined;
  /** True if times of stages can be measured. */
  readonly hasTimes: boolean;
  readonly inWorker: boolean;
}

/** A troop on the field. */
export interface Troop {
  readonly name: string;
  readonly count: number;
  /** Its controller, if it was created or dropped on this page. Baked files contain only the tables. */
  readonly controller: ControllerModel | undefined;
  /** Vertices of the finest level. */
  readonly vertices: number;
  readonly joints: number;
  readonly clips: number;
}

export type Told =
  | { readonly kind: 'ready'; readonly adapter: AdapterFacts }
  /** Current work; undefined when idle. `share`: progress to the first frame, 0 … 1. */
  | { readonly kind: 'busy'; readonly text: string | undefined; readonly share?: number }
  /** The first frame is on the canvas. */
  | { readonly kind: 'drawn' }
  /** Current settings. Notes explain each setting that differs from its wish. */
  | {
      readonly kind: 'settings';
      readonly settings: Settings;
      readonly notes: readonly string[];
      readonly turn: number;
    }
  | { readonly kind: 'troops'; readonly troops: readonly Troop[] }
  | { readonly kind: 'figures'; readonly figures: Figures }
  | { readonly kind: 'watched'; readonly watched: Watched | undefined }
  /** Position of the camera in the last picture. */
  | { readonly kind: 'camera'; readonly yaw: number; readonly pitch: number; readonly distance: number }
  /** A message, mostly on a command that failed. The field continues. */
  | {
      readonly kind: 'notice';
      readonly about: 'settings' | 'file' | 'frame';
      readonly title: string;
      readonly issues: readonly Issue[];
    }
  /** The field has ended. */
  | { readonly kind: 'failed'; readonly issues: readonly Issue[] };
