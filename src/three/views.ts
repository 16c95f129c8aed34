import { type Camera, Matrix4, type Scene, type WebGPURenderer } from 'three/webgpu';
import type { CrowdView } from '../frame/crowd-view.ts';
import { MOST_VIEWS } from '../frame/crowd-view.ts';
import { fail } from '../errors.ts';
import { drawnHeight, isShadowPass } from './internals.ts';

/** Frames that a camera stays after it has drawn the crowd for the last time. */
const PATIENCE = 4;
const ALL_VIEWS = 0xffffffff;

interface Seen {
  readonly camera: Camera;
  isShadow: boolean;
  height: number;
  /** What it looked through when it last drew; of faces of a cube several in one frame. */
  lenses: Matrix4[];
  /** The frame in which it drew last. */
  frame: number;
  /** Bits of its views in the crowd's last frame. */
  bits: number;
}

/**
 * Those who look at a crowd: every camera, of shadows and reflections too, that has drawn it lately. So `update` needs to be
 * told nothing. Where nobody is known yet, everyone is seen.
 */
export class CrowdViews {
  readonly #seen = new Map<Camera, Seen>();
  readonly #renderer: WebGPURenderer;
  readonly #worldFromCrowd: Matrix4;
  readonly #shadowDetail: number;
  #frame = 0;
  /** Whether any camera has ever drawn it. */
  isDrawn = false;
  /** Those who draw now only look for who stands at a point. */
  isPicking = false;

  /**
   * @param renderer Whose device has the crowd.
   * @param worldFromCrowd Read whenever views are; the crowd's `matrixWorld`.
   */
  constructor(renderer: WebGPURenderer, worldFromCrowd: Matrix4, shadowDetail: number) {
    this.#renderer = renderer;
    this.#worldFromCrowd = worldFromCrowd;
    this.#shadowDetail = shadowDetail;
  }

  /** A camera draws the crowd now. @throws ManipleError THREE_UNSUPPORTED (by another renderer) */
  drawn(renderer: WebGPURenderer, scene: Scene, camera: Camera): void {
    if (renderer !== this.#renderer) {
      const message =
        'A second renderer draws the scene; the crowd is in the memory of the renderer that it was made with.';
      const suggestion =
        'Draw both pictures with that one, the second into a render target or a CanvasTarget; or hide the crowd by layers.';
      fail('THREE_UNSUPPORTED', 'renderer', message, suggestion);
    }
    this.isDrawn = true;
    if (this.isPicking) return;
    let seen = this.#seen.get(camera);
    if (!seen) this.#seen.set(camera, (seen = stranger(camera)));
    seen.isShadow = isShadowPass(scene);
    if (seen.frame !== this.#frame) {
      seen.frame = this.#frame;
      seen.lenses = [];
    }
    seen.height = Math.max(drawnHeight(renderer), 1);
    const lens = lensOf(camera);
    if (!seen.lenses.some((known) => known.equals(lens))) seen.lenses.push(lens);
  }

  /**
   * Views of the frame that begins: of each camera as it stands now, or as it has been where it looked several ways in one frame.
   * @param more Cameras that are about to draw, whether they have before or not.
   * @returns undefined: everyone is seen
   */
  take(more: readonly { readonly camera: Camera; readonly height: number }[]): CrowdView[] | undefined {
    for (const [camera, { frame }] of this.#seen) if (this.#frame - frame > PATIENCE) this.#seen.delete(camera);
    for (const { camera, height } of more) {
      const known = this.#seen.get(camera);
      if (known) known.frame = Math.max(known.frame, this.#frame - 1);
      else this.#seen.set(camera, { ...stranger(camera), height, frame: this.#frame });
    }
    this.#frame++;
    const views: CrowdView[] = [];
    for (const seen of this.#seen.values()) {
      const looks = this.#looksOf(seen);
      if (views.length + looks.length > MOST_VIEWS) return this.#everyone();
      // a view's bit, or all that look through the same camera
      seen.bits = looks.reduce((bits, _, i) => bits | (1 << (views.length + i)), 0) >>> 0;
      views.push(...looks);
    }
    return views.length > 0 ? views : this.#everyone();
  }

  /** Views whose characters a camera draws: all where it is not known, or looks several ways. */
  bitsOf(camera: Camera): number {
    return this.#seen.get(camera)?.bits ?? ALL_VIEWS;
  }

  #looksOf({ camera, height, lenses, isShadow }: Seen): CrowdView[] {
    const eyes = 'cameras' in camera ? (camera.cameras as readonly Camera[]) : [camera];
    if (lenses.length < 2) {
      for (const eye of eyes) eye.updateWorldMatrix(true, false);
      lenses = eyes.map(lensOf);
    }
    return lenses.map((clipFromWorld) => ({
      clipFromWorld: clipFromWorld.clone().multiply(this.#worldFromCrowd).elements,
      height,
      detail: isShadow ? this.#shadowDetail : 1,
    }));
  }

  #everyone(): undefined {
    for (const seen of this.#seen.values()) seen.bits = ALL_VIEWS;
  }
}

function stranger(camera: Camera): Seen {
  return { camera, isShadow: false, height: 1, lenses: [], frame: -1, bits: ALL_VIEWS };
}

function lensOf(camera: Camera): Matrix4 {
  return new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
}
