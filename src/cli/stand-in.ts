import type { MissingOptions } from '../character/bind-controller.ts';
import type { CharacterModel, ClipModel } from '../character/model.ts';
import type { ControllerModel } from '../controller/model.ts';
import { clipReferences } from '../controller/references.ts';

/** How tools handle names that a character lacks: they run the controller and report what is missing. */
export const TOLERANT: Required<MissingOptions> = { missingClips: 'warn', missingJoints: 'warn' };

/** Clips that the controller describes well enough. Without a character their keys do not matter. */
export function clipsByFacts(model: ControllerModel, found: readonly { readonly name: string }[]): ClipModel[] {
  const names = new Set(found.map(({ name }) => name));
  return [...clipReferences(model)].flatMap((name): ClipModel | [] => {
    const { length, loops = true } = (Object.hasOwn(model.clips ?? {}, name) && model.clips?.[name]) || {};
    return length === undefined || names.has(name) ? [] : { name, duration: length, loops, tracks: [] };
  });
}

/** Removes masks. They name joints that this character lacks, and only change poses. */
export function withoutMasks(model: ControllerModel): ControllerModel {
  return { ...model, layers: model.layers.map((layer) => ({ ...layer, mask: {} })) };
}

/**
 * A character with a joint, a triangle and the named clips, none of which moves anything: what runs a controller when
 * only its states, clocks and events are asked for.
 */
export function standIn(clips: readonly ClipModel[]): CharacterModel {
  return {
    name: 'stand-in',
    joints: [
      { name: 'root', parentIndex: -1, nodeIndex: 0, translation: [0, 0, 0], rotation: [0, 0, 0, 1], scale: [1, 1, 1] },
    ],
    bindings: [{ jointIndex: 0, jointFromMesh: Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0) }],
    meshes: [
      {
        name: 'triangle',
        nodeIndex: 0,
        nodeName: 'triangle',
        primitiveIndex: 0,
        materialIndex: -1,
        vertexCount: 3,
        positions: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0),
        normals: Float32Array.of(0, 0, 1, 0, 0, 1, 0, 0, 1),
        tangents: undefined,
        texcoords: undefined,
        colors: undefined,
        indices: Uint32Array.of(0, 1, 2),
        influences: {
          offsets: Uint32Array.of(0, 1, 2, 3),
          bindings: Uint16Array.of(0, 0, 0),
          weights: Float32Array.of(1, 1, 1),
        },
        morphSetIndex: -1,
        targets: [],
        vertexOfSource: Uint32Array.of(0, 1, 2),
      },
    ],
    morphSets: [],
    clips: clips.map((clip) => ({ ...clip, tracks: [] })),
    materials: [],
    images: [],
    issues: [],
  };
}
