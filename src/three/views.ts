import { type Camera, Matrix4, WebGLCoordinateSystem } from 'three/webgpu';
import { type CrowdView, MOST_VIEWS } from '../frame/tables/crowd-view.ts';
import { fail } from '../errors.ts';
import { type CrowdRenderer, drawnHeight, isClassic } from './internals.ts';

/** Number of frames that a camera remains a view after it last drew the crowd. */
const PATIENCE = 4;
const ALL_VIEWS = 0xffffffff;

interface Seen {
  readonly camera: Camera;
  isShadow: boolean;
  height: number;
  /** Its view-projection matrices when it last drew. A cube camera has several in one frame. */
  lenses: Matrix4[];
  /** The frame in which it last drew. */
  frame: number;
  /** Bit mask of its views in the crowd's last frame. */
  bits: number;
  /** Placements of its eyes, or of itself, that WebXR made. */
  placements: readonly (Placement | undefined)[];
  /** Its views in the crowd's last frame. */
  looks: readonly CrowdView[];
  /** Lists of the crowd that it draws: 0 has every character that it sees. */
  lists: number;
}

/** The view of a camera on a crowd, in a frame. */
export interface CameraSight extends Pick<Seen, 'isShadow' | 'bits' | 'looks' | 'lists'> {
  readonly camera: Pick<Camera, 'reversedDepth'>;
  /** Its matrices when it last drew: several if it has drawn from several places in one frame. */
  readonly lenses: readonly Matrix4[];
}

/**
 * Matrices of a camera without a parent when it last drew, if three.js does not compute one from the other. Those of WebXR are such: the
 * session sets a pose before each frame, and `render` multiplies it with the transform of the application's rig.
 */
interface Placement {
  readonly pose: Matrix4;
  readonly world: Matrix4;
}

/**
 * Views of a crowd: every camera that drew it recently, including those of shadows and reflections. So callers of `update` need not
 * pass cameras. Until a camera is known, every character is treated as visible.
 */
export class CrowdViews {
  readonly #seen = new Map<Camera, Seen>();
  readonly #renderer: CrowdRenderer;
  readonly #worldFromCrowd: Matrix4;
  readonly #shadowDetail: number;
  #frame = 0;
  /** True if any camera has ever drawn the crowd. */
  isDrawn = false;
  /** True while a pick is drawn. Its camera does not become a view. */
  isPicking = false;

  /**
   * @param renderer The renderer of the crowd.
   * @param worldFromCrowd The crowd's `matrixWorld`. Read each time views are computed.
   */
  constructor(renderer: CrowdRenderer, worldFromCrowd: Matrix4, shadowDetail: number) {
    this.#renderer = renderer;
    this.#worldFromCrowd = worldFromCrowd;
    this.#shadowDetail = shadowDetail;
  }

  /** Records that a camera draws the crowd now. @throws ManipleError THREE_UNSUPPORTED (by another renderer) */
  drawn(renderer: CrowdRenderer, camera: Camera, isShadow: boolean): void {
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
    seen.isShadow = isShadow;
    if (seen.frame !== this.#frame) {
      seen.frame = this.#frame;
      seen.lenses = [];
      seen.placements = eyesOf(camera).map(placementOf);
    }
    seen.height = Math.max(drawnHeight(renderer), 1);
    const lens = lensOf(camera);
    if (!seen.lenses.some((known) => known.equals(lens))) seen.lenses.push(lens);
  }

  /**
   * Returns the views of the next frame. They use each camera's current matrices. A camera that drew with several matrices in one frame
   * keeps those.
   * @param more Cameras that will draw, even if they have not drawn before.
   * @returns undefined: every character counts as visible
   */
  take(more: readonly Camera[]): CrowdView[] | undefined {
    for (const [camera, { frame }] of this.#seen) if (this.#frame - frame > PATIENCE) this.#seen.delete(camera);
    // WebGLRenderer draws eyes one after another, as cameras of their own
    for (const camera of isClassic(this.#renderer) ? more.flatMap(eyesOf) : more) {
      const known = this.#seen.get(camera);
      if (known) known.frame = Math.max(known.frame, this.#frame - 1);
      else this.#seen.set(camera, { ...stranger(camera), height: drawnHeight(this.#renderer), frame: this.#frame });
    }
    this.#frame++;
    const views: CrowdView[] = [];
    for (const seen of this.#seen.values()) {
      const looks = this.#renderLimitsOf(seen);
      if (views.length + looks.length > MOST_VIEWS) return this.#everyone();
      Object.assign(seen, { looks, lists: 0 });
      // one bit for each view of the camera
      seen.bits = looks.reduce((bits, _, i) => bits | (1 << (views.length + i)), 0) >>> 0;
      views.push(...looks);
    }
    return views.length > 0 ? views : this.#everyone();
  }

  /** Bit mask of a camera's views. All bits if the camera has no views yet, or if there are too many views. */
  bitsOf(camera: Camera): number {
    return this.#seen.get(camera)?.bits ?? ALL_VIEWS;
  }

  /** Cameras that have views in this frame. The maker of lists sets `lists`. */
  sights(): CameraSight[] {
    return Array.from(this.#seen.values()).filter(({ looks }) => looks.length > 0);
  }

  /** The lists that a camera draws. */
  listsOf(camera: Camera): number {
    return this.#seen.get(camera)?.lists ?? 0;
  }

  #renderLimitsOf({ camera, height, lenses, isShadow, placements }: Seen): CrowdView[] {
    if (lenses.length < 2) lenses = eyesOf(camera).map((eye, i) => currentLens(eye, placements[i]));
    return lenses.map((clipFromWorld) => ({
      clipFromWorld: clipFromWorld.clone().multiply(this.#worldFromCrowd).elements,
      height,
      detail: isShadow ? this.#shadowDetail : 1,
    }));
  }

  #everyone(): undefined {
    for (const seen of this.#seen.values()) Object.assign(seen, { bits: ALL_VIEWS, looks: [], lists: 0 });
  }
}

function stranger(camera: Camera): Seen {
  return {
    camera,
    isShadow: false,
    height: 1,
    lenses: [],
    frame: -1,
    bits: ALL_VIEWS,
    placements: [],
    looks: [],
    lists: 0,
  };
}

/** Cameras of an `ArrayCamera`, or the camera itself. */
function eyesOf(camera: Camera): readonly Camera[] {
  return 'cameras' in camera ? (camera.cameras as readonly Camera[]) : [camera];
}

/** Placement of a camera that is drawn now. Undefined for cameras of the scene. */
function placementOf({ parent, matrix, matrixWorld, matrixWorldAutoUpdate }: Camera): Placement | undefined {
  if (parent || (matrixWorldAutoUpdate && matrix.equals(matrixWorld))) return undefined;
  return { pose: matrix.clone(), world: matrixWorld.clone() };
}

/** The lens that a camera will draw with. If only its pose is new, the rig counts as being where it was. */
function currentLens(camera: Camera, placement: Placement | undefined): Matrix4 {
  if (!placement) {
    camera.updateWorldMatrix(true, false);
    return lensOf(camera);
  }
  const { pose, world } = placement;
  if (camera.matrix.equals(pose) || !camera.matrixWorld.equals(world)) return lensOf(camera);
  return lensOf(camera, pose.clone().invert().premultiply(world).multiply(camera.matrix).invert());
}

/** View-projection matrix of a camera, with depths of 0 … 1 as crowds want them. Cameras of WebGL have −1 … 1, if not reversed. */
function lensOf(camera: Camera, viewFromWorld: Matrix4 = camera.matrixWorldInverse): Matrix4 {
  const { projectionMatrix, coordinateSystem, reversedDepth } = camera;
  const lens = new Matrix4().multiplyMatrices(projectionMatrix, viewFromWorld);
  if (coordinateSystem === WebGLCoordinateSystem && !reversedDepth) {
    const m = lens.elements;
    for (let column = 0; column < 16; column += 4) m[column + 2] = (m[column + 2]! + m[column + 3]!) / 2;
  }
  return lens;
}
