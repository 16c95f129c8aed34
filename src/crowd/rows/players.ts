import { listedByNearness, nameIndex } from '../../character/names.ts';
import { fail, quoted } from '../../errors.ts';
import { Column } from '../../frame/tables/column.ts';
import type { CrowdType } from '../../frame/tables/crowd-types.ts';
import { fixedPhase, splitSeconds } from '../../math/fixed.ts';
import { PLAYER_LOOPS, PLAYER_NONE, Player } from '../../stages/gather-motions/layout.ts';
import { playedUntil } from '../../stages/gather-motions/player.ts';
import { expectFlag, expectList, expectObject, isFloat, refuseArgument } from '../arguments.ts';
import type { Section } from './ids.ts';

/** A clip that plays on a character, with a share in its pose. */
export interface PlayedClip {
  /** Name, or index in the character's list. */
  readonly clip: string | number;
  /** Where it begins: a fraction of the clip. Default 0; 1 for a clip that plays backwards and does not loop. */
  readonly phase?: number;
  /** The same in seconds of the clip; wins over `phase`. */
  readonly time?: number;
  /** 1 is the clip's own speed, 0 holds, negative plays backwards; default 1. At most 127 cycles a second. */
  readonly speed?: number;
  /**
   * 0 or more, default 1. Of the clips that move a joint, weights that sum to more than 1 are
   * divided by their sum; less leaves a remainder to the rest pose.
   */
  readonly weight?: number;
  /** Default: what the clip says. */
  readonly loops?: boolean;
}

/** How a clip that takes over begins. */
export interface PlayOptions extends Omit<PlayedClip, 'clip' | 'weight'> {
  /** Seconds in which it takes over from what plays now; default 0. */
  readonly fade?: number;
}

const RATE_UNIT = 2 ** 24;
const RATE_LIMIT = 127 * RATE_UNIT;

/**
 * Clip players of all characters, a few each. A player is a function of the crowd's clock: it is uploaded when it changes, and the GPU evaluates it.
 */
export class Players {
  column: Column<(typeof Player)['fields']>;
  /** Clips that can play on one character at once. */
  places: number;

  constructor(capacity: number, placesPerCharacter: number) {
    this.column = new Column(Player, capacity * placesPerCharacter, false, PLAYER_NONE);
    this.places = placesPerCharacter;
  }

  /** Makes room for more characters. The first type without a controller adds the players. */
  resize(capacity: number, placesPerCharacter: number): void {
    this.column = this.column.grown(capacity * placesPerCharacter);
    this.places = placesPerCharacter;
  }

  /** Starts a clip on all rows or none. @throws ManipleError CLIP_NOT_FOUND, CROWD_BAD_ARGUMENT */
  play(sections: readonly Section[], clip: string | number, options: PlayOptions, now: bigint): void {
    expectObject('options', options);
    const { fade = 0 } = options;
    if (!isShare(fade)) refuseArgument('fade', fade, '0 seconds or more');
    const starts = sections.map(({ type, rows }) => {
      expectNoController(type);
      return { rows, start: clipStart(type, { ...options, clip }) };
    });
    for (const { rows, start } of starts) {
      for (const row of rows) {
        if (fade > 0) this.#fadeTo(row, start, fade, now);
        else this.#set(row, [start], now);
      }
    }
  }

  /** Replaces the clips of all rows or none. @throws ManipleError CLIP_NOT_FOUND, CROWD_BAD_ARGUMENT, CROWD_LIMIT */
  setMotions(sections: readonly Section[], clips: readonly PlayedClip[], now: bigint): void {
    expectList('clips', clips);
    if (clips.length > this.places && this.places > 0) {
      const message = `${clips.length} clips at once; this crowd has room for ${this.places} per character.`;
      fail('CROWD_LIMIT', 'maxClips', message, 'Create the crowd with a larger `maxClips`.');
    }
    const starts = sections.map(({ type, rows }) => {
      expectNoController(type);
      return { rows, starts: clips.map((clip) => clipStart(type, clip)) };
    });
    for (const { rows, starts: list } of starts) for (const row of rows) this.#set(row, list, now);
  }

  clear(character: number): void {
    this.#set(character, [], 0n);
  }

  #set(character: number, starts: readonly ClipStart[], now: bigint): void {
    const first = character * this.places;
    for (let place = 0; place < this.places; place++) {
      const start = starts[place];
      if (start) this.#write(first + place, start, now, start.weight, 0);
      else this.column.clear(first + place);
    }
    this.column.changed(first, first + this.places);
  }

  /**
   * Starts a clip; what played before fades out while it fades in. It takes the lightest place; what still played
   * there leaves its weight to it, so that weights keep their sum.
   */
  #fadeTo(character: number, start: ClipStart, fade: number, now: bigint): void {
    const first = character * this.places;
    let lightest = first;
    let least = Infinity;
    for (let row = first; row < first + this.places; row++) {
      const weight = this.#fadeOut(row, fade, now);
      if (weight < least) [lightest, least] = [row, weight];
    }
    this.#write(lightest, start, now, Math.max(0, least), fade);
    this.column.changed(first, first + this.places);
  }

  /** Lets a place run on from where it is now, with its weight going to 0; returns the weight it has now. */
  #fadeOut(row: number, fade: number, now: bigint): number {
    const { view } = this.column;
    if (view.get(row, 'clip') === PLAYER_NONE) return -1;
    const { phase, weight } = playedUntil(view, row, now);
    const [startTimeLow, startTimeHigh] = splitSeconds(now);
    const fading = { weightFrom: weight, weightTo: 0, fadeSeconds: fade };
    view.assign(row, { startPhase: phase, startTimeLow, startTimeHigh, ...fading });
    if (weight > 0) return weight;
    this.column.clear(row);
    return -1;
  }

  #write(row: number, start: ClipStart, now: bigint, weightFrom: number, fadeSeconds: number): void {
    const { weight: weightTo, ...clip } = start;
    const [startTimeLow, startTimeHigh] = splitSeconds(now);
    this.column.view.assign(row, { ...clip, startTimeLow, startTimeHigh, weightFrom, weightTo, fadeSeconds });
  }
}

/** A checked `PlayedClip`. */
interface ClipStart {
  /** As in a Player: index and whether it loops. */
  readonly clip: number;
  readonly startPhase: number;
  readonly rate: number;
  readonly weight: number;
}

/** @throws ManipleError CLIP_NOT_FOUND, CROWD_BAD_ARGUMENT */
function clipStart(type: CrowdType, played: PlayedClip): ClipStart {
  expectObject('clip', played);
  const index = clipIndex(type, played.clip);
  const { duration, loops: repeats } = type.character.clips[index]!;
  const { speed = 1, weight = 1, loops = repeats, time, phase: begin } = played;
  expectFlag('loops', loops);
  const numbers = [time === undefined ? 0 : time, begin === undefined ? 0 : begin, speed];
  const areNumbers = numbers.every(Number.isFinite) && isShare(weight);
  const own = areNumbers ? (begin ?? (speed < 0 && !loops ? 1 : 0)) : 0;
  const phase = time === undefined || !areNumbers ? own : duration > 0 ? time / duration : 0;
  if (!areNumbers || !Number.isFinite(phase)) {
    const message = `Phase ${quoted(begin)}, time ${quoted(time)}, speed ${quoted(speed)}, weight ${quoted(weight)}`;
    fail('CROWD_BAD_ARGUMENT', 'play', `${message}: all have to be finite, and the weight not negative.`);
  }
  const rate = duration > 0 ? Math.round((speed / duration) * RATE_UNIT) : 0;
  return {
    clip: (index | (loops ? PLAYER_LOOPS : 0)) >>> 0,
    startPhase: fixedPhase(loops ? phase - Math.floor(phase) : phase),
    rate: Math.max(-RATE_LIMIT, Math.min(RATE_LIMIT, rate)),
    weight,
  };
}

/** A number of 0 or more that single precision holds, as weights and fades are. */
function isShare(value: number): boolean {
  return isFloat(value) && value >= 0;
}

/** @throws ManipleError CLIP_NOT_FOUND, naming the clips that there are. */
function clipIndex({ character, clipByName }: CrowdType, clip: string | number): number {
  const { name, clips, unpackedClips = [] } = character;
  const index = typeof clip === 'number' ? clip : (clipByName.get(clip) ?? nameIndex(clips, clip));
  if (clips[index]) return index;
  const isUnpacked = typeof clip === 'string' && nameIndex(unpackedClips, clip) >= 0;
  const nearest = `The nearest of its ${clips.length} clips: ${listedByNearness(clips, clip)}.`;
  const known = clips.length > 0 ? nearest : 'It has none.';
  if (!isUnpacked) return fail('CLIP_NOT_FOUND', name, `There is no clip ${quoted(clip)}.`, known);
  const suggestion = `Name it in the option \`clips\` of packCharacter. ${known}`;
  return fail('CLIP_NOT_FOUND', name, `It was packed without the clip ${quoted(clip)}.`, suggestion);
}

/** @throws ManipleError CROWD_BAD_ARGUMENT for a type with a controller */
function expectNoController({ character }: CrowdType): void {
  if (!character.controller) return;
  const suggestion = 'Use playState or crossFade, or pack it without a controller.';
  fail('CROWD_BAD_ARGUMENT', character.name, 'Its controller says what plays.', suggestion);
}
