import type { Box } from '../character.ts';
import { morphOffsets } from '../evaluate.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import { eachControlPoint } from './track-reader.ts';
import type { Steps } from './steps.ts';

export type Corner = [x: number, y: number, z: number];

/** A box that grows. */
export interface Extent extends Box {
  readonly min: Corner;
  readonly max: Corner;
}

/** Boxes of moving vertices, one per palette entry, in mesh space. Also one box of the vertices that nothing moves. */
export interface EntryBoxes {
  readonly entries: readonly (Extent | undefined)[];
  readonly unmoved: Extent | undefined;
}

/** Clips that blend, and differences, of which up to `additiveLayers` may be added to them at the same time. */
export interface BlendedClips {
  readonly clips: readonly ClipModel[];
  readonly differences: readonly ClipModel[];
  readonly additiveLayers: number;
}

/** Boxes of the vertices that each entry moves, however little, including all changes by morph weights. */
export function* entryBoxes(model: CharacterModel, blended: BlendedClips): Steps<EntryBoxes> {
  const entries: (Extent | undefined)[] = model.bindings.map(() => undefined);
  const ranges = weightRanges(model, blended);
  const offsetsOfSets = morphOffsets(model);
  let unmoved: Extent | undefined;
  const low: Corner = [0, 0, 0];
  const high: Corner = [0, 0, 0];
  for (const { positions, vertexCount, influences, targets, morphSetIndex } of model.meshes) {
    const firstWeight = morphSetIndex < 0 ? 0 : offsetsOfSets[morphSetIndex]!;
    for (let v = 0; v < vertexCount; v++) {
      for (let c = 0; c < 3; c++) low[c] = high[c] = positions[3 * v + c]!;
      targets.forEach((target, t) => {
        const [least, most] = ranges[firstWeight + t]!;
        for (let c = 0; c < 3; c++) {
          const delta = target.positions[3 * v + c]!;
          low[c]! += Math.min(least * delta, most * delta);
          high[c]! += Math.max(least * delta, most * delta);
        }
      });
      const from = influences.offsets[v]!;
      const to = influences.offsets[v + 1]!;
      if (from === to) unmoved = joined(unmoved, low, high);
      for (let i = from; i < to; i++) {
        const entry = influences.bindings[i]!;
        entries[entry] = joined(entries[entry], low, high);
      }
    }
    yield;
  }
  return { entries, unmoved };
}

/** Minimum and maximum of each morph weight: 0 … 1, at rest, in clips, and with the additions of layers. */
function weightRanges(model: CharacterModel, { clips, differences, additiveLayers }: BlendedClips): Range[] {
  const rest = model.morphSets.flatMap(({ weights }) => weights);
  const shown = rangesOf(model, clips, (w) => [Math.min(0, rest[w]!), Math.max(1, rest[w]!)]);
  const added = rangesOf(model, differences, () => [0, 0]);
  return shown.map(([least, most], w) => [least + additiveLayers * added[w]![0], most + additiveLayers * added[w]![1]]);
}

type Range = [least: number, most: number];

/** Range of each morph weight in clips, extended from its range without them. */
function rangesOf(model: CharacterModel, clips: readonly ClipModel[], without: (weight: number) => Range): Range[] {
  const offsets = morphOffsets(model);
  const ranges = Array.from({ length: offsets.at(-1)! }, (_, w) => without(w));
  for (const track of clips.flatMap(({ tracks }) => tracks)) {
    if (track.path !== 'weights') continue;
    eachControlPoint(track, (point) => {
      point.forEach((weight, c) => {
        const range = ranges[offsets[track.targetIndex]! + c]!;
        range[0] = Math.min(range[0], weight);
        range[1] = Math.max(range[1], weight);
      });
    });
  }
  return ranges;
}

export function joined(box: Extent | undefined, low: Readonly<Corner>, high: Readonly<Corner> = low): Extent {
  if (!box) return { min: [...low], max: [...high] };
  for (let c = 0; c < 3; c++) {
    box.min[c] = Math.min(box.min[c]!, low[c]!);
    box.max[c] = Math.max(box.max[c]!, high[c]!);
  }
  return box;
}

export function cornersOf(box: Extent | undefined): Corner[] {
  if (!box) return [];
  const { min, max } = box;
  return Array.from({ length: 8 }, (_, bits) => [0, 1, 2].map((c) => ((bits >> c) & 1 ? max : min)[c]!) as Corner);
}
