import { expectOptions, type Names } from '../../crowd/arguments.ts';
import { expectCrowd } from '../../crowd/internals.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import type { ReferenceOptions, ReferenceRenderer } from './view.ts';

const REFERENCE_OPTIONS: Names<ReferenceOptions> = {
  sampleCount: true,
  shadowResolution: true,
  cascadeCount: true,
  scenery: true,
  gridSteps: true,
  surface: true,
};

/**
 * Creates a renderer that runs on the CPU, on the twins of filter-triangles, raster-triangles and shade-pixels. The GPU's pictures
 * are compared with it. It needs no device and is slow: some 60 µs per pixel and 10 to 30 µs per triangle and view. The
 * crowd must be created with `backend: 'cpu'`.
 *
 * @throws ManipleError RENDER_FAILED (the crowd runs on a GPU, or a type skins in draws; an option), IMAGE_UNDECODABLE,
 *   CROWD_BAD_ARGUMENT and SURFACE_INVALID (`surface`)
 * @example
 *   const crowd = await createCrowd(undefined, { characters: [knight], capacity: 8, backend: 'cpu' });
 *   crowd.spawn(knight, { count: 8 });
 *   crowd.update({ dt: 0.1 });
 *   const renderer = await createReferenceRenderer(crowd);
 *   const { color } = await renderer.render({ camera, bounds, width: 160, height: 90 });
 *   await writeFile('crowd.png', await encodePng(color));
 */
export async function createReferenceRenderer(
  crowd: Crowd,
  options: ReferenceOptions = {},
): Promise<ReferenceRenderer> {
  expectCrowd(crowd);
  expectOptions('options', options, REFERENCE_OPTIONS);
  const { createRenderer } = await import('./renderer.ts');
  return createRenderer(crowd, options);
}
