import type { Modifier, Player } from '../stages/gather-motions/layout.ts';
import type { View } from '../layout/index.ts';
import type { Transform } from '../stages/layout.ts';
import type { Column, Word } from './column.ts';
import type { DeliverEvents } from './event-queue.ts';
import type { CrowdMemory, PageMemory } from './gpu-memory.ts';
import type { KernelState } from './kernel-state.ts';
import type { Page, PageSize } from './page.ts';
import type { CrowdShape } from './shape.ts';

/** What the host brings to a frame. */
export interface FrameInputs {
  /** Seconds since the crowd began, 32.32 fixed point. */
  readonly time: bigint;
  readonly frame: number;
  readonly pages: readonly Page[];
  readonly transforms: Column<(typeof Transform)['fields']>;
  readonly players: Column<(typeof Player)['fields']>;
  readonly modifiers: Column<(typeof Modifier)['fields']>;
  readonly animators: AnimatorInputs;
  /** Characters whose slot has no past: they have just appeared. */
  readonly freshSlots: readonly number[];
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

/** One character as it came out of the last frame. */
export interface CharacterReadback {
  /** Its palette rows. */
  readonly palette: Float32Array;
  /** Its skinned vertices: four words each, as skin-vertices writes them. */
  readonly vertices: Uint32Array<ArrayBuffer>;
}

/** What runs the frame: kernels on a GPU, or their twins. Both read and write the same bytes. */
export interface Backend {
  readonly kind: 'gpu' | 'cpu';
  /** How large a page may be. */
  readonly pageLimit: PageSize;
  addPage(page: Page): void;
  /** Gives up a page that holds nobody; its memory goes once frames that were recorded before are submitted. */
  removePage(page: Page): void;
  /** Brings the inputs over and runs, or records, the frame. Call what it returns once the commands are submitted. */
  encode(encoder: GPUCommandEncoder | undefined, inputs: FrameInputs): () => Promise<void>;
  read(page: Page, character: number): Promise<CharacterReadback>;
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
  readTransforms(characters: readonly number[]): Promise<View<(typeof Transform)['fields']>>;
  /** What kernels keep of the first `count` characters, after all that was submitted before the call. */
  saveState(count: number): Promise<KernelState>;
  /** The same, put back before the first frame. */
  restoreState(state: KernelState): void;
  /**
   * One of another shape that goes on with all of this one's state, pages and events; this one is gone then. No frame may be
   * open. @param count Rows that have ever had a character. @throws ManipleError DEVICE_LIMIT, with this one as it was
   */
  reshaped(shape: CrowdShape, count: number): Backend;
  /** Milliseconds per stage, of the last frame that was measured. */
  readonly timings: ReadonlyMap<string, number>;
  readonly byteLength: number;
  /** GPU buffers to draw from; undefined when there is no device. */
  readonly memory: { readonly crowd: CrowdMemory; readonly page: (page: Page) => PageMemory } | undefined;
  destroy(): void;
}
