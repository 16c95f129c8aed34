import path from 'node:path';
import type { Crowd } from '../../crowd/crowd.ts';
import type { CharacterGroup } from '../../crowd/group.ts';
import { fail, formatIssue, type Issue } from '../../errors.ts';
import { encodePng } from '../../render/images/index.ts';
import { openDevice } from '../device.ts';
import { frameName, framePattern, refuseLeftFrames } from '../frame-names.ts';
import {
  bytes,
  duration,
  prepareOut,
  Progress,
  print,
  printError,
  printIssues,
  printJson,
  writeOut,
} from '../output.ts';
import { checkOutputs } from '../sources.ts';
import { createVideo, type VideoWriter } from '../video/webm.ts';
import { drawsOnTwins, sizeOf, type RenderOptions } from './render/options.ts';
import { createPictures } from './render/pictures.ts';
import { framesToDraw, playSequence } from './render/sequence.ts';
import { castOf, loadCast, stageCast } from './render/stage.ts';

/** `maniple render [FILE…]` */
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

interface RenderResult {
  /** The picture, or the pattern of the frames' names. */
  readonly out: string;
  /** Files that were written, in order. */
  readonly frames: readonly string[];
  readonly video?: { readonly file: string; readonly bytes: number };
  readonly count: number;
  /** Adapter that drew it. */
  readonly adapter: string;
  readonly backend: string;
  /** Milliseconds per stage of the last picture: on the GPU, or on the CPU with the CPU backend. */
  readonly stages: Readonly<Record<string, number>>;
  /** Milliseconds of everything, loading included. */
  readonly total: number;
  readonly bytes: number;
  /** Clips that play in the frames drawn, by file. */
  readonly playing: readonly { readonly file: string; readonly clips: readonly string[] }[];
  readonly issues: readonly Issue[];
}

async function render(files: readonly string[], options: RenderOptions): Promise<RenderResult> {
  const start = performance.now();
  const progress = new Progress();
  const cast = castOf(files, options);
  const { count, sources } = cast;
  const { backend, frames, fps } = options;
  const size = sizeOf(options);
  const file = options.out ?? `out/${cast.isBattle ? 'battle' : path.basename(files[0]!).replace(/\.[^.]*$/, '')}.png`;
  const out = frames === 1 ? file : framePattern(file);
  await checkOutputs({ '--out': out, '--video': options.video }, [...files, options.controller, options.clips]);
  const existing = frames > 1 ? await refuseLeftFrames(out, frames) : [];
  const numbers = framesToDraw(options, options.resume ? existing : []);
  if (!drawsOnTwins(options)) progress.update('opening the GPU');
  const opened = drawsOnTwins(options) ? undefined : await openDevice();
  let video: VideoWriter | undefined;
  try {
    const actors = await loadCast(cast, options, progress);
    await prepareOut(out);
    video = options.video === undefined ? undefined : await createVideo(options.video, fps);
    const staged = await stageCast(opened?.device, cast, actors, options, progress);
    const { crowd, stage } = staged;
    progress.update('making the renderer');
    let shown = '';
    const pictures = await createPictures(opened?.device, staged, options, (share) =>
      progress.update(`${shown}, ${Math.floor(100 * share)} % of it`),
    );
    const written: string[] = [];
    const playing = staged.playing.map((names) => new Set(names));
    const last = Array.from(numbers).at(-1) ?? 0; // they rise
    const first = performance.now();
    const onFrame = (number: number) => {
      const left = ((performance.now() - first) / (number - 1)) * (last - number + 1);
      const time = number > 1 ? `, ${duration(left)} left` : '';
      shown = `frame ${number} of ${frames}, ${count} characters, ${size.width} × ${size.height}${time}`;
      progress.update(shown);
    };
    for await (const { number, image } of playSequence(crowd, stage, pictures, options, numbers, onFrame)) {
      const name = frames === 1 ? out : frameName(out, number);
      await writeOut(name, await encodePng(image));
      await video?.add(image);
      written.push(name);
      // takes a readback
      if (options.json) await notePlaying(crowd, stage.groups, playing);
    }
    const videoBytes = await video?.finish();
    progress.done();
    const result: RenderResult = {
      out,
      frames: written,
      ...(videoBytes === undefined ? {} : { video: { file: options.video!, bytes: videoBytes } }),
      count,
      adapter: opened ? opened.info.description || opened.info.device || opened.info.vendor : 'the CPU',
      backend,
      stages: Object.fromEntries([...crowd.timings, ...pictures.timings]),
      total: performance.now() - start,
      bytes: crowd.byteLength,
      playing: sources.map((source, i) => ({ file: source, clips: [...playing[i]!].sort() })),
      issues: actors.flatMap((actor) => actor.issues),
    };
    pictures.destroy();
    crowd.destroy();
    return result;
  } finally {
    video?.discard();
    opened?.device.destroy();
  }
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

function printResult({ out, frames, video, count, adapter, stages, total, issues }: RenderResult): void {
  const drawn = frames.length === 1 && frames[0] === out ? '' : `${frames.length} frames of `;
  print(`${out}: ${drawn}${count} characters on ${adapter}`);
  if (video) print(`${video.file}: ${bytes(video.bytes)}`);
  for (const [stage, time] of Object.entries(stages)) print(`  ${stage.padEnd(16)} ${time.toFixed(2).padStart(10)} ms`);
  print(`  ${'all, with loading'.padEnd(16)} ${(total / 1000).toFixed(1)} s`);
  for (const issue of issues.filter(({ code }) => code === 'CLIP_NONE')) printError(formatIssue(issue));
  printIssues(issues.filter(({ severity }) => severity !== 'info'));
}
