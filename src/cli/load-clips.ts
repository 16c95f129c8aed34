import path from 'node:path';
import type { ClipFacts } from '../asset/controller/model.ts';
import type { CharacterModel, ClipModel } from '../asset/model.ts';
import { fail, type Issue, reasonOf } from '../errors.ts';
import { bindClip, bindUnityClip, importUnityClip, type UnityClip } from '../import/index.ts';
import { inFile, namingFile, openFile, readBytes } from './load.ts';

/** A clip of another file, ready to be bound to a character. */
export interface FoundClip {
  /** What controllers call it. */
  readonly name: string;
  readonly facts: ClipFacts;
  readonly duration: number;
  readonly loops: boolean;
  readonly source:
    | { readonly kind: 'unity'; readonly clip: UnityClip }
    | { readonly kind: 'gltf'; readonly clip: ClipModel; readonly model: CharacterModel };
  readonly issues: readonly Issue[];
}

/** Where other files are: by `guid`, or `guid:fileID` where a file holds several. Paths are absolute. */
export class FileMap {
  readonly #paths: ReadonlyMap<string, string>;
  readonly #clips = new Map<string, FoundClip>();
  readonly #names = new Set<string>();

  constructor(paths: ReadonlyMap<string, string> = new Map()) {
    this.#paths = paths;
  }

  get clips(): readonly FoundClip[] {
    return [...this.#clips.values()];
  }

  /** The place that a reference stands for: `walk.anim`, `hero.glb#Walk`. */
  find(guid: string, fileID = ''): string | undefined {
    return this.#paths.get(`${guid}:${fileID}`) ?? this.#paths.get(guid);
  }

  /** Loads every clip that the map names, once. @throws ManipleError FILE_…, UNITY_…, GLTF_…, CLIP_NOT_FOUND */
  async loadClips(): Promise<void> {
    for (const place of new Set(this.#paths.values())) {
      const [file = '', wanted] = place.split('#');
      if (!/\.(anim|glb|gltf)$/i.test(file) || this.#clips.has(place)) continue;
      const clip = file.toLowerCase().endsWith('.anim') ? await openAnim(file) : await openGltfClip(file, wanted);
      let { name } = clip;
      for (let n = 2; this.#names.has(name); n++) name = `${clip.name} ${n}`;
      this.#names.add(name);
      this.#clips.set(place, { ...clip, name });
    }
  }

  /** The name of the clip that a reference stands for. */
  clipName(guid: string, fileID: string): string | undefined {
    const place = this.find(guid, fileID);
    return place === undefined ? undefined : this.#clips.get(place)?.name;
  }
}

/** Reads a map of other files: JSON, `{ "guid": "file#clip" }`, paths relative to the map. @throws ManipleError */
export async function openFileMap(file: string | undefined): Promise<FileMap> {
  if (file === undefined) return new FileMap();
  const text = new TextDecoder().decode(await readBytes(file));
  const map = parseMap(text, file);
  const folder = path.dirname(file);
  const files = new FileMap(new Map(Object.entries(map).map(([key, place]) => [key, path.resolve(folder, place)])));
  await files.loadClips();
  return files;
}

function parseMap(text: string, file: string): Record<string, string> {
  const suggestion = 'Write {"guid": "walk.anim", "guid:fileID": "hero.glb#Walk"}.';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    fail('USAGE', file, `is no JSON: ${reasonOf(thrown)}.`, suggestion);
  }
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMap || !Object.values(value as object).every((place) => typeof place === 'string')) {
    fail('USAGE', file, 'is not a map of references to files.', suggestion);
  }
  return value as Record<string, string>;
}

async function openAnim(file: string): Promise<FoundClip> {
  const text = new TextDecoder().decode(await readBytes(file));
  try {
    const clip = importUnityClip(text);
    const { name, facts, duration, loops, issues } = clip;
    return {
      name,
      facts,
      duration,
      loops,
      source: { kind: 'unity', clip },
      issues: issues.map((issue) => inFile(file, issue)),
    };
  } catch (thrown) {
    throw namingFile(file, thrown);
  }
}

async function openGltfClip(file: string, wanted: string | undefined): Promise<FoundClip> {
  const opened = await openFile(file);
  if (opened.kind === 'baked') return fail('USAGE', file, 'is baked: clips of other files have to be glTF.');
  const { model } = opened;
  const clip = model.clips.find(
    ({ name }, index) => wanted === undefined || name === wanted || String(index) === wanted,
  );
  if (!clip) {
    const names = model.clips.map(({ name }) => name).join(', ');
    return fail('CLIP_NOT_FOUND', file, `has no clip ${JSON.stringify(wanted ?? 0)}.`, `It has ${names}.`);
  }
  const { name, duration, loops = true } = clip;
  return { name, facts: {}, duration, loops, source: { kind: 'gltf', clip, model }, issues: [] };
}

/** A found clip as one of a character's own. */
export function boundTo(
  { name, source }: FoundClip,
  model: CharacterModel,
): { clip: ClipModel; issues: readonly Issue[] } {
  const bound =
    source.kind === 'unity' ? bindUnityClip(source.clip, model) : bindClip(source.clip, source.model, model);
  return { clip: { ...bound.clip, name }, issues: bound.issues };
}

/** A found clip without a character: how long it is, its events and root motion. */
export function unbound({ name, duration, loops, facts, source }: FoundClip): ClipModel {
  const { root } = source.clip;
  const events = source.kind === 'gltf' ? source.clip.events : facts.events;
  return { name, duration, loops, tracks: [], ...(events ? { events } : {}), ...(root ? { root } : {}) };
}
