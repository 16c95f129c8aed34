// Runs in the browser: two eyes in one picture, as WebXR draws them, and each eye alone.
import {
  ArrayCamera,
  DepthTexture,
  Group,
  LinearSRGBColorSpace,
  Matrix4,
  PerspectiveCamera,
  RenderTarget,
  Vector3,
  Vector4,
  type WebGPURenderer,
} from 'three/webgpu';
import { ManipleCrowd } from '../../src/three/index.ts';
import {
  type AnyRenderer,
  coded,
  type Kind,
  nextFrame,
  read,
  render,
  rendererOf,
  type Size,
  targetOf,
} from './three-renderers.ts';
import { characters, MATERIALS, sceneOf } from './tiers.scene.ts';

export interface EyesOptions {
  readonly kind: Kind;
  /** Both in one picture, side by side, or one of them alone. */
  readonly eyes: 'both' | 'left' | 'right';
  /** Of the picture of one eye. */
  readonly size: Size;
  /** The rig jumps in the last frame, and the application places the cameras before it updates the crowd. */
  readonly hasJump?: boolean;
  /** Leaves out the character that only the right eye sees. */
  readonly isAlone?: boolean;
  /** Draws both eyes at once, into two layers of a texture. */
  readonly isMultiview?: boolean;
}

export interface SeenByEyes {
  readonly pixels: readonly number[];
  /** Characters that the last frame had in its visible list. */
  readonly listed: number;
  readonly errors: readonly string[];
}

/** The parent of the application's camera. */
const RIG = new Matrix4().makeRotationY(0.3).setPosition(30, 1.6, -20);
/** Where it is before a jump. */
const FAR_AWAY = new Matrix4().setPosition(-200, 1.6, 50);
/** Poses of a head that turns far between two frames. */
const HEADS = [2.2, 2.2, 2.2, 0].map((angle) => new Matrix4().makeRotationY(angle));
/** Wide apart, and each looks outwards, so that one eye sees things that the other does not. */
const EYES = [-1, 1].map((side) => new Matrix4().makeRotationY(-0.4 * side).setPosition(0.3 * side, 0, 0));

/** A camera, and what a frame does to it before the application's callback, and in `render`. */
interface PosedCamera {
  readonly camera: PerspectiveCamera;
  readonly pose: (head: Matrix4) => void;
  readonly place: (rig: Matrix4) => void;
}

const eyeOf = (size: Size) => new PerspectiveCamera(50, size[0] / size[1], 0.1, 100);

function poseEye(eye: PerspectiveCamera, head: Matrix4, index: number): void {
  eye.matrix.multiplyMatrices(head, EYES[index]!);
  eye.matrix.decompose(eye.position, eye.quaternion, eye.scale);
}

/** Both eyes, as `WebXRManager` and `XRManager` of three.js make and update them. They have no parent. */
function bothEyes(size: Size, kind: Kind, isMultiViewCamera: boolean): PosedCamera {
  const eyes = EYES.map((_, i) => {
    const viewport = new Vector4(isMultiViewCamera ? 0 : i * size[0], 0, ...size);
    return Object.assign(eyeOf(size), { viewport, matrixWorldAutoUpdate: kind === 'WebGLRenderer' });
  });
  const camera = Object.assign(new ArrayCamera(eyes), { isMultiViewCamera });
  camera.matrixWorldAutoUpdate = false; // `render` has the application's camera instead
  return {
    camera,
    pose: (head) => {
      for (const [i, eye] of eyes.entries()) poseEye(eye, head, i);
      camera.matrix.copy(eyes[0]!.matrix);
    },
    place: (rig) => {
      for (const each of [...eyes, camera]) {
        each.matrixWorld.multiplyMatrices(rig, each.matrix);
        each.matrixWorldInverse.copy(each.matrixWorld).invert();
      }
      camera.projectionMatrix.copy(eyes[0]!.projectionMatrix);
    },
  };
}

/** One eye, as an ordinary camera in the rig. */
function oneEye(size: Size, index: number): PosedCamera {
  const [rig, camera] = [new Group(), eyeOf(size)];
  rig.add(camera);
  return {
    camera,
    pose: (head) => poseEye(camera, head, index),
    place: (worldFromRig) => {
      worldFromRig.decompose(rig.position, rig.quaternion, rig.scale);
      rig.updateMatrixWorld(true);
    },
  };
}

/** Two layers, as `XRManager` makes them for a session with multiview. */
function layersOf(renderer: AnyRenderer, size: Size): RenderTarget {
  // three.js calls a function of OCULUS_multiview, which Chromium lacks; without samples OVR_multiview2 does the same
  const gl = (renderer as WebGPURenderer).getContext() as unknown as WebGL2RenderingContext;
  const multiview = gl.getExtension('OVR_multiview2') as unknown as Record<string, (...given: unknown[]) => void>;
  multiview.framebufferTextureMultisampleMultiviewOVR ??= (target, attachment, texture, level, _samples, base, count) =>
    multiview.framebufferTextureMultiviewOVR!(target, attachment, texture, level, base, count);
  const depthTexture = new DepthTexture(...size);
  depthTexture.image.depth = 2;
  depthTexture.isArrayTexture = true;
  const target = new RenderTarget(...size, { depth: 2, multiview: true, depthTexture });
  (renderer as WebGPURenderer).setOutputRenderTarget(target);
  renderer.outputColorSpace = LinearSRGBColorSpace; // as other targets
  return target;
}

/** Both layers side by side, with the top row first. */
async function readLayers(renderer: AnyRenderer, target: RenderTarget): Promise<number[]> {
  const layers = [await read(renderer, target, 0), await read(renderer, target, 1)];
  const row = 4 * target.width;
  return Array.from({ length: target.height }, (_, y) =>
    layers.flatMap((layer) => layer.slice(row * y, row * (y + 1))),
  ).flat();
}

/** Turns the head away and back, and draws what the eyes see then. */
async function look(options: EyesOptions): Promise<SeenByEyes> {
  const { kind, eyes, size, hasJump = false, isAlone = false, isMultiview = false } = options;
  const width = eyes === 'both' ? 2 * size[0] : size[0];
  const renderer = await rendererOf(kind, [width, size[1]]);
  const { scene } = sceneOf(renderer, { kind, count: 0, size, frames: 0, materials: 'lambert', shadows: false });
  const [knight] = await characters;
  const crowd = await ManipleCrowd.create(renderer, {
    characters: [knight!],
    capacity: 64,
    updateRates: false,
    materials: (own) => MATERIALS.lambert(own),
  });
  const errors: string[] = [];
  crowd.addEventListener('error', ({ error }) => errors.push(String(error)));
  // relative to the rig: rows ahead, some behind, and one far to each side
  const places = Array.from({ length: 40 }, (_, i) => new Vector3((i % 8) - 3.5, -1.6, -5 - Math.floor(i / 8)));
  places.push(new Vector3(0, -1.6, 6), new Vector3(2, -1.6, 9), new Vector3(-8, -1.6, -7));
  if (!isAlone) places.push(new Vector3(8, -1.6, -7));
  const group = crowd.spawn(knight!, {
    count: places.length,
    place: (i, at) => {
      at.position = places[i]!.applyMatrix4(RIG);
    },
  });
  group.parameter('speed').fill(1);
  scene.add(crowd);
  await crowd.ready();
  const { camera, pose, place } =
    eyes === 'both' ? bothEyes(size, kind, isMultiview) : oneEye(size, eyes === 'left' ? 0 : 1);
  const target = isMultiview ? layersOf(renderer, size) : targetOf([width, size[1]]);
  for (const [i, head] of HEADS.entries()) {
    const rig = hasJump && i < HEADS.length - 1 ? FAR_AWAY : RIG;
    await nextFrame();
    pose(head);
    if (hasJump) place(rig);
    crowd.update(1 / 30);
    place(rig);
    render(renderer, scene, camera, target);
    if (i === 0) await crowd.ready(); // images of materials, which the first frame has made
  }
  await crowd.workDone();
  const pixels = await (isMultiview ? readLayers : read)(renderer, target);
  const { listed } = await crowd.readStats();
  crowd.dispose();
  target.dispose();
  await renderer.dispose();
  return { pixels, listed, errors };
}

declare global {
  interface Window {
    eyes: { look: (options: EyesOptions) => Promise<SeenByEyes> };
  }
}
window.eyes = { look: coded(look) };
