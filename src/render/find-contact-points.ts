import type { Character, CharacterMesh } from '../character/character.ts';
import { GeometryHeader, LOADER_VARIABLE, SkinBatch } from '../character/format/geometry-layout.ts';
import { CharacterType, RestLane } from '../character/format/rig-layout.ts';
import { openBatch } from '../vertex/vertex-channels.ts';
import { View } from '../layout/index.ts';
import { affineFromPose, multiplyAffine, transformPoint } from '../math/affine.ts';
import { BODY_POINTS, CONTACT_PART_SHIFT, FOOT_POINTS } from './contact-codes.ts';

/** Vertices of a mesh that are considered, about. */
const CANDIDATES = 2048;
/** Eighths of heights and of directions, ordered so that the first ones are spread evenly. */
const EIGHTHS = [0, 4, 2, 6, 1, 5, 3, 7] as const;
/** Share of the height that counts as lowest. */
const SOLE = 0.12;

interface Candidate {
  readonly word: number;
  readonly at: readonly number[];
}

const partOf = ({ word }: Candidate) => word >>> CONTACT_PART_SHIFT;

/** Finds the contact points of a mesh of a character. Takes some milliseconds. */
export function findContactPoints(character: Character, mesh: CharacterMesh): Uint32Array<ArrayBuffer> {
  const candidates = candidatesOf(character, mesh);
  const words = new Uint32Array(BODY_POINTS + FOOT_POINTS);
  if (candidates.length === 0) return words;
  const mean = (axis: number) => candidates.reduce((sum, { at }) => sum + at[axis]!, 0) / candidates.length;
  const [x, z] = [mean(0), mean(2)];
  const rising = [...candidates].sort((a, b) => a.at[1]! - b.at[1]!);
  const chosen: Candidate[] = [];
  const offAxis = (some: readonly Candidate[]) =>
    Math.hypot(
      some.reduce((sum, { at }) => sum + at[0]! - x, 0),
      some.reduce((sum, { at }) => sum + at[2]! - z, 0),
    );
  // the points are on the surface; this puts their mean on the axis, whatever parts are hidden
  const cost = (one: Candidate) =>
    offAxis([...chosen, one]) + offAxis([...chosen.filter((other) => partOf(other) === partOf(one)), one]);
  for (const [index, band] of EIGHTHS.entries()) {
    const [from, to] = [band, band + 1].map((b) => Math.floor((b * rising.length) / BODY_POINTS));
    const ofBand = to! > from! ? rising.slice(from, to) : rising;
    const costs = ofBand.map(cost);
    chosen.push(ofBand[costs.indexOf(Math.min(...costs))]!);
    words[index] = chosen.at(-1)!.word;
  }
  const [lowest, highest] = [rising[0]!, rising.at(-1)!];
  const sole = lowest.at[1]! + SOLE * (highest.at[1]! - lowest.at[1]!);
  for (const [index, octant] of EIGHTHS.entries()) {
    const found = rising.find(({ at }) => {
      const turn = Math.atan2(at[2]! - z, at[0]! - x) / (2 * Math.PI) + 0.5;
      return at[1]! <= sole && Math.min(FOOT_POINTS - 1, Math.floor(turn * FOOT_POINTS)) === octant;
    });
    words[BODY_POINTS + index] = (found ?? lowest).word;
  }
  return words;
}

/** Vertices from all over the mesh, where they are at rest, by their heaviest influence. */
function candidatesOf(character: Character, mesh: CharacterMesh): readonly Candidate[] {
  const palette = restPalette(character);
  const { geometry } = mesh;
  const header = new View(GeometryHeader, geometry.buffer, geometry.byteOffset, 1);
  const firstByte = geometry.byteOffset + 16 * header.get(0, 'batchRow');
  const batchAt = (index: number) => new View(SkinBatch, geometry.buffer, firstByte + index * SkinBatch.size, 1);
  const parts = new Uint8Array(mesh.vertexCount);
  for (const { part, firstVertex, vertexCount } of mesh.primitives)
    parts.fill(part, firstVertex, firstVertex + vertexCount);
  const step = Math.max(1, Math.floor(mesh.vertexCount / CANDIDATES));
  const out: Candidate[] = [];
  for (const { variant, firstBatch, batchCount } of mesh.batchRuns) {
    for (let index = firstBatch; index < firstBatch + batchCount; index++) {
      const batch = batchAt(index);
      const loader = openBatch(geometry, 0, batch);
      const first = batch.get(0, 'firstVertex');
      for (let i = 0; i < batch.get(0, 'vertexCount'); i += step) {
        const entry = (variant & LOADER_VARIABLE) !== 0 ? variableEntry(i, batch) : fixedEntry(i, batch);
        const at = loader.loadPosition(first + i, 0);
        if (entry >= 0) transformPoint(palette, 12 * entry, at[0]!, at[1]!, at[2]!, at, 0);
        out.push({ word: (first + i) | (parts[first + i]! << CONTACT_PART_SHIFT), at });
      }
    }
  }
  return out;

  function fixedEntry(index: number, batch: ReturnType<typeof batchAt>): number {
    const word = 4 * (batch.get(0, 'influence') + index);
    const half = (i: number) => (geometry[word + (i >> 1)]! >>> (16 * (i & 1))) & 0xffff;
    const heaviest = [1, 2, 3].reduce((best, i) => (half(4 + i) > half(4 + best) ? i : best), 0);
    return half(4 + heaviest) === 0 ? -1 : half(heaviest);
  }

  function variableEntry(index: number, batch: ReturnType<typeof batchAt>): number {
    const head = geometry[batch.get(0, 'influence') + index]!;
    const floats = new Float32Array(geometry.buffer, geometry.byteOffset, geometry.length);
    let [entry, heaviest] = [-1, 0];
    for (let i = 0; i < head >>> 24; i++) {
      const word = header.get(0, 'influencePairWord') + 2 * ((head & 0xffffff) + i);
      if (floats[word + 1]! > heaviest) [entry, heaviest] = [geometry[word]!, floats[word + 1]!];
    }
    return entry;
  }
}

/** `modelFromMesh` of every palette entry at rest. */
function restPalette({ rig, joints }: Character): Float64Array {
  const header = new View(CharacterType, rig.buffer, rig.byteOffset, 1);
  const lanes = new View(RestLane, rig.buffer, rig.byteOffset + 16 * header.get(0, 'restRow'), joints.length);
  const modelFromJoint = new Float64Array(12 * joints.length);
  joints.forEach(({ parentIndex }, joint) => {
    const pose = [...lanes.get(joint, 'translation'), ...lanes.get(joint, 'rotation'), ...lanes.get(joint, 'scale')];
    affineFromPose(pose, 0, modelFromJoint, 12 * joint);
    if (parentIndex >= 0)
      multiplyAffine(modelFromJoint, 12 * parentIndex, modelFromJoint, 12 * joint, modelFromJoint, 12 * joint);
  });
  const floats = new Float32Array(rig.buffer, rig.byteOffset, rig.length);
  const [bindWord, jointWord] = [4 * header.get(0, 'bindRow'), 2 * header.get(0, 'bindJointPair')];
  const count = header.get(0, 'paletteCount');
  const palette = new Float64Array(12 * count);
  for (let entry = 0; entry < count; entry++) {
    multiplyAffine(modelFromJoint, 12 * rig[jointWord + entry]!, floats, bindWord + 12 * entry, palette, 12 * entry);
  }
  return palette;
}
