import path from 'node:path';
import { parseController } from '../asset/controller/parse.ts';
import type { ClipFacts, ControllerModel } from '../asset/controller/model.ts';
import { fail, type Issue } from '../errors.ts';
import {
  applyUnityOverride,
  importPlayCanvasGraph,
  importUnityController,
  importUnityMask,
  importUnityOverride,
  type UnityClip,
  type UnityMask,
  type UnityOverride,
} from '../import/index.ts';
import { inFile, namingFile, readText } from './load.ts';
import { type FileMap, type FoundClip, foundUnityClip } from './load-clips.ts';
import { clipReferences } from './references.ts';

/** Characters of a controller or graph as JSON at most; its values are counted when it is read. */
const JSON_LIMIT = 2 ** 24;

/** A controller as it was read, the clips of other files that it plays, and what its files left to be said. */
export interface OpenedController {
  readonly model: ControllerModel;
  readonly clips: readonly FoundClip[];
  readonly issues: readonly Issue[];
}

/** What a controller file holds: `embedded` are clips that stand in it. */
interface ReadController {
  readonly model: ControllerModel;
  readonly embedded?: readonly UnityClip[];
}

/**
 * Opens a controller file: Maniple's JSON form, a `.controller` or `.overrideController` of Unity, or an anim state graph
 * of PlayCanvas.
 *
 * @param files Where clips, masks and controllers are that the file refers to.
 * @throws ManipleError FILE_…, CONTROLLER_…, UNITY_…, PLAYCANVAS_…, with the file in every path
 */
export async function openController(file: string, files: FileMap): Promise<OpenedController> {
  const text = await readText(file);
  const { model, embedded = [] } = await readController(text, file, files);
  const clips = playedClips(model, embedded, files, file);
  const facts: Record<string, ClipFacts> = Object.fromEntries(clips.map((clip) => [clip.name, clip.facts]));
  const issues = [...(model.issues ?? []).map((issue) => inFile(file, issue)), ...clips.flatMap((clip) => clip.issues)];
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
  const own = embedded.map((clip) => ({ ...foundUnityClip(clip, (issue) => inFile(file, issue)), isEmbedded: true }));
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
  if (isUnity(text)) {
    const isOverride = /^--- !u!221 /m.test(text) && !/^--- !u!91 /m.test(text);
    return isOverride ? readOverride(text, file, files) : readUnity(text, file, name, files);
  }
  try {
    const value = parseJson(text);
    const isGraph = typeof value === 'object' && value !== null && !('format' in value) && 'layers' in value;
    return { model: isGraph ? importPlayCanvasGraph(value, { name }) : parseController(text, name) };
  } catch (thrown) {
    throw namingFile(file, thrown);
  }
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
    const message = 'is neither JSON nor a text file of Unity.';
    return fail('CONTROLLER_INVALID', '', message, 'Pass a .controller, or a controller or graph as JSON.');
  }
}

/** @throws ManipleError UNITY_…, FILE_…, with the file in every path */
async function readUnity(text: string, file: string, name: string, files: FileMap): Promise<Required<ReadController>> {
  const masks = await loadMasks(text, files);
  const read = () =>
    importUnityController(text, {
      name,
      resolveMotion: (guid, fileID) => files.clipName(guid, fileID),
      resolveMask: (guid) => masks.get(guid),
    });
  try {
    const first = read();
    const isTaken = files.avoid(first.clips.map((clip) => clip.name));
    const { controller, clips } = isTaken ? read() : first;
    return { model: controller, embedded: clips };
  } catch (thrown) {
    throw namingFile(file, thrown);
  }
}

/** The masks that the text names and the map has. */
async function loadMasks(text: string, files: FileMap): Promise<Map<string, UnityMask>> {
  const masks = new Map<string, UnityMask>();
  for (const [, guid] of text.matchAll(/m_Mask: *\{[^}]{0,200}guid: *([0-9a-f]{1,64})/g)) {
    const place = files.file(guid!);
    if (place === undefined || masks.has(guid!)) continue;
    const mask = await readText(place);
    try {
      masks.set(guid!, importUnityMask(mask));
    } catch (thrown) {
      throw namingFile(place, thrown);
    }
  }
  return masks;
}

async function readOverride(text: string, file: string, files: FileMap): Promise<ReadController> {
  const override = parseOverride(text, file);
  const base = override.controllerGuid === undefined ? undefined : files.file(override.controllerGuid);
  if (base === undefined) {
    const suggestion = `Name it in --clips: {"${override.controllerGuid ?? 'guid'}": "soldier.controller"}.`;
    return fail('UNITY_DANGLING', file, 'changes a controller that is not known.', suggestion);
  }
  const { model, embedded } = await readUnity(await readText(base), base, path.parse(file).name, files);
  return { model: applyUnityOverride(model, override, (guid, fileID) => files.clipName(guid, fileID)), embedded };
}

function parseOverride(text: string, file: string): UnityOverride {
  try {
    return importUnityOverride(text);
  } catch (thrown) {
    throw namingFile(file, thrown);
  }
}
