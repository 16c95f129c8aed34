/** The bones of a humanoid, as VRM 1.0 names them: https://github.com/vrm-c/vrm-specification, humanoid.md. */
export const HUMAN_BONES = [
  'hips',
  'spine',
  'chest',
  'upperChest',
  'neck',
  'head',
  'leftEye',
  'rightEye',
  'jaw',
  ...sides([
    'UpperLeg',
    'LowerLeg',
    'Foot',
    'Toes',
    'Shoulder',
    'UpperArm',
    'LowerArm',
    'Hand',
    'ThumbMetacarpal',
    'ThumbProximal',
    'ThumbDistal',
    'IndexProximal',
    'IndexIntermediate',
    'IndexDistal',
    'MiddleProximal',
    'MiddleIntermediate',
    'MiddleDistal',
    'RingProximal',
    'RingIntermediate',
    'RingDistal',
    'LittleProximal',
    'LittleIntermediate',
    'LittleDistal',
  ] as const),
] as const;

export type HumanBone = (typeof HUMAN_BONES)[number];

/** Which joint of a character is which bone of a humanoid: indices into `joints`. A bone that is missing has none. */
export type HumanoidMap = Readonly<Partial<Record<HumanBone, number>>>;

function sides<N extends string>(names: readonly N[]): readonly (`left${N}` | `right${N}`)[] {
  return names.flatMap((name) => [`left${name}` as const, `right${name}` as const]);
}
