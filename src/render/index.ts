export { createDirector, type BattleSide, type Director } from './battle-director.ts';
export { type Battle, fight, stageBattle } from './battle.ts';
export type { Camera, Vector } from './camera.ts';
export { createCanvasTarget, type CanvasTarget } from './canvas.ts';
export {
  createForwardRenderer,
  DEFAULT_SCENE,
  type ForwardOptions,
  type ForwardRenderer,
  type ForwardView,
  type Scene,
} from './forward/forward.ts';
export type { Bounds } from './forward/sun.ts';
export {
  type BasisFiles,
  decodeImage,
  encodePng,
  MAX_IMAGE_SIZE,
  type RgbaImage,
  setBasisTranscoder,
} from './images/index.ts';
export { createPicture, type Picture } from './picture.ts';
export { type Stage, type StageOptions, stageParade } from './staging.ts';
export { hasSoldierController, LEGIONARY, RAIDER, soldierController, type SoldierFacts } from './soldier.ts';
