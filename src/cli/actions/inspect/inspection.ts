import type { Box, Character, CharacterJoint, ReachSphere } from '../../../character/character.ts';
import type { ClipStats } from '../../../character/pack/pack-clip.ts';
import { reportVertices, sampleVertices, type VertexReport } from '../../../character/packed-vertices.ts';
import type { Issue } from '../../../errors.ts';
import { meshesOf } from '../../../frame/tables/crowd-types.ts';
import { type LevelFacts, lodOf, type MemoryFacts, memoryOf } from '../../character-facts.ts';
import { type ClipMotion, measureClips } from './clip-motion.ts';
import { type ImageFacts, imageFacts, type MaterialFacts, materialFacts, textureBytes } from './look-facts.ts';
import { PackedPoses } from '../../../character/packed-poses.ts';
import { measureParts, measureStature, type PartFacts, type Stature } from './stature.ts';

/** The answer of `maniple inspect --json`. Metres, seconds, radians, bytes. */
export interface Inspection {
  readonly file: string;
  readonly name: string;
  /** Diagonal of `bounds`. */
  readonly size: number;
  /** Bounds of the rest pose. */
  readonly bounds: Box;
  readonly reach: ReachSphere | null;
  readonly stature: Stature;
  readonly joints: readonly { readonly name: string; readonly parent: number; readonly node: number }[];
  readonly parts: readonly PartFacts[];
  readonly meshes: readonly MeshFacts[];
  readonly materials: readonly MaterialFacts[];
  readonly images: readonly ImageFacts[];
  readonly lods: readonly LevelFacts[];
  readonly clips: readonly ClipFacts[];
  readonly influences: { readonly max: number; readonly histogram: readonly number[] };
  readonly morphs: readonly string[];
  readonly memory: MemoryFacts & { readonly textures: number | null };
  readonly issues: readonly Issue[];
}

/** A primitive. */
export interface MeshFacts {
  readonly node: string;
  readonly nodeIndex: number;
  readonly primitive: number;
  readonly part: string;
  readonly vertices: number;
  readonly sourceVertices: number;
  readonly triangles: number;
  readonly material: string | null;
  readonly vertexFormat: VertexReport;
}

export interface ClipFacts extends ClipStats, ClipMotion {
  /** Repeats by default. */
  readonly loops: boolean;
  /** How many times smaller it is than in the file. */
  readonly ratio: number;
  readonly bounds: Box | null;
}

/** Vertices to measure, at most. */
const MOST_VERTICES = 200_000;

/** Looks at a packed character. Cost: some 0.2 s for 76 clips of 51 joints; a few seconds at most. */
export function inspectCharacter(file: string, character: Character): Inspection {
  const poses = new PackedPoses(character);
  const sample = sampleVertices(character, MOST_VERTICES);
  const parts = measureParts(character, poses, sample);
  const motions = measureClips(character, poses, sample);
  const { name, size, bounds, reach, joints, clips, influenceHistogram, morphNames, issues } = character;
  return {
    file,
    name,
    size,
    bounds,
    reach: reach ?? null,
    stature: measureStature(character, poses, sample, parts),
    joints: joints.map(jointFacts),
    parts,
    meshes: meshFacts(character),
    materials: materialFacts(character),
    images: imageFacts(character),
    lods: meshesOf(character).map((mesh) => lodOf(mesh, joints.length)),
    clips: clips.map(({ bounds: box, ...clip }, index) => ({
      ...clip,
      ratio: clip.bytes > 0 ? clip.sourceBytes / clip.bytes : 0,
      bounds: box ?? null,
      ...motions[index]!,
    })),
    influences: { max: influenceHistogram.length - 1, histogram: influenceHistogram },
    morphs: morphNames,
    memory: { ...memoryOf(character), textures: textureBytes(character) },
    issues,
  };
}

function jointFacts({ name, parentIndex, nodeIndex }: CharacterJoint): Inspection['joints'][number] {
  return { name, parent: parentIndex, node: nodeIndex };
}

function meshFacts(character: Character): MeshFacts[] {
  const vertices = reportVertices(character);
  return character.primitives.map((primitive, index) => ({
    node: primitive.nodeName,
    nodeIndex: primitive.nodeIndex,
    primitive: primitive.primitiveIndex,
    part: character.parts[primitive.part]!,
    vertices: primitive.vertexCount,
    sourceVertices: primitive.vertexOfSource.length,
    triangles: primitive.indexCount / 3,
    material: character.materials[primitive.materialIndex]?.name ?? null,
    vertexFormat: vertices[index]!,
  }));
}
