/** Families of joint names, by names that only they have together. The first that matches is taken. */
const CONVENTIONS: readonly (readonly [name: string, ...patterns: readonly RegExp[]])[] = [
  ['Mixamo', /mixamorig/i],
  ['HumanIK', /^Character\d+_(Hips|Reference)$/],
  ['VRoid', /^J_Bip_/],
  ['Character Creator', /^CC_Base_/],
  ['Biped', /^Bip0*1[ _-]?(Pelvis|Spine|[LR][ _]?Thigh)/],
  ['Rigify', /^DEF[-_.]?(spine|thigh)/],
  ['Poser', /^lShldr$/, /^lThigh$/],
  ['DAZ', /^lShldrBend$/, /^lThighBend$/],
  ['ASF', /^lfemur$/, /^lhumerus$/],
  ['Unreal', /^pelvis$/i, /^thigh_l$/i, /^calf_l$/i],
  ['KayKit', /^upperleg\.?l$/, /^lowerarm\.?l$/],
  ['Quaternius', /^UpperArm\.?L$/, /^LowerLeg\.?L$/, /^Body$|^Abdomen$/],
  ['Biovision', /^LeftCollar$/, /^LeftElbow$|^LeftUpArm$|^LeftLowArm$/],
  ['Biovision', /^LeftKnee$/, /^LeftElbow$/],
  ['Bandai', /^UpperArm_L$/, /^UpperLeg_L$/],
  ['VRM', /^leftUpperArm$/, /^leftUpperLeg$/],
  ['Unity', /^LeftUpperArm$|^Left_UpperArm$/, /^LeftUpperLeg$|^Left_UpperLeg$/],
  ['CMU', /^LHipJoint$/, /^LeftUpLeg$/],
  ['Ready Player Me', /^Hips$/, /^LeftUpLeg$/, /^LeftForeArm$/, /^HeadTop_End$|^LeftEye$/],
  ['HumanIK', /LeftUpLeg$/, /LeftForeArm$/],
  ['Blender', /upper_?arm[._]l\b/i, /thigh[._]l\b/i],
];

/** The family of names that a skeleton uses, or `other`. */
export function conventionOf(names: readonly string[]): string {
  const match = CONVENTIONS.find(([, ...patterns]) =>
    patterns.every((pattern) => names.some((name) => pattern.test(name))),
  );
  return match?.[0] ?? 'other';
}
