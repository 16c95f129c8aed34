import { PerspectiveCamera, type Scene as ThreeScene, Vector2, WebGPURenderer } from 'three/webgpu';
import type { Character, Crowd } from '../../src/index.ts';
import { ManipleCrowd } from '../../src/three/index.ts';
import type { BattleScenery } from '../../src/battle/scenery.ts';
import type { Shot, Stand } from './stand.ts';
import { dressedMaterials } from './three-dress.ts';
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

/** Stage name for three.js's GPU time. */
const STAGE = 'three.js';

/** Creates a `Stand` that draws the crowd in a three.js scene, with its lights, shadows and materials. @throws ManipleError THREE_UNSUPPORTED */
export async function createThreeStand(
  device: GPUDevice,
  crowd: Crowd,
  { canvas, scenery, soldiers, baked, isSlow }: ThreeStandOptions,
): Promise<Stand> {
  const hasTimes = device.features.has('timestamp-query');
  const renderer = new WebGPURenderer({
    canvas: canvas as HTMLCanvasElement,
    device,
    antialias: !isSlow,
    trackTimestamp: hasTimes,
  });
  await renderer.init();
  const surroundings = await createSurroundings(scenery, baked, isSlow);
  const { scene }: { readonly scene: ThreeScene } = surroundings;
  surroundings.tone(renderer);
  const materials = dressedMaterials(soldiers);
  const drawn = new ManipleCrowd(renderer, { core: crowd, shadowDetail: 0.25, materials });
  scene.add(drawn);
  await drawn.ready();
  const camera = new PerspectiveCamera();
  const timings = new Map<string, number>();
  const size = new Vector2();
  let isReading = false;

  return {
    async frame(dt, shot) {
      look(shot);
      drawn.update(dt, { cameras: [camera] });
      renderer.render(scene, camera);
      readTimes();
      await device.queue.onSubmittedWorkDone();
    },
    async pick(shot, x, y) {
      look(shot);
      return (await drawn.pick(camera, x, y))?.id;
    },
    timings,
    byteLength: 0,
    readTriangles: () => Promise.resolve(renderer.info.render.triangles),
    readDifference: () => Promise.resolve(undefined),
    destroy() {
      // before the renderer, which destroys all buffers that it has drawn from
      drawn.dispose();
      surroundings.dispose();
      // errors at this point have no effect
      renderer.dispose().catch(() => undefined);
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

  function readTimes(): void {
    if (!hasTimes || isReading) return;
    isReading = true;
    renderer
      .resolveTimestampsAsync('render')
      .then((time) => time !== undefined && timings.set(STAGE, time))
      // the device is lost, which is reported separately
      .catch(() => undefined)
      .finally(() => (isReading = false));
  }
}
