import type { CrowdView } from '../frame/tables/crowd-view.ts';
import { clipFromWorld, subtract, type Vector } from './camera.ts';
import type { ForwardView } from './forward/view.ts';
import { type CascadeView, cascadesOf } from './lighting/cascades.ts';
import type { DrawnViews } from './lighting/frame-uniforms.ts';
import { lightingOf } from './lighting/scene.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { EncodedFrame } from '../crowd/frame-options.ts';
import { fail } from '../errors.ts';
import { internalsOf } from '../crowd/internals.ts';

/** Fields of a view that decide which characters its picture and its shadow maps show. */
export type SeenView = Pick<ForwardView, 'camera' | 'width' | 'height' | 'bounds' | 'lighting'>;

/** Detail of characters in shadow maps, relative to the picture. */
const SHADOW_DETAIL = 0.25;

/** Views that renderers have made, 0: of a picture, 1 + c: of shadow map c. Two renderers may draw one camera. */
const ROLES = new WeakMap<CrowdView, number>();

/** The views of a renderer's pictures: the camera's, and one of each shadow map. */
export class PictureViews {
  readonly #cascades: { readonly count: number; readonly resolution: number };

  constructor(count: number, resolution: number) {
    this.#cascades = { count, resolution };
  }

  /** The sun's views of a picture. */
  cascades({ camera, width, height, bounds, lighting }: SeenView): readonly CascadeView[] {
    if (this.#cascades.count === 0) return [];
    const { sunDirection } = lightingOf({ lighting });
    return cascadesOf({ camera, aspect: width / height, sunDirection, bounds, ...this.#cascades });
  }

  /** Views for `crowd.update`. */
  crowdViews(view: SeenView): readonly CrowdView[] {
    const { camera, width, height } = view;
    const { resolution } = this.#cascades;
    const picture = { clipFromWorld: clipFromWorld(camera, width / height), height };
    const maps = this.cascades(view).map(({ sunFromWorld }) => {
      return { clipFromWorld: sunFromWorld, height: resolution, detail: SHADOW_DETAIL };
    });
    const views = [picture, ...maps];
    views.forEach((each, role) => ROLES.set(each, role));
    return views;
  }

  /** The mask of a frame's views; undefined, for all, where no renderer has made them. */
  mask(views: readonly CrowdView[]): DrawnViews | undefined {
    const bits = Array.from({ length: 1 + this.#cascades.count }, () => 0);
    views.forEach((view, index) => {
      const role = ROLES.get(view);
      if (role !== undefined) bits[role]! |= 1 << index;
    });
    const [picture, ...shadow] = bits.map((mask) => mask >>> 0);
    return picture === 0 ? undefined : { picture: picture!, shadow };
  }
}

/** Origin of positions in a crowd's last recorded frame. Later moves of the origin belong to the next frame. */
export function recordedOrigin(crowd: Crowd): Vector {
  const { origin, moves } = internalsOf(crowd).host.places;
  return moves.reduce<Vector>((from, [x, y, z]) => subtract(from, [x!, y!, z!]), origin);
}

/**
 * @param wanted What needs last frame's positions.
 * @throws ManipleError RENDER_FAILED: the crowd does not keep them
 */
export function expectPast(crowd: Crowd, wanted: string): void {
  if (internalsOf(crowd).host.shape.classes.copies > 1) return;
  const message = "The crowd has one copy of its vertices; motion vectors need last frame's, too.";
  fail('RENDER_FAILED', wanted, message, 'Create the crowd with copies: 2.');
}

/**
 * The memory that a picture is drawn from, the origin of its positions, and the views of its frame.
 * @param frame Default: the last recorded one.
 * @throws ManipleError RENDER_FAILED: later frames have overwritten it
 */
export function drawnFrame(crowd: Crowd, frame: EncodedFrame | undefined) {
  const { host } = internalsOf(crowd);
  if (!frame) return { memory: host.backend.memory!, origin: recordedOrigin(crowd), views: host.views };
  const memory = host.drawnMemory(frame.frame);
  if (memory) return { memory, origin: frame.origin, views: frame.views };
  const kept = host.backend.kept ? ' and the one before' : '';
  const message = `${frame.frame} is overwritten; the crowd has frame ${crowd.frame}${kept}.`;
  const suggestion = 'Draw it before the next frame is encoded, or create the crowd with copies: 3.';
  return fail('RENDER_FAILED', 'frame', message, suggestion);
}
