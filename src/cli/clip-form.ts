import type { UnityClip, UnityTrack } from '../import/unity/clip.ts';
import { CLIP_FORMAT, CLIP_VERSION, parseClip } from './parse-clip-form.ts';

/**
 * A clip that is not bound to a character yet, as JSON: tracks by the path of their joint, in glTF's axes and units.
 * `parseClip` reads the same clip from it; `issues` are left out.
 *
 * @throws ManipleError as `parseClip`, for a clip that its form cannot say
 */
export function clipJson({ name, duration, loops, facts, tracks, root }: UnityClip): string {
  const form = {
    format: CLIP_FORMAT,
    version: CLIP_VERSION,
    name,
    duration,
    loops,
    facts,
    tracks: tracks.map(({ times, values, ...track }: UnityTrack) => ({
      ...track,
      times: Array.from(times),
      values: Array.from(values),
    })),
    ...(root
      ? {
          root: {
            times: Array.from(root.times),
            positions: Array.from(root.positions),
            rotations: Array.from(root.rotations),
          },
        }
      : {}),
  };
  const text = `${JSON.stringify(form)}\n`;
  parseClip(text);
  return text;
}
