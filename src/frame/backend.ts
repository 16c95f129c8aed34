import type { Modifier, Player } from '../stages/gather-motions/layout.ts';
import type { View } from '../layout/index.ts';
import type { Resident, Transform, VisibleCharacter } from '../stages/layout.ts';
import type { Attachment, SocketJoint } from '../stages/place-sockets/layout.ts';
import type { AskedJoint, JointAnswer } from '../stages/read-joints/layout.ts';
import type { Dispatch } from '../stages/kernel.ts';
import type { Column, Word } from './tables/column.ts';
import type { DeliverEvents, EventQueue } from './tables/event-queue.ts';
import type { CrowdView } from './tables/crowd-view.ts';
import type { FrameViews } from './cpu/frame.ts';
import type { Moment, StageName } from './stages.ts';
import type { BackendLimits, CrowdMemory, PageMemory } from './tables/memory.ts';
import type { KernelState } from './tables/kernel-state.ts';
import type { PlacedBlob } from './tables/crowd-types.ts';
import type { ColumnMemory } from './tables/column-memory.ts';
import type { NamedColumn } from './tables/named-columns.ts';
import type { Page, SlotChanges } from './tables/vertex-pages.ts';
import type { ProviderInputs } from './tables/provider-memory.ts';
import type { PlacedDraws } from './tables/plan.ts';
import type { CrowdLayout } from './tables/crowd-layout.ts';

export interface FrameInputs {
  /** Seconds since the crowd began, 32.32 fixed point. */
  readonly time: bigint;
  /** Frame number, from 1. */
  readonly frame: number;
  /** Words of the rig table that have changed since the last frame. */
  readonly rig: readonly PlacedBlob[];
  readonly residents: Column<(typeof Resident)['fields']>;
  readonly transforms: Column<(typeof Transform)['fields']>;
  readonly players: Column<(typeof Player)['fields']>;
  readonly modifiers: Column<(typeof Modifier)['fields']>;
  readonly providers: ProviderInputs;
  readonly animators: AnimatorInputs;
  readonly sockets: SocketInputs;
  readonly places: PlaceInputs;
  /** Inputs of a frame with views. Undefined if the frame has no views: then only state machines run. */
  readonly seen: SeenInputs | undefined;
  /** Receives the inputs and outputs of each stage. */
  readonly recorder?: FrameRecorder | undefined;
  /** True if the whole frame is timed, for `takeFrameTime`. */
  readonly isTimed?: boolean;
}

/** A stage that is about to run, or has just run. */
export interface RecordedMoment {
  readonly stage: StageName;
  readonly moment: Moment;
  readonly inputs: FrameInputs;
}

/** Observes a frame while it runs. It may take copies, and changes nothing. */
export interface FrameRecorder {
  /** `encoder` is between passes. Copies recorded into it read the same data as the stage. */
  kernels(
    at: RecordedMoment,
    gpu: { readonly device: GPUDevice; readonly encoder: GPUCommandEncoder; readonly dispatches: readonly Dispatch[] },
  ): void;
  twins(at: RecordedMoment, views: FrameViews): void;
}

/** CPU-side inputs of a frame with views. */
export interface SeenInputs {
  /** Undefined if there is no culling: then every character is visible, at the finest level, in every frame. */
  readonly views: readonly CrowdView[] | undefined;
  readonly pages: readonly Page[];
  /** Vertices of each page that slots have been cut from. */
  readonly usedVertices: readonly number[];
  readonly slots: SlotChanges;
  /** True if some characters show the pose of a pose source. */
  readonly hasFollowers: boolean;
  /** Per character, the row of its type's first shared pose, or SHARES_NONE. Undefined if no poses are shared. */
  readonly sharers?: Column<typeof Word.fields> | undefined;
  /** Pixels below which a character is posed every 2nd, 4th, 8th frame. */
  readonly rateSizes: readonly [number, number, number];
  /** Maximum characters to pose, and rows of their palettes. */
  readonly poses: { readonly characters: number; readonly paletteRows: number };
}

/** CPU-side inputs of the state machines. */
export interface AnimatorInputs {
  /** Seconds since the last frame. */
  readonly dt: number;
  /** Number of used rows in the columns. */
  readonly characterCount: number;
  /** Speeds, then parameters: columns of the animators. */
  readonly columns: readonly Column<typeof Word.fields>[];
  /** Command runs, then commands, a row each. */
  readonly commands: Uint32Array<ArrayBuffer>;
  readonly runCount: number;
}

/** CPU-side inputs of attachments. Both columns have a row for each attachment of the capacity. */
export interface SocketInputs {
  /** Number of rows that are or were in use. Rows after them were never used. */
  readonly count: number;
  readonly attachments: Column<(typeof Attachment)['fields']>;
  /** Joint matrices until the joint is first posed. Frames compute later ones. */
  readonly joints: Column<(typeof SocketJoint)['fields']>;
}

/** Ground under characters, as a grid of heights. */
export interface GroundField {
  /** Metres, row after row. Each row is along x. */
  readonly heights: Float32Array<ArrayBuffer>;
  readonly columns: number;
  readonly rows: number;
  /** World position of the first height, in metres. Its y is added to all heights. */
  readonly origin: readonly [number, number, number];
  readonly spacing: readonly [number, number];
  readonly lean: number;
}

/** The origin and the ground. Together with transforms they position characters. */
export interface PlaceInputs {
  /** Origin of transforms: metres in the world. */
  readonly origin: readonly [number, number, number];
  /** Moves of the origin since the last frame, in order, in single precision. */
  readonly moves: readonly (readonly number[])[];
  readonly ground: GroundField | undefined;
  /** A bit per character that follows the ground. */
  readonly grounded: Column<typeof Word.fields>;
}

/** Data read back, all of one frame. */
export interface Answer<T> {
  /** The last submitted frame; for joints, the last one with views. */
  readonly frame: number;
  /** Origin of positions in that frame. */
  readonly origin: readonly [number, number, number];
  readonly value: T;
}

/** Results of the last frame for one character. */
export interface CharacterReadback {
  /** Its palette rows. Undefined if it was not posed in that frame: it kept its vertices, or shows those of its pose source. */
  readonly palette: Float32Array | undefined;
  /** Its row of the visible list. */
  readonly row: View<(typeof VisibleCharacter)['fields']>;
  /**
   * Its skinned vertices at the drawn level: four words each, as skin-vertices writes them. For a type that draws skin, the
   * CPU computes them from the palette on each access.
   */
  readonly vertices: Uint32Array<ArrayBuffer>;
  /** The same of the previous frame. */
  readonly previousVertices: Uint32Array<ArrayBuffer>;
}

/** Counts of a frame with views. */
export interface FrameStats {
  /** Rows of the visible list: visible characters, pose sources of visible characters, and shared poses. */
  readonly listed: number;
  /** Characters and shared poses that were posed and skinned. */
  readonly posed: number;
  /**
   * Characters that were due but exceeded the pose limit (`maxPoses` of `createCrowd`). They keep their vertices, or are not
   * drawn if they have none.
   */
  readonly unposed: number;
  /** Visible characters that were not drawn, because vertex memory was full. */
  readonly undrawn: number;
  /** Motions of posed characters that exceeded the capacity of their lists: the lightest ones. See `maxClips` of `createCrowd`. */
  readonly droppedMotions: number;
  /** Interrupted blends with more than eight samples, the most that a held pose keeps. Counted since the crowd was created. */
  readonly truncatedFreezes: number;
  /** Samples that these blends dropped, since the crowd was created. */
  readonly droppedSamples: number;
  /** Sum of the layer weights of dropped samples, since the crowd was created. The eight kept samples take their weight. */
  readonly droppedWeight: number;
}

/** Tables and columns that draws read. */
export type DrawnColumns = Pick<
  CrowdMemory,
  'device' | 'geometry' | 'indices' | 'visible' | 'transforms' | 'previousTransforms' | 'residents'
>;

/** Memory that renderers draw one frame from. */
export interface DrawnMemory {
  readonly crowd: DrawnColumns;
  /** Ranges, records and arguments of draws. */
  readonly targets: GPUBuffer;
  readonly draws: readonly PlacedDraws[];
  /**
   * Palettes of characters that the frame posed, as rows of matrices; see `VisibleCharacter.paletteRow`. Undefined if the frame
   * is a kept one: the next frame overwrites them.
   */
  readonly palettes: GPUBuffer | undefined;
  readonly page: (index: number) => PageMemory;
  readonly socketMatrices: GPUBuffer;
  readonly previousSocketMatrices: GPUBuffer;
  /** Named columns of a kept frame. Undefined if the backend's own columns belong to the frame. */
  readonly columns?: GPUBuffer | undefined;
}

/** Memory of the frame that was recorded last. */
export interface DrawMemory extends DrawnMemory {
  readonly crowd: CrowdMemory;
  readonly palettes: GPUBuffer;
  /** Motion lists of posed characters. Undefined on the CPU backend. */
  readonly motions: GPUBuffer | undefined;
}

/** A frame that can be drawn after the next one has been recorded. */
export interface KeptFrame {
  readonly frame: number;
  readonly memory: DrawnMemory;
}

/** The same in CPU memory, as the twins write it. */
export interface DrawArrays {
  readonly visible: View<(typeof VisibleCharacter)['fields']>;
  readonly transforms: View<(typeof Transform)['fields']>;
  readonly previousTransforms: View<(typeof Transform)['fields']>;
  readonly residents: View<(typeof Resident)['fields']>;
  readonly geometry: Uint32Array<ArrayBuffer>;
  readonly indices: Uint32Array<ArrayBuffer>;
  /** Records of draws: words of `PlacedDraws.recordByte`. */
  readonly targets: Uint32Array;
  readonly draws: readonly PlacedDraws[];
  /** By page. */
  readonly pages: readonly { readonly skinned: Uint32Array<ArrayBuffer> }[];
  /** Matrices of attachments, sixteen numbers each, and those of the previous frame with views. */
  readonly socketMatrices: Float32Array<ArrayBuffer>;
  readonly previousSocketMatrices: Float32Array<ArrayBuffer>;
}

/** Runs frames, with kernels on a GPU or with their twins. Both read and write the same bytes. */
export interface Backend {
  readonly kind: 'gpu' | 'cpu';
  readonly limits: BackendLimits;
  /** Named columns, as the last frame left them. */
  readonly columns: Pick<ColumnMemory, 'buffer' | 'floats'>;
  /** Replaces the named columns, with their current content. @throws ManipleError DEVICE_LIMIT, before anything changes */
  setColumns(columns: readonly NamedColumn[]): void;
  addPage(page: Page): void;
  /** Removes a page without characters. Its memory is freed once all frames recorded before are submitted. */
  removePage(page: Page): void;
  /** Uploads the inputs, and runs or records the frame. Call the returned function once the commands are submitted. */
  encode(encoder: GPUCommandEncoder | undefined, inputs: FrameInputs): () => Promise<void>;
  /**
   * Reads a character; undefined if the last frame did not list it. All data is of one frame, even if others are submitted
   * meanwhile. @throws ManipleError CROWD_LIMIT (they moved its vertices each time), CROWD_DESTROYED, DEVICE_LOST
   */
  read(character: number): Promise<CharacterReadback | undefined>;
  readStats(): Promise<FrameStats>;
  /** Results of `listMotions` for characters, after all commands submitted so far. */
  readAnimators(characters: readonly number[]): Promise<Uint32Array<ArrayBuffer>>;
  /**
   * Called with each event ring that is read back, in the order of frames. A ring holds all events, not yet delivered, up to
   * the frame that copied it.
   */
  onEvents: DeliverEvents;
  /** For tests, on the CPU backend: receives how close each decision of a controller was; see `StepControllersViews`. */
  onMargin?: (character: number, margin: number) => void;
  /** Reads current transforms, for characters that root motion or the ground moves. */
  readTransforms(characters: readonly number[]): Promise<Answer<View<(typeof Transform)['fields']>>>;
  readJoints(asked: View<(typeof AskedJoint)['fields']>): Promise<Answer<View<(typeof JointAnswer)['fields']>>>;
  /** Reads matrices of attachments: sixteen numbers each, column after column. */
  readSockets(attachments: readonly number[]): Promise<Answer<Float32Array<ArrayBuffer>>>;
  /** Reads the state that frames keep of the first characters and attachments, after all commands submitted before the call. */
  saveState(characterCount: number, attachmentCount: number): Promise<KernelState>;
  /** Restores the state of characters. Call it before the first frame. */
  restoreState(state: KernelState): void;
  /**
   * Changes to another shape. All state, pages, attachments and events stay. Slots must be granted again. Until a frame does that,
   * the last frame with views can be read and drawn. No frame may be open.
   * @param count Number of rows that ever had a character. @throws ManipleError DEVICE_LIMIT; the backend is then unchanged
   */
  resize(shape: CrowdLayout, count: number): void;
  /**
   * Reads everything that a backend of the other kind needs. The resolved function adds CPU-side changes since then, and
   * the other backend must take over directly after its call. If none takes over, this backend is unchanged.
   * Its last frame can be read and drawn until `shown` is destroyed. No frame may be open, and none may begin.
   * @throws ManipleError DEVICE_LOST
   */
  handOver(): Promise<() => HandedOver>;
  /** A matrix per attachment, of the last recorded frame; undefined without a device. */
  readonly socketMatrices: GPUBuffer | undefined;
  /** The same of the previous frame with views. An attachment without history has its current matrix. */
  readonly previousSocketMatrices: GPUBuffer | undefined;
  /** Called when a larger buffer of matrices replaces the old one, before the frame that writes it is submitted. */
  onSocketsGrown: (matrices: GPUBuffer) => void;
  /** Milliseconds per stage, of the last frame that was measured. */
  readonly timings: ReadonlyMap<string, number>;
  /** Milliseconds of the last frame that was timed (`FrameInputs.isTimed`). Undefined if none has arrived since the last call. */
  takeFrameTime(): number | undefined;
  readonly byteLength: number;
  /** Memory to draw the last recorded frame with views from; undefined without a device. */
  readonly memory: DrawMemory | undefined;
  /** The same on the CPU backend, with or without a device; undefined on the GPU backend. */
  readonly arrays: DrawArrays | undefined;
  /** Memory to draw the frame before the last one from. Undefined unless slots keep three copies and that frame had views. */
  readonly kept: KeptFrame | undefined;
  destroy(): void;
}

/** A page of skinned vertices as twins keep it. */
export interface CpuPage {
  readonly skinned: Uint32Array<ArrayBuffer>;
  /** GPU copies to draw from, when there is a device. */
  readonly memory: PageMemory | undefined;
}

/** Data handed to a backend of the other kind. */
export interface HandedOver {
  readonly pages: readonly CpuPage[];
  /** Undefined if the crowd has no events. */
  readonly queue: EventQueue | undefined;
  readonly residents: Uint32Array<ArrayBuffer>;
  readonly provided: Float32Array<ArrayBuffer>;
  readonly previousTransforms: Uint32Array<ArrayBuffer>;
  readonly wasSeen: boolean;
  readonly state: KernelState;
  readonly sockets: SocketState;
  readonly frames: Frames;
  /** Events that are still in the ring. */
  readonly events: Uint32Array<ArrayBuffer>;
  /** Counts of truncated freezes since the crowd was created, across all backends. */
  readonly freezes: Pick<FrameStats, 'truncatedFreezes' | 'droppedSamples' | 'droppedWeight'>;
  /** Memory that no future frame needs. */
  readonly retired: readonly { destroy(): void }[];
  readonly culled: CulledState;
  readonly shown: Shown;
}

/** State of cull-characters from frame to frame: words of its columns. */
export type CulledState = Readonly<Record<'slots' | 'decisions' | 'classes' | 'rings' | 'extents' | 'moves', Words>>;

/** State of attachments: columns as kernels and twins have them. */
export interface SocketState {
  readonly joints: Words;
  readonly previousLocals: Words;
  readonly matrices: Float32Array<ArrayBuffer>;
  readonly previousMatrices: Float32Array<ArrayBuffer>;
  /** GPU copies of the matrices, current and previous. */
  readonly buffers: readonly [matrices: GPUBuffer, previousMatrices: GPUBuffer] | undefined;
}

type Words = Uint32Array<ArrayBuffer>;

/** Access to the last frame with views, through the backend that ran it. */
export type Shown = Pick<Backend, 'read' | 'readStats' | 'readJoints' | 'memory' | 'arrays' | 'destroy'>;

/** The last frame, the last frame with views, and the origin of positions. */
export interface Frames {
  readonly now: number;
  readonly lastFrame: number;
  readonly origin: PlaceInputs['origin'];
}
