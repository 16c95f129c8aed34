import type { Modifier, Player } from '../stages/gather-motions/layout.ts';
import type { View } from '../layout/index.ts';
import type { Resident, Transform, VisibleCharacter } from '../stages/layout.ts';
import type { Attachment, SocketJoint } from '../stages/place-sockets/layout.ts';
import type { AskedJoint, JointAnswer } from '../stages/read-joints/layout.ts';
import type { Dispatch } from '../stages/kernel.ts';
import type { Column, Word } from './column.ts';
import type { CpuPage } from './cpu-pages.ts';
import type { DeliverEvents, EventQueue } from './event-queue.ts';
import type { CrowdView } from './crowd-view.ts';
import type { FrameViews } from './cpu-frame.ts';
import type { Moment, StageName } from './frame.ts';
import type { CrowdMemory, PageMemory } from './gpu-memory.ts';
import type { KernelState } from './kernel-state.ts';
import type { ColumnMemory } from './column-memory.ts';
import type { NamedColumn } from './named-columns.ts';
import type { Page } from './page.ts';
import type { ProviderInputs } from './provider-memory.ts';
import type { PlacedDraws } from './plan.ts';
import type { CrowdShape } from './shape.ts';
import type { SlotChanges } from './vertex-pages.ts';

/** What the host brings to a frame. */
export interface FrameInputs {
  /** Seconds since the crowd began, 32.32 fixed point. */
  readonly time: bigint;
  /** Frames count from 1. */
  readonly frame: number;
  readonly residents: Column<(typeof Resident)['fields']>;
  readonly transforms: Column<(typeof Transform)['fields']>;
  readonly players: Column<(typeof Player)['fields']>;
  readonly modifiers: Column<(typeof Modifier)['fields']>;
  readonly providers: ProviderInputs;
  readonly animators: AnimatorInputs;
  readonly sockets: SocketInputs;
  readonly places: PlaceInputs;
  /** What is looked at; undefined: nothing is, and only state machines run. */
  readonly seen: SeenInputs | undefined;
  /** Told what each stage reads and writes. */
  readonly recorder?: FrameRecorder | undefined;
}

/** A stage about to run, or that has just run: what backends tell a recorder. */
export interface RecordedMoment {
  readonly stage: StageName;
  readonly moment: Moment;
  readonly inputs: FrameInputs;
}

/** Looks on while a frame runs: takes copies, changes nothing. */
export interface FrameRecorder {
  /** `encoder` is between passes; copies that are recorded into it see what the stage sees. */
  kernels(
    at: RecordedMoment,
    gpu: { readonly device: GPUDevice; readonly encoder: GPUCommandEncoder; readonly dispatches: readonly Dispatch[] },
  ): void;
  twins(at: RecordedMoment, views: FrameViews): void;
}

/** What the host brings to a frame that somebody looks at. */
export interface SeenInputs {
  /** Those who look; undefined: everyone is seen, at the finest level, in every frame. */
  readonly views: readonly CrowdView[] | undefined;
  readonly pages: readonly Page[];
  /** Vertices of each page that slots have been cut from. */
  readonly usedVertices: readonly number[];
  readonly slots: SlotChanges;
  /** Some show another one's pose. */
  readonly hasFollowers: boolean;
  /** Where far characters share poses, by character: the row of its type's first one, or SHARES_NONE. */
  readonly sharers?: Column<typeof Word.fields> | undefined;
  /** Pixels below which a character is posed every 2nd, 4th, 8th frame. */
  readonly rateSizes: readonly [number, number, number];
  /** Characters that may have to be posed, and rows of their palettes. */
  readonly poses: { readonly characters: number; readonly paletteRows: number };
}

/** What the host brings to the state machines. */
export interface AnimatorInputs {
  /** Seconds that pass. */
  readonly dt: number;
  /** Rows of the columns that are in use. */
  readonly characterCount: number;
  /** Speeds, then parameters: columns of the animators. */
  readonly columns: readonly Column<typeof Word.fields>[];
  /** Command runs, then commands, a row each. */
  readonly commands: Uint32Array<ArrayBuffer>;
  readonly runCount: number;
}

/** What characters carry. Both columns have a row for each attachment that there is room for. */
export interface SocketInputs {
  /** Rows that have been used: those behind never were. */
  readonly count: number;
  readonly attachments: Column<(typeof Attachment)['fields']>;
  /** Where joints are until they are posed: what has changed since is the frame's. */
  readonly joints: Column<(typeof SocketJoint)['fields']>;
}

/** Ground that characters stand on. */
export interface GroundField {
  /** Metres: row after row, along x in each. */
  readonly heights: Float32Array<ArrayBuffer>;
  readonly columns: number;
  readonly rows: number;
  /** Of the first height; y is added to all. Metres in the world. */
  readonly origin: readonly [number, number, number];
  readonly spacing: readonly [number, number];
  readonly lean: number;
}

/** Where characters are said to stand, apart from their transforms. */
export interface PlaceInputs {
  /** What transforms are relative to: metres in the world. */
  readonly origin: readonly [number, number, number];
  /** How it has moved since the last frame: single precision, one move after the other. */
  readonly moves: readonly (readonly number[])[];
  readonly ground: GroundField | undefined;
  /** A bit per character that follows the ground. */
  readonly grounded: Column<typeof Word.fields>;
}

/** What the host asked for, as one frame left it. */
export interface Answer<T> {
  /** The last frame that was submitted; of joints, the last of those that somebody looked at. */
  readonly frame: number;
  /** What places are relative to. */
  readonly origin: readonly [number, number, number];
  readonly value: T;
}

/** One character as it came out of the last frame. */
export interface CharacterReadback {
  /** Its palette rows; undefined when it was not posed in that frame: it kept its vertices, or shows another one's. */
  readonly palette: Float32Array | undefined;
  /** Its row of the visible list. */
  readonly row: View<(typeof VisibleCharacter)['fields']>;
  /**
   * Its skinned vertices, of the level that is drawn: four words each, as skin-vertices writes them; and last frame's.
   * Of a type that draws skin, the host makes them of its palette when they are asked for.
   */
  readonly vertices: Uint32Array<ArrayBuffer>;
  readonly previousVertices: Uint32Array<ArrayBuffer>;
}

/** What became of a frame that somebody looked at. */
export interface FrameStats {
  /** Rows of the visible list: who was seen, and who was posed for others, shared poses among them. */
  readonly listed: number;
  /** Characters, and poses that they share, that were posed and skinned. */
  readonly posed: number;
  /**
   * Characters that were due, but there was no room to pose them (`poses` of `createCrowd`): they keep their vertices, or are not
   * drawn when they have none.
   */
  readonly unposed: number;
  /** Characters that were seen, but there was no vertex memory for them. */
  readonly undrawn: number;
  /** Motions of posed characters that their lists had no room for, the lightest ones; see `motions` of `createCrowd`. */
  readonly droppedMotions: number;
  /**
   * Since the crowd was created: how often an interrupted blend had more than the eight samples that a held pose keeps,
   * how many samples were dropped, and the weight that they had in their layers, which the eight took over.
   */
  readonly truncatedFreezes: number;
  readonly droppedSamples: number;
  readonly droppedWeight: number;
}

/** Tables and columns that draws read. */
export type DrawnColumns = Pick<
  CrowdMemory,
  'device' | 'geometry' | 'indices' | 'visible' | 'transforms' | 'previousTransforms' | 'residents'
>;

/** What renderers draw one frame from. */
export interface DrawnMemory {
  readonly crowd: DrawnColumns;
  /** Ranges, records and arguments of draws. */
  readonly targets: GPUBuffer;
  readonly draws: readonly PlacedDraws[];
  /** Of those that the frame posed, as rows of matrices; see `VisibleCharacter.paletteRow`. Undefined: the next frame has its own. */
  readonly palettes: GPUBuffer | undefined;
  readonly page: (index: number) => PageMemory;
  readonly socketMatrices: GPUBuffer;
  readonly previousSocketMatrices: GPUBuffer;
  /** Named columns as that frame had them, of a frame that is kept; undefined: those of the backend are the frame's. */
  readonly columns?: GPUBuffer | undefined;
}

/** The same of the frame that was recorded last. */
export interface DrawMemory extends DrawnMemory {
  readonly crowd: CrowdMemory;
  readonly palettes: GPUBuffer;
  /** Motion lists of characters that were posed; twins keep theirs to themselves. */
  readonly motions: GPUBuffer | undefined;
}

/** A frame that can be drawn after the next one has been recorded. */
export interface KeptFrame {
  readonly frame: number;
  readonly memory: DrawnMemory;
}

/** The same in host memory, as twins leave it. */
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
  readonly pages: readonly {
    readonly skinned: Uint32Array<ArrayBuffer>;
    readonly skinnedTangents: Uint32Array<ArrayBuffer>;
  }[];
}

/** Limits of a backend. */
export interface BackendLimits {
  /** Vertices of one page. */
  readonly pageVertices: number;
  readonly pageCount: number;
  /** Bytes of one buffer that a stage can read. */
  readonly bindingBytes: number;
  /** Attachments. */
  readonly socketLimit: number;
}

/** What runs the frame: kernels on a GPU, or their twins. Both read and write the same bytes. */
export interface Backend {
  readonly kind: 'gpu' | 'cpu';
  readonly limits: BackendLimits;
  /** Named columns, as the last frame left them. */
  readonly columns: Pick<ColumnMemory, 'buffer' | 'floats'>;
  /** Takes named columns as they are now: there are more, or they have other rows. @throws ManipleError DEVICE_LIMIT, before anything changes */
  setColumns(columns: readonly NamedColumn[]): void;
  addPage(page: Page): void;
  /** Gives up a page that holds nobody; its memory goes once frames that were recorded before are submitted. */
  removePage(page: Page): void;
  /** Brings the inputs over and runs, or records, the frame. Call what it returns once the commands are submitted. */
  encode(encoder: GPUCommandEncoder | undefined, inputs: FrameInputs): () => Promise<void>;
  /**
   * Undefined when the last frame did not list the character. All of it is of one frame, also where others are submitted
   * meanwhile. @throws ManipleError CROWD_LIMIT (they moved its vertices each time), CROWD_DESTROYED, DEVICE_LOST
   */
  read(character: number): Promise<CharacterReadback | undefined>;
  /** Of the last frame that somebody looked at. */
  readStats(): Promise<FrameStats>;
  /** What `listMotions` tells of characters, after all that has been submitted. */
  readAnimators(characters: readonly number[]): Promise<Uint32Array<ArrayBuffer>>;
  /**
   * Called with the event ring as it comes back, in the order of frames: it holds all that is left of events up to the
   * frame that brought it.
   */
  onEvents: DeliverEvents;
  /** On the CPU, for tests: told how close each decision of a controller was; see `StepControllersViews`. */
  onMargin?: (character: number, margin: number) => void;
  /** Where a character stands now, for those that move by themselves. */
  readTransforms(characters: readonly number[]): Promise<Answer<View<(typeof Transform)['fields']>>>;
  /** How joints were posed. */
  readJoints(asked: View<(typeof AskedJoint)['fields']>): Promise<Answer<View<(typeof JointAnswer)['fields']>>>;
  /** Where attachments are: sixteen numbers each, column after column. */
  readSockets(attachments: readonly number[]): Promise<Answer<Float32Array<ArrayBuffer>>>;
  /** What kernels keep of the first characters and attachments, after all that was submitted before the call. */
  saveState(characterCount: number, attachmentCount: number): Promise<KernelState>;
  /** The same of characters, put back before the first frame. */
  restoreState(state: KernelState): void;
  /**
   * One of another shape that goes on with all of this one's state, pages, attachments and events; this one is gone then. Slots
   * have to be given anew; until a frame does, what was shown can be read and drawn. No frame may be open.
   * @param count Rows that have ever had a character. @throws ManipleError DEVICE_LIMIT, with this one as it was
   */
  reshaped(shape: CrowdShape, count: number): Backend;
  /**
   * Reads all that one of the other kind goes on with; what it resolves to brings what the host has changed since, and nothing may
   * come between that and the other one's taking over. This one's last frame can be read and drawn until `shown` is destroyed, and
   * this one is as it was when nothing takes over. No frame may be open, and none may begin. @throws ManipleError DEVICE_LOST
   */
  handOver(): Promise<() => HandedOver>;
  /** A matrix per attachment, as the last recorded frame places them; undefined when there is no device. */
  readonly socketMatrices: GPUBuffer | undefined;
  /** The same as they were in the last frame with views: what has no history is where it is now. */
  readonly previousSocketMatrices: GPUBuffer | undefined;
  /** Called when there is another buffer of matrices, before the frame that writes it is submitted. */
  onSocketsGrown: (matrices: GPUBuffer) => void;
  /** Milliseconds per stage, of the last frame that was measured. */
  readonly timings: ReadonlyMap<string, number>;
  readonly byteLength: number;
  /** What to draw from, as the last recorded frame left it; undefined when there is no device. */
  readonly memory: DrawMemory | undefined;
  /** The same where twins run the frame, device or not; undefined on the GPU. */
  readonly arrays: DrawArrays | undefined;
  /** What to draw the frame before the last one from; undefined unless slots keep three copies and that frame had views. */
  readonly kept: KeptFrame | undefined;
  destroy(): void;
}

/** What a backend leaves to one that takes its place. */
export interface HandedOver {
  readonly pages: readonly CpuPage[];
  /** Undefined: there were no events. */
  readonly queue: EventQueue | undefined;
  readonly residents: Uint32Array<ArrayBuffer>;
  /** The memory of providers. */
  readonly provided: Float32Array<ArrayBuffer>;
  readonly previousTransforms: Uint32Array<ArrayBuffer>;
  readonly wasSeen: boolean;
  readonly state: KernelState;
  readonly sockets: SocketState;
  readonly frames: Frames;
  /** Events that have not left the ring. */
  readonly events: Uint32Array<ArrayBuffer>;
  /** What freezes have dropped since the crowd began: one for all backends that continue each other. */
  readonly freezes: Pick<FrameStats, 'truncatedFreezes' | 'droppedSamples' | 'droppedWeight'>;
  /** Memory that frames to come do not need. */
  readonly retired: readonly { destroy(): void }[];
  /** Who has which slot. */
  readonly culled: CulledState;
  /** The last frame that was seen. */
  readonly shown: Shown;
}

/** What cull-characters keeps from frame to frame: words of its columns. */
export interface CulledState {
  readonly slots: Words;
  readonly decisions: Words;
  readonly classes: Words;
  readonly rings: Words;
  readonly extents: Words;
  readonly moves: Words;
}

/** What characters carry, by attachment: columns as kernels and twins have them. */
export interface SocketState {
  readonly joints: Words;
  readonly previousLocals: Words;
  readonly matrices: Float32Array<ArrayBuffer>;
  readonly previousMatrices: Float32Array<ArrayBuffer>;
  /** Where the device has the matrices, of this frame and of the last one. */
  readonly buffers: readonly [matrices: GPUBuffer, previousMatrices: GPUBuffer] | undefined;
}

type Words = Uint32Array<ArrayBuffer>;

/** The last frame that was seen, as what ran it tells of it. */
export type Shown = Pick<Backend, 'read' | 'readStats' | 'readJoints' | 'memory' | 'arrays' | 'destroy'>;

/** The last frame, the last that somebody looked at, and what places are relative to. */
export interface Frames {
  readonly now: number;
  readonly lastFrame: number;
  readonly origin: PlaceInputs['origin'];
}
