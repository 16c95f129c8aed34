import { type KeyOptions, unity } from './unity-yaml.ts';

/** Keys by the attribute of a curve of the animator; a number is one key. */
export type HumanoidCurves = Readonly<Record<string, number | readonly KeyOptions[]>>;

/** Muscles and root in the T-pose, as Unity's `HumanPoseHandler` gives them for avatars that stand in it. */
export const T_POSE: Readonly<Record<string, number>> = Object.fromEntries([
  ...['Left', 'Right'].flatMap((side) => [
    [`${side} Upper Leg Front-Back`, 0.6],
    [`${side} Lower Leg Stretch`, 1],
    [`${side} Arm Down-Up`, 0.4],
    [`${side} Arm Front-Back`, 0.3],
    [`${side} Forearm Stretch`, 1],
  ]),
  ['RootT.y', 1],
  ['RootQ.w', 1],
]) as Readonly<Record<string, number>>;

/** The keys of a sine about a mean, with a period of a second. */
export function wave(mean: number, size: number, phase = 0): KeyOptions[] {
  return Array.from({ length: 9 }, (_, i) => {
    const angle = 2 * Math.PI * (i / 8 + phase);
    const slope = 2 * Math.PI * size * Math.cos(angle);
    return { time: i / 8, value: mean + size * Math.sin(angle), in: slope, out: slope };
  });
}

/** A walk of a second, 1.4 m long. */
export const WALK: HumanoidCurves = {
  ...T_POSE,
  ...Object.fromEntries(
    (
      [
        ['Left', 0],
        ['Right', 0.5],
      ] as const
    ).flatMap(([side, phase]): [string, KeyOptions[]][] => [
      [`${side} Upper Leg Front-Back`, wave(0.5, 0.4, phase)],
      [`${side} Lower Leg Stretch`, wave(0.75, 0.25, phase + 0.25)],
      [`${side} Arm Down-Up`, wave(-0.55, 0.02, phase)],
      [`${side} Arm Front-Back`, wave(0.3, 0.2, phase + 0.5)],
    ]),
  ),
  'RootT.z': [
    { time: 0, value: 0, in: 1.4, out: 1.4 },
    { time: 1, value: 1.4, in: 1.4, out: 1.4 },
  ],
};

/** A squat of two seconds: thighs to 60° from upright, knees twice as far, feet flat on the ground. */
export const SQUAT: HumanoidCurves = (() => {
  const steps = Array.from({ length: 21 }, (_, i) => ({
    time: i / 10,
    angle: 30 * (1 - Math.cos((Math.PI * i) / 10)),
  }));
  const keys = (valueOf: (degrees: number) => number): KeyOptions[] =>
    steps.map(({ time, angle }, i) => {
      const [before, after] = [steps[i - 1] ?? steps[i]!, steps[i + 1] ?? steps[i]!];
      const slope = (valueOf(after.angle) - valueOf(before.angle)) / (after.time - before.time);
      return { time, value: valueOf(angle), in: slope, out: slope };
    });
  const thigh = (angle: number): number => (angle < 30 ? (30 - angle) / 50 : (30 - angle) / 90);
  const legs = ['Left', 'Right'].flatMap((side): [string, KeyOptions[]][] => [
    [`${side} Upper Leg Front-Back`, keys(thigh)],
    [`${side} Lower Leg Stretch`, keys((angle) => 1 - angle / 40)],
    [`${side} Foot Up-Down`, keys((angle) => -angle / 50)],
  ]);
  // both halves of the leg are 0.428 m long in the normalised body
  const height = keys((angle) => 1 - 0.8 * 2 * 0.428 * (1 - Math.cos((angle * Math.PI) / 180)));
  return { ...T_POSE, ...Object.fromEntries(legs), 'RootT.y': height };
})();

/** Curves of a clip, as `ClipText` takes them. */
export function humanoidFloats(curves: HumanoidCurves): string[] {
  return Object.entries(curves).map(([name, keys]) =>
    unity.curve(
      typeof keys === 'number' ? [{ time: 0, value: keys }] : keys,
      `attribute: ${name}\npath: \nclassID: 95`,
    ),
  );
}

/** The text of a clip of muscles called `Made`. */
export function humanoidText(
  curves: HumanoidCurves,
  settings?: string,
  more: Readonly<Record<string, string[]>> = {},
): string {
  const floats = { m_FloatCurves: humanoidFloats(curves), ...more };
  return unity.text(unity.clip({ curves: floats, ...(settings === undefined ? {} : { settings }) }));
}
