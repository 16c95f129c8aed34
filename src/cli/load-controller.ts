import path from 'node:path';
import { parseController } from '../asset/controller/parse.ts';
import type { ClipFacts, ControllerModel } from '../asset/controller/model.ts';
import { fail, ManipleError, type Issue } from '../errors.ts';
import {
  applyUnityOverride,
  importPlayCanvasGraph,
  importUnityController,
  importUnityMask,
  importUnityOverride,
  type UnityMask,
} from '../import/index.ts';
import { inFile, namingFile, readBytes } from './load.ts';
import { FileMap, type FoundClip } from './load-clips.ts';

/** Bytes of a controller file at most: its importers bound their own work. */
const CONTROLLER_BYTES = 2 ** 26;

/** A controller as it was read, the clips that came with it, and what its files left to be said. */
export interface OpenedController {
  readonly model: ControllerModel;
  readonly clips: readonly FoundClip[];
  readonly issues: readonly Issue[];
}

/**
 * Opens a controller file: Maniple's JSON form, a `.controller` or `.overrideController` of Unity, or an anim state graph
 * of PlayCanvas.
 *
 * @param files Where clips, masks and controllers are that the file refers to.
 * @throws ManipleError FILE_…, CONTROLLER_…, UNITY_…, PLAYCANVAS_…, with the file in every path
 */
export async function openController(file: string, files: FileMap = new FileMap()): Promise<OpenedController> {
  const bytes = await readBytes(file);
  if (bytes.length > CONTROLLER_BYTES) {
    fail('FILE_TOO_LARGE', file, `has ${bytes.length} bytes; a controller has ${CONTROLLER_BYTES} at most.`);
  }
  const text = new TextDecoder().decode(bytes);
  const name = path.basename(file).replace(/\.[^.]*$/, '');
  try {
    const { model, clips } = await readController(text, file, name, files);
    const facts: Record<string, ClipFacts> = Object.fromEntries(clips.map((clip) => [clip.name, clip.facts]));
    const whole = { ...model, clips: { ...facts, ...model.clips } };
    const issues = [
      ...(model.issues ?? []).map((issue) => inFile(file, issue)),
      ...clips.flatMap((clip) => clip.issues),
    ];
    return { model: { ...whole, issues: [] }, clips, issues };
  } catch (thrown) {
    throw thrown instanceof ManipleError && thrown.code.startsWith('FILE_') ? thrown : namingFile(file, thrown);
  }
}

async function readController(
  text: string,
  file: string,
  name: string,
  files: FileMap,
): Promise<{ model: ControllerModel; clips: readonly FoundClip[] }> {
  if (isUnity(text)) {
    return file.endsWith('.overrideController') ? readOverride(text, file, files) : readUnity(text, name, files);
  }
  const value = parseJson(text, file);
  const isGraph = typeof value === 'object' && value !== null && !('format' in value) && 'layers' in value;
  return { model: isGraph ? importPlayCanvasGraph(value, { name }) : parseController(text, name), clips: [] };
}

/** Unity's text files begin with a YAML header; old ones may not. */
function isUnity(text: string): boolean {
  return /^\uFEFF?\s*(%YAML|%TAG|--- !u!)/.test(text);
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const message = 'is neither JSON nor a text file of Unity.';
    return fail('CONTROLLER_INVALID', file, message, 'Pass a .controller, or a controller or graph as JSON.');
  }
}

async function readUnity(
  text: string,
  name: string,
  files: FileMap,
): Promise<{ model: ControllerModel; clips: readonly FoundClip[] }> {
  const masks = await loadMasks(text, files);
  const { controller, clips } = importUnityController(text, {
    name,
    resolveMotion: (guid, fileID) => files.clipName(guid, fileID),
    resolveMask: (guid) => masks.get(guid),
  });
  const embedded = clips.map((clip): FoundClip => {
    const { name: own, facts, duration, loops, issues } = clip;
    return { name: own, facts, duration, loops, source: { kind: 'unity', clip }, issues };
  });
  return { model: controller, clips: [...embedded, ...files.clips] };
}

/** The masks that the text names and the map has. */
async function loadMasks(text: string, files: FileMap): Promise<Map<string, UnityMask>> {
  const masks = new Map<string, UnityMask>();
  for (const [, guid] of text.matchAll(/m_Mask: *\{[^}]*guid: *([0-9a-f]+)/g)) {
    const place = files.find(guid!);
    if (place === undefined || masks.has(guid!)) continue;
    masks.set(guid!, importUnityMask(new TextDecoder().decode(await readBytes(place))));
  }
  return masks;
}

async function readOverride(
  text: string,
  file: string,
  files: FileMap,
): Promise<{ model: ControllerModel; clips: readonly FoundClip[] }> {
  const override = importUnityOverride(text);
  const base = override.controllerGuid === undefined ? undefined : files.find(override.controllerGuid);
  if (base === undefined) {
    const suggestion = `Name it in --clips: {"${override.controllerGuid ?? 'guid'}": "soldier.controller"}.`;
    return fail('UNITY_DANGLING', file, 'changes a controller that is not known.', suggestion);
  }
  const { model, clips } = await readUnity(
    new TextDecoder().decode(await readBytes(base)),
    path.parse(file).name,
    files,
  );
  return { model: applyUnityOverride(model, override, (guid, fileID) => files.clipName(guid, fileID)), clips };
}
