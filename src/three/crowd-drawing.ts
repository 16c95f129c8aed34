import type { Camera, Material, Object3D, Vector2Like, Vector3 } from 'three/webgpu';
import type { Crowd } from '../crowd/crowd.ts';
import type { EncodedFrame, FrameOptions } from '../crowd/frame-options.ts';
import type { ImpostorReadings } from '../render/impostors/impostors.ts';
import type { View } from '../layout/index.ts';
import type { Transform } from '../stages/layout.ts';
import type { CrowdPart } from './crowd-mesh.ts';
import type { Past } from './crowd-nodes.ts';
import type { CrowdRenderer } from './internals.ts';
import type { DrawnMeshes } from './mesh-ranges.ts';
import type { CrowdViews } from './views.ts';

/** A crowd, and everything it is drawn with, in any tier. */
export interface DrawContext<R extends CrowdRenderer = CrowdRenderer> {
  readonly renderer: R;
  readonly parent: Object3D;
  readonly crowd: Crowd;
  readonly views: CrowdViews;
  readonly past: Past;
  readonly meshes: DrawnMeshes;
}

/** The character in a pixel. */
export interface PickedRow {
  readonly row: number;
  /** Visible point of its surface, in the world. */
  readonly point: Vector3;
}

/** Draws a crowd: the part of a `ManipleCrowd` that depends on its tier. */
export interface CrowdDrawing {
  /** Far characters. Undefined without them. */
  readonly impostors?: ImpostorReadings | undefined;
  /**
   * Runs a frame of the crowd, and updates meshes and materials for it.
   * @param submitted Called once the frame is submitted, even if parts of it cannot be drawn.
   * @throws ManipleError CROWD_BAD_ARGUMENT, THREE_UNSUPPORTED, DEVICE_LIMIT
   */
  run(options: FrameOptions, submitted: (frame: EncodedFrame) => void): void;
  /** @throws ManipleError THREE_UNSUPPORTED (a material that the renderer cannot draw crowds with) */
  expectMaterial(material: Material): void;
  /** Draws the instances of a mesh at attachments of the crowd. */
  carry(mesh: CrowdPart, source: Material): CarriedDrawing;
  /**
   * @param point In normalised device coordinates: −1 … 1, to the right and up.
   * @param size Size of the picture in pixels.
   */
  pick(
    camera: Camera,
    point: Vector2Like,
    size: { readonly width: number; readonly height: number },
  ): Promise<PickedRow | undefined>;
  /** Reads transforms of the first `count` rows, as the last frame left them. @throws ManipleError DEVICE_LOST */
  readTransforms(count: number): Promise<View<(typeof Transform)['fields']>>;
  dispose(): void;
}

/** Draws the instances of a mesh. It sets the mesh's material. */
export interface CarriedDrawing {
  /**
   * Changes the instances. Two words each: the row of its matrix (NOT_ATTACHED: it is not drawn), and the row of its character.
   * The array may be kept until the next call.
   */
  list(words: Uint32Array<ArrayBuffer>): void;
  /** Updates material and memory for the last frame. */
  follow(): void;
  dispose(): void;
}
