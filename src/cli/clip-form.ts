import type { UnityClip, UnityTrack } from '../import/index.ts';

/** A clip that is not bound to a character yet, as JSON: tracks by the path of their joint, in glTF's axes and units. */
export function clipJson({ name, duration, loops, facts, tracks, root }: UnityClip): string {
  const form = {
    format: 'maniple-clip',
    version: 1,
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
  return `${JSON.stringify(form)}\n`;
}
