import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Character } from '../../asset/character.ts';
import { createCrowd } from '../../crowd/crowd.ts';
import type { CrowdView } from '../../frame/crowd-view.ts';
import { type Battle, fight, stageBattle } from '../../render/battle.ts';
import { clipFromWorld, type Camera } from '../../render/camera.ts';
import { createForwardRenderer } from '../../render/forward/forward.ts';
import { encodePng } from '../../render/images/index.ts';
import { cascadesOf } from '../../render/lighting/cascades.ts';
import { DEFAULT_SCENE } from '../../render/lighting/scene.ts';
import { createPicture } from '../../render/picture.ts';
import { LEGIONARY, RAIDER, soldierController } from '../../render/soldier.ts';
import { stageParade, type Stage } from '../../render/staging.ts';
import { openDevice } from '../device.ts';
import { openFile, packOpened, withLods } from '../load.ts';
import { inFile } from '../read.ts';
import { type Output, OUTPUTS } from '../options.ts';
import { prepareOut, Progress, print, printIssues, printJson, writeOut } from '../output.ts';

export interface RenderOptions {
  readonly count?: number;
  readonly out?: string;
  readonly size: { readonly width: number; readonly height: number };
  readonly camera?: Camera;
  readonly output: Output;
  readonly backend: 'gpu' | 'cpu';
  readonly seed: number;
  readonly errorBudget?: number;
  readonly lods?: number;
  readonly json?: boolean;
}

/** The characters of the default battle, beside the sources as beside the built package. */
const OWN_CHARACTERS = ['legionary', 'raider'].map((name) =>
  fileURLToPath(new URL(`../../../characters/${name}.glb`, import.meta.url)),
);

/** Shadow maps, their texels each way, and how much coarser what only its shadow shows may be. */
const [CASCADES, SHADOW_RESOLUTION, SHADOW_DETAIL] = [3, 2048, 0.25];
/** Bits of `viewsOf`'s views. */
const VIEWS = { picture: 1, shadow: Array.from({ length: CASCADES }, (_, i) => 2 << i) } as const;

/** Seconds that a battle goes on before its picture is taken. */
const WARM_UP = 6;
/** Seconds of a frame. */
const FRAME = 1 / 60;

/** `maniple render [FILE…]` */
export async function runRender(files: readonly string[], options: RenderOptions): Promise<void> {
  const result = await render(files, options);
  if (options.json) printJson(result);
  else printResult(result);
}

interface RenderResult {
  readonly out: string;
  readonly count: number;
  readonly adapter: string;
  readonly backend: string;
  /** Milliseconds per stage on the device (on the host with the CPU backend). */
  readonly stages: Readonly<Record<string, number>>;
  /** Milliseconds of everything, loading included. */
  readonly total: number;
  readonly bytes: number;
  readonly issues: readonly Character['issues'][number][];
}

async function render(files: readonly string[], options: RenderOptions): Promise<RenderResult> {
  const start = performance.now();
  const progress = new Progress();
  const battle = files.length === 0;
  const count = options.count ?? (battle ? 1000 : 100);
  const sources = battle ? OWN_CHARACTERS : files;
  const out = options.out ?? `out/${battle ? 'battle' : path.basename(files[0]!).replace(/\.[^.]*$/, '')}.png`;
  const characters: Character[] = [];
  for (const [index, file] of sources.entries()) {
    const name = path.basename(file);
    progress.update(`loading ${name}`);
    const opened = await openFile(file);
    if (options.lods) progress.update(`${name}: making coarser meshes`);
    characters.push(
      packOpened(await withLods(opened, options.lods), {
        errorBudget: options.errorBudget,
        ...(battle ? { controller: soldierController([LEGIONARY, RAIDER][index]!) } : {}),
        onProgress: (done, total) => progress.update(`${name}: packing clip ${done + 1} of ${total}`),
      }),
    );
  }
  await prepareOut(out);
  progress.update('opening the GPU');
  const { device, info } = await openDevice();
  const { backend, seed } = options;
  // what controllers need at once is known; parades play clips themselves
  const crowd = createCrowd(device, { characters, capacity: count, backend, ...(battle ? {} : { motions: 2 }) });
  const stage: Battle = battle
    ? stageBattle(crowd, characters[0]!, characters[1]!, { count, seed })
    : stageParade(crowd, characters, { count, seed });
  progress.update(`fighting for ${WARM_UP} seconds`);
  await fight(crowd, stage, WARM_UP);
  progress.update(`posing and skinning ${count} characters`);
  const views = viewsOf(stage, options);
  await crowd.update({ dt: FRAME, views });
  // what a debug view shows of a crowd is what has become of it since the frame before
  if (options.output !== 'color') await crowd.update({ dt: FRAME, views });
  progress.update(`drawing ${options.size.width} × ${options.size.height}`);
  const { png, timings } = await draw(device, crowd, stage, options);
  await writeOut(out, png);
  progress.done();
  const result = {
    out,
    count,
    adapter: info.description || info.device || info.vendor,
    backend,
    stages: Object.fromEntries([...crowd.timings, ...timings]),
    total: performance.now() - start,
    bytes: crowd.byteLength,
    issues: characters.flatMap(({ issues }, i) => issues.map((issue) => inFile(sources[i]!, issue))),
  };
  crowd.destroy();
  device.destroy();
  return result;
}

/** Who looks: the camera, then the sun through each of the shadow maps. */
function viewsOf(
  { camera, bounds, scene }: Stage,
  { camera: wanted, size: { width, height } }: RenderOptions,
): CrowdView[] {
  const { sunDirection } = { ...DEFAULT_SCENE, ...scene };
  const look = { camera: wanted ?? camera, aspect: width / height };
  const shadows = cascadesOf({ ...look, sunDirection, bounds, count: CASCADES, resolution: SHADOW_RESOLUTION });
  return [
    { clipFromWorld: clipFromWorld(look.camera, look.aspect), height },
    ...shadows.map(({ sunFromWorld }) => {
      return { clipFromWorld: sunFromWorld, height: SHADOW_RESOLUTION, detail: SHADOW_DETAIL };
    }),
  ];
}

async function draw(
  device: GPUDevice,
  crowd: ReturnType<typeof createCrowd>,
  { camera, bounds, scene = {} }: Stage,
  { size: { width, height }, camera: wanted, output }: RenderOptions,
): Promise<{ png: Uint8Array; timings: ReadonlyMap<string, number> }> {
  const renderer = await createForwardRenderer(device, crowd, {
    shadowResolution: SHADOW_RESOLUTION,
    cascadeCount: CASCADES,
  });
  const picture = createPicture(device, width, height);
  const encoder = device.createCommandEncoder({ label: 'render' });
  const submitted = renderer.render(encoder, {
    camera: wanted ?? camera,
    bounds,
    scene,
    views: VIEWS,
    show: OUTPUTS[output],
    target: picture.view,
    width,
    height,
  });
  device.queue.submit([encoder.finish()]);
  await submitted();
  const png = await encodePng(await picture.read());
  picture.destroy();
  renderer.destroy();
  return { png, timings: renderer.timings };
}

function printResult({ out, count, adapter, stages, total, issues }: RenderResult): void {
  print(`${out}: ${count} characters on ${adapter}`);
  for (const [stage, time] of Object.entries(stages)) print(`  ${stage.padEnd(16)} ${time.toFixed(2).padStart(10)} ms`);
  print(`  ${'all, with loading'.padEnd(16)} ${(total / 1000).toFixed(1)} s`);
  printIssues(issues.filter(({ severity }) => severity !== 'info'));
}
