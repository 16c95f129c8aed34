import path from 'node:path';
import type { Crowd } from '../../crowd/crowd.ts';
import type { CharacterGroup } from '../../crowd/group.ts';
import type { RequestedDevice } from '../../device/request-device.ts';
import { fail, formatIssue } from '../../errors.ts';
import { encodePng } from '../../render/images/index.ts';
import { openDevice } from '../device.ts';
import { frameName, framePattern, refuseLeftFrames } from '../frame-names.ts';
import { bytes, duration, print, printError, printIssues, printJson, Progress } from '../output.ts';
import { checkOutputs, prepareOut, writeOut } from '../write.ts';
import { createVideo } from '../video.ts';
import { drawsOnTwins, sizeOf, type RenderOptions } from './render/options.ts';
import { createPictures } from './render/pictures.ts';
import { framesToDraw, playSequence } from './render/sequence.ts';
import { type Cast, castOf, loadCast, stageCast } from './render/stage.ts';

export async function runRender(files: readonly string[], options: RenderOptions): Promise<void> {
  checkSequence(options);
  const result = await render(files, options);
  if (options.json) printJson(result);
  else printResult(result);
}

/** @throws ManipleError USAGE for options that only sequences have, or that do not go together */
function checkSequence({ frames, shard, resume, video, orbit, out = 'out/battle.png' }: RenderOptions): void {
  const given = { '--shard': shard, '--resume': resume, '--video': video, '--orbit': orbit };
  const option = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
  if (frames === 1 && option !== undefined) {
    fail('USAGE', option, `${option} is for sequences.`, 'Set the number of frames with --frames.');
  }
  if ((shard || resume) && video !== undefined) {
    const what = shard ? 'a shard has some of them' : 'a run that resumes draws some of them';
    const suggestion = `Leave it out; when all are drawn, run: maniple encode '${framePattern(out)}' --out ${video}.`;
    fail('USAGE', '--video', `A video needs all frames, and ${what}.`, suggestion);
  }
}

/** Draws the frames, writes them, and returns the answer of `maniple render --json`. */
async function render(files: readonly string[], options: RenderOptions) {
  const start = performance.now();
  const progress = new Progress();
  const cast = castOf(files, options);
  const { frames } = options;
  const file = options.out ?? `out/${cast.isBattle ? 'battle' : path.basename(files[0]!).replace(/\.[^.]*$/, '')}.png`;
  const out = frames === 1 ? file : framePattern(file);
  await checkOutputs({ '--out': out, '--video': options.video }, [...files, options.controller, options.clips]);
  const existing = frames > 1 ? await refuseLeftFrames(out, frames) : [];
  const numbers = framesToDraw(options, options.resume ? existing : []);
  if (!drawsOnTwins(options)) progress.update('opening the GPU');
  const opened = drawsOnTwins(options) ? undefined : await openDevice();
  try {
    return await draw(opened, { cast, out, numbers, start }, options, progress);
  } finally {
    opened?.device.destroy();
  }
}

async function draw(
  opened: RequestedDevice | undefined,
  { cast, out, numbers, start }: { cast: Cast; out: string; numbers: ReadonlySet<number>; start: number },
  options: RenderOptions,
  progress: Progress,
) {
  const actors = await loadCast(cast, options, progress);
  await prepareOut(out);
  const video = options.video === undefined ? undefined : await createVideo(options.video, options.fps);
  try {
    const staged = await stageCast(opened?.device, cast, actors, options, progress);
    const { crowd, stage } = staged;
    progress.update('making the renderer');
    let shown = '';
    const pictures = await createPictures(opened?.device, staged, options, (share) =>
      progress.update(`${shown}, ${Math.floor(100 * share)} % of it`),
    );
    const timings = () => [...crowd.timings, ...pictures.timings];
    timings(); // they are measured from now on
    const written: string[] = [];
    const playing = staged.playing.map((names) => new Set(names));
    const remaining = estimateTime(numbers);
    const { width, height } = sizeOf(options);
    const onFrame = (number: number) => {
      shown = `frame ${number} of ${options.frames}, ${cast.count} characters, ${width} × ${height}${remaining(number)}`;
      progress.update(shown);
    };
    for await (const { number, image } of playSequence(crowd, stage, pictures, options, numbers, onFrame)) {
      const name = options.frames === 1 ? out : frameName(out, number);
      await writeOut(name, await encodePng(image));
      await video?.add(image);
      written.push(name);
      // takes a readback
      if (options.json) await notePlaying(crowd, stage.groups, playing);
    }
    const videoBytes = await video?.finish();
    progress.done();
    const result = {
      out,
      frames: written,
      ...(videoBytes === undefined ? {} : { video: { file: options.video!, bytes: videoBytes } }),
      count: cast.count,
      adapter: opened ? opened.info.description || opened.info.device || opened.info.vendor : 'the CPU',
      backend: options.backend,
      /** Milliseconds per stage of the last picture: on the GPU, or on the CPU with the CPU backend. */
      stages: Object.fromEntries(timings()),
      /** Milliseconds of everything, loading included. */
      total: performance.now() - start,
      bytes: crowd.byteLength,
      playing: cast.sources.map((source, i) => ({ file: source, clips: [...playing[i]!].sort() })),
      issues: actors.flatMap((actor) => actor.issues),
    };
    pictures.destroy();
    crowd.destroy();
    return result;
  } finally {
    video?.discard();
  }
}

/** Returns the text for the time from a frame to the last one, by the mean of the frames before. */
function estimateTime(numbers: ReadonlySet<number>): (number: number) => string {
  const last = Array.from(numbers).at(-1) ?? 0; // they rise
  const first = performance.now();
  return (number) =>
    number > 1 ? `, ${duration(((performance.now() - first) / (number - 1)) * (last - number + 1))} left` : '';
}

/** Adds the names of the clips that have weight in the frame just drawn. */
async function notePlaying(
  crowd: Crowd,
  groups: readonly CharacterGroup[],
  playing: readonly Set<string>[],
): Promise<void> {
  for (const [i, { ids, character }] of groups.entries()) {
    if (!character.controller || ids.length === 0) continue;
    for (const { layers } of await crowd.readControllers(ids)) {
      for (const { motions } of layers) for (const { clip, weight } of motions) if (weight > 0) playing[i]!.add(clip);
    }
  }
}

function printResult({
  out,
  frames,
  video,
  count,
  adapter,
  stages,
  total,
  issues,
}: Awaited<ReturnType<typeof render>>): void {
  const drawn = frames.length === 1 && frames[0] === out ? '' : `${frames.length} frames of `;
  print(`${out}: ${drawn}${count} characters on ${adapter}`);
  if (video) print(`${video.file}: ${bytes(video.bytes)}`);
  for (const [stage, time] of Object.entries(stages)) print(`  ${stage.padEnd(16)} ${time.toFixed(2).padStart(10)} ms`);
  print(`  ${'all, with loading'.padEnd(16)} ${(total / 1000).toFixed(1)} s`);
  for (const issue of issues.filter(({ code }) => code === 'CLIP_NONE')) printError(formatIssue(issue));
  printIssues(issues.filter(({ severity }) => severity !== 'info'));
}
