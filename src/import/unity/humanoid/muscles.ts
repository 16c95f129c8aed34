import type { HumanBone } from '../../../character/humanoid.ts';

/** A muscle of Unity's humanoids: a number that turns a bone about one of its axes. Angles are radians. */
export interface Muscle {
  readonly bone: HumanBone;
  /** 0: the twist along the bone; 1 and 2: the two components of the swing. */
  readonly axis: 0 | 1 | 2;
  /** Angle at −1, which is negative, and at 1; 0 is the neutral pose. */
  readonly least: number;
  readonly most: number;
  /** Angle in the T-pose. */
  readonly tPose: number;
}

/**
 * The muscles of Unity's humanoids by the names of their curves: `HumanTrait.MuscleName` and, for fingers, the form of clips,
 * `LeftHand.Index.1 Stretched`. Bones and axes are those of `HumanTrait.MuscleFromBone`, angles those of `GetMuscleDefaultMin` and
 * `GetMuscleDefaultMax`. The angles of the T-pose are measured ones (ADR 0042). The jaw is missing: its axes are not published.
 */
export const MUSCLES: ReadonlyMap<string, Muscle> = new Map(
  [...trunk(), ...side('left', 'Left'), ...side('right', 'Right')].map(([name, bone, axis, range, tPose = 0]) => {
    const [least, most] = typeof range === 'number' ? [-range, range] : range;
    return [name, { bone, axis, least: radians(least), most: radians(most), tPose: radians(tPose) }];
  }),
);

/** Degrees; a single number is the limit on both sides. */
type Row = readonly [
  name: string,
  bone: HumanBone,
  axis: 0 | 1 | 2,
  range: number | readonly [least: number, most: number],
  tPose?: number,
];

function trunk(): Row[] {
  const spine = (
    [
      ['spine', 'Spine', 40],
      ['chest', 'Chest', 40],
      ['upperChest', 'UpperChest', 20],
    ] as const
  ).flatMap(([bone, name, range]): Row[] => [
    [`${name} Front-Back`, bone, 2, range],
    [`${name} Left-Right`, bone, 1, range],
    [`${name} Twist Left-Right`, bone, 0, range],
  ]);
  const head = (
    [
      ['neck', 'Neck'],
      ['head', 'Head'],
    ] as const
  ).flatMap(([bone, name]): Row[] => [
    [`${name} Nod Down-Up`, bone, 2, 40],
    [`${name} Tilt Left-Right`, bone, 1, 40],
    [`${name} Turn Left-Right`, bone, 0, 40],
  ]);
  return [...spine, ...head];
}

function side(bone: 'left' | 'right', name: 'Left' | 'Right'): Row[] {
  return [
    [`${name} Eye Down-Up`, `${bone}Eye`, 2, [-10, 15]],
    [`${name} Eye In-Out`, `${bone}Eye`, 1, 20],
    [`${name} Upper Leg Front-Back`, `${bone}UpperLeg`, 2, [-90, 50], 30],
    [`${name} Upper Leg In-Out`, `${bone}UpperLeg`, 1, 60],
    [`${name} Upper Leg Twist In-Out`, `${bone}UpperLeg`, 0, 60],
    [`${name} Lower Leg Stretch`, `${bone}LowerLeg`, 2, 80, 80],
    [`${name} Lower Leg Twist In-Out`, `${bone}LowerLeg`, 0, 90],
    [`${name} Foot Up-Down`, `${bone}Foot`, 2, 50],
    [`${name} Foot Twist In-Out`, `${bone}Foot`, 1, 30],
    [`${name} Toes Up-Down`, `${bone}Toes`, 2, 50],
    [`${name} Shoulder Down-Up`, `${bone}Shoulder`, 2, [-15, 30]],
    [`${name} Shoulder Front-Back`, `${bone}Shoulder`, 1, 15],
    [`${name} Arm Down-Up`, `${bone}UpperArm`, 2, [-60, 100], 40],
    [`${name} Arm Front-Back`, `${bone}UpperArm`, 1, 100, 30],
    [`${name} Arm Twist In-Out`, `${bone}UpperArm`, 0, 90],
    [`${name} Forearm Stretch`, `${bone}LowerArm`, 2, 80, 80],
    [`${name} Forearm Twist In-Out`, `${bone}LowerArm`, 0, 90],
    [`${name} Hand Down-Up`, `${bone}Hand`, 2, 80],
    [`${name} Hand In-Out`, `${bone}Hand`, 1, 40],
    [`${name}Hand.Thumb.1 Stretched`, `${bone}ThumbMetacarpal`, 2, 20],
    [`${name}Hand.Thumb.Spread`, `${bone}ThumbMetacarpal`, 1, 25],
    [`${name}Hand.Thumb.2 Stretched`, `${bone}ThumbProximal`, 2, [-40, 35], 22.6],
    [`${name}Hand.Thumb.3 Stretched`, `${bone}ThumbDistal`, 2, [-40, 35], 22.6],
    ...(
      [
        ['Index', 20],
        ['Middle', 7.5],
        ['Ring', 7.5],
        ['Little', 20],
      ] as const
    ).flatMap(([finger, spread]): Row[] => [
      [`${name}Hand.${finger}.1 Stretched`, `${bone}${finger}Proximal`, 2, 50, 33.4],
      [`${name}Hand.${finger}.Spread`, `${bone}${finger}Proximal`, 1, spread],
      [`${name}Hand.${finger}.2 Stretched`, `${bone}${finger}Intermediate`, 2, 45, 36.5],
      [`${name}Hand.${finger}.3 Stretched`, `${bone}${finger}Distal`, 2, 45, 36.5],
    ]),
  ];
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
