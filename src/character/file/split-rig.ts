import type { ControllerModel } from '../../controller/model.ts';
import { startReferences } from '../../controller/references.ts';
import { error, ManipleError, quoted } from '../../errors.ts';
import type { Character } from '../character.ts';
import { RigTable } from '../format/clip-format.ts';
import { listedByNearness, nameIndex } from '../names.ts';

/** Sections for clips: with images and levels they stay below the limit of a file. Further clips come with the rig. */
const CLIP_SECTION_LIMIT = 1000;

/** A streamed clip: its index, its first row in the rig blob, and its rows there. */
interface StreamedClip {
  readonly clip: number;
  readonly row: number;
  readonly words: Uint32Array;
}

/** The rig blob in pieces: a section with everything but streamed clips, and these. */
interface SplitRig {
  readonly rig: Uint32Array;
  readonly streamed?: readonly StreamedClip[];
}

/** Indices of the clips that come with the rig. @throws ManipleError CLIP_NOT_FOUND */
export function firstClips(
  { name, clips }: Character,
  first: readonly string[] | ControllerModel,
): ReadonlySet<number> {
  const isController = 'layers' in first;
  const names = isController ? [...startReferences(first)] : first;
  const indices = names.map((clip) => nameIndex(clips, clip));
  const missing = names.filter((_, i) => indices[i]! < 0);
  if (missing.length > 0 && !isController) {
    const issues = missing.map((clip) => {
      const nearest = `The nearest of its ${clips.length} clips: ${listedByNearness(
        clips.map((each) => each.name),
        clip,
      )}.`;
      return error(
        'CLIP_NOT_FOUND',
        name,
        `The option \`first\` names ${quoted(clip)}, which the character lacks.`,
        nearest,
      );
    });
    throw new ManipleError(issues);
  }
  return new Set(indices);
}

/**
 * Cuts clips out of the rig blob. Each takes the rows from its first table to the next table of anything else, which holds for
 * all blobs that packing makes.
 */
export function splitRig({ rig, clips }: Character, first: ReadonlySet<number>): SplitRig {
  const table = new RigTable(rig as Uint32Array<ArrayBuffer>);
  const { restRow, ancestorPair, bindRow, bindJointPair, clipRow } = table.type(0);
  const starts = clips.map((_, clip) => {
    const { intervalRow, hintPair, valuePair, tangentPair, trackPair, constantPair } = table.clip(0, clip);
    // tables that a clip has none of are at 0
    const rows = [intervalRow, ...[hintPair, valuePair, tangentPair, trackPair, constantPair].map((pair) => pair / 2)];
    return Math.min(...rows.filter((row) => row > 0));
  });
  const ends = [restRow, ancestorPair / 2, bindRow, bindJointPair / 2, clipRow, ...starts, rig.length / 4];
  const streamed: StreamedClip[] = [];
  clips.forEach((_, clip) => {
    if (first.has(clip) || streamed.length === CLIP_SECTION_LIMIT) return;
    const row = starts[clip]!;
    const end = Math.min(...ends.filter((each) => each > row));
    streamed.push({ clip, row, words: rig.subarray(4 * row, 4 * end) });
  });
  if (streamed.length === 0) return { rig };
  const out = new Uint32Array(rig.length - streamed.reduce((sum, { words }) => sum + words.length, 0));
  let [from, to] = [0, 0];
  for (const { row, words } of streamed.toSorted((a, b) => a.row - b.row)) {
    out.set(rig.subarray(from, 4 * row), to);
    to += 4 * row - from;
    from = 4 * row + words.length;
  }
  out.set(rig.subarray(from), to);
  return { rig: out, streamed };
}
