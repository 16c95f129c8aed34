import { bindings, reads, struct, uniform, writes } from '../../layout/index.ts';
import { FrameParams, VisibleCharacter } from '../layout.ts';

/**
 * A clip that the host plays on a character, as a function of the crowd's clock: nothing is stored from frame to
 * frame, so it costs no upload while it runs and errors do not add up.
 */
export const Player = struct('Player', {
  /** Clip of the character's type; PLAYER_NONE for an empty place. Bit 31: loops. */
  clip: 'u32',
  /** Phase at startTime: a fraction of the clip, 0.32 fixed point. */
  startPhase: 'u32',
  /** Cycles per second in 8.24 fixed point, signed. */
  rate: 'i32',
  /** Of the crowd's clock: seconds in 32.32 fixed point. */
  startTimeLow: 'u32',
  startTimeHigh: 'u32',
  /** Weight goes from weightFrom to weightTo in fadeSeconds after startTime. */
  weightFrom: 'f32',
  weightTo: 'f32',
  fadeSeconds: 'f32',
});

export const PLAYER_NONE = 0xffffffff;
export const PLAYER_LOOPS = 0x80000000;

export const gatherMotionsBindings = bindings(0, {
  params: uniform(FrameParams),
  visible: reads(VisibleCharacter),
  players: reads(Player),
  motions: writes('vec4u'),
});
