import type { Character } from '../../../character/character.ts';
import { mirrorPairs } from '../../../character/mirror.ts';
import type { PackedPoses } from '../../../character/packed-poses.ts';
import { blendVertex, type VertexSample } from '../../../character/packed-vertices.ts';

/** A node with meshes, at rest. */
export type PartFacts = ReturnType<typeof measureParts>[number];

/** Facts of all parts, by their index. */
export function measureParts(character: Character, poses: PackedPoses, sample: VertexSample) {
  const { parts, primitives, materials, joints } = character;
  const entryJoints = poses.entryJoints();
  const palette = poses.palette(poses.joints());
  const boxes = parts.map(() => ({ min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] }));
  const movers = parts.map(() => new Set<number>());
  const point = [0, 0, 0];
  sample.primitives.forEach((primitive, s) => {
    const { part } = primitives[primitive]!;
    blendVertex(sample, s, palette, point);
    grow(boxes[part]!, point);
    for (let i = sample.offsets[s]!; i < sample.offsets[s + 1]!; i++)
      movers[part]!.add(entryJoints[sample.entries[i]!]!);
  });
  return parts.map((name, part) => {
    const own = primitives.filter((primitive) => primitive.part === part);
    const looks = own.map(({ materialIndex }) => materials[materialIndex]?.name ?? '');
    return {
      name,
      meshes: own.length,
      triangles: own.reduce((sum, { indexCount }) => sum + indexCount / 3, 0),
      vertices: own.reduce((sum, { vertexCount }) => sum + vertexCount, 0),
      materials: [...new Set(looks)],
      /** Names of the joints that move it. */
      joints: [...movers[part]!].sort((a, b) => a - b).map((joint) => joints[joint]!.name),
      ...carrierOf(joints, name, [...movers[part]!]),
      /** Metres in model space; null where it has no vertices. */
      bounds: Number.isFinite(boxes[part]!.min[0]!) ? boxes[part]! : null,
    };
  });
}

const HAND = /hand|wrist|palm|grip|weapon/i;

/**
 * The joint that carries a part whole: where that is its own node, the parent. Null where several joints move it. A part is
 * held if it hangs below a joint that is called a hand.
 */
function carrierOf(joints: Character['joints'], part: string, movers: readonly number[]) {
  const [only] = movers;
  if (only === undefined || movers.length > 1) return { hangsOn: null, isHeld: false };
  const { name, parentIndex } = joints[only]!;
  const chain: string[] = [];
  for (let j = only; j >= 0; j = joints[j]!.parentIndex) if (joints[j]!.name !== part) chain.push(joints[j]!.name);
  const hangsOn = name === part && parentIndex >= 0 ? joints[parentIndex]!.name : name;
  return { hangsOn, isHeld: chain.some((above) => HAND.test(above)) };
}

/**
 * The stature of a character in its rest pose: metres in model space, Y up.
 * @param parts As `measureParts` returns them.
 */
export function measureStature(
  character: Character,
  poses: PackedPoses,
  sample: VertexSample,
  parts: readonly PartFacts[],
) {
  const isBody = parts.map(({ isHeld }) => !isHeld || parts.every((part) => part.isHeld));
  const boxes = parts.flatMap(({ bounds: box }, part) => (box && isBody[part] ? [box] : []));
  const { min, max } = character.bounds;
  const low = boxes.reduce((least, box) => Math.min(least, box.min[1]!), max[1]!);
  const high = boxes.reduce((most, box) => Math.max(most, box.max[1]!), low);
  const modelFromJoint = poses.joints();
  const palette = poses.palette(modelFromJoint);
  return {
    /** Height of all vertices. */
    height: max[1]! - min[1]!,
    /** The same without items in the hands: rigid parts below a joint that is called a hand. */
    bodyHeight: high - low,
    /** Lowest point without items in the hands, and the middle of everything that is within 2 % of the height above it. */
    feet: boxes.length === 0 ? ([0, low, 0] as const) : soleOf(character, palette, sample, { isBody, low, high }),
    /** Where it looks, and how that was found out; null where names of joints do not say. */
    facing: facingOf(character, modelFromJoint),
  };
}

/** Middle of what is within 2 % of the body's height above its lowest point. */
function soleOf(
  { primitives }: Character,
  palette: Float64Array,
  sample: VertexSample,
  { isBody, low, high }: { readonly isBody: readonly boolean[]; readonly low: number; readonly high: number },
): [number, number, number] {
  const box = { min: [Infinity, low, Infinity], max: [-Infinity, low, -Infinity] };
  const point = [0, 0, 0];
  sample.primitives.forEach((primitive, s) => {
    if (!isBody[primitives[primitive]!.part]) return;
    blendVertex(sample, s, palette, point);
    if (point[1]! <= low + 0.02 * (high - low)) grow(box, point);
  });
  return [(box.min[0]! + box.max[0]!) / 2, low, (box.min[2]! + box.max[2]!) / 2];
}

function grow({ min, max }: { readonly min: number[]; readonly max: number[] }, point: readonly number[]): void {
  for (let c = 0; c < 3; c++) {
    min[c] = Math.min(min[c]!, point[c]!);
    max[c] = Math.max(max[c]!, point[c]!);
  }
}

export interface Facing {
  /** Radians from +Z, towards +X. glTF asks for 0. */
  readonly yaw: number;
  /** Pairs of left and right joints, or feet with toes. */
  readonly by: 'sides' | 'toes';
}

/** Forward is from right to left, a quarter turn about Y; or from foot to toe. */
function facingOf({ joints, bounds }: Character, modelFromJoint: Float64Array): Facing | null {
  const at = (joint: number, c: number) => modelFromJoint[12 * joint + 4 * c + 3]!;
  const least = 0.001 * Math.hypot(...bounds.max.map((high, c) => high - bounds.min[c]!));
  const along = (pairs: readonly (readonly [from: number, to: number])[], c: number) =>
    pairs.reduce((sum, [from, to]) => sum + at(to, c) - at(from, c), 0);
  const sides = sidesOf(joints.map(({ name }) => name));
  const left = [along(sides, 0), along(sides, 2)] as const;
  if (Math.hypot(...left) > least) return { yaw: Math.atan2(-left[1], left[0]) + 0, by: 'sides' };
  const toes = joints.flatMap(({ name, parentIndex }, toe) =>
    /toe|ball/i.test(name) && /foot|ankle/i.test(joints[parentIndex]?.name ?? '') ? [[parentIndex, toe] as const] : [],
  );
  const ahead = [along(toes, 0), along(toes, 2)] as const;
  return Math.hypot(...ahead) > least ? { yaw: Math.atan2(...ahead), by: 'toes' } : null;
}

/** Pairs of right and left joints. */
function sidesOf(names: readonly string[]): (readonly [right: number, left: number])[] {
  const others = mirrorPairs(names);
  return names.flatMap((name, joint) => {
    const other = others[joint]!;
    const first = Array.from(name).findIndex((letter, i) => letter !== names[other]![i]);
    return first >= 0 && name[first]!.toLowerCase() === 'l' ? [[other, joint] as const] : [];
  });
}
