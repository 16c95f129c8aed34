import { fail, quoted } from '../../errors.ts';
import type { MissingOptions } from '../bind-controller.ts';
import { expectController } from '../../controller/compile.ts';
import type { ControllerModel } from '../../controller/model.ts';
import type { MeshModel } from '../model.ts';
import type { RootMotionOptions } from '../root-motion.ts';
import type { VertexFormatOption } from '../vertex-formats.ts';

/**
 * Some of a model's clips: a list of names and indices, in the order that the character will have them, or a function
 * that is true for them. A name selects the first clip of that name.
 */
export type ClipSelection = readonly (string | number)[] | ((name: string, index: number) => boolean);

/** Progress of packing. */
export interface PackProgress {
  /** Number of packed clips, 0 at first, and number of clips to pack. */
  readonly done: number;
  readonly total: number;
  /** Name of the next clip to pack. */
  readonly clip: string;
}

/** Precision of packing, and the clips to pack. */
export interface PackOptions extends MissingOptions {
  /**
   * Metres of error allowed in model space. It is measured at keys and between them, on six points around each joint, as far out as
   * its farthest vertex. A vertex off these axes may move by up to 1.23 times as much. Default: 0.1 mm on a
   * character of 1.8 m, in proportion to the model's size. 0 keeps every key, unquantised.
   */
  readonly errorBudget?: number;
  /**
   * Clips to pack, as {@link ClipSelection}. Default: all, or with a `controller` those that it names. The controller's clips
   * are packed in any case. A clip that is not packed cannot play: `play` throws CLIP_NOT_FOUND, which names this option.
   */
  readonly clips?: ClipSelection;
  /**
   * Selects the clips that play. Clips are found by name. Differences that additive layers need are packed in addition.
   */
  readonly controller?: ControllerModel;
  /** Extracts the motion of a joint from all clips, so that controllers move the character by it. */
  readonly rootMotion?: Omit<RootMotionOptions, 'issues'>;
  /** Formats of vertices, one for all meshes or one per mesh. Default: `standard`. */
  readonly vertexFormat?: VertexFormatOption;
  /** Bits of the crowd's vertex providers that process a mesh: bit i for the i-th in its list. Default: none. */
  readonly providers?: (mesh: MeshModel) => number;
  /**
   * The most work for packing clips: samples × (joints + animated channels), over all clips. Keys that are close or
   * turn far have more samples. Default 10 million: some 5 s, and half a gigabyte. Infinity removes the limit.
   */
  readonly maxClipWork?: number;
  /** Called before each clip. */
  readonly onProgress?: (progress: PackProgress) => void;
}

/** Error budget as a share of the model's size: 0.1 mm on 1.8 m. */
export const DEFAULT_BUDGET_SHARE: number = 0.0001 / 1.8;

/**
 * Checks options that types forbid but JavaScript can pass. @throws ManipleError CROWD_BAD_ARGUMENT, CONTROLLER_INVALID
 */
export function checkPackOptions(options: PackOptions): void {
  const expect = (holds: boolean, name: string, value: unknown, expected: string): void => {
    if (!holds) fail('CROWD_BAD_ARGUMENT', name, `Got ${quoted(value)} for ${name}; expected ${expected}.`);
  };
  expect(typeof options === 'object' && options !== null && !Array.isArray(options), 'options', options, 'an object');
  const { errorBudget = 0, clips = [], maxClipWork = 0, controller, onProgress } = options;
  const isSize = (value: unknown): boolean => typeof value === 'number' && value >= 0;
  expect(isSize(errorBudget) && errorBudget < Infinity, 'errorBudget', errorBudget, 'metres, 0 or more');
  expect(isSize(maxClipWork), 'maxClipWork', maxClipWork, 'a number of 0 or more');
  expect(Array.isArray(clips) || typeof clips === 'function', 'clips', clips, 'a list or a function');
  expect(onProgress === undefined || typeof onProgress === 'function', 'onProgress', onProgress, 'a function');
  if (controller !== undefined) expectController(controller);
}
