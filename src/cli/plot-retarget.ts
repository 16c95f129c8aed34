import type { CharacterModel, ClipModel } from '../character/model.ts';
import type { HumanoidMap } from '../character/humanoid.ts';
import type { MappedHumanoid } from '../diagram/body-chart.ts';
import { retargetChart, type RetargetedClip, type RetargetedSource } from '../diagram/retarget-chart.ts';
import { findHumanoid, humanoidFacts } from '../humanoid/index.ts';
import { type ClipReport, stickPoses } from '../retarget/index.ts';
import type { BoundFiles } from './clip-sources.ts';

/** Moments of a clip that are drawn. */
const MOMENTS = 6;

/** An SVG of bound clips: source and target at the same moments, slide of feet, and bones of the skeletons. */
export function plotRetarget({ model, humanoid, origins, reports }: BoundFiles): string {
  const own = model.clips.length - reports.length;
  const target = { model, map: findHumanoid({ ...model, humanoid: humanoid ?? model.humanoid }).map };
  const sources = new Map<CharacterModel, RetargetedClip[]>();
  reports.forEach((report, i) => {
    const { model: source, clip } = origins[i]!;
    const clips = sources.get(source) ?? [];
    sources.set(source, clips);
    clips.push(plottedClip(report, { model: source, clip }, { ...target, clip: model.clips[own + i]! }));
  });
  const charted = Array.from(sources, ([source, clips]): RetargetedSource => ({ humanoid: mapped(source), clips }));
  return retargetChart(mapped(model, humanoid), charted);
}

/** The bones of a model, for charts. */
export function mapped({ name, joints, humanoid }: CharacterModel, corrected = humanoid): MappedHumanoid {
  return { name, ...humanoidFacts(joints, corrected) };
}

function plottedClip(
  { method, bones, error, footSlide, feet }: ClipReport,
  source: { readonly model: CharacterModel; readonly clip: ClipModel },
  target: { readonly model: CharacterModel; readonly clip: ClipModel; readonly map: HumanoidMap },
): RetargetedClip {
  const { clip } = target;
  const times = Array.from({ length: MOMENTS }, (_, i) => ((i + 0.5) * clip.duration) / MOMENTS);
  const poses = { source: findHumanoid(source.model).map, target: target.map };
  // a pair is drawn alike: by bones only if both have them
  const isHumanoid = poses.source.hips !== undefined && poses.target.hips !== undefined;
  const facts = [`from ${source.model.name}`, `${method}, ${bones} ${method === 'humanoid' ? 'bones' : 'joints'}`];
  if (method === 'humanoid') facts.push(`limbs off by ${((error * 180) / Math.PI).toFixed(1)}°`);
  if (footSlide) facts.push(`19 of 20 planted feet slide by at most ${(100 * footSlide.high).toFixed(1)} cm`);
  return {
    name: clip.name,
    facts: facts.join('; '),
    times,
    source: {
      name: source.model.name,
      ...stickPoses(source.model, isHumanoid ? poses.source : {}, source.clip, times),
    },
    target: { name: target.model.name, ...stickPoses(target.model, isHumanoid ? poses.target : {}, clip, times) },
    feet,
  };
}
