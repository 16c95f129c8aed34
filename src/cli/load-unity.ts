import path from 'node:path';
import type { ControllerModel } from '../controller/model.ts';
import { clipReferences } from '../controller/references.ts';
import { fail, type Issue, ManipleError, warning } from '../errors.ts';
import { importUnityClip, type UnityClip } from '../import/unity/clip.ts';
import { importUnityController } from '../import/unity/controller.ts';
import { importUnityMask, type UnityMask, unreadableMask } from '../import/unity/mask.ts';
import { clipNameByMeta } from '../import/unity/meta.ts';
import { applyUnityOverride, importUnityOverride } from '../import/unity/override.ts';
import { type FileMap, foundUnityClip, unityReference } from './load-clips.ts';
import { inFile, naming, readText } from './read.ts';
import type { UnityAsset, UnityProject } from './unity-project.ts';

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
  const first = await naming(file, read);
  const isTaken = files.avoid(first.clips.map((clip) => clip.name));
  const { controller, clips } = isTaken ? await naming(file, read) : first;
  return { model: controller, embedded: clips, others: [...found, ...issues, ...nameless(controller, file, files)] };
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

/** The masks that the text names and the map has, by guid, and their issues. */
async function loadMasks(text: string, files: FileMap) {
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
  try {
    const text = await readText(file);
    const mask = await naming(file, () => importUnityMask(text));
    return { ...mask, issues: mask.issues.map((issue) => inFile(file, issue)) };
  } catch (thrown) {
    if (thrown instanceof ManipleError) return unreadableMask(thrown);
    throw thrown;
  }
}

/** An `.overrideController`, on the controller that it changes. @throws as `readUnity` */
export async function readOverride(text: string, file: string, files: FileMap): Promise<ReadController> {
  const override = await naming(file, () => importUnityOverride(text));
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

/** Fields that name other files, and what those are. */
const REFERENCE =
  /\b(m_Motion|m_OriginalClip|m_OverrideClip|m_AdditiveReferencePoseClip|m_Mask|m_Controller): *\{\s*fileID: *(-?\d{1,20}),\s*guid: *([0-9a-f]{32})\b/g;
/** Text files that hold clips; the others that controllers refer to are models. */
const HOLDS_CLIPS = /\.(anim|asset|controller|prefab)$/i;

/**
 * Finds assets that a Unity text refers to and the map lacks, by the `.meta` files in its folder and in the project.
 * Clips are read. Masks and controllers are added by their files, clips of models by their names.
 *
 * @returns Issues of the files that were read. A clip that cannot be read is a warning, and is used by its name.
 * @throws ManipleError as `UnityProject`
 */
export async function findAssets(text: string, file: string, files: FileMap): Promise<Issue[]> {
  const issues: Issue[] = [];
  const listed = new Set<UnityAsset>();
  const texts = [text];
  for (let next = texts.pop(); next !== undefined; next = texts.pop()) {
    for (const [, field, fileID, guid] of next.matchAll(REFERENCE)) {
      if (files.has(guid!, fileID!)) continue;
      const found = await assetOf(guid!, await files.projects.near(file));
      if (!found) continue;
      const { asset } = found;
      if (!listed.has(asset)) issues.push(...asset.meta.issues);
      listed.add(asset);
      if (field === 'm_Mask' || field === 'm_Controller') files.addFile(guid!, asset.file);
      else texts.push(...(await addClip(found, fileID!, files, issues)));
    }
  }
  return issues;
}

interface FoundAsset {
  readonly asset: UnityAsset;
  readonly project: UnityProject;
}

async function assetOf(guid: string, projects: readonly UnityProject[]): Promise<FoundAsset | undefined> {
  for (const project of projects) {
    const asset = await project.asset(guid);
    if (asset) return { asset, project };
  }
  return undefined;
}

/** Adds the clip to the map; returns its text, which may refer to more. */
async function addClip({ asset, project }: FoundAsset, fileID: string, files: FileMap, issues: Issue[]) {
  const { file, meta } = asset;
  const name = clipNameByMeta(file, meta, fileID);
  if (!HOLDS_CLIPS.test(file)) {
    files.addName(meta.guid, fileID, name);
    return [];
  }
  try {
    const text = await project.readText(file);
    const clip = await naming(file, () => importUnityClip(text, { fileID }));
    files.addClip(meta.guid, fileID, file, foundUnityClip(clip, file));
    return [text];
  } catch (thrown) {
    if (!(thrown instanceof ManipleError) || thrown.code === 'UNITY_LIMIT') throw thrown;
    files.addName(meta.guid, fileID, name);
    const note = 'The clip cannot be read; only its name is known.';
    const warn = ({ code, path: at, message, suggestion }: Issue) =>
      warning(code, at, `${message} ${note}`, suggestion);
    issues.push(...thrown.issues.map(warn));
    return [];
  }
}
