import { expectOptions } from '../../crowd/arguments.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { fail } from '../../errors.ts';
import type { DrawArrays } from '../../frame/backend.ts';
import type { CrowdView } from '../../frame/tables/crowd-view.ts';
import { checkVertices, checkWhole, failUnknownTypes } from '../checks.ts';
import { loadContactPoints } from '../contact-points.ts';
import type { ShadedLook } from '../visibility/shade-pixels/reference.ts';
import { lensOf, projectionOf, sightOf, type Sight } from '../forward/lens.ts';
import { frameUniforms, shadowMask } from '../lighting/frame-uniforms.ts';
import { CASCADE_LIMIT } from '../lighting/layout.ts';
import { litFrame } from '../lighting/lit-frame.ts';
import { lightingOf } from '../lighting/scene.ts';
import type { Surface } from '../lighting/shade.ts';
import { changeTwin, columnReader, type SurfaceChange } from '../lighting/surface-change.ts';
import { materialRows, type MaterialRows } from '../materials/material-table.ts';
import { readMaterials, type MaterialRow } from '../materials/material.ts';
import { planTextures, decodeTextures } from '../materials/textures.ts';
import { PictureViews, recordedOrigin, type SeenView } from '../picture-views.ts';
import { layOutStatics } from '../scenery/lay-out.ts';
import type { MaskedMaterial } from '../visibility/raster-triangles/reference.ts';
import type { MaterialRowOf } from '../visibility/source.ts';
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
} from './view.ts';
import { internalsOf } from '../../crowd/internals.ts';

/** Samples of pixels, and triangles times views, that one picture may have. */
const [SAMPLE_LIMIT, TRIANGLE_LIMIT, SHADOW_LIMIT] = [2 ** 22, 2 ** 24, 4096];
/** Milliseconds between two pauses. */
const SLICE = 50;
const ALL = 0xffffffff;

type Settings = Required<Omit<ReferenceOptions, 'scenery' | 'surface'>>;

interface Parts {
  readonly settings: Settings;
  readonly table: MaterialRows;
  readonly materials: readonly MaterialRow[];
  readonly still: readonly DrawnThing[];
  readonly surface: SurfaceChange | undefined;
}

export async function createRenderer(crowd: Crowd, options: ReferenceOptions = {}): Promise<ReferenceRenderer> {
  const { sampleCount = 1, shadowResolution = 1024, cascadeCount = 3, gridSteps = 256, surface } = options;
  arraysOf(crowd);
  checkVertices(crowd, "Skin it in compute: skin: 'compute'.");
  checkWhole('sampleCount', sampleCount, 1, 64);
  checkWhole('shadowResolution', shadowResolution, 1, SHADOW_LIMIT);
  checkWhole('cascadeCount', cascadeCount, 0, CASCADE_LIMIT);
  checkWhole('gridSteps', gridSteps, 1, 256);
  const scenery = layOutStatics(options.scenery ?? []);
  const characters = internalsOf(crowd).host.tables.types.map(({ character }) => character);
  const drawn = [...characters, ...scenery.tables.types.map(({ character }) => character)];
  if (surface) changeTwin(crowd, surface); // checks it
  const plan = planTextures(drawn);
  const table = materialRows(drawn, plan);
  const materials = readMaterials(table.rows, await decodeTextures(plan));
  await loadContactPoints(characters);
  const settings = { sampleCount, shadowResolution, cascadeCount, gridSteps };
  return new TwinRenderer(crowd, { settings, table, materials, still: drawnScenery(scenery, table.rowOf), surface });
}

class TwinRenderer implements ReferenceRenderer {
  readonly timings = new Map<string, number>();
  readonly #crowd: Crowd;
  readonly #parts: Parts;
  readonly #masks: readonly MaskedMaterial[];
  readonly #views: PictureViews;
  #kept: readonly number[] = [];
  #lastSight: Sight | undefined;

  constructor(crowd: Crowd, parts: Parts) {
    this.#crowd = crowd;
    this.#parts = parts;
    this.#masks = parts.materials.map(maskOf);
    this.#views = new PictureViews(parts.settings.cascadeCount, parts.settings.shadowResolution);
  }

  get kept(): readonly number[] {
    return this.#kept;
  }

  crowdViews(view: SeenView): readonly CrowdView[] {
    return this.#views.crowdViews(view);
  }

  async render(view: ReferenceView): Promise<ReferencePicture> {
    expectOptions('view', view, REFERENCE_VIEW);
    const { table, still, settings } = this.#parts;
    const rowOf: MaterialRowOf = (character, index) => {
      const row = table.rowOf(character, index);
      return row >= 0 ? row : failUnknownTypes();
    };
    const things = [...drawnCharacters(arraysOf(this.#crowd), rowOf), ...still];
    checkSize(view, things, settings);
    this.timings.clear();
    const { host } = internalsOf(this.#crowd);
    const { frame } = host;
    const steps = this.#draw(view, things);
    const total = stepCount(view, things, settings);
    for (let [done, pause] = [0, performance.now() + SLICE]; ; done++) {
      const step = steps.next();
      if (step.done) return step.value;
      if (performance.now() < pause) continue;
      view.onProgress?.(Math.min(1, done / total));
      await new Promise((resolve) => setTimeout(resolve));
      if (host.frame !== frame) {
        const message = `The crowd ran frame ${host.frame} while frame ${frame} was drawn.`;
        fail('RENDER_FAILED', 'crowd', message, 'Await the picture before the next frame.');
      }
      pause = performance.now() + SLICE;
    }
  }

  /** Runs the passes in the visibility renderer's order. */
  *#draw(view: ReferenceView, things: readonly DrawnThing[]): Steps<ReferencePicture> {
    const { width, height } = view;
    const { materials, settings } = this.#parts;
    const { sampleCount, shadowResolution, gridSteps } = settings;
    const views = view.views ?? this.#views.mask(internalsOf(this.#crowd).host.views);
    const origin = recordedOrigin(this.#crowd);
    const lens = lensOf(view, this.#lastSight && projectionOf(this.#lastSight, origin));
    const scene = lightingOf(view);
    const cascades = this.#views.cascades(view);
    const maps: Float32Array[] = [];
    const counts: number[] = [];
    for (const [i, { sunFromWorld }] of cascades.entries()) {
      const size = { width: shadowResolution, height: shadowResolution };
      const shadow = { clipFromWorld: sunFromWorld, ...size, crowdViews: shadowMask(views, i), gridSteps };
      const { depths, kept } = yield* this.#fill(shadow, things);
      maps.push(depths);
      counts.push(kept.length);
    }
    const change = this.#change();
    const sum = new PictureSum(width, height);
    for (let sample = 0; sample < sampleCount; sample++) {
      const jitter = jitterOf(sample);
      const clipFromWorld = jittered(lens.clipFromWorld, jitter, width, height);
      const main: FilledView = { clipFromWorld, width, height, crowdViews: views?.picture ?? ALL, gridSteps };
      const filled = yield* this.#fill(main, things);
      if (sample === 0) this.#kept = [filled.kept.length, ...counts];
      const shadows = { cascades, resolution: shadowResolution };
      const frame = litFrame(frameUniforms({ ...view, views }, scene, jitteredLens(lens, jitter), shadows), maps);
      yield* this.#timed('shade-pixels', sum.add(main, frame, filled, { materials, things, change }));
    }
    this.#lastSight = sightOf(view, origin);
    return sum.finish();
  }

  *#fill(view: FilledView, things: readonly DrawnThing[]) {
    const kept: KeptTriangle[] = yield* this.#timed('filter-triangles', filterView(view, things));
    const raster = rasterView(view, kept, (row) => this.#masks[row]!);
    const filled = yield* this.#timed('raster-triangles', raster);
    return { ...filled, kept };
  }

  *#timed<T>(stage: string, steps: Steps<T>): Steps<T> {
    for (;;) {
      const start = performance.now();
      const step = steps.next();
      this.timings.set(stage, (this.timings.get(stage) ?? 0) + performance.now() - start);
      if (step.done) return step.value;
      yield;
    }
  }

  /** The application's change to surfaces, with the columns of this frame. */
  #change(): ShadedLook<Surface>['change'] {
    const { surface } = this.#parts;
    if (!surface) return undefined;
    const twin = changeTwin(this.#crowd, surface);
    const readColumn = columnReader(this.#crowd, surface);
    return (lit, site) => twin({ ...site, column: (name) => readColumn(name, site.character) }, lit);
  }
}

/** Approximate number of steps: primitives of every view, and rows of pixels, which take longer. */
function stepCount(
  { height }: ReferenceView,
  things: readonly DrawnThing[],
  { sampleCount, cascadeCount }: Settings,
): number {
  const primitives = things.reduce((total, thing) => total + thing.primitives.length, 0);
  return primitives * (sampleCount + cascadeCount) + height * sampleCount;
}

function checkSize(
  { width, height }: ReferenceView,
  things: readonly DrawnThing[],
  { sampleCount, cascadeCount }: Settings,
): void {
  if (!(width >= 1 && height >= 1 && Number.isInteger(width) && Number.isInteger(height))) {
    fail('RENDER_FAILED', 'size', `${width}×${height} pixels.`, 'Give whole numbers, 1 or more.');
  }
  const pixels = width * height * sampleCount;
  if (pixels > SAMPLE_LIMIT) {
    const message = `${width}×${height} pixels with ${sampleCount} samples are ${pixels}; the limit of twins is ${SAMPLE_LIMIT}.`;
    fail('RENDER_TOO_LARGE', 'size', message, 'Draw it on a GPU, or make the picture smaller.');
  }
  const indices = things.flatMap(({ primitives }) => primitives).reduce((sum, { indexCount }) => sum + indexCount, 0);
  const [triangles, views] = [indices / 3, sampleCount + cascadeCount];
  if (triangles * views > TRIANGLE_LIMIT) {
    const message = `${triangles} triangles in ${views} views are ${triangles * views}; the limit of twins is ${TRIANGLE_LIMIT}.`;
    fail('RENDER_TOO_LARGE', 'crowd', message, 'Draw it on a GPU, or draw fewer characters.');
  }
}

function arraysOf(crowd: Crowd): DrawArrays {
  const { backend } = internalsOf(crowd).host;
  if (backend.arrays) return backend.arrays;
  const suggestion =
    "Create it with backend: 'cpu', or await setBackend('cpu') and update(); or use createVisibilityRenderer.";
  return fail('RENDER_FAILED', 'crowd', 'The crowd runs on a GPU, so the CPU has none of its vertices.', suggestion);
}
