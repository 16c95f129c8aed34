import type { View } from '../../layout/index.ts';
import { affineFromPose, multiplyAffine } from '../../math/affine.ts';
import type { Transform } from '../layout.ts';
import { paletteRowOf, visibleRowOf, type VisibleRows } from '../visible-row.ts';
import { ATTACHMENT_NONE, type Attachment, type PreviousLocal, type SocketJoint } from './layout.ts';

export interface PlaceSocketsViews {
  /** Number of attachments to process, from row 0. */
  readonly count: number;
  readonly attachments: View<(typeof Attachment)['fields']>;
  /** Written: `modelFromJoint` per attachment, as last posed. */
  readonly joints: View<(typeof SocketJoint)['fields']>;
  /** Written: `modelFromLocal` per attachment, for the next frame; zeros where this frame does not list the character. */
  readonly previousLocals: View<(typeof PreviousLocal)['fields']>;
  readonly transforms: View<(typeof Transform)['fields']>;
  readonly previousTransforms: View<(typeof Transform)['fields']>;
  /** Undefined in a frame without views. */
  readonly seen: (VisibleRows & { readonly palettes: Float32Array; readonly lastFrame: number }) | undefined;
  /** Written: sixteen numbers per attachment, column after column. `previousMatrices` are those of the last frame. */
  readonly matrices: Float32Array;
  readonly previousMatrices: Float32Array;
}

const NOTHING = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

/**
 * worldFromLocal = worldFromModel × modelFromJoint × jointFromLocal, for each attachment, in this frame and the last one.
 * An attachment without a history has not moved.
 */
export function placeSockets(views: PlaceSocketsViews): void {
  const { count, attachments, joints, previousLocals, transforms, previousTransforms, seen } = views;
  const { matrices, previousMatrices } = views;
  const local = new Float64Array(12);
  for (let i = 0; i < count; i++) {
    const character = attachments.get(i, 'character');
    const row = seen && character !== ATTACHMENT_NONE ? visibleRowOf(seen, character) : undefined;
    if (seen && row !== undefined) {
      const palette = paletteRowOf(seen, character);
      if (palette !== undefined) {
        const first = 4 * (palette + attachments.get(i, 'jointRow'));
        joints.floats.set(seen.palettes.subarray(first, first + 12), 12 * i);
      }
    }
    const isShown = seen && row !== undefined && seen.visible.get(row, 'views') !== 0;
    // a hidden character is in no view
    const hides = !isShown && attachments.get(i, 'flags') !== 0;
    const last = previousLocals.floats.subarray(12 * i, 12 * i + 12);
    if (character === ATTACHMENT_NONE || hides) {
      matrices.set(NOTHING, 16 * i);
      previousMatrices.set(NOTHING, 16 * i);
      last.fill(0);
      continue;
    }
    multiplyAffine(joints.floats, 12 * i, attachments.get(i, 'jointFromLocal'), 0, local, 0);
    placeOne(transforms, character, local, matrices, i);
    const hasHistory = seen !== undefined && attachments.get(i, 'freshFrame') <= seen.lastFrame;
    const wasListed = row !== undefined && last.some((number) => number !== 0);
    if (hasHistory) placeOne(previousTransforms, character, wasListed ? last : local, previousMatrices, i);
    else previousMatrices.set(matrices.subarray(16 * i, 16 * i + 16), 16 * i);
    if (row === undefined) last.fill(0);
    else last.set(local);
  }
}

function placeOne(
  transforms: PlaceSocketsViews['transforms'],
  character: number,
  modelFromLocal: ArrayLike<number>,
  matrices: Float32Array,
  i: number,
): void {
  const [worldFromModel, world] = [new Float64Array(12), new Float64Array(12)];
  const scale = transforms.get(character, 'scale');
  const pose = [...transforms.get(character, 'position'), ...transforms.get(character, 'rotation')];
  affineFromPose([...pose, scale, scale, scale], 0, worldFromModel, 0);
  multiplyAffine(worldFromModel, 0, modelFromLocal, 0, world, 0);
  for (let column = 0; column < 4; column++) {
    for (let r = 0; r < 3; r++) matrices[16 * i + 4 * column + r] = world[4 * r + column]!;
    matrices[16 * i + 4 * column + 3] = column === 3 ? 1 : 0;
  }
}
