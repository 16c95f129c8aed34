import { type Build, humanoidJoints, onSide, type Side, SIDES } from '../body/humanoid.ts';
import type { Capsule, Chain, SpringSet } from '../motion/spring-set.ts';
import { type JointRow, makeRig, type Rig } from '../rig.ts';
import type { Vec3 } from '../math/vec.ts';

export const build: Build = {
  pelvis: [0, 0.955, 0],
  spine: [
    [0, 1.04, -0.005],
    [0, 1.15, -0.012],
  ],
  chest: [0, 1.27, -0.015],
  neck: [0, 1.46, -0.018],
  head: [0, 1.54, -0.006],
  clavicle: [0.035, 1.425, 0],
  shoulder: [0.185, 1.412, -0.015],
  elbow: [0.376, 1.2, -0.022],
  wrist: [0.545, 1.012, -0.006],
  knuckle: [0.606, 0.945, -0.002],
  hip: [0.095, 0.905, 0],
  knee: [0.106, 0.5, 0.012],
  ankle: [0.112, 0.09, -0.02],
  ball: [0.116, 0.026, 0.105],
  heel: [0.112, 0, -0.09],
};

/** Places of the cloak's joints on the left, from the shoulder down; the last is where the cloth ends. */
const CAPE: readonly Vec3[] = [
  [0.095, 1.4, -0.15],
  [0.12, 1.13, -0.195],
  [0.14, 0.87, -0.225],
  [0.155, 0.58, -0.25],
];

/** The skirt hangs in two panels that the legs push aside. */
const PANELS = [
  { name: 'skirt_front', at: [0, 0.94, 0.09], tip: [0, 0.64, 0.16] },
  { name: 'skirt_back', at: [0, 0.94, -0.09], tip: [0, 0.64, -0.16] },
] as const satisfies readonly { name: string; at: Vec3; tip: Vec3 }[];

export const rig: Rig = makeRig([
  ...humanoidJoints(build),
  ['crest', 'head', [0, 1.87, -0.01]],
  ...PANELS.map(({ name, at }): JointRow => [name, 'pelvis', at]),
  ...SIDES.flatMap((side) =>
    [0, 1, 2].map((i): JointRow => [
      `cape_${i + 1}_${side}`,
      i === 0 ? 'chest' : `cape_${i}_${side}`,
      onSide(side, CAPE[i]!),
    ]),
  ),
]);

const capeChain = (side: Side): Chain => ({
  joints: [1, 2, 3].map((i) => `cape_${i}_${side}`),
  tip: onSide(side, CAPE[3]!),
  stiffness: 12,
  damping: 3.5,
  gravity: 1.4,
  drag: 1.4,
  radius: 0.02,
  maxBend: 36,
  ahead: { joint: 'spine_2', by: -0.13 },
});

const panelChains: Chain[] = PANELS.map(({ name, tip }) => ({
  joints: [name],
  tip,
  stiffness: 60,
  damping: 9,
  gravity: 0.5,
  drag: 0.6,
  radius: 0.03,
  maxBend: 70,
  hinged: true,
  ahead: { joint: 'pelvis', by: tip[2] * 0.8 },
}));

const acrossBack = (joint: string, y: number, radius: number): Capsule => ({
  joint,
  from: [-0.09, y, -0.02],
  to: [0.09, y, -0.02],
  radius,
});

/** Wide, so that the flaps and the cloak find the thighs whichever way they come. */
const thigh = (side: Side): Capsule => ({
  joint: `thigh_${side}`,
  from: onSide(side, build.hip),
  to: onSide(side, build.knee),
  radius: 0.1,
});

const thighWidth = (side: Side): Capsule => ({
  joint: `thigh_${side}`,
  from: onSide(side, [0, 0.66, 0.01]),
  to: onSide(side, [0.16, 0.66, 0.01]),
  radius: 0.1,
});

export const springs: SpringSet = {
  chains: [
    capeChain('l'),
    capeChain('r'),
    ...panelChains,
    {
      joints: ['crest'],
      tip: [0, 2.0, -0.03],
      stiffness: 900,
      damping: 9,
      gravity: 0,
      drag: 0.6,
      radius: 0,
      maxBend: 12,
    },
  ],
  capsules: [
    acrossBack('chest', 1.36, 0.15),
    acrossBack('chest', 1.27, 0.14),
    acrossBack('spine_2', 1.15, 0.13),
    acrossBack('pelvis', 1.0, 0.135),
    acrossBack('pelvis', 0.86, 0.16),
    ...SIDES.flatMap((side) => [thigh(side), thighWidth(side)]),
  ],
  pairs: [[0, 1]],
};
