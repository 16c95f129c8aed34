import type { Build } from './body/humanoid.ts';
import type { Surface } from './geometry/surface.ts';
import type { ClipPlan } from './motion/clip.ts';
import type { SpringSet } from './motion/spring-set.ts';
import type { Quat } from './math/quat.ts';
import type { Vec3 } from './math/vec.ts';
import type { Rig } from './rig.ts';

/** A mesh node of its own: something a game may hide. */
export interface Part {
  readonly node: string;
  readonly surface: Surface;
  /** The joint that carries a rigid part; a part without one is skinned. */
  readonly carrier?: Carrier;
  /** Name of the part that it replaces, if an application shows only one of them. */
  readonly alternativeTo?: string;
}

export interface Carrier {
  readonly joint: string;
  /** Where the part's own origin and axes are in the bind pose; without it the part is modelled in place. */
  readonly socket?: { readonly at: Vec3; readonly turn: Quat };
}

/** Everything that makes a character, before it becomes a file. */
export interface Design {
  readonly name: string;
  readonly rig: Rig;
  readonly build: Build;
  readonly springs: SpringSet;
  readonly parts: readonly Part[];
  readonly clips: readonly ClipPlan[];
}
