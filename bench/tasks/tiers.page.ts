// Runs in the browser: soldiers on mixers, in the WebGL 2 tier and on WebGPU; what a frame costs the CPU, and how much memory they take.
import { PerspectiveCamera, RenderTarget, Scene, WebGPURenderer } from 'three/webgpu';
import { WebGLRenderer } from 'three';
import { LEGIONARY, soldierController } from '../../src/battle/soldier.ts';
import { withController } from '../../src/character/bind-controller.ts';
import { readBaked } from '../../src/character/file/index.ts';
import { importGltf } from '../../src/import/index.ts';
import { type CrowdTier, ManipleCrowd, type ManipleCrowdOptions } from '../../src/three/index.ts';
import { countContext, countDevice, type GpuMemory } from './gpu-memory.ts';
import { DT, mixersOf, performed, type Performer, performerOf, SPACING, squareOf } from './performers.ts';

/** Stages that the CPU runs in the WebGL 2 tier. The rest of `webgl2` are uploads and draws. */
const STAGES = ['step-controllers', 'cull-characters', 'gather-motions', 'pose-joints', 'keep-palettes'] as const;
type Stage = (typeof STAGES)[number];
/** Pixels of the picture: as on a usual screen. */
const SIZE = [1920, 1080] as const;
/** Frames that are measured together, because clocks of browsers are coarse. */
const BLOCK = 10;
const WARM_UP = 30;

/** Milliseconds of the main thread in a frame: lower quartiles. */
export interface TierTimes extends Readonly<Record<Stage, number>> {
  readonly count: number;
  /** Clips that a character shows, on average. */
  readonly clips: number;
  /** three.js's mixers, matrices and skeletons. */
  readonly mixers: number;
  /** The WebGL 2 tier with every character posed in every frame. */
  readonly full: number;
  /** The WebGL 2 tier. */
  readonly webgl2: number;
  /** Host of the core tier: encoding and submission. */
  readonly core: number;
  /** Characters in sight of the last frame, and those of them that were posed, in the WebGL 2 tier and in core. */
  readonly listed: number;
  readonly posed: number;
  readonly posedInCore: number;
}

/** Bytes of a crowd in which every character is in sight. */
export interface TierMemory {
  readonly tier: CrowdTier;
  readonly renderer: string;
  readonly count: number;
  /** `crowd.byteLength`: GPU memory where there is a device, else main memory. */
  readonly crowd: number;
  /** All that was created on the GPU for the crowd, by a counter of buffers and textures. */
  readonly gpu: number;
}

const fetched = async (url: string) => new Uint8Array(await (await fetch(url)).arrayBuffer());

let performer: Promise<Performer> | undefined;

async function load(): Promise<Performer> {
  const model = await importGltf({ name: 'legionary', bytes: await fetched('/legionary.glb') });
  const baked = readBaked(await fetched('/legionary.maniple'));
  return performerOf(model, withController(baked, soldierController(LEGIONARY)));
}

type AnyRenderer = WebGLRenderer | WebGPURenderer;

interface CountedRenderer {
  readonly renderer: AnyRenderer;
  readonly memory: GpuMemory;
}

function canvasOf(): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = SIZE;
  return canvas;
}

async function classicRenderer(): Promise<CountedRenderer> {
  const renderer = new WebGLRenderer({ canvas: canvasOf() });
  return { renderer, memory: countContext(renderer.getContext() as WebGL2RenderingContext) };
}

async function nodeRenderer(isWebGL: boolean): Promise<CountedRenderer> {
  const renderer = new WebGPURenderer({ canvas: canvasOf(), forceWebGL: isWebGL });
  await renderer.init();
  const { gl, device } = renderer.backend as unknown as { gl: WebGL2RenderingContext; device: GPUDevice };
  return { renderer, memory: isWebGL ? countContext(gl) : countDevice(device) };
}

/** A camera in front of the crowd and above it, with all characters in sight: the nearest are large, the last ones small. */
function cameraOf(count: number): PerspectiveCamera {
  const { side } = squareOf(count);
  const [middle, depth] = [((side - 1) * SPACING) / 2, side * SPACING];
  const camera = new PerspectiveCamera(50, SIZE[0] / SIZE[1], 0.1, 1000);
  camera.position.set(middle, 2 + 0.2 * depth, depth + 0.6 * depth);
  camera.lookAt(middle, 0, 0.55 * depth);
  camera.updateMatrixWorld();
  return camera;
}

type Options = Partial<Pick<ManipleCrowdOptions, 'updateRates' | 'tier'>>;

async function createCrowd(renderer: AnyRenderer, count: number, options: Options) {
  const { character } = await (performer ??= load());
  const crowd = await ManipleCrowd.create(renderer, {
    characters: [character],
    capacity: count,
    skin: 'vertex',
    maxClips: 8,
    ...options,
  });
  crowd.addEventListener('error', ({ error }) => console.error(error));
  const { ids } = crowd.spawn(character, { count, place: squareOf(count).place });
  return { crowd, ids };
}

/**
 * Draws the crowd once, small, so that three.js creates what it draws from. The camera that counts does not draw: it would be one of
 * that small picture.
 */
function drawOnce(renderer: AnyRenderer, crowd: ManipleCrowd, camera: PerspectiveCamera): void {
  const other = camera.clone();
  crowd.update(0, { cameras: [camera, other] });
  const target = Object.assign(new RenderTarget(64, 36), { isWebGLRenderTarget: true });
  renderer.setRenderTarget(target as never);
  renderer.render(new Scene().add(crowd), other);
  renderer.setRenderTarget(null);
  crowd.removeFromParent();
  target.dispose();
}

/** Waits for the GPU: on a software adapter it would take the time of what is measured next. */
function finish(renderer: AnyRenderer): void {
  if (!(renderer instanceof WebGLRenderer)) return;
  const gl = renderer.getContext() as WebGL2RenderingContext;
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
}

async function measure({ count, frames }: { count: number; frames: number }): Promise<TierTimes> {
  const [classic, device] = [await classicRenderer(), await nodeRenderer(false)];
  const camera = cameraOf(count);
  const made = {
    full: { ...classic, ...(await createCrowd(classic.renderer, count, { updateRates: false })) },
    webgl2: { ...classic, ...(await createCrowd(classic.renderer, count, {})) },
    core: { ...device, ...(await createCrowd(device.renderer, count, {})) },
  };
  const all = Object.entries(made) as [keyof typeof made, (typeof made)['core']][];
  const { ids } = made.full;
  const drive = await performed(
    all.map(([, { crowd }]) => crowd.core),
    ids,
  );
  const { clipsPerCharacter, mix } = await mixersOf(await performer!, made.full.crowd.core, ids);
  for (const [, { renderer, crowd }] of all) drawOnce(renderer, crowd, camera);
  const blocks = new Map<string, number[]>();
  const sums = new Map<string, number>();
  const add = (name: string, time: number) => sums.set(name, (sums.get(name) ?? 0) + time);
  for (let frame = 1; frame <= frames + WARM_UP; frame++) {
    drive();
    add(
      'mixers',
      timeOf(() => mix(DT)),
    );
    for (const [name, { renderer, crowd }] of all) {
      add(
        name,
        timeOf(() => crowd.update(DT, { cameras: [camera] })),
      );
      if (name === 'webgl2') for (const stage of STAGES) add(stage, crowd.timings.get(stage) ?? 0);
      finish(renderer);
      await crowd.workDone();
    }
    if (frame <= WARM_UP) sums.clear();
    else if ((frame - WARM_UP) % BLOCK === 0) {
      for (const [name, time] of sums) blocks.set(name, [...(blocks.get(name) ?? []), time / BLOCK]);
      sums.clear();
    }
  }
  const low = [...blocks].map(([name, list]) => [name, list.sort((a, b) => a - b)[list.length >> 2]!]);
  const [stats, core] = await Promise.all([made.webgl2.crowd.readStats(), made.core.crowd.readStats()]);
  const { listed, posed } = stats;
  const times = Object.fromEntries(low) as Record<Stage | 'mixers' | 'full' | 'webgl2' | 'core', number>;
  for (const [, { crowd }] of all) crowd.dispose();
  for (const { renderer } of [classic, device]) await renderer.dispose();
  return { count, clips: clipsPerCharacter, ...times, listed, posed, posedInCore: core.posed };
}

function timeOf(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

const RENDERERS = {
  core: () => nodeRenderer(false),
  compatibility: () => nodeRenderer(false),
  'webgl2, nodes': () => nodeRenderer(true),
  webgl2: classicRenderer,
} as const;

/** Memory of a crowd with levels of detail, in each tier. */
async function memory(count: number): Promise<TierMemory[]> {
  const rows: TierMemory[] = [];
  for (const [name, create] of Object.entries(RENDERERS)) {
    const { renderer, memory: gpu } = await create();
    const camera = cameraOf(count);
    const before = gpu.byteLength;
    const tier = name.split(',')[0] as CrowdTier;
    const { crowd } = await createCrowd(renderer, count, { tier });
    drawOnce(renderer, crowd, camera);
    for (let frame = 0; frame < 3; frame++) {
      crowd.update(DT, { cameras: [camera] });
      await crowd.workDone();
    }
    const classic = renderer instanceof WebGLRenderer ? 'WebGLRenderer' : 'WebGPURenderer';
    const held = { crowd: crowd.byteLength, gpu: gpu.byteLength - before };
    rows.push({ tier: crowd.tier, renderer: classic, count, ...held });
    crowd.dispose();
    await renderer.dispose();
  }
  return rows;
}

declare global {
  interface Window {
    tierBench: { measure: typeof measure; memory: typeof memory };
  }
}
window.tierBench = { measure, memory };
