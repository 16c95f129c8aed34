import type { WebGLRenderer } from 'three';
import { PerspectiveCamera, type Scene as ThreeScene, Vector2, WebGPURenderer } from 'three/webgpu';
import type { Character, Crowd } from '../../src/index.ts';
import { ManipleCrowd } from '../../src/three/index.ts';
import type { BattleScenery } from '../../src/battle/scenery.ts';
import type { Shot, Stand } from './stand.ts';
import { dressedMaterials, dyeNodes, dyeShader } from './three-dress.ts';
import { createSurroundings } from './three-surroundings.ts';

export interface ThreeStandOptions {
  readonly canvas: HTMLCanvasElement | OffscreenCanvas;
  readonly scenery: BattleScenery;
  /** Characters with dyed cloth: see `BATTLE_SURFACE`. */
  readonly soldiers: readonly Character[];
  /** Folder of the props' files. */
  readonly baked: string;
  readonly isSlow: boolean;
}

/** Stage name for three.js's time: on the GPU, or on the CPU with WebGL 2. */
const STAGE = 'three.js';

/**
 * Creates a `Stand` that draws the crowd in a three.js scene, with its lights, shadows and materials.
 * @param device Undefined with WebGL 2. @throws ManipleError THREE_UNSUPPORTED
 */
export async function createThreeStand(
  device: GPUDevice | undefined,
  crowd: Crowd,
  { canvas, scenery, soldiers, baked, isSlow }: ThreeStandOptions,
): Promise<Stand> {
  const renderer = device ? await openRenderer(device, canvas, isSlow) : await openWebgl(canvas, isSlow);
  const surroundings = await createSurroundings(scenery, baked, isSlow);
  const { scene }: { readonly scene: ThreeScene } = surroundings;
  surroundings.tone(renderer);
  const materials = dressedMaterials(soldiers, device ? dyeNodes : dyeShader);
  const drawn = await ManipleCrowd.adopt(renderer, { core: crowd, shadowDetail: 0.25, materials });
  scene.add(drawn);
  await drawn.ready();
  const camera = new PerspectiveCamera();
  const hasTimes = device?.features.has('timestamp-query');
  const timings = new Map<string, number>();
  const size = new Vector2();
  let isReading = false;

  return {
    async frame(dt, shot) {
      look(shot);
      drawn.update(dt, { cameras: [camera] });
      const begin = performance.now();
      renderer.render(scene, camera);
      if (!device) timings.set(STAGE, performance.now() - begin);
      readTime();
      await (device ? device.queue.onSubmittedWorkDone() : webglDone(renderer as WebGLRenderer));
    },
    async pick(shot, x, y) {
      look(shot);
      return (await drawn.pick(camera, x, y, shot))?.id;
    },
    timings,
    byteLength: 0,
    readTriangles: () => Promise.resolve(renderer.info.render.triangles),
    readDifference: () => Promise.resolve(undefined),
    destroy() {
      // before the renderer, which destroys all buffers that it has drawn from
      drawn.dispose();
      surroundings.dispose();
      // a context of WebGL serves all pictures of its canvas; errors at this point have no effect
      if (renderer instanceof WebGPURenderer) renderer.dispose().catch(() => undefined);
    },
  };

  function look({ camera: { eye, target, fovY = Math.PI / 4, near = 0.1 }, width, height, ...shot }: Shot): void {
    renderer.getSize(size);
    if (size.x !== width || size.y !== height) renderer.setSize(width, height, false);
    camera.fov = (180 / Math.PI) * fovY;
    camera.aspect = width / height;
    const far = 40 * Math.hypot(...eye.map((value, axis) => value - target[axis]!)) + 4000;
    Object.assign(camera, { near, far });
    camera.position.set(...eye);
    camera.lookAt(...target);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    surroundings.follow({ ...shot, width, height, camera: { eye, target } });
  }

  function readTime(): void {
    if (!hasTimes || isReading || !(renderer instanceof WebGPURenderer)) return;
    isReading = true;
    renderer
      .resolveTimestampsAsync('render')
      .then((time) => time !== undefined && timings.set(STAGE, time))
      // the device is lost, which is reported separately
      .catch(() => undefined)
      .finally(() => (isReading = false));
  }
}

async function openRenderer(
  device: GPUDevice,
  canvas: ThreeStandOptions['canvas'],
  isSlow: boolean,
): Promise<WebGPURenderer> {
  const renderer = new WebGPURenderer({
    canvas: canvas as HTMLCanvasElement,
    device,
    antialias: !isSlow,
    trackTimestamp: device.features.has('timestamp-query'),
  });
  await renderer.init();
  return renderer;
}

/** Resolves when the GPU has finished. Browsers update a fence between tasks only. */
async function webglDone(renderer: WebGLRenderer): Promise<void> {
  const gl = renderer.getContext() as WebGL2RenderingContext;
  const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  gl.flush();
  if (!fence) return; // the context is lost
  while (!gl.isContextLost() && gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  gl.deleteSync(fence);
}

/** Renderers of canvases with WebGL. */
const webglRenderers = new WeakMap<ThreeStandOptions['canvas'], WebGLRenderer>();

async function openWebgl(canvas: ThreeStandOptions['canvas'], isSlow: boolean): Promise<WebGLRenderer> {
  // draws in half the time on the CPU that WebGPURenderer takes with WebGL 2
  const { WebGLRenderer } = await import('./webgl-renderer.ts');
  const renderer = webglRenderers.get(canvas) ?? new WebGLRenderer({ canvas, antialias: !isSlow });
  webglRenderers.set(canvas, renderer);
  return renderer;
}
