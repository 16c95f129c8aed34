import type { HumanBone } from '../../../character/humanoid.ts';
import type { CharacterModel, ClipModel, TrackModel } from '../../../character/model.ts';
import { warning } from '../../../errors.ts';
import { multiply, NO_ROTATION, type Rotation, type Vector3 } from '../../../math/rotations.ts';
import { refuseSize, UNITY_LIMITS } from '../fields.ts';
import type { Signal } from '../signal.ts';
import { type Angles, boneTurn, type BoneTurn } from './axes.ts';
import { BODY_BONES, type BodyTransform, defaultBody, hipsOf } from './default-body.ts';
import { MUSCLES } from './muscles.ts';

/** Curves of a humanoid clip. */
export interface HumanoidCurves {
  /** By the name of the muscle. */
  readonly muscles: ReadonlyMap<string, Signal>;
  /** The centre of mass in the unit of a body of the default size, and the body's orientation, without the motion of the character. */
  readonly position: Signal | undefined;
  readonly rotation: Signal | undefined;
}

/** Parts of the body: fingers of each hand, eyes, all other bones. A part without curves keeps its T-pose. */
const PARTS = [/^left(Thumb|Index|Middle|Ring|Little)/, /^right(Thumb|Index|Middle|Ring|Little)/, /Eye$/, /^/] as const;

/** Samples per second. */
const RATE = { least: 30, most: 60 } as const;

/**
 * A clip of muscles as one of a default body: rotations of all bones, and the place of the hips. In a part of the body of which any
 * muscle has a curve, the others are 0, as in Unity.
 *
 * @param clip Name and duration, and what else a clip has. @param rate Samples per second in the file.
 * @throws ManipleError UNITY_LIMIT for over a million rotations
 */
export function humanoidClip(
  curves: HumanoidCurves,
  clip: Omit<ClipModel, 'tracks'>,
  { start, rate }: { readonly start: number; readonly rate: number },
): CharacterModel {
  const times = sampleTimes(clip, rate);
  const angles = anglesOf(curves.muscles);
  const rotations = new Map([...angles.keys()].map((bone) => [bone, new Float32Array(4 * times.length)]));
  const hips = { rotation: new Float32Array(4 * times.length), translation: new Float32Array(3 * times.length) };
  times.forEach((time, i) => {
    const locals = localRotations(angles, start + time);
    for (const [bone, values] of rotations) values.set(locals[BODY_BONES.indexOf(bone)]!, 4 * i);
    const { position, rotation } = hipsOf(locals, bodyAt(curves, start + time));
    hips.translation.set(position, 3 * i);
    hips.rotation.set(rotation, 4 * i);
  });
  const base = { interpolation: 'LINEAR', times } as const;
  const tracks: TrackModel[] = [
    { ...base, path: 'translation', targetIndex: 0, values: hips.translation },
    { ...base, path: 'rotation', targetIndex: 0, values: withoutJumps(hips.rotation) },
    ...Array.from(rotations, ([bone, values]): TrackModel => ({
      ...base,
      path: 'rotation',
      targetIndex: BODY_BONES.indexOf(bone),
      values: withoutJumps(values),
    })),
  ];
  const { joints, humanoid } = defaultBody();
  const plain = { bindings: [], meshes: [], morphSets: [], materials: [], images: [] };
  return {
    name: clip.name,
    joints,
    humanoid,
    ...plain,
    clips: [{ ...clip, tracks }],
    issues: [approximate(clip.name)],
  };
}

function approximate(clip: string) {
  const message =
    'The clip moves muscles. Unity has not published how these turn bones: angles may be off by some degrees.';
  return warning('CLIP_APPROXIMATE', clip, message, 'For an exact result, export the character with its clips as FBX.');
}

function sampleTimes({ name, duration }: Omit<ClipModel, 'tracks'>, rate: number): Float32Array {
  const count = duration > 0 ? Math.round(duration * Math.min(RATE.most, Math.max(RATE.least, rate))) + 1 : 1;
  if (count * BODY_BONES.length > UNITY_LIMITS.keys) {
    refuseSize(
      name,
      `${count} samples of ${BODY_BONES.length} bones are over ${UNITY_LIMITS.keys} rotations: split the clip`,
    );
  }
  if (count === 1) return new Float32Array(1);
  return Float32Array.from({ length: count }, (_, i) => (duration * i) / (count - 1));
}

/** Reads an angle at a second of the file. */
type AngleOf = (time: number) => number;

/** Angles of the three axes of every bone that moves. */
function anglesOf(muscles: HumanoidCurves['muscles']): Map<HumanBone, AngleOf[]> {
  const partOf = (bone: HumanBone): number => PARTS.findIndex((bones) => bones.test(bone));
  const moved = new Set([...muscles.keys()].map((name) => partOf(MUSCLES.get(name)!.bone)));
  const angles = new Map<HumanBone, AngleOf[]>();
  const sample = new Float64Array(2);
  for (const [name, { bone, axis, least, most }] of MUSCLES) {
    if (!moved.has(partOf(bone))) continue;
    const known = angles.get(bone) ?? [STILL, STILL, STILL];
    angles.set(bone, known);
    const signal = muscles.get(name);
    if (!signal) continue;
    known[axis] = (time) => {
      signal.sample(time, 1, sample);
      return sample[0]! * (sample[0]! < 0 ? -least : most);
    };
  }
  return angles;
}

const STILL: AngleOf = () => 0;

/** Rotations of the default body's joints to their parents. */
function localRotations(angles: ReadonlyMap<HumanBone, readonly AngleOf[]>, time: number): Rotation[] {
  const turns = new Map(
    Array.from(
      angles,
      ([bone, of]) => [bone, boneTurn(bone, of.map((angle) => angle(time)) as unknown as Angles)] as const,
    ),
  );
  return BODY_BONES.map((bone) => {
    const local = turns.get(bone)?.local ?? NO_ROTATION;
    const above = twistAbove(bone, turns);
    return above ? multiply(above.handedOn, local) : local;
  });
}

/** The bone of a limb that hands its twist on to this one. */
function twistAbove(bone: HumanBone, turns: ReadonlyMap<HumanBone, BoneTurn>): BoneTurn | undefined {
  const [, side, part] = /^(left|right)(LowerArm|Hand|LowerLeg|Foot)$/.exec(bone) ?? [];
  return part === undefined ? undefined : turns.get(`${side}${ABOVE[part]!}` as HumanBone);
}

const ABOVE: Readonly<Record<string, string>> = {
  LowerArm: 'UpperArm',
  Hand: 'LowerArm',
  LowerLeg: 'UpperLeg',
  Foot: 'LowerLeg',
};

/** The body's transform; that of the T-pose without curves. */
function bodyAt({ position, rotation }: HumanoidCurves, time: number): BodyTransform {
  const [p, q] = [new Float64Array(6), new Float64Array(8)];
  position?.sample(time, 1, p);
  rotation?.sample(time, 1, q);
  return {
    position: position ? ([p[0], p[1], p[2]] as unknown as Vector3) : [0, 1, 0],
    rotation: rotation ? ([q[0], q[1], q[2], q[3]] as unknown as Rotation) : NO_ROTATION,
  };
}

/** Keys with the sign that is nearer to the key before. */
function withoutJumps(values: Float32Array): Float32Array {
  for (let at = 4; at < values.length; at += 4) {
    let cosine = 0;
    for (let c = 0; c < 4; c++) cosine += values[at + c]! * values[at + c - 4]!;
    if (cosine < 0) for (let c = 0; c < 4; c++) values[at + c] = -values[at + c]!;
  }
  return values;
}
