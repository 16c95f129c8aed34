import path from 'node:path';
import type { CharacterModel, ClipModel } from '../character/model.ts';
import type { ClipFacts } from '../controller/model.ts';
import { fail, type Issue, listed, quoted } from '../errors.ts';
import { map, type Rule } from '../forms/rules.ts';
import { bindUnityClip } from '../import/unity/bind-unity-clip.ts';
import type { UnityClip } from '../import/unity/clip.ts';
import { movedBy } from '../import/unity/write-defaults.ts';
import { bindClips } from '../retarget/index.ts';
import type { FileMapOptions } from './options.ts';
import { inFile, naming, parseJson, readForm, readText } from './read.ts';
import { UnityProjects } from './unity-project.ts';

/** A clip of another file, ready to be bound to a character. */
export interface FoundClip {
  /** The name that controllers use for it. */
  readonly name: string;
  readonly facts: ClipFacts;
  readonly duration: number;
  readonly loops: boolean;
  readonly source:
    | { readonly kind: 'unity'; readonly clip: UnityClip }
    | { readonly kind: 'model'; readonly clip: ClipModel; readonly model: CharacterModel };
  readonly issues: readonly Issue[];
  /** True if it is in the controller's own file. */
  readonly isEmbedded?: boolean;
}

/** A place that a map names: a file, and which of its clips. */
interface Place {
  readonly file: string;
  readonly wanted: string | undefined;
}

/** Files that hold clips; others in a map are controllers and masks. */
const HOLDS_CLIPS = /\.(anim|json|glb|gltf|vrm|vrma|bvh|fbx)$/i;

/** Where other files are: by a clip's reference, by `guid`, or by `guid:fileID` where a file holds several. */
export class FileMap {
  /** Where Unity files find assets that the map lacks. */
  readonly projects: UnityProjects;
  readonly #places: Map<string, Place>;
  /** By file and name in it. */
  readonly #clips = new Map<string, FoundClip>();
  /** Names of clips without known keys, by `guid:fileID`. */
  readonly #named = new Map<string, string>();
  readonly #names = new Set<string>();

  private constructor(places: ReadonlyMap<string, Place>, projects: UnityProjects) {
    this.#places = new Map(places);
    this.projects = projects;
  }

  /** The map with every clip that it names, each file read once. @throws ManipleError FILE_…, UNITY_…, GLTF_…, … */
  static async open(places: ReadonlyMap<string, Place>, projects: UnityProjects): Promise<FileMap> {
    const map = new FileMap(places, projects);
    for (const place of places.values()) {
      if (HOLDS_CLIPS.test(place.file) && !map.#clips.has(keyOf(place))) map.#add(place, await openClip(place));
    }
    return map;
  }

  /** Returns true if a Unity reference is known. */
  has(guid: string, fileID: string): boolean {
    return this.#place(guid, fileID) !== undefined || this.#named.has(`${guid}:${fileID}`);
  }

  /** Adds the file of a Unity asset. */
  addFile(guid: string, file: string): void {
    this.#places.set(guid, { file, wanted: undefined });
  }

  /** Adds a Unity clip that has been read. */
  addClip(guid: string, fileID: string, file: string, clip: FoundClip): void {
    const place = { file, wanted: fileID };
    this.#places.set(`${guid}:${fileID}`, place);
    this.#add(place, clip);
  }

  /** Adds a Unity clip that has only a name. */
  addName(guid: string, fileID: string, name: string): void {
    this.#named.set(`${guid}:${fileID}`, this.#newName(name));
  }

  get clips(): readonly FoundClip[] {
    return [...this.#clips.values()];
  }

  /** The file of a Unity asset. */
  file(guid: string, fileID = ''): string | undefined {
    return this.#place(guid, fileID)?.file;
  }

  /** The name of the clip that a Unity reference means. */
  clipName(guid: string, fileID: string): string | undefined {
    const place = this.#place(guid, fileID);
    return (place && this.#clips.get(keyOf(place))?.name) ?? this.#named.get(`${guid}:${fileID}`);
  }

  /** Properties that a clip of this name moves; undefined for an unknown one. */
  movedBy(name: string): string[] | undefined {
    const source = this.clips.find((clip) => clip.name === name)?.source;
    if (source?.kind !== 'model') return source && movedBy(source.clip);
    const { joints } = source.model;
    return source.clip.tracks.map(({ path: channel, targetIndex }) =>
      JSON.stringify([channel === 'weights' ? targetIndex : joints[targetIndex]!.name, channel]),
    );
  }

  /** The clip that a controller calls so. */
  clipOf(reference: string): FoundClip | undefined {
    const unity = unityReference(reference);
    const place = this.#places.get(reference) ?? (unity && this.#place(unity.guid, unity.fileID));
    return place && this.#clips.get(keyOf(place));
  }

  /** Renames clips with a name from this list. Returns true if there were any. */
  avoid(names: readonly string[]): boolean {
    const taken = names.filter((name) => this.#names.has(name));
    for (const name of names) this.#names.add(name);
    for (const [key, clip] of this.#clips) {
      if (taken.includes(clip.name)) this.#clips.set(key, { ...clip, name: this.#newName(clip.name) });
    }
    for (const [key, name] of this.#named) if (taken.includes(name)) this.#named.set(key, this.#newName(name));
    return taken.length > 0;
  }

  #add(place: Place, clip: FoundClip): void {
    this.#clips.set(keyOf(place), { ...clip, name: this.#newName(clip.name) });
  }

  #place(guid: string, fileID: string): Place | undefined {
    return this.#places.get(`${guid}:${fileID}`) ?? this.#places.get(guid);
  }

  #newName(wanted: string): string {
    let name = wanted;
    for (let n = 2; this.#names.has(name); n++) name = `${wanted} ${n}`;
    this.#names.add(name);
    return name;
  }
}

function keyOf({ file, wanted }: Place): string {
  return `${file}#${wanted ?? ''}`;
}

/**
 * Reads a map of other files: JSON, `{ "guid": "file#clip" }`, paths relative to the map. Clips are `.anim`, glTF, VRM, FBX, BVH, or
 * what `maniple convert` made of an `.anim`.
 *
 * @param options The map, and a folder in which Unity files find what it lacks.
 * @throws ManipleError USAGE, FILE_…, UNITY_…, GLTF_…, CONTROLLER_…
 */
export async function openFileMap({ clips: file, unityProject }: FileMapOptions = {}): Promise<FileMap> {
  const projects = await UnityProjects.in(unityProject);
  if (file === undefined) return FileMap.open(new Map(), projects);
  const map = parseMap(await readText(file), file);
  const folder = path.dirname(file);
  const places = Object.entries(map).map(([key, place]): [string, Place] => {
    const [name = '', ...rest] = place.split('#');
    return [key, { file: path.resolve(folder, name), wanted: rest.length === 0 ? undefined : rest.join('#') }];
  });
  return FileMap.open(new Map(places), projects);
}

const fileName: Rule<string> = (value, place) =>
  typeof value === 'string' && value !== '' ? value : place.expected('the name of a file', value);
const fileMap = map(fileName);

function parseMap(text: string, file: string): Readonly<Record<string, string>> {
  const suggestion = 'Write {"guid": "walk.anim", "guid:fileID": "hero.glb#Walk"}.';
  const options = { code: 'USAGE', file, suggestion } as const;
  return readForm(parseJson(text, options), fileMap, options);
}

async function openClip({ file, wanted }: Place): Promise<FoundClip> {
  if (!/\.(anim|json)$/i.test(file)) return openModelClip(file, wanted);
  const text = await readText(file);
  const clip = await naming(file, async () => {
    if (/\.anim$/i.test(file)) return (await import('../import/unity/clip.ts')).importUnityClip(text);
    return (await import('./clip-form.ts')).parseClip(text);
  });
  return foundUnityClip(clip, file);
}

/** A Unity clip, found in a file. */
export function foundUnityClip(clip: UnityClip, file: string): FoundClip {
  const { name, facts, duration, loops, issues } = clip;
  const placed = issues.map((issue) => inFile(file, issue));
  return { name, facts, duration, loops, source: { kind: 'unity', clip }, issues: placed };
}

async function openModelClip(file: string, wanted: string | undefined): Promise<FoundClip> {
  const { openFile } = await import('./load.ts');
  const opened = await openFile(file);
  if (opened.kind === 'baked')
    return fail('USAGE', file, 'The file is baked. Clips are read from glTF, VRM, FBX or BVH files.');
  const { model } = opened;
  const named = model.clips.filter(({ name }) => name === wanted);
  if (named.length > 1) {
    const indices = model.clips.flatMap(({ name }, index) => (name === wanted ? [index] : []));
    const suggestion = `Use one of the indices ${indices.join(', ')}.`;
    fail('CLIP_AMBIGUOUS', file, `The file has ${named.length} clips named ${quoted(wanted)}.`, suggestion);
  }
  const clip = named[0] ?? model.clips[Number(wanted ?? 0)];
  if (!clip) {
    const names = listed(model.clips.map(({ name }) => name));
    return fail('CLIP_NOT_FOUND', file, `The file has no clip ${quoted(wanted ?? 0)}.`, `It has ${names}.`);
  }
  const { name, duration, loops = true, events } = clip;
  const facts = { length: duration, loops, ...(events ? { events } : {}) };
  return { name, facts, duration, loops, source: { kind: 'model', clip, model }, issues: [] };
}

/** A found clip as one of a character's own. */
export function boundTo(
  { name, source }: FoundClip,
  model: CharacterModel,
): { clip: ClipModel; issues: readonly Issue[] } {
  if (source.kind === 'unity') {
    const { clip, issues } = bindUnityClip(source.clip, model);
    return { clip: { ...clip, name }, issues };
  }
  const { clips, reports } = bindClips({ ...model, clips: [] }, [{ ...source.model, clips: [source.clip] }]);
  return { clip: { ...clips[0]!, name }, issues: reports[0]!.issues };
}

/** A found clip without a character: how long it is, its events and root motion. */
export function unbound({ name, duration, loops, facts: { events }, source }: FoundClip): ClipModel {
  const { root } = source.clip;
  return { name, duration, loops, tracks: [], ...(events ? { events } : {}), ...(root ? { root } : {}) };
}

/** Guid and fileID of an unresolved Unity clip; undefined for other references. */
export function unityReference(reference: string): { readonly guid: string; readonly fileID: string } | undefined {
  const [, guid, fileID] = /^([0-9a-f]{32}):(-?\d+)$/.exec(reference) ?? [];
  return guid === undefined || fileID === undefined ? undefined : { guid, fileID };
}
