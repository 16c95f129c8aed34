import { fail } from '../errors.ts';
import { expectList, expectObject, refuseArgument } from './arguments.ts';
import { Controlled } from './controlled.ts';
import type { CharacterId } from './ids.ts';
import { clipStart, hostPlayed, isShare, type PlayOptions, type PlayedClip } from './playback.ts';

/** Clips that the host plays on characters without a controller. */
export abstract class Playing extends Controlled {
  /**
   * Starts a clip on characters, on all of them or none: at once, replacing all that plays, or fading over. While
   * fades overlap, each takes one of the crowd's `motions` places; with none left the lightest clip ends early.
   *
   * @throws ManipleError CROWD_BAD_ID, CLIP_NOT_FOUND, CROWD_BAD_ARGUMENT (numbers that are none)
   */
  play(ids: CharacterId | readonly CharacterId[], clip: string | number, options: PlayOptions = {}): void {
    expectObject('options', options);
    const { fade = 0 } = options;
    if (!isShare(fade)) refuseArgument('fade', fade, '0 seconds or more');
    const starts = this.sections(ids).map(({ type, rows }) => ({
      rows,
      start: clipStart(hostPlayed(type), { ...options, clip }),
    }));
    const { playback, time } = this.host;
    for (const { rows, start } of starts) {
      for (const row of rows) {
        if (fade > 0) playback.fadeTo(row, start, fade, time);
        else playback.set(row, [start], time);
      }
    }
  }

  /**
   * Replaces, without a fade, all that plays on characters: any number of weighted clips up to the crowd's `motions`.
   * None: the rest pose.
   *
   * @throws ManipleError CROWD_BAD_ID, CLIP_NOT_FOUND, CROWD_BAD_ARGUMENT, CROWD_LIMIT (more clips than `motions`)
   */
  motions(ids: CharacterId | readonly CharacterId[], clips: readonly PlayedClip[]): void {
    expectList('clips', clips);
    const sections = this.sections(ids);
    const { playback, time } = this.host;
    const { places } = playback;
    if (clips.length > places && places > 0) {
      const message = `${clips.length} clips at once; this crowd has room for ${places} per character.`;
      fail('CROWD_LIMIT', 'motions', message, 'Create the crowd with a larger `motions`.');
    }
    const starts = sections.map(({ type, rows }) => {
      const played = hostPlayed(type);
      return { rows, clips: clips.map((clip) => clipStart(played, clip)) };
    });
    for (const section of starts) for (const row of section.rows) playback.set(row, section.clips, time);
  }
}
