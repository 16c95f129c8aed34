import { expectOptions } from '../../crowd/arguments.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { fail, quoted } from '../../errors.ts';
import type { DrawArrays } from '../../frame/backend.ts';
import { loadContactPoints } from '../contact-points.ts';
import type { ShadedLook } from '../visibility/shade-pixels/reference.ts';
import { lensOf, projectionOf, sightOf, type Sight } from '../forward/lens.ts';
import type { CascadeView } from '../lighting/cascades.ts';
import { frameUniforms } from '../lighting/frame-uniforms.ts';
import { CASCADE_LIMIT } from '../lighting/layout.ts';
import { litFrame } from '../lighting/lit-frame.ts';
import { lightingOf } from '../lighting/scene.ts';
import type { Surface } from '../lighting/shade.ts';
import { changeTwin, columnReader } from '../lighting/surface-change.ts';
import { materialRows } from '../materials/material-table.ts';
import { readMaterials } from '../materials/material.ts';
import { planTextures } from '../materials/plan-textures.ts';
import { decodeTextures } from '../materials/texture-arrays.ts';
import { PictureViews, recordedOrigin } from '../picture-views.ts';
import { layOutStatics } from '../scenery/lay-out.ts';
import { jittered, jitteredLens, jitterOf } from '../visibility/views.ts';
import { drawnCharacters, drawnScenery, type DrawnThing } from './drawn.ts';
import { filterView, rasterView, type FilledView, type KeptTriangle, type Steps } from './fill.ts';
import { maskOf, PictureSum } from './picture.ts';
import {
  REFERENCE_VIEW,
  type ReferenceOptions,
  type ReferencePicture,
  type ReferenceRenderer,
  type ReferenceView,
} from './reference.ts';
import { internalsOf } from '../../crowd/internals.ts';

/** Samples of pixels, and triangles times views, that one picture may have. */
const [SAMPLE_LIMIT, TRIANGLE_LIMIT, SHADOW_LIMIT] = [2 ** 22, 2 ** 24, 4096];
/** Milliseconds between two pauses. */
const SLICE = 50;

/** The renderer that `createReferenceRenderer` loads. */
// oxlint-disable-next-line max-lines-per-function
export async function createRenderer(crowd: Crowd, options: ReferenceOptions = {}): Promise<ReferenceRenderer> {
  const { sampleCount: samples = 1, shadowResolution = 1024, cascadeCount = 3, gridSteps = 256 } = options;
  checkCrowd(crowd);
  checkNumbers({ sampleCount: samples, shadowResolution, cascadeCount, gridSteps });
  const scenery = layOutStatics(options.scenery ?? []);
  const types = [...internalsOf(crowd).host.tables.types, ...scenery.tables.types].map(({ character }) => character);
  const twin = options.surface && changeTwin(crowd, options.surface);
  const plan = planTextures(types);
  const table = materialRows(types, plan);
  const materials = readMaterials(table.rows, await decodeTextures(plan));
  const masks = materials.map(maskOf);
  await loadContactPoints(internalsOf(crowd).host.tables.types.map(({ character }) => character));
  const still = drawnScenery(scenery, table.rowOf);
  const timings = new Map<string, number>();
  const pictureViews = new PictureViews(cascadeCount, shadowResolution);
  let kept: readonly number[] = [];
  let lastSight: Sight | undefined;

  return {
    timings,
    get kept() {
      return kept;
    },
    crowdViews: (view) => pictureViews.crowdViews(view),
    async render(view) {
      expectOptions('view', view, REFERENCE_VIEW);
      const things = [...drawnCharacters(arraysOf(crowd), rowOf), ...still];
      checkSize(view, things);
      timings.clear();
      const { frame } = internalsOf(crowd).host;
      const steps = draw(view, things);
      const total = stepCount(view, things);
      for (let [done, pause] = [0, performance.now() + SLICE]; ; done++) {
        const step = steps.next();
        if (step.done) return step.value;
        if (performance.now() < pause) continue;
        view.onProgress?.(Math.min(1, done / total));
        await new Promise((resolve) => setTimeout(resolve));
        if (internalsOf(crowd).host.frame !== frame) {
          const suggestion = 'Await the picture before the next frame.';
          fail(
            'RENDER_FAILED',
            'crowd',
            `The crowd ran frame ${internalsOf(crowd).host.frame} while frame ${frame} was drawn.`,
            suggestion,
          );
        }
        pause = performance.now() + SLICE;
      }
    },
  };

  /** Runs the passes in the visibility renderer's order. */
  function* draw(view: ReferenceView, things: readonly DrawnThing[]): Steps<ReferencePicture> {
    const { width, height } = view;
    const views = view.views ?? pictureViews.mask(internalsOf(crowd).host.views);
    const origin = recordedOrigin(crowd);
    const lens = lensOf(view, lastSight && projectionOf(lastSight, origin));
    const scene = lightingOf(view);
    const cascades = pictureViews.cascades(view);
    const maps: Float32Array[] = [];
    const counts: number[] = [];
    for (const shadow of shadowViews(cascades, views?.shadow)) {
      const { depths, kept: triangles } = yield* fill(shadow, things);
      maps.push(depths);
      counts.push(triangles.length);
    }
    const readColumn = options.surface && columnReader(crowd, options.surface);
    const change: ShadedLook<Surface>['change'] =
      twin && ((surface, site) => twin({ ...site, column: (name) => readColumn!(name, site.character) }, surface));
    const sum = new PictureSum(width, height);
    for (let sample = 0; sample < samples; sample++) {
      const jitter = jitterOf(sample);
      const main: FilledView = {
        clipFromWorld: jittered(lens.clipFromWorld, jitter, width, height),
        width,
        height,
        crowdViews: views?.picture ?? ALL,
        gridSteps,
      };
      const filled = yield* fill(main, things);
      if (sample === 0) kept = [filled.kept.length, ...counts];
      const bytes = frameUniforms({ ...view, views }, scene, jitteredLens(lens, jitter), {
        cascades,
        resolution: shadowResolution,
      });
      yield* timed('shade-pixels', sum.add(main, litFrame(bytes, maps), filled, { materials, things, change }));
    }
    lastSight = sightOf(view, origin);
    return sum.finish();
  }

  function* fill(view: FilledView, things: readonly DrawnThing[]) {
    const triangles: KeptTriangle[] = yield* timed('filter-triangles', filterView(view, things));
    const filled = yield* timed(
      'raster-triangles',
      rasterView(view, triangles, (row) => masks[row]!),
    );
    return { ...filled, kept: triangles };
  }

  function* timed<T>(stage: string, steps: Steps<T>): Steps<T> {
    for (;;) {
      const start = performance.now();
      const step = steps.next();
      timings.set(stage, (timings.get(stage) ?? 0) + performance.now() - start);
      if (step.done) return step.value;
      yield;
    }
  }

  function shadowViews(cascades: readonly CascadeView[], shadow: number | readonly number[] = ALL): FilledView[] {
    return cascades.map(({ sunFromWorld }, i) => ({
      clipFromWorld: sunFromWorld,
      width: shadowResolution,
      height: shadowResolution,
      crowdViews: typeof shadow === 'number' ? shadow : (shadow[i] ?? 0),
      gridSteps,
    }));
  }

  /** Approximate number of steps: primitives of every view, and rows of pixels, which take longer. */
  function stepCount({ height }: ReferenceView, things: readonly DrawnThing[]): number {
    const primitives = things.reduce((total, thing) => total + thing.primitives.length, 0);
    return primitives * (samples + cascadeCount) + height * samples;
  }

  function rowOf(...of: Parameters<typeof table.rowOf>): number {
    const row = table.rowOf(...of);
    if (row >= 0) return row;
    return fail('RENDER_FAILED', 'crowd', 'The crowd has types that this renderer lacks.', 'Create a new renderer.');
  }

  function checkSize({ width, height }: ReferenceView, things: readonly DrawnThing[]): void {
    if (!(width >= 1 && height >= 1 && Number.isInteger(width) && Number.isInteger(height))) {
      fail('RENDER_FAILED', 'size', `${width}×${height} pixels.`, 'Give whole numbers, 1 or more.');
    }
    const onGpu = 'Draw it on a GPU, or';
    const pixels = width * height * samples;
    if (pixels > SAMPLE_LIMIT) {
      const message = `${width}×${height} pixels with ${samples} samples are ${pixels}; the limit of twins is ${SAMPLE_LIMIT}.`;
      fail('RENDER_TOO_LARGE', 'size', message, `${onGpu} make the picture smaller.`);
    }
    const triangles = things.reduce((sum, { primitives }) => {
      return sum + primitives.reduce((count, { indexCount }) => count + indexCount / 3, 0);
    }, 0);
    const drawn = triangles * (samples + cascadeCount);
    if (drawn > TRIANGLE_LIMIT) {
      const message = `${triangles} triangles in ${samples + cascadeCount} views are ${drawn}; the limit of twins is ${TRIANGLE_LIMIT}.`;
      fail('RENDER_TOO_LARGE', 'crowd', message, `${onGpu} draw fewer characters.`);
    }
  }
}

/** All views of the crowd. */
const ALL = 0xffffffff;

function arraysOf(crowd: Crowd): DrawArrays {
  const { backend } = internalsOf(crowd).host;
  if (backend.arrays) return backend.arrays;
  const suggestion =
    "Create it with backend: 'cpu', or await setBackend('cpu') and update(); or use createVisibilityRenderer.";
  return fail('RENDER_FAILED', 'crowd', 'The crowd runs on a GPU, so the CPU has none of its vertices.', suggestion);
}

function checkCrowd(crowd: Crowd): void {
  arraysOf(crowd);
  const skinned = internalsOf(crowd).host.tables.types.find(({ skin }) => skin === 'vertex');
  if (!skinned) return;
  const message = `${quoted(skinned.character.name)} is skinned where it is drawn, and leaves no vertices.`;
  fail('RENDER_FAILED', 'crowd', message, "Skin it in compute: skin: 'compute'.");
}

function checkNumbers(
  numbers: Required<Pick<ReferenceOptions, 'sampleCount' | 'shadowResolution' | 'cascadeCount' | 'gridSteps'>>,
) {
  const ranges = {
    sampleCount: [1, 64],
    shadowResolution: [1, SHADOW_LIMIT],
    cascadeCount: [0, CASCADE_LIMIT],
    gridSteps: [1, 256],
  };
  for (const [key, [low, high]] of Object.entries(ranges) as [keyof typeof ranges, [number, number]][]) {
    const value = numbers[key];
    if (Number.isInteger(value) && value >= low && value <= high) continue;
    fail('RENDER_FAILED', key, `is ${value}.`, `Give a whole number from ${low} to ${high}.`);
  }
}
