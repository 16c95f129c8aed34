import { type Build, humanoidJoints, onSide, type Side, SIDES } from '../body/humanoid.ts';
import type { Vec3 } from '../math/vec.ts';
import type { Capsule, SpringSet } from '../motion/spring-set.ts';
import { type JointRow, makeRig, type Rig } from '../rig.ts';

/** Taller, broader and more bent than the legionary. */
export const build: Build = {
  pelvis: [0, 0.97, 0],
  spine: [
    [0, 1.06, -0.004],
    [0, 1.18, -0.01],
  ],
  chest: [0, 1.31, -0.012],
  neck: [0, 1.515, 0],
  head: [0, 1.585, 0.028],
  clavicle: [0.045, 1.47, 0.005],
  shoulder: [0.235, 1.45, -0.015],
  elbow: [0.435, 1.228, -0.022],
  wrist: [0.618, 1.026, -0.006],
  knuckle: [0.683, 0.955, -0.002],
  hip: [0.108, 0.915, 0],
  knee: [0.122, 0.505, 0.012],
  ankle: [0.13, 0.096, -0.02],
  ball: [0.136, 0.028, 0.118],
  heel: [0.13, 0, -0.102],
};

interface Hanging {
  readonly name: string;
  readonly parent: string;
  /** Joint places from the root down; the last is where the hair or fur ends. */
  readonly line: readonly Vec3[];
}

export const BRAID: Hanging = {
  name: 'braid',
  parent: 'head',
  line: [
    [0, 1.65, -0.085],
    [0, 1.59, -0.235],
    [0, 1.4, -0.3],
    [0, 1.19, -0.31],
  ],
};
export const PELT: Hanging = {
  name: 'pelt',
  parent: 'chest',
  line: [
    [0, 1.42, -0.17],
    [0, 1.16, -0.215],
    [0, 0.86, -0.245],
  ],
};
export const LOIN_FRONT: Hanging = {
  name: 'loin_front',
  parent: 'pelvis',
  line: [
    [0, 0.97, 0.16],
    [0, 0.78, 0.235],
    [0, 0.57, 0.24],
  ],
};
export const LOIN_BACK: Hanging = {
  name: 'loin_back',
  parent: 'pelvis',
  line: [
    [0, 0.97, -0.16],
    [0, 0.6, -0.24],
  ],
};
const BEARD: Hanging = {
  name: 'beard',
  parent: 'head',
  line: [
    [0, 1.585, 0.115],
    [0, 1.4, 0.19],
  ],
};

const HANGING = [BRAID, PELT, LOIN_FRONT, LOIN_BACK, BEARD] as const;

/** A hanging of one joint is called by its name alone, a longer one is numbered. */
export const hangingJoints = ({ name, line }: Hanging): string[] =>
  line.length === 2 ? [name] : line.slice(1).map((_, i) => `${name}_${i + 1}`);

const hangingRows = (hanging: Hanging): JointRow[] => {
  const names = hangingJoints(hanging);
  return names.map((name, i) => [name, names[i - 1] ?? hanging.parent, hanging.line[i]!]);
};

export const rig: Rig = makeRig([...humanoidJoints(build), ...HANGING.flatMap(hangingRows)]);

const across = (joint: string, y: number, half: number, radius: number): Capsule => ({
  joint,
  from: [-half, y, -0.015],
  to: [half, y, -0.015],
  radius,
});

const thigh = (side: Side): Capsule => ({
  joint: `thigh_${side}`,
  from: onSide(side, build.hip),
  to: onSide(side, build.knee),
  radius: 0.115,
});

/** Between the legs, so that the loincloth lies over both thighs and does not slip in between. */
const lap = (side: Side): Capsule => ({
  joint: `thigh_${side}`,
  from: [0, 0.68, 0.005],
  to: onSide(side, [0.12, 0.68, 0.005]),
  radius: 0.1,
});

const cloth = { stiffness: 30, damping: 5, gravity: 0.8, drag: 0.8, radius: 0.025, maxBend: 65, hinged: true };
const before = ({ line }: Hanging): { joint: string; by: number } => ({ joint: 'pelvis', by: line.at(-1)![2] * 0.75 });
const chainOf = (hanging: Hanging): { joints: string[]; tip: Vec3 } => ({
  joints: hangingJoints(hanging),
  tip: hanging.line.at(-1)!,
});

export const springs: SpringSet = {
  chains: [
    { ...chainOf(BRAID), stiffness: 18, damping: 5, gravity: 1.5, drag: 0.5, radius: 0.035, maxBend: 70 },
    { ...chainOf(PELT), stiffness: 45, damping: 8, gravity: 1.2, drag: 0.9, radius: 0.02, maxBend: 26 },
    { ...chainOf(LOIN_FRONT), ...cloth, ahead: before(LOIN_FRONT) },
    { ...chainOf(LOIN_BACK), ...cloth, ahead: before(LOIN_BACK) },
    { ...chainOf(BEARD), stiffness: 190, damping: 8, gravity: 0.35, drag: 0.4, radius: 0.03, maxBend: 28 },
  ],
  capsules: [
    // the mantle's back, over which the braid hangs
    { joint: 'chest', from: [-0.1, 1.5, -0.07], to: [0.1, 1.5, -0.07], radius: 0.19 },
    across('chest', 1.41, 0.13, 0.165),
    across('chest', 1.32, 0.12, 0.16),
    across('spine_2', 1.2, 0.1, 0.15),
    across('pelvis', 1.03, 0.1, 0.15),
    across('pelvis', 0.9, 0.1, 0.15),
    ...SIDES.flatMap((side) => [thigh(side), lap(side)]),
  ],
  pairs: [],
};
