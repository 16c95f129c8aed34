import type { Accessor, Animation, AnimationSampler } from '@gltf-transform/core';
import type { Design } from '../design.ts';
import { bakeClip } from '../motion/bake.ts';
import { clipChannels } from '../motion/channels.ts';
import { type ClipPlan, FRAMES_PER_SECOND } from '../motion/clip.ts';
import { reduceChannels, type ReducedChannel } from '../motion/reduce.ts';
import { type FileInProgress, makeAccessor } from './file.ts';

/** Adds one animation per clip; equal lists of key times are stored once. */
export function addClips(file: FileInProgress, design: Design): void {
  const timeLists = new Map<string, Accessor>();
  const timesOf = (keys: readonly number[]): Accessor => {
    const known = timeLists.get(keys.join());
    if (known) return known;
    const times = Float32Array.from(keys, (frame) => frame / FRAMES_PER_SECOND);
    const made = makeAccessor(file, 'SCALAR', times);
    timeLists.set(keys.join(), made);
    return made;
  };
  for (const plan of design.clips) {
    const animation = file.document.createAnimation(plan.name).setExtras(extrasOf(plan));
    const baked = bakeClip(design.rig, design.build, design.springs, plan);
    for (const channel of reduceChannels(clipChannels(design.rig, baked))) {
      const sampler = file.document.createAnimationSampler().setInput(timesOf(channel.keys));
      addChannel(file, animation, channel, sampler.setOutput(valuesOf(file, channel)));
    }
  }
}

/** Extras for applications: the speed over the ground, and the times when a foot or a blow lands. */
function extrasOf({ loop, speed, direction, events }: ClipPlan): Record<string, unknown> {
  const rounded = events.map(({ name, time }) => ({ name, time: Math.round(time * 1e4) / 1e4 }));
  return { loop, ...(speed > 0 ? { speed, direction: [...direction] } : {}), events: rounded };
}

function valuesOf(file: FileInProgress, { path, keys, values }: ReducedChannel): Accessor {
  const kept = keys.flatMap((frame) => values[frame]!);
  return path === 'rotation'
    ? makeAccessor(file, 'VEC4', Int16Array.from(kept), true)
    : makeAccessor(file, 'VEC3', Float32Array.from(kept));
}

function addChannel(
  file: FileInProgress,
  animation: Animation,
  { jointIndex, path }: ReducedChannel,
  sampler: AnimationSampler,
): void {
  const channel = file.document.createAnimationChannel().setTargetNode(file.joints[jointIndex]!).setTargetPath(path);
  animation.addSampler(sampler).addChannel(channel.setSampler(sampler));
}
