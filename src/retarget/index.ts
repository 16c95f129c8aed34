export { bindClips, type BindClipsOptions, type BoundClips, type ClipReport, type ClipSource } from './bind-clips.ts';
