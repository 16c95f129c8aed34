import path from 'node:path';
import type { ControllerModel } from '../asset/controller/model.ts';
import { fail } from '../errors.ts';
import type { UnityClip } from '../import/unity/clip.ts';
import { importUnityController } from '../import/unity/controller.ts';
import { importUnityMask, type UnityMask } from '../import/unity/mask.ts';
import { applyUnityOverride, importUnityOverride, type UnityOverride } from '../import/unity/override.ts';
import type { FileMap } from './load-clips.ts';
import { namingFile, readText } from './read.ts';

/** What a controller file holds: `embedded` are clips that stand in it. */
export interface ReadController {
  readonly model: ControllerModel;
  readonly embedded?: readonly UnityClip[];
}

/**
 * A `.controller` of Unity.
 *
 * @throws ManipleError UNITY_…, FILE_…, with the file in every path
 */
export async function readUnity(
  text: string,
  file: string,
  name: string,
  files: FileMap,
): Promise<Required<ReadController>> {
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

/** An `.overrideController`, on the controller that it changes. @throws as `readUnity` */
export async function readOverride(text: string, file: string, files: FileMap): Promise<ReadController> {
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
