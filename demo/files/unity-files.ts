import type { ControllerModel } from '../../src/controller/index.ts';
import { fail, type Issue, issuesOf } from '../../src/errors.ts';
import { importUnityClip, type UnityClip } from '../../src/import/unity/clip.ts';
import { importUnityController } from '../../src/import/unity/controller.ts';
import { importUnityMask, type UnityMask } from '../../src/import/unity/mask.ts';
import { clipNameByMeta, readUnityMeta, type UnityMeta } from '../../src/import/unity/meta.ts';
import { applyUnityOverride, importUnityOverride } from '../../src/import/unity/override.ts';
import type { ResolveMotion } from '../../src/import/unity/fields.ts';
import { movedBy } from '../../src/import/unity/write-defaults.ts';
import { readText } from './dropped-file.ts';
import type { Dropped } from './load-dropped.ts';
import type { KnownFile } from './load-files.ts';
import { nameOf, stemOf } from './paths.ts';

/** Unity files that can refer to each other: by guid, if their `.meta` files were dropped, too. */
export interface UnityAssets {
  /** Clips in separate files, under unique names. */
  readonly loose: readonly UnityClip[];
  /** Loads a controller or an override controller. @throws ManipleError UNITY_… */
  controller(file: KnownFile): Dropped;
}

/**
 * Reads all Unity files in a drop. Unreadable clips and masks become entries. Controllers that refer to them are loaded
 * without them.
 */
export async function openUnity(
  files: readonly KnownFile[],
  onDropped: (dropped: Dropped) => void,
): Promise<UnityAssets> {
  const texts = new Map<string, string>();
  const fail = (file: KnownFile, thrown: unknown): void =>
    onDropped({ kind: 'failed', name: nameOf(file.path), issues: issuesOf(thrown) });
  for (const file of files) {
    try {
      texts.set(file.path, await readText(file));
    } catch (thrown) {
      fail(file, thrown);
    }
  }
  /** `.meta` contents by path of the asset, which need not have been dropped. */
  const metas = new Map<string, UnityMeta>();
  for (const file of files) {
    const meta = file.kind === 'unity-meta' ? readUnityMeta(texts.get(file.path) ?? '') : undefined;
    if (meta) metas.set(file.path.replace(/\.meta$/i, ''), meta);
  }
  /** Reads all files of a kind. Keys are guids, or paths for files without a `.meta`. */
  const readAll = <T>(kind: KnownFile['kind'], read: (text: string) => T): Map<string, T> => {
    const found = new Map<string, T>();
    for (const file of files) {
      const text = texts.get(file.path);
      if (file.kind !== kind || text === undefined) continue;
      try {
        found.set(metas.get(file.path)?.guid ?? file.path, read(text));
      } catch (thrown) {
        fail(file, thrown);
      }
    }
    return found;
  };
  const taken = new Set<string>();
  const ownName = (wanted: string): string => {
    const name = freeName(wanted, taken);
    taken.add(name);
    return name;
  };
  const clips = readAll('unity-clip', (text) => {
    const clip = importUnityClip(text);
    return { ...clip, name: ownName(clip.name) };
  });
  const masks = readAll('unity-mask', (text) => importUnityMask(text));
  const controllers = new Map(
    files.flatMap(({ kind, path }): [string, string][] => {
      const [text, guid] = [texts.get(path), metas.get(path)?.guid];
      return kind === 'unity-controller' && text !== undefined && guid !== undefined ? [[guid, text]] : [];
    }),
  );
  const resolveMotion = motionResolver(clips, metas, ownName);
  const issues = [...metas].flatMap(([path, meta]) =>
    meta.issues.map((issue) => ({ ...issue, path: `${path}.meta:${issue.path}` })),
  );
  return {
    loose: [...clips.values()],
    controller: (file) => openController(file, texts, { clips, masks, controllers, resolveMotion, issues }),
  };
}

/** Returns a resolver that uses the clips' own names, and names from `.meta` files for clips inside models. */
function motionResolver(
  clips: ReadonlyMap<string, UnityClip>,
  metas: ReadonlyMap<string, UnityMeta>,
  ownName: (wanted: string) => string,
): ResolveMotion {
  const assets = new Map(Array.from(metas, ([path, meta]) => [meta.guid, { path, meta }]));
  const named = new Map<string, string>();
  return (guid, fileID) => {
    const asset = assets.get(guid);
    const known = clips.get(guid)?.name ?? named.get(`${guid}:${fileID}`);
    if (known !== undefined || !asset) return known;
    const name = ownName(clipNameByMeta(asset.path, asset.meta, fileID));
    named.set(`${guid}:${fileID}`, name);
    return name;
  };
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let n = 2; taken.has(name); n++) name = `${wanted} ${n}`;
  return name;
}

/** Assets by guid. */
interface Assets {
  readonly clips: ReadonlyMap<string, UnityClip>;
  readonly masks: ReadonlyMap<string, UnityMask>;
  /** Texts. */
  readonly controllers: ReadonlyMap<string, string>;
  readonly resolveMotion: ResolveMotion;
  /** Issues of `.meta` files. */
  readonly issues: readonly Issue[];
}

function openController(file: KnownFile, texts: ReadonlyMap<string, string>, assets: Assets): Dropped {
  const name = nameOf(file.path);
  const text = texts.get(file.path) ?? fail('FILE_UNREADABLE', name, 'The file could not be read.');
  const { resolveMotion } = assets;
  const moved = new Map(Array.from(assets.clips.values(), (clip) => [clip.name, movedBy(clip)]));
  const read = (source: string): { controller: ControllerModel; clips: readonly UnityClip[] } =>
    importUnityController(source, {
      name: stemOf(file.path),
      resolveMotion,
      resolveMask: (guid) => assets.masks.get(guid),
      resolveMoved: (name) => moved.get(name),
    });
  const finish = (controller: ControllerModel, embedded: readonly UnityClip[]): Dropped => {
    // clips embedded in the file have priority: a controller refers to them by name
    const clips = new Map([...assets.clips.values(), ...embedded].map((clip) => [clip.name, clip]));
    const facts = Object.fromEntries(Array.from(clips.values(), (clip) => [clip.name, clip.facts]));
    const known = { ...controller, clips: { ...facts, ...controller.clips } };
    const told = [
      ...(controller.issues ?? []),
      ...Array.from(clips.values()).flatMap((clip) => clip.issues),
      ...assets.issues,
    ];
    return { kind: 'controller', name, controller: known, clips: [...clips.values()], issues: told };
  };
  if (file.kind === 'unity-controller') {
    const { controller, clips } = read(text);
    return finish(controller, clips);
  }
  const override = importUnityOverride(text);
  const base = assets.controllers.get(override.controllerGuid ?? '');
  if (base === undefined) {
    const suggestion = `Drop both together, with their .meta files. The controller has the guid ${override.controllerGuid ?? '(unknown)'}.`;
    return fail('UNITY_DANGLING', '', 'This override changes a controller that was not dropped.', suggestion);
  }
  const { controller, clips } = read(base);
  return finish(applyUnityOverride(controller, override, resolveMotion), clips);
}
