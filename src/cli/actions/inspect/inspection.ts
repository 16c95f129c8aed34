import type { Character } from '../../../character/character.ts';
import type { HumanoidMap } from '../../../character/humanoid.ts';
import type { VrmModel } from '../../../character/vrm.ts';
import { type ImageModel, type JointModel, MATERIAL_TEXTURES } from '../../../character/model.ts';
import { PackedPoses } from '../../../character/packed-poses.ts';
import { reportVertices, sampleVertices } from '../../../character/packed-vertices.ts';
import { meshesOf } from '../../../frame/tables/crowd-types.ts';
import { readImageHeader } from '../../../render/images/header.ts';
import { planTextures, TEXTURE_SIDES } from '../../../render/materials/textures.ts';
import { lodOf, memoryOf } from '../../character-facts.ts';
import { humanoidFacts } from '../../../humanoid/index.ts';
import { measureClips } from './clip-motion.ts';
import { measureParts, measureStature } from './stature.ts';

/** The answer of `maniple inspect --json`. Metres, seconds, radians, bytes. */
export type Inspection = ReturnType<typeof inspectCharacter>;

/** Vertices to measure, at most. */
const MOST_VERTICES = 200_000;

/** Looks at a packed character. Cost: some 0.2 s for 76 clips of 51 joints; a few seconds at most. */
export function inspectCharacter(file: string, character: Character, vrm?: VrmModel, humanoid?: HumanoidMap) {
  const poses = new PackedPoses(character);
  const sample = sampleVertices(character, MOST_VERTICES);
  const parts = measureParts(character, poses, sample);
  const motions = measureClips(character, poses, sample);
  const { name, size, bounds, reach, joints, clips, influenceHistogram, morphNames, issues } = character;
  return {
    file,
    name,
    /** Diagonal of `bounds`, those of the rest pose. */
    size,
    bounds,
    reach: reach ?? null,
    /** Licence, expressions and springs of a VRM avatar. */
    vrm: vrm ?? null,
    /** Bones of a humanoid, with how sure each is. */
    humanoid: humanoidFacts(restingJoints(character, poses), humanoid),
    stature: measureStature(character, poses, sample, parts),
    joints: joints.map((joint) => ({ name: joint.name, parent: joint.parentIndex, node: joint.nodeIndex })),
    parts,
    meshes: meshFacts(character),
    materials: materialFacts(character),
    images: imageFacts(character),
    lods: meshesOf(character).map((mesh) => lodOf(mesh, joints.length)),
    clips: clips.map(({ bounds: box, ...clip }, index) => ({
      ...clip,
      /** How many times smaller it is than in the file. */
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

/** Joints where they rest, without turns: a baked file has no others. */
function restingJoints({ joints }: Character, poses: PackedPoses): JointModel[] {
  const m = poses.joints();
  const at = (joint: number, axis: number): number => (joint < 0 ? 0 : m[12 * joint + 4 * axis + 3]!);
  return joints.map((joint, i) => {
    const [x, y, z] = [0, 1, 2].map((axis) => at(i, axis) - at(joint.parentIndex, axis));
    return { ...joint, translation: [x!, y!, z!], rotation: [0, 0, 0, 1], scale: [1, 1, 1] };
  });
}

/** All primitives. */
function meshFacts(character: Character) {
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

/** Encoded images; size and format are null where a header cannot be read. */
function imageFacts({ images }: Character) {
  return images.map((image) => ({ name: image.name, ...headerOf(image), bytes: image.bytes.byteLength }));
}

function headerOf({ bytes, mimeType, name }: ImageModel) {
  try {
    return readImageHeader(bytes, mimeType, name);
  } catch {
    return { format: null, width: null, height: null }; // what draws it says what is wrong with it
  }
}

/** Materials with linear colours, and their textures as indices into the images. */
function materialFacts({ materials }: Character) {
  return materials.map((material) => {
    const { name, alphaMode, doubleSided, unlit, baseColor } = material;
    const textures = MATERIAL_TEXTURES.flatMap((use) => {
      const texture = material[use];
      return texture ? [[use, texture.imageIndex] as const] : [];
    });
    return { name, alphaMode, doubleSided, unlit, baseColor, textures: Object.fromEntries(textures) };
  });
}

/**
 * Bytes of a character's textures in the renderers of `maniple/render`: squares, and their smaller levels. Null where an image cannot
 * be read.
 */
function textureBytes(character: Character): number | null {
  try {
    const sides = planTextures([character]).images.map(({ array }) => TEXTURE_SIDES[array % TEXTURE_SIDES.length]!);
    return Math.round(sides.reduce((sum, side) => sum + (4 * side * side * 4) / 3, 0));
  } catch {
    return null; // what draws it says what is wrong with it
  }
}
