import type { Issue } from '../../errors.ts';
import type { Character } from '../character.ts';
import type { CharacterModel, ClipModel, MeshModel } from '../model.ts';
import type { VertexFormatChoice } from '../vertex-formats.ts';
import { namesOfOthers } from './choose-clips.ts';
import type { PackOptions, PackProgress } from './options.ts';
import type { ClipSetup, SentClip } from './pack-clip.ts';
import type { Steps } from './steps.ts';

/** Messages to the worker. */
export type PackRequest = ModelPart | ClipTask;

/** In this order: a model is sent in parts, so that copying it never takes long. */
export type ModelPart =
  | { readonly kind: 'model'; readonly model: CharacterModel; readonly lodCount: number }
  /** `lod` counts from 1; 0 is the finest. */
  | { readonly kind: 'mesh'; readonly lod: number; readonly mesh: MeshModel; readonly choices: MeshChoices }
  | { readonly kind: 'clip'; readonly clip: ClipModel }
  | { readonly kind: 'pack'; readonly options: PackOptions; readonly maxWorkers: number | undefined };

/** From the worker to those that it starts: what clips have in common, then one clip after the other. */
export type ClipTask =
  | { readonly kind: 'setup'; readonly setup: ClipSetup }
  | { readonly kind: 'task'; readonly index: number; readonly clip: ClipModel };

/** Answers of the worker: progress, and the result; of those that it starts, packed clips. */
export type PackAnswer =
  | { readonly kind: 'progress'; readonly progress: PackProgress }
  | { readonly kind: 'packed'; readonly character: Character }
  | { readonly kind: 'clip'; readonly index: number; readonly clip: SentClip }
  | { readonly kind: 'failed'; readonly issues: readonly Issue[] };

/** Results of options that are functions, for one mesh: functions cannot be sent. */
interface MeshChoices {
  readonly vertexFormat: VertexFormatChoice;
  readonly providers: number;
}

/** Sends a model, a part in each step. @param clips Indices of those to pack. */
export function* sendModel(
  model: CharacterModel,
  clips: readonly number[],
  options: PackOptions & { readonly maxWorkers?: number },
  send: (request: PackRequest) => void,
): Steps<void> {
  const { meshes, lods = [] } = model;
  const { vertexFormat = 'standard', providers = () => 0, onProgress: _, clips: __, maxWorkers, ...plain } = options;
  // packing does not need materials and images
  const names = model.clips.map(({ name }) => name);
  const unreadClips = [...namesOfOthers(names, clips), ...(model.unreadClips ?? [])];
  const bare = { ...model, meshes: [], lods: [], clips: [], unreadClips, materials: [], images: [] };
  send({ kind: 'model', model: bare, lodCount: lods.length });
  for (const [lod, level] of [{ meshes }, ...lods].entries()) {
    for (const mesh of level.meshes) {
      const choices = {
        vertexFormat: typeof vertexFormat === 'function' ? vertexFormat(mesh) : vertexFormat,
        providers: providers(mesh),
      };
      send({ kind: 'mesh', lod, mesh, choices });
      yield;
    }
  }
  for (const clip of clips) {
    send({ kind: 'clip', clip: model.clips[clip]! });
    yield;
  }
  send({ kind: 'pack', options: plain, maxWorkers });
}

interface ReceivedWhole {
  readonly model: CharacterModel;
  readonly options: PackOptions;
  readonly maxWorkers: number | undefined;
}

/** Reassembles a model that was sent in parts. */
export class ReceivedModel {
  #model: CharacterModel | undefined;
  readonly #meshes: MeshModel[][] = [];
  readonly #clips: ClipModel[] = [];
  readonly #choices = new Map<MeshModel, MeshChoices>();

  /** Returns the model and options once all parts have arrived. */
  receive(request: ModelPart): ReceivedWhole | undefined {
    if (request.kind === 'model') {
      this.#model = request.model;
      for (let lod = 0; lod <= request.lodCount; lod++) this.#meshes.push([]);
    } else if (request.kind === 'mesh') {
      this.#meshes[request.lod]!.push(request.mesh);
      this.#choices.set(request.mesh, request.choices);
    } else if (request.kind === 'clip') this.#clips.push(request.clip);
    else {
      const [meshes = [], ...lods] = this.#meshes;
      const levels = lods.map((level) => ({ meshes: level }));
      const options: PackOptions = {
        ...request.options,
        clips: () => true,
        vertexFormat: (mesh) => this.#choices.get(mesh)!.vertexFormat,
        providers: (mesh) => this.#choices.get(mesh)!.providers,
      };
      return {
        model: { ...this.#model!, meshes, clips: this.#clips, lods: levels },
        options,
        maxWorkers: request.maxWorkers,
      };
    }
    return undefined;
  }
}
