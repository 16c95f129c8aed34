export {
  bindClips,
  type BindClipsOptions,
  type BoundClips,
  chosenClips,
  type ClipReport,
  type ClipSource,
  type FootTrace,
} from './bind-clips.ts';
export { stickPoses } from './stick-poses.ts';
