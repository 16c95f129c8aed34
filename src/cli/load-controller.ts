import path from 'node:path';
import type { ClipFacts, ControllerModel } from '../controller/model.ts';
import { clipReferences } from '../controller/references.ts';
import { fail, type Issue } from '../errors.ts';
import type { UnityClip } from '../import/unity/clip.ts';
import { inFile, naming, readText } from './read.ts';
import { type FileMap, type FoundClip, foundUnityClip } from './load-clips.ts';
import type { ReadController } from './load-unity.ts';

/** Characters of a controller or graph as JSON at most; its values are counted when it is read. */
const JSON_LIMIT = 2 ** 24;

/** A controller as it was read, the clips of other files that it plays, and what its files left to be said. */
export interface OpenedController {
  readonly model: ControllerModel;
  readonly clips: readonly FoundClip[];
  readonly issues: readonly Issue[];
}

/**
 * Opens a controller file: Maniple's JSON form, Unity's `.controller` or `.overrideController`, or an anim state graph
 * of PlayCanvas.
 *
 * @param files Where clips, masks and controllers are that the file refers to.
 * @throws ManipleError FILE_…, CONTROLLER_…, UNITY_…, PLAYCANVAS_…, with the file in every path
 */
export async function openController(file: string, files: FileMap): Promise<OpenedController> {
  const text = await readText(file);
  const { model, embedded = [], others = [] } = await readController(text, file, files);
  const clips = playedClips(model, embedded, files, file);
  const facts: Record<string, ClipFacts> = Object.fromEntries(clips.map((clip) => [clip.name, clip.facts]));
  const own = (model.issues ?? []).map((issue) => inFile(file, issue));
  const issues = [...own, ...others, ...clips.flatMap((clip) => clip.issues)];
  const known = { ...facts, ...model.clips };
  const { issues: _, clips: __, ...rest } = model;
  return { model: { ...rest, ...(Object.keys(known).length > 0 && { clips: known }) }, clips, issues };
}

/** The clips of the map and the file itself that a controller plays, and those that their reference poses are in. */
function playedClips(
  model: ControllerModel,
  embedded: readonly UnityClip[],
  files: FileMap,
  file: string,
): FoundClip[] {
  const own = embedded.map((clip) => ({ ...foundUnityClip(clip, file), isEmbedded: true }));
  const named = new Map([...own, ...files.clips].map((clip) => [clip.name, clip]));
  const found = new Map<string, FoundClip>();
  const add = (reference: string): void => {
    const clip = named.get(reference) ?? files.clipOf(reference);
    if (!clip || found.has(reference)) return;
    found.set(reference, { ...clip, name: reference });
    const pose = clip.facts.reference?.clip;
    if (pose !== undefined) add(pose);
  };
  clipReferences(model).forEach(add);
  return [...found.values()];
}

async function readController(text: string, file: string, files: FileMap): Promise<ReadController> {
  const name = path.basename(file).replace(/\.[^.]*$/, '');
  if (isUnity(text) || /\.(override)?controller$/i.test(file)) {
    const isOverride = /^--- !u!221 /m.test(text) && !/^--- !u!91 /m.test(text);
    const { readOverride, readUnity } = await import('./load-unity.ts');
    return isOverride ? readOverride(text, file, files) : readUnity(text, file, name, files);
  }
  return naming(file, async () => {
    const value = parseJson(text);
    const isGraph = typeof value === 'object' && value !== null && !('format' in value) && 'layers' in value;
    if (isGraph) {
      const { importPlayCanvasGraph } = await import('../import/playcanvas/import-graph.ts');
      return { model: importPlayCanvasGraph(value, { name }) };
    }
    const { parseController } = await import('../controller/parse.ts');
    return { model: parseController(text, name) };
  });
}

/** Unity's text files begin with a YAML header; old ones may not. */
function isUnity(text: string): boolean {
  return /^\uFEFF?\s*(%YAML|%TAG|--- !u!)/.test(text);
}

function parseJson(text: string): unknown {
  if (text.length > JSON_LIMIT) {
    const message = `${text.length} characters; the limit is ${JSON_LIMIT}.`;
    fail('CONTROLLER_LIMIT', '', message, 'Split the controller.');
  }
  try {
    return JSON.parse(text);
  } catch {
    const message = "The file is neither JSON nor one of Unity's text files.";
    return fail('CONTROLLER_INVALID', '', message, 'Pass a .controller, or a controller or graph as JSON.');
  }
}
