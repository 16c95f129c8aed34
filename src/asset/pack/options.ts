import type { MissingOptions } from '../bind-controller.ts';
import type { ControllerModel } from '../controller/model.ts';
import type { MeshModel } from '../model.ts';
import type { RootMotionOptions } from '../root-motion.ts';
import type { VertexFormatOption } from '../vertex-formats.ts';

/**
 * Some of a model's clips: a list of names and indices, in the order that the character is to have them, or a function that
 * is true for them. A name stands for the first clip of that name.
 */
export type ClipSelection = readonly (string | number)[] | ((name: string, index: number) => boolean);

/** How far packing is. */
export interface PackProgress {
  /** Clips that are packed, 0 at first, and clips to pack. */
  readonly done: number;
  readonly total: number;
  /** Name of the clip that is packed next. */
  readonly clip: string;
}

/** How closely to pack, and which clips. */
export interface PackOptions extends MissingOptions {
  /**
   * Metres by which a packed clip may stray from the file's keys, at any vertex and time. Default: 0.1 mm on a
   * character of 1.8 m, in proportion to the model's size. 0 keeps every key, unquantised.
   */
  readonly errorBudget?: number;
  /**
   * Clips to pack, as {@link ClipSelection}. Default: all, or with a `controller` those that it names. The controller's clips
   * are packed in any case. A clip that is not packed cannot play: `play` throws CLIP_NOT_FOUND, which names this option.
   */
  readonly clips?: ClipSelection;
  /** What decides which clips play. Clips are found by name; what additive layers need of them is packed beside them. */
  readonly controller?: ControllerModel;
  /** Takes the motion of a joint out of all clips, so that controllers move the character by it. */
  readonly rootMotion?: Omit<RootMotionOptions, 'issues'>;
  /** How vertices are packed, the same way for all meshes or for each in its own. Default: `standard`. */
  readonly vertexFormat?: VertexFormatOption;
  /** Bits of the crowd's vertex providers that a mesh goes through: bit i for the i-th in its list. Default: none. */
  readonly providers?: (mesh: MeshModel) => number;
  /**
   * The most work that packing clips may be: samples × (joints + animated channels), over all clips; keys that are close or turn
   * far have more samples. Default 10 million: some 5 s, and half a gigabyte. Infinity packs whatever there is memory for.
   */
  readonly maxClipWork?: number;
  /** Called before each clip. */
  readonly onProgress?: (progress: PackProgress) => void;
}

/** Error budget as a share of the model's size: 0.1 mm on 1.8 m. */
export const DEFAULT_BUDGET_SHARE: number = 0.0001 / 1.8;
