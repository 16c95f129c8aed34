import type { View } from '../../layout/index.ts';
import { affineFromPose, multiplyAffine } from '../../shaders/affine.ts';
import type { Transform } from '../layout.ts';
import { paletteRowOf, visibleRowOf, type VisibleRows } from '../visible-row.ts';
import { ATTACHMENT_HIDES, ATTACHMENT_NONE, type Attachment, type SocketJoint } from './layout.ts';

/** What the twin of place-sockets reads and writes. */
export interface PlaceSocketsViews {
  /** Attachments that are looked at: the first rows. */
  readonly count: number;
  readonly attachments: View<(typeof Attachment)['fields']>;
  /** Written: `modelFromJoint` per attachment, as last posed. */
  readonly joints: View<(typeof SocketJoint)['fields']>;
  readonly transforms: View<(typeof Transform)['fields']>;
  /** Undefined: nobody looks at this frame. */
  readonly seen: (VisibleRows & { readonly palettes: Float32Array }) | undefined;
  /** Written: sixteen numbers per attachment, column after column. */
  readonly matrices: Float32Array;
}

const NOTHING = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

/** worldFromLocal = worldFromModel × modelFromJoint × jointFromLocal, for everything that characters carry. */
export function placeSockets({ count, attachments, joints, transforms, seen, matrices }: PlaceSocketsViews): void {
  const world = new Float64Array(12);
  const local = new Float64Array(12);
  for (let i = 0; i < count; i++) {
    const character = attachments.get(i, 'character');
    if (character === ATTACHMENT_NONE) {
      matrices.set(NOTHING, 16 * i);
      continue;
    }
    const row = seen && visibleRowOf(seen, character);
    if (seen && row !== undefined) {
      const palette = paletteRowOf(seen, character);
      if (palette !== undefined) {
        const first = 4 * (palette + attachments.get(i, 'jointRow'));
        joints.floats.set(seen.palettes.subarray(first, first + 12), 12 * i);
      }
    }
    const isShown = seen && row !== undefined && seen.visible.get(row, 'views') !== 0;
    if (!isShown && (attachments.get(i, 'flags') & ATTACHMENT_HIDES) !== 0) {
      matrices.set(NOTHING, 16 * i);
      continue;
    }
    const scale = transforms.get(character, 'scale');
    const pose = [...transforms.get(character, 'position'), ...transforms.get(character, 'rotation')];
    affineFromPose([...pose, scale, scale, scale], 0, world, 0);
    const offset = (['offset0', 'offset1', 'offset2'] as const).flatMap((key) => attachments.get(i, key));
    multiplyAffine(joints.floats, 12 * i, offset, 0, local, 0);
    multiplyAffine(world, 0, local, 0, local, 0);
    for (let column = 0; column < 4; column++) {
      for (let r = 0; r < 3; r++) matrices[16 * i + 4 * column + r] = local[4 * r + column]!;
      matrices[16 * i + 4 * column + 3] = column === 3 ? 1 : 0;
    }
  }
}
