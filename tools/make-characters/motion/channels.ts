import type { Quat } from '../math/quat.ts';
import type { Rig } from '../rig.ts';
import type { BakedClip } from './bake.ts';
import type { Channel } from './reduce.ts';

const ONE = 32767;
/** Translations are kept in 65,536ths of a metre, which a float holds exactly. */
const METRE = 65536;

/** Legs add up: half a millimetre at each joint and a standing foot swims. */
const LEG_DEGREES = 0.02;
const OTHER_DEGREES = 0.05;

/** A baked clip as the file's channels, rounded. Joints that never leave their bind rotation have none. */
export function clipChannels(rig: Rig, clip: BakedClip): Channel[] {
  const channels: Channel[] = [];
  for (const joint of rig.joints) {
    if (joint.name === 'pelvis') {
      const values = clip.frames.map(({ pose }) =>
        pose.pelvisShift.map((x, i) => Math.round((x + joint.offset[i]!) * METRE) / METRE),
      );
      channels.push({ jointIndex: joint.index, path: 'translation', tolerance: 0, values });
    }
    const values = alignedTurns(clip.frames.map(({ pose }) => pose.rotations[joint.index]!));
    if (values.every((q) => q[3]! >= ONE - 1 && q.slice(0, 3).every((x) => Math.abs(x) <= 4))) continue;
    const tolerance = /^(pelvis|thigh|shin|foot)/.test(joint.name) ? LEG_DEGREES : OTHER_DEGREES;
    channels.push({ jointIndex: joint.index, path: 'rotation', tolerance, values });
  }
  return channels;
}

/** As 32,767ths, the signs such that neighbours are near each other. */
function alignedTurns(turns: readonly Quat[]): number[][] {
  let previous: Quat = [0, 0, 0, 1];
  return turns.map((q) => {
    const near = q[0] * previous[0] + q[1] * previous[1] + q[2] * previous[2] + q[3] * previous[3];
    const aligned: Quat = near < 0 ? [-q[0], -q[1], -q[2], -q[3]] : q;
    previous = aligned;
    return aligned.map((x) => Math.round(x * ONE) + 0);
  });
}
