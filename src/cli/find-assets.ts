import { type Issue, ManipleError, warning } from '../errors.ts';
import { importUnityClip } from '../import/unity/clip.ts';
import { clipNameByMeta } from '../import/unity/meta.ts';
import { type FileMap, foundUnityClip } from './load-clips.ts';
import { inFile, namingFile } from './read.ts';
import type { UnityAsset, UnityProject } from './unity-project.ts';

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
      const { asset, project } = found;
      if (!listed.has(asset)) issues.push(...asset.meta.issues);
      listed.add(asset);
      if (field === 'm_Mask' || field === 'm_Controller') files.addFile(guid!, asset.file);
      else texts.push(...(await addClip(asset, fileID!, project, files, issues)));
    }
  }
  return issues;
}

async function assetOf(guid: string, projects: readonly UnityProject[]) {
  for (const project of projects) {
    const asset = await project.asset(guid);
    if (asset) return { asset, project };
  }
  return undefined;
}

/** Adds the clip to the map; returns its text, which may refer to more. */
async function addClip(
  asset: UnityAsset,
  fileID: string,
  project: UnityProject,
  files: FileMap,
  issues: Issue[],
): Promise<string[]> {
  const { file, meta } = asset;
  const name = clipNameByMeta(file, meta, fileID);
  if (!HOLDS_CLIPS.test(file)) {
    files.addName(meta.guid, fileID, name);
    return [];
  }
  try {
    const text = await project.readText(file);
    const clip = readNamed(text, fileID, file);
    files.addClip(
      meta.guid,
      fileID,
      file,
      foundUnityClip(clip, (issue) => inFile(file, issue)),
    );
    return [text];
  } catch (thrown) {
    if (!(thrown instanceof ManipleError) || thrown.code === 'UNITY_LIMIT') throw thrown;
    files.addName(meta.guid, fileID, name);
    issues.push(...thrown.issues.map(unreadable));
    return [];
  }
}

function readNamed(text: string, fileID: string, file: string) {
  try {
    return importUnityClip(text, { fileID });
  } catch (thrown) {
    throw namingFile(file, thrown);
  }
}

function unreadable({ code, path, message, suggestion }: Issue): Issue {
  return warning(code, path, `${message} The clip cannot be read; only its name is known.`, suggestion);
}
