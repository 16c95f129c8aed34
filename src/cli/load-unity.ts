import path from 'node:path';
import type { ControllerModel } from '../controller/model.ts';
import { clipReferences } from '../controller/references.ts';
import { fail, type Issue, ManipleError, warning } from '../errors.ts';
import type { UnityClip } from '../import/unity/clip.ts';
import { importUnityController } from '../import/unity/controller.ts';
import { importUnityMask, type UnityMask, unreadableMask } from '../import/unity/mask.ts';
import { applyUnityOverride, importUnityOverride, type UnityOverride } from '../import/unity/override.ts';
import { findAssets } from './find-assets.ts';
import type { FileMap } from './load-clips.ts';
import { inFile, namingFile, readText } from './read.ts';
import { unityReference } from './references.ts';

/** The contents of a controller file. `embedded` are clips inside it. */
export interface ReadController {
  readonly model: ControllerModel;
  readonly embedded?: readonly UnityClip[];
  /** Issues of other files that it uses, with their files. */
  readonly others?: readonly Issue[];
}

/**
 * Reads Unity's `.controller`.
 *
 * @throws ManipleError UNITY_…, FILE_…, with the file in every path
 */
export async function readUnity(
  text: string,
  file: string,
  name: string,
  files: FileMap,
): Promise<Required<ReadController>> {
  const found = await findAssets(text, file, files);
  const { masks, issues } = await loadMasks(text, files);
  const read = () =>
    importUnityController(text, {
      name,
      resolveMotion: (guid, fileID) => files.clipName(guid, fileID),
      resolveMask: (guid) => masks.get(guid),
      resolveMoved: (clip) => files.movedBy(clip),
    });
  try {
    const first = read();
    const isTaken = files.avoid(first.clips.map((clip) => clip.name));
    const { controller, clips } = isTaken ? read() : first;
    const others = [...found, ...issues, ...nameless(controller, file, files)];
    return { model: controller, embedded: clips, others };
  } catch (thrown) {
    throw namingFile(file, thrown);
  }
}

/** Clips that stay without a name. */
function nameless(model: ControllerModel, file: string, { projects }: FileMap): Issue[] {
  const count = [...clipReferences(model)].filter(unityReference).length;
  if (count === 0) return [];
  const where = projects.hasRoot ? "in the controller's folder or in the project" : "in the controller's folder";
  const message = `Clips without a name: ${count}. No .meta file ${where} has their guids.`;
  const suggestion = projects.hasRoot
    ? 'Name the folder with the clips, or name their files in --clips.'
    : 'Pass the Assets folder with --unity-project, or name their files in --clips.';
  return [{ ...warning('UNITY_DANGLING', file, message, suggestion), severity: 'info' }];
}

interface LoadedMasks {
  /** By guid. Their issues are in `issues`. */
  readonly masks: ReadonlyMap<string, UnityMask>;
  readonly issues: readonly Issue[];
}

/** The masks that the text names and the map has. */
async function loadMasks(text: string, files: FileMap): Promise<LoadedMasks> {
  const masks = new Map<string, UnityMask>();
  const issues: Issue[] = [];
  for (const [, guid] of text.matchAll(/m_Mask: *\{[^}]{0,200}guid: *([0-9a-f]{1,64})/g)) {
    const place = files.file(guid!);
    if (place === undefined || masks.has(guid!)) continue;
    const mask = await loadMask(place);
    masks.set(guid!, { ...mask, issues: [] });
    issues.push(...mask.issues);
  }
  return { masks, issues };
}

/** A mask, with its file in every path. One that cannot be read lets everything through. */
async function loadMask(file: string): Promise<UnityMask> {
  const text = await readText(file).catch((thrown: unknown) => unreadable(thrown));
  if (typeof text !== 'string') return text;
  try {
    const mask = importUnityMask(text);
    return { ...mask, issues: mask.issues.map((issue) => inFile(file, issue)) };
  } catch (thrown) {
    return unreadable(namingFile(file, thrown));
  }
}

function unreadable(thrown: unknown): UnityMask {
  if (thrown instanceof ManipleError) return unreadableMask(thrown);
  throw thrown;
}

/** An `.overrideController`, on the controller that it changes. @throws as `readUnity` */
export async function readOverride(text: string, file: string, files: FileMap): Promise<ReadController> {
  const override = parseOverride(text, file);
  const found = await findAssets(text, file, files);
  const base = override.controllerGuid === undefined ? undefined : files.file(override.controllerGuid);
  if (base === undefined) {
    const suggestion = `Pass the Assets folder with --unity-project, or name it in --clips: {"${override.controllerGuid ?? 'guid'}": "soldier.controller"}.`;
    return fail('UNITY_DANGLING', file, 'The override changes an unknown controller.', suggestion);
  }
  const { model, others, ...rest } = await readUnity(await readText(base), base, path.parse(file).name, files);
  const replaced = applyUnityOverride(model, override, (guid, fileID) => files.clipName(guid, fileID));
  return { model: replaced, ...rest, others: [...found, ...others] };
}

function parseOverride(text: string, file: string): UnityOverride {
  try {
    return importUnityOverride(text);
  } catch (thrown) {
    throw namingFile(file, thrown);
  }
}
