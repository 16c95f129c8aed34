// What the page and the field say to each other, through a worker's messages or by plain calls: data alone.
import type { Character, ControllerModel } from '../src/asset/index.ts';
import type { AnimatorState, Issue } from '../src/index.ts';
import type { ShownView } from '../src/render/index.ts';

export const RENDERERS = ['visibility', 'forward', 'three'] as const;
export type RendererName = (typeof RENDERERS)[number];

/** Where characters are computed; 'difference': on both, from the same state, and what differs is shown. */
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

/** What a person can set. */
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
  /** Whether the camera goes round by itself. */
  readonly orbit: boolean;
  /** Pixels to draw per pixel of the screen, each way. */
  readonly resolution: number;
}

/** What is not set is chosen by the field, which tells. */
export type Wishes = { readonly [K in keyof Settings]?: Settings[K] | undefined };

export interface CanvasSize {
  /** Layout pixels. */
  readonly width: number;
  readonly height: number;
  readonly pixelRatio: number;
  /** What is covered at its edges: the camera looks at the middle of the rest. */
  readonly covered: { readonly left: number; readonly right: number; readonly bottom: number };
}

/** What a field begins with. */
export interface FieldStart {
  readonly wishes: Wishes;
  readonly size: CanvasSize;
  /** Radians, for links; default: along the line where the two meet. */
  readonly yaw?: number | undefined;
  readonly pitch?: number | undefined;
  /** Folder of the baked files, with a slash at its end. */
  readonly baked: string;
}

export type Command =
  /** `turn` comes back with the settings that it led to. */
  | { readonly kind: 'set'; readonly wishes: Wishes; readonly turn: number }
  | { readonly kind: 'resize'; readonly size: CanvasSize }
  /** Radians round the target, and up. */
  | { readonly kind: 'orbit'; readonly yaw: number; readonly pitch: number }
  /** Along the ground, in heights of the picture: to the right and up as it is seen. */
  | { readonly kind: 'pan'; readonly right: number; readonly up: number }
  /**
   * Selects who is shown at a place, in layout pixels, or stands nearest to it within `reach`; nobody: ends that. `go`: the
   * camera goes there as well.
   */
  | { readonly kind: 'pick'; readonly x: number; readonly y: number; readonly reach: number; readonly go: boolean }
  /** Selects whoever stands next to what the camera looks at. */
  | { readonly kind: 'pickNearest' }
  | { readonly kind: 'release' }
  /** Of the soldier that is selected, which is in a person's hands from then on. */
  | { readonly kind: 'parameter'; readonly name: string; readonly value: number }
  | { readonly kind: 'trigger'; readonly name: string }
  | { readonly kind: 'hold'; readonly held: boolean }
  | { readonly kind: 'play'; readonly clip: string }
  /** A character that joins, a troop of it. */
  | { readonly kind: 'join'; readonly name: string; readonly character: Character }
  /** The character that joined last, or legionaries, whose clips it names, run a controller: a troop of them joins. */
  | { readonly kind: 'control'; readonly name: string; readonly controller: ControllerModel };

/** Milliseconds by stage, one measured frame. */
export interface StageTimes {
  /** Milliseconds since the page began. */
  readonly at: number;
  readonly stages: readonly (readonly [stage: string, milliseconds: number])[];
}

export interface Figures {
  /** Frames per second that were drawn, and how long the host took for one, milliseconds. */
  readonly frameRate: number;
  readonly hostTime: number;
  /** Frames since the field began. */
  readonly frames: number;
  /** Seconds of the battle. */
  readonly time: number;
  readonly characters: number;
  /** Of the last frame: whom a view sees, and who was posed. */
  readonly visible: number;
  readonly posed: number;
  /** Characters that were seen, but found no vertex memory. */
  readonly undrawn: number;
  /** Triangles rasterised for the picture; undefined where the renderer does not count them. */
  readonly triangles: number | undefined;
  readonly bytes: { readonly crowd: number; readonly renderer: number; readonly scenery: number };
  /** Pixels of the picture. */
  readonly width: number;
  readonly height: number;
  readonly times: readonly StageTimes[];
  readonly difference: Difference | undefined;
}

/** How far apart two pictures are, in codes 0 … 255. */
export interface Difference {
  readonly most: number;
  readonly mean: number;
  /** Share of pixels that differ at all. */
  readonly share: number;
}

/** A soldier that is selected, as it is now. */
export interface Watched {
  readonly id: number;
  /** Whose it is: 0 legion, 1 raiders, then those that joined. */
  readonly troop: number;
  readonly name: string;
  /** Undefined: its clips are played by the field. */
  readonly state: AnimatorState | undefined;
  readonly parameters: readonly WatchedParameter[];
  readonly clips: readonly string[];
  /** In a person's hands: nobody else directs it. */
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
  /** Whether GPU times can be measured. */
  readonly hasTimes: boolean;
  readonly inWorker: boolean;
}

/** Who stands on the field. */
export interface Troop {
  readonly name: string;
  readonly count: number;
  /** What it runs, where that was made or dropped here; baked files have their tables alone. */
  readonly controller: ControllerModel | undefined;
  /** Vertices of the finest level. */
  readonly vertices: number;
  readonly joints: number;
  readonly clips: number;
}

export type Told =
  | { readonly kind: 'ready'; readonly adapter: AdapterFacts }
  /** What is being done; undefined: nothing. `share`: of the way to the first frame, 0 … 1. */
  | { readonly kind: 'busy'; readonly text: string | undefined; readonly share?: number }
  /** The first frame is on the canvas. */
  | { readonly kind: 'drawn' }
  /** What counts now, with words on what is other than was wished. */
  | {
      readonly kind: 'settings';
      readonly settings: Settings;
      readonly notes: readonly string[];
      readonly turn: number;
    }
  | { readonly kind: 'troops'; readonly troops: readonly Troop[] }
  | { readonly kind: 'figures'; readonly figures: Figures }
  | { readonly kind: 'watched'; readonly watched: Watched | undefined }
  /** Of the picture that shows them: where the camera is. */
  | { readonly kind: 'camera'; readonly yaw: number; readonly pitch: number; readonly distance: number }
  /** Something to be read: mostly of what was asked for and did not work. The field goes on. */
  | {
      readonly kind: 'notice';
      readonly about: 'settings' | 'file' | 'frame';
      readonly title: string;
      readonly issues: readonly Issue[];
    }
  /** The field has ended. */
  | { readonly kind: 'failed'; readonly issues: readonly Issue[] };
