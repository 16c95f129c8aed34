export {
  bindClips,
  type BindClipsOptions,
  type BoundClips,
  type ClipReport,
  type ClipSource,
  freeName,
} from './bind-clips.ts';
