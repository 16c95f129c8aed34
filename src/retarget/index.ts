export {
  bindClips,
  type BindClipsOptions,
  type BoundClips,
  type ClipReport,
  type ClipSource,
  type FootTrace,
  freeName,
} from './bind-clips.ts';
export { stickPoses } from './stick-poses.ts';
