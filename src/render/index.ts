export { clipFromWorld, type Camera, type Vector } from './camera.ts';
export { createCanvasTarget, type CanvasTarget } from './canvas.ts';
export { createForwardRenderer, type ForwardOptions, type ForwardRenderer } from './forward/forward.ts';
export type { ImpostorReadings } from './impostors/impostors.ts';
export type { ImpostorStats } from './impostors/lists.ts';
export type { ImpostorOptions } from './impostors/options.ts';
export { type Bounds, type CascadeView, cascadesOf } from './lighting/cascades.ts';
export { DEFAULT_LIGHTING, type Lighting } from './lighting/scene.ts';
export type { Surface as LitSurface } from './lighting/shade.ts';
export type { SurfaceChange, SurfaceSite } from './lighting/surface-change.ts';
export type { ForwardView, PickHit, PickView, ShownView } from './forward/view.ts';
export { decodeImage, encodePng, MAX_IMAGE_SIZE, type RgbaImage, setBasisTranscoder } from './images/index.ts';
export {
  createDepthTarget,
  createIdTarget,
  createNormalTarget,
  createReadableTarget,
  createVelocityTarget,
  type ReadableTarget,
  type TextureTarget,
} from './target.ts';
export { createReferenceRenderer } from './reference/reference.ts';
export type { ReferenceOptions, ReferencePicture, ReferenceRenderer, ReferenceView } from './reference/view.ts';
export type { StaticPiece, StaticPlace } from './scenery/lay-out.ts';
export { createScenery, type Scenery } from './scenery/scenery.ts';
export type { SurfaceViews } from './visibility/presenter.ts';
export type { RasterSizes, RasterTuning } from './visibility/sizes.ts';
export { tuneHardwareRaster } from './visibility/tune-raster.ts';
export {
  createVisibilityRenderer,
  type TriangleStats,
  type VisibilityOptions,
  type VisibilityRenderer,
  type VisibilityView,
} from './visibility/visibility.ts';
export { type CharacterDraw, DRAW_MEMORY_VERSION, drawMemory, type DrawMemory } from './draw-memory/draw-memory.ts';
